// A mesh while a reader or a generator makes it.
#ifndef COND_MESH_MESH_BUILD_H
#define COND_MESH_MESH_BUILD_H

#include "cond/mesh.h"

// Faces of the tetrahedron (0, 1, 2, 3), outward when it is positively oriented.
static const int cond_tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

// A face or an edge by its nodes in rising order, and where it comes from. Sorted, equal ones are
// neighbours and in the order of their origin.
typedef struct CondMeshKey {
    int node[3]; // of an edge: the last is 0
    int origin;  // face: 4 tet + face; edge: 2 edge + (1 when it runs against the rising order)
} CondMeshKey;

int cond_mesh_key_same(const CondMeshKey* a, const CondMeshKey* b);
void cond_mesh_key_sort(CondMeshKey* key, int n);

// All faces of the tetrahedra, sorted                                         (4 n_tet)
CondMeshKey* cond_mesh_faces(const CondContext* context, const CondMesh* mesh);

// Six times the volume of a tetrahedron, (b - a) x (c - a) . (d - a); its longest edge goes to
// *longest unless that is NULL.
double cond_tet_volume6(const double* node, const int tet[4], double* longest);

// COND_BAD_ARGUMENT unless all indices are in range and all positions finite, which everything that
// works on a mesh relies on.
CondStatus cond_mesh_check_sound(const CondMesh* mesh, CondError* error);

// Turns tetrahedra of negative volume round and makes the surface; returns how many in *turned.
CondStatus cond_mesh_orient(CondMesh* mesh, int* turned, CondError* error);

#endif
