// Quadratic tetrahedra from linear ones, with a node in the middle of every edge.
#ifndef COND_MESH_MESH_QUADRATIC_H
#define COND_MESH_MESH_QUADRATIC_H

#include "cond/mesh.h"

typedef struct CondMeshQuadratic {
    int n_node;
    double* node; // of the mesh, then the middles of its edges by rising nodes    (n_node x 3)
    int n_tet;
    int* element; // corners, then the middles of 01 12 02 03 13 23                (n_tet x 10)
    CondContext context;
} CondMeshQuadratic;

// After a failure *quadratic is empty (all zero).
CondStatus cond_mesh_quadratic_create(const CondContext* context, const CondMesh* mesh,
                                      CondMeshQuadratic* quadratic, CondError* error);
void cond_mesh_quadratic_destroy(CondMeshQuadratic* quadratic);

#endif
