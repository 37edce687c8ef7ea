// The cells of VTK's formats: legacy and XML files use the same numbers of kinds.
#ifndef COND_MESH_FILE_MESH_CELLS_H
#define COND_MESH_FILE_MESH_CELLS_H

#include "mesh_file/mesh_file.h"

enum { COND_VTK_TRIANGLE = 5, COND_VTK_TETRAHEDRON = 10, COND_VTK_QUADRATIC_TETRAHEDRON = 24 };

// Adds the n_cell cells whose corners are connectivity[offset[i] .. offset[i + 1]) and whose kinds
// are type[i], counted from the node `base`; kinds other than triangles and tetrahedra of four and
// ten nodes are counted and ignored. `at` is the position for messages.
CondStatus cond_mesh_add_cells(CondMeshFile* file, size_t at, int64_t base, int64_t n_cell,
                               const int64_t* offset, const int64_t* connectivity,
                               int64_t n_connectivity, const int64_t* type);

#endif
