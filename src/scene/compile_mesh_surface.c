// Surfaces of rigid shapes: read or made, scaled, mended, checked, and kept by the model.
#include "base/error.h"
#include "base/memory.h"
#include "geometry/convex.h"
#include "math/vec3.h"
#include "mesh/mesh_mend.h"
#include "scene/compile.h"
#include "scene/scene_files.h"

#include <string.h>

static CondStatus get_surface(const CondScene* scene, const char* path, CondMesh** mesh,
                              CondError* error)
{
    CondStatus status = cond_scene_get_mesh(scene, path, mesh, error);
    if (!status && (*mesh)->n_triangle == 0)
        status = cond_error_set(error, COND_BAD_INPUT, "%s: there are no triangles", path);
    return status;
}

// A surface of the triangles, or where they bound no solid and `mended` is there, that of their
// hull.
static CondStatus make_mesh_surface(const CondScene* scene, const CondMesh* mesh, int convex,
                                    CondMeshSurface** mesh_surface, CondError* mended,
                                    CondError* error)
{
    CondStatus status = (convex ? cond_convex_create : cond_mesh_surface_create)(
        &scene->arena.context, mesh->n_node, mesh->node, mesh->n_triangle, mesh->triangle,
        mesh_surface, error);
    if (status != COND_BAD_ARGUMENT || !mended || !scene->files)
        return status;
    CondMesh* hull;
    *mended = *error;
    status = scene->files->make_hull(mesh, &hull, error);
    if (!status)
        status = cond_convex_create(&scene->arena.context, hull->n_node, hull->node,
                                    hull->n_triangle, hull->triangle, mesh_surface, error);
    cond_mesh_destroy(hull);
    return status;
}

// Six times the volume that the triangles enclose where they are closed.
static double signed_volume(const CondMesh* mesh)
{
    double sum = 0.0, normal[3];
    for (int t = 0; t < mesh->n_triangle; t++) {
        const int* corner = mesh->triangle + 3 * (size_t)t;
        const double* a = mesh->node + 3 * (size_t)corner[0];
        vec3_cross(mesh->node + 3 * (size_t)corner[1], mesh->node + 3 * (size_t)corner[2], normal);
        sum += vec3_dot(a, normal);
    }
    return sum;
}

// Robots' meshes may be inside out: drawn so, or mirrored by their scale.
static void turn_out(CondMesh* mesh)
{
    for (int t = 0; t < mesh->n_triangle; t++) {
        int *corner = mesh->triangle + 3 * (size_t)t, second = corner[1];
        corner[1] = corner[2];
        corner[2] = second;
    }
}

static CondStatus read_mesh_surface(const CondScene* scene, const char* path, const double scale[3],
                                    int convex, CondMeshSurface** mesh_surface, CondError* mended,
                                    CondError* error)
{
    CondMesh* mesh;
    CondError inner = {COND_OK, ""};
    CondStatus status = get_surface(scene, path, &mesh, error);
    if (!status) {
        for (int k = 0; k < 3 * mesh->n_node; k++)
            mesh->node[k] *= scale[k % 3];
        status = cond_mesh_mend(mesh, &inner);
        if (!status && !mended && mesh->n_triangle == 0)
            status = cond_error_set(&inner, COND_BAD_ARGUMENT,
                                    "the triangles have no area or lie on each other");
    }
    if (!status) {
        if (mended && signed_volume(mesh) < 0.0)
            turn_out(mesh);
        status = make_mesh_surface(scene, mesh, convex, mesh_surface, mended, &inner);
    }
    if (status && inner.status)
        cond_error_set(error, status, "%.1000s: %.900s", path, inner.message);
    cond_mesh_destroy(mesh);
    return status;
}

CondStatus cond_compile_mesh_surface(CondModel* model, const CondScene* scene, const char* owner,
                                     const char* path, const double scale[3], int convex,
                                     CondMeshSurface** mesh_surface, CondError* mended,
                                     CondError* error)
{
    CondError inner = {COND_OK, ""};
    *mesh_surface = NULL;
    CondStatus status = COND_RESERVE(&model->arena, model->mesh_surface, model->n_mesh_surface + 1);
    if (status)
        return cond_error_set(error, status, "out of memory");
    status = read_mesh_surface(scene, path, scale, convex, mesh_surface, mended, &inner);
    if (status == COND_BAD_ARGUMENT)
        status = COND_BAD_INPUT;
    if (status)
        return cond_error_set(error, status, "%s: shape: %.1900s", owner, inner.message);
    model->mesh_surface[model->n_mesh_surface++] = *mesh_surface;
    return COND_OK;
}
