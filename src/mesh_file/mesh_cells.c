// Adds VTK cells to a mesh: tetrahedra and triangles; others are counted (mesh_cells.h).
#include "mesh_file/mesh_cells.h"

CondStatus cond_mesh_add_cells(CondMeshFile* file, size_t at, int64_t base, int64_t n_cell,
                               const int64_t* offset, const int64_t* connectivity,
                               int64_t n_connectivity, const int64_t* type)
{
    for (int64_t i = 0; i < n_cell; i++) {
        if (offset[i] < 0 || offset[i + 1] < offset[i] || offset[i + 1] > n_connectivity)
            return cond_mesh_file_refuse(
                file, at, "cell %lld spans the corners %lld to %lld of %lld", (long long)i,
                (long long)offset[i], (long long)offset[i + 1], (long long)n_connectivity);
        int64_t n = offset[i + 1] - offset[i], corner[10];
        // Kinds that this version does not know are passed over, but a byte that is no kind of VTK
        // means that the file is damaged.
        if (type[i] < 0 || type[i] > 81)
            return cond_mesh_file_refuse(file, at, "cell %lld is of the unknown type %lld",
                                         (long long)i, (long long)type[i]);
        int expected = type[i] == COND_VTK_TETRAHEDRON             ? 4
                       : type[i] == COND_VTK_TRIANGLE              ? 3
                       : type[i] == COND_VTK_QUADRATIC_TETRAHEDRON ? 10
                                                                   : 0;
        if (type[i] == 1)
            expected = 1; // a vertex: it is passed over, but its size must be right
        if (expected && n != expected)
            return cond_mesh_file_refuse(file, at,
                                         "cell %lld of type %lld has %lld corners, not %d",
                                         (long long)i, (long long)type[i], (long long)n, expected);
        if (expected < 3) {
            file->n_ignored++;
            continue;
        }
        for (int k = 0; k < expected; k++) {
            corner[k] = connectivity[offset[i] + k];
            // Within this piece; the sum with base must not reach into another one.
            corner[k] = corner[k] < 0 || corner[k] >= file->n_node - base ? -1 : corner[k] + base;
            if (corner[k] < 0)
                return cond_mesh_file_refuse(file, at, "cell %lld names node %lld of %lld",
                                             (long long)i, (long long)connectivity[offset[i] + k],
                                             (long long)(file->n_node - base));
        }
        CondStatus status = expected == 10
                                ? cond_mesh_file_add_quadratic(file, at, i, corner)
                                : cond_mesh_file_add_element(file, at, i, expected, corner);
        if (status != COND_OK)
            return status;
    }
    return COND_OK;
}
