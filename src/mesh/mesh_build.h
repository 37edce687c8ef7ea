// Functions for building a mesh, for readers and generators.
#ifndef COND_MESH_MESH_BUILD_H
#define COND_MESH_MESH_BUILD_H

#include "cond/mesh.h"

// Faces of the tetrahedron (0, 1, 2, 3), outward when it is positively oriented.
static const int cond_tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

// A face or an edge with its nodes in ascending order, and its origin. After sorting, equal ones
// are adjacent and in the order of their origin.
typedef struct CondMeshKey {
    int node[3]; // of an edge: the last is 0
    int origin;  // face: 4 tet + face; edge: 2 edge + (1 if it runs against the ascending order)
} CondMeshKey;

int cond_mesh_key_same(const CondMeshKey* a, const CondMeshKey* b);
void cond_mesh_key_sort(CondMeshKey* key, int n);

// All faces of the tetrahedra, sorted                                         (4 n_tet)
CondMeshKey* cond_mesh_faces(const CondContext* context, const CondMesh* mesh);

// Six times the volume of a tetrahedron, (b - a) x (c - a) . (d - a); its longest edge goes to
// *longest unless that is NULL.
double cond_tet_volume6(const double* node, const int tet[4], double* longest);

// COND_BAD_ARGUMENT unless all indices are in range and all positions finite, as all functions on
// meshes require.
CondStatus cond_mesh_check_sound(const CondMesh* mesh, CondError* error);

// Reverses tetrahedra of negative volume and computes the surface; *turned is their number.
CondStatus cond_mesh_orient(CondMesh* mesh, int* turned, CondError* error);

#endif
