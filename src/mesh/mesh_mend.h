// Repairs the triangles of a surface before they bound a solid or the ground: triangles without
// area, duplicate triangles, nodes that are duplicated for each triangle, nodes on an edge of a
// neighbour, and triangles with reversed orientation. The surface moves by at most a millionth of
// its size; holes are not closed.
#ifndef COND_MESH_MESH_MEND_H
#define COND_MESH_MESH_MEND_H

#include "mesh/mesh_build.h"

// Nodes keep their indices and positions. A surface without such faults keeps all its triangles.
// Faults that cannot be repaired stay; cond_mesh_surface_create names them.
CondStatus cond_mesh_mend(CondMesh* mesh, CondError* error);

// ---- internal functions

// The triangles in repair and their edges.
typedef struct CondMending {
    CondMesh* mesh;   //
    double reach;     // nodes nearer than this are merged [m]
    CondMeshKey* key; // edges, sorted; origin: 2 (3 triangle + corner) + against  (3 n_triangle)
    int* of;          // node that replaces a node                                    (n_node)
    int* touched;     // 1: changed since the edges were sorted                    (n_triangle)
    int changed;      // 1: changed in this round; the edges must be sorted again
} CondMending;

// Number of equal edges from key i on.
int cond_mending_same(const CondMending* mending, int i);
static inline const double* cond_mending_place(const CondMending* mending, int node)
{
    return mending->mesh->node + 3 * (size_t)node;
}
// Distance of x from the line through a and b [m], and the parameter of the nearest point: 0 at a,
// 1 at b.
double cond_mending_off_line(const double a[3], const double b[3], const double x[3], double* at);

// Merges nodes of open edges at the same position.
CondStatus cond_mending_weld(CondMending* mending);
// Cuts triangles with an open edge on which nodes of other open edges lie.
CondStatus cond_mending_split(CondMending* mending);
// Reverses the triangles that are oriented against most of their connected component; *turned: 1 if
// there were any, so that the edges must be sorted again.
CondStatus cond_mending_turn(CondMending* mending, int* turned);

#endif
