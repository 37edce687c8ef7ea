// Reading a mesh: from a path to a mesh that is in order.
#define _POSIX_C_SOURCE 200809L
#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh_build.h"
#include "mesh_file/mesh_file.h"
#include "mesh_file/mesh_import.h"

#include <locale.h>
#include <string.h>
#include <strings.h>

typedef struct Format {
    const char* ending;
    CondStatus (*read)(CondMeshFile* file);
} Format;

static const Format formats[] = {
    {".msh", cond_mesh_read_gmsh}, {".vtk", cond_mesh_read_vtk}, {".vtu", cond_mesh_read_vtu},
    {".obj", cond_mesh_read_obj},  {".stl", cond_mesh_read_stl},
};

static const char* ending(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot ? dot : "";
}

static const Format* find_format(const char* path)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcasecmp(ending(path), formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

const char* cond_mesh_import_format(const char* path)
{
    static const char* const known[][2] = {{".dae", "COLLADA (.dae)"},
                                           {".glb", "glTF (.glb)"},
                                           {".gltf", "glTF (.gltf)"},
                                           {".ply", "PLY (.ply)"},
                                           {".3ds", "3D Studio's format (.3ds)"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcasecmp(ending(path), known[i][0]) == 0)
            return known[i][1];
    return NULL;
}

int cond_mesh_file_is_known(const char* path)
{
    return find_format(path) != NULL;
}

CondStatus cond_mesh_file_read(CondMeshFile* file)
{
    const Format* format = find_format(file->path);
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cond_mesh_file_no_memory(file);
    locale_t before = uselocale(plain);
    CondStatus status = format ? format->read(file) : cond_mesh_read_import(file);
    uselocale(before);
    freelocale(plain);
    return status;
}

// Where the middles of edges lie; nodes that are nothing else leave the mesh.
static CondStatus take_middles(const CondMeshFile* file, CondMesh* mesh)
{
    static const int edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    size_t n = 6 * (size_t)mesh->n_tet;
    int *new_of = cond_allocate(&file->context, (size_t)mesh->n_node, sizeof *new_of), left = 0;
    mesh->middle = cond_allocate(&mesh->context, 3 * n, sizeof *mesh->middle);
    if (!new_of || !mesh->middle) {
        cond_release(&file->context, new_of);
        return cond_mesh_file_no_memory(file);
    }
    for (size_t k = 0; k < n; k++) {
        const int *tet = mesh->tet + 4 * (k / 6), node = file->middle[k];
        for (int i = 0; i < 3; i++)
            mesh->middle[3 * k + (size_t)i] =
                node >= 0 ? mesh->node[3 * (size_t)node + i]
                          : 0.5 * (mesh->node[3 * (size_t)tet[edge[k % 6][0]] + i] +
                                   mesh->node[3 * (size_t)tet[edge[k % 6][1]] + i]);
        if (node >= 0)
            new_of[node] = -1;
    }
    for (int i = 0; i < 4 * mesh->n_tet; i++)
        new_of[mesh->tet[i]] = 0;
    for (int i = 0; i < 3 * mesh->n_triangle; i++)
        new_of[mesh->triangle[i]] = 0;
    for (int i = 0; i < mesh->n_node; i++) {
        if (new_of[i] < 0)
            continue;
        memmove(mesh->node + 3 * (size_t)left, mesh->node + 3 * (size_t)i, 3 * sizeof *mesh->node);
        new_of[i] = left++;
    }
    for (int i = 0; i < 4 * mesh->n_tet; i++)
        mesh->tet[i] = new_of[mesh->tet[i]];
    for (int i = 0; i < 3 * mesh->n_triangle; i++)
        mesh->triangle[i] = new_of[mesh->triangle[i]];
    mesh->n_node = left;
    cond_release(&file->context, new_of);
    return COND_OK;
}

// Makes the mesh out of what the reader found. The arrays change hands.
static CondStatus finish(CondMeshFile* file, CondMesh** mesh, CondMeshReport* report)
{
    if (file->n_tet + file->n_triangle == 0)
        return cond_mesh_file_refuse(
            file, file->at,
            "no tetrahedra and no triangles in the file (%d nodes, %d elements of "
            "other kinds)",
            file->n_node, file->n_ignored);
    CondMesh* made;
    CondStatus status = cond_mesh_create(&file->context, 0, 0, 0, &made, file->error);
    if (status == COND_OK)
        status = cond_mesh_file_reserve(file, 0, 0, 0); // no array of the mesh is NULL
    if (status == COND_OK) {
        CondMesh empty = *made;
        made->n_node = file->n_node;
        made->n_tet = file->n_tet;
        made->n_triangle = file->n_triangle;
        made->node = file->node;
        made->tet = file->tet;
        made->triangle = file->triangle;
        file->node = empty.node;
        file->tet = empty.tet;
        file->triangle = empty.triangle;
    }
    int turned = 0;
    CondMeshReport found;
    if (status == COND_OK && file->n_quadratic > 0)
        status = take_middles(file, made);
    if (status == COND_OK)
        status = cond_mesh_orient(made, &turned, file->error);
    if (status == COND_OK && report) {
        status = cond_mesh_check(&file->context, made, &found, file->error);
        found.n_inverted = turned;
        found.n_ignored = file->n_ignored;
    }
    if (status != COND_OK) {
        cond_mesh_destroy(made);
        return status;
    }
    if (report)
        *report = found;
    *mesh = made;
    return COND_OK;
}

static CondStatus mesh_read_whole(const CondContext* context, const char* path, CondMesh** mesh,
                                  CondMeshReport* report, CondError* error)
{
    *mesh = NULL;
    if (!find_format(path) && !cond_mesh_import_format(path))
        return cond_error_set(
            error, COND_NOT_SUPPORTED,
            "%.1000s: its ending is none of .msh, .vtk, .vtu, .obj, .stl, .dae, .glb, "
            ".gltf, .ply, .3ds",
            path);
    CondMeshFile file;
    CondStatus status = cond_mesh_file_open(&file, context, path, error);
    if (status == COND_OK)
        status = cond_mesh_file_read(&file);
    if (status == COND_OK)
        status = finish(&file, mesh, report);
    cond_mesh_file_close(&file);
    return status;
}

CondStatus cond_mesh_read_sized(const CondContext* context, const char* path, CondMesh** mesh,
                                CondMeshReport* report, CondError* error, size_t size)
{
    COND_SIZED(CondStatus, CondMeshReport, report, size,
               mesh_read_whole(context, path, mesh, it, error));
}
