// Meshes that stand in the scene itself: bodies, obstacles and links name them instead of files.
#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh_build.h"
#include "scene/scene_files.h"

#include <string.h>

const CondSceneMesh* cond_scene_find_mesh(const CondScene* scene, const char* name)
{
    int found = cond_scene_find(scene, COND_SCENE_MESH, name);
    return found < 0 ? NULL : &scene->mesh[found];
}

// A copy with the memory of a context, to be destroyed.
static CondStatus copy_mesh(const CondContext* context, const CondMesh* mesh, CondMesh** copy,
                            CondError* error)
{
    CondStatus status =
        cond_mesh_create(context, mesh->n_node, mesh->n_tet, mesh->n_triangle, copy, error);
    if (status)
        return status;
    size_t n_middle = mesh->middle ? 18 * (size_t)mesh->n_tet : 0;
    if (n_middle > 0) {
        (*copy)->middle = cond_allocate(&(*copy)->context, n_middle, sizeof *mesh->middle);
        if (!(*copy)->middle) {
            cond_mesh_destroy(*copy);
            return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a mesh");
        }
        memcpy((*copy)->middle, mesh->middle, n_middle * sizeof *mesh->middle);
    }
    memcpy((*copy)->node, mesh->node, 3 * (size_t)mesh->n_node * sizeof *mesh->node);
    if (mesh->n_tet > 0)
        memcpy((*copy)->tet, mesh->tet, 4 * (size_t)mesh->n_tet * sizeof *mesh->tet);
    if (mesh->n_triangle > 0)
        memcpy((*copy)->triangle, mesh->triangle,
               3 * (size_t)mesh->n_triangle * sizeof *mesh->triangle);
    return COND_OK;
}

CondStatus cond_scene_copy_mesh(const CondScene* scene, const CondSceneMesh* mesh, CondMesh** copy,
                                CondError* error)
{
    return copy_mesh(&scene->arena.context, &mesh->mesh, copy, error);
}

// A name that could be a path or a generator would hide one.
static CondStatus check_name(const CondScene* scene, const char* name, CondError* error)
{
    if (!name || !*name || strlen(name) >= COND_NAME_SIZE || strpbrk(name, "/.:"))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "mesh '%.80s': a mesh of a scene has a name of fewer than %d bytes "
                              "without '/', '.' and ':'",
                              name ? name : "", COND_NAME_SIZE);
    if (cond_scene_find_mesh(scene, name))
        return cond_error_set(error, COND_BAD_ARGUMENT, "another mesh is called '%s' already",
                              name);
    return COND_OK;
}

// Moves the arrays into the scene.
static CondStatus keep(CondScene* scene, const char* name, const CondMesh* mesh)
{
    CondArena* arena = &scene->arena;
    CondSceneMesh own = {.mesh = *mesh};
    size_t n_node = (size_t)mesh->n_node, n_tet = (size_t)mesh->n_tet,
           n_triangle = (size_t)mesh->n_triangle;
    strcpy(own.name, name);
    own.mesh.node = cond_arena_allocate(arena, 3 * n_node, sizeof(double));
    own.mesh.tet = cond_arena_allocate(arena, 4 * n_tet, sizeof(int));
    own.mesh.triangle = cond_arena_allocate(arena, 3 * n_triangle, sizeof(int));
    if (mesh->middle)
        own.mesh.middle = cond_arena_allocate(arena, 18 * n_tet, sizeof(double));
    if ((mesh->middle && !own.mesh.middle) || !own.mesh.node || (n_tet > 0 && !own.mesh.tet) ||
        (n_triangle > 0 && !own.mesh.triangle) ||
        COND_RESERVE(arena, scene->mesh, scene->n_mesh + 1) ||
        cond_name_index_reserve(arena, &scene->name[COND_SCENE_MESH], scene->mesh,
                                sizeof *scene->mesh, scene->n_mesh, scene->n_mesh + 1))
        return COND_OUT_OF_MEMORY;
    memcpy(own.mesh.node, mesh->node, 3 * n_node * sizeof(double));
    if (n_tet > 0)
        memcpy(own.mesh.tet, mesh->tet, 4 * n_tet * sizeof(int));
    if (mesh->middle)
        memcpy(own.mesh.middle, mesh->middle, 18 * n_tet * sizeof(double));
    if (n_triangle > 0)
        memcpy(own.mesh.triangle, mesh->triangle, 3 * n_triangle * sizeof(int));
    scene->mesh[scene->n_mesh] = own;
    cond_name_index_add(&scene->name[COND_SCENE_MESH], scene->mesh, sizeof *scene->mesh,
                        scene->n_mesh++);
    return COND_OK;
}

CondStatus cond_scene_add_mesh(CondScene* scene, const char* name, const CondMesh* mesh,
                               CondError* error)
{
    CondMesh* own = NULL;
    int turned;
    CondError inner = {COND_OK, ""};
    CondStatus status = check_name(scene, name, error);
    if (status)
        return status;
    if (mesh->n_node < 1 || (mesh->n_tet < 1 && mesh->n_triangle < 1))
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "mesh '%s': has neither tetrahedra nor triangles", name);
    status = cond_mesh_check_sound(mesh, &inner);
    if (!status)
        status = copy_mesh(&scene->arena.context, mesh, &own, &inner);
    if (!status && own->n_tet > 0) // as files are read: positive tetrahedra and their own surface
        status = cond_mesh_orient(own, &turned, &inner);
    if (!status && (status = keep(scene, name, own)))
        cond_error_set(&inner, status, "out of memory");
    cond_mesh_destroy(own);
    return status ? cond_error_set(error, status, "mesh '%s': %s", name, inner.message) : COND_OK;
}
