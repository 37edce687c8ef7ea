// Mends the triangles of a surface before they bound a solid or the ground: files have triangles
// without area, triangles given twice, nodes given once per triangle, nodes on the middle of an
// edge of the neighbour, and triangles that run the wrong way round. The surface moves by a
// millionth of its size at most; a hole is not closed.
#ifndef COND_MESH_MESH_MEND_H
#define COND_MESH_MESH_MEND_H

#include "mesh/mesh_build.h"

// Nodes keep their numbers and places. A surface without such faults keeps all its triangles.
// Faults that cannot be repaired stay; cond_mesh_surface_create names them.
CondStatus cond_mesh_mend(CondMesh* mesh, CondError* error);

// ---- for the files that make it up

// The triangles at work and their edges.
typedef struct CondMending {
    CondMesh* mesh;   //
    double reach;     // nodes that are nearer than this are one [m]
    CondMeshKey* key; // edges, sorted; origin: 2 (3 triangle + corner) + against  (3 n_triangle)
    int* of;          // node that stands for a node                               (n_node)
    int* touched;     // 1: changed since the edges were sorted                    (n_triangle)
    int changed;      // 1: by the round, and the edges are to be sorted anew
} CondMending;

// How many edges from key i on are the same.
int cond_mending_same(const CondMending* mending, int i);
static inline const double* cond_mending_place(const CondMending* mending, int node)
{
    return mending->mesh->node + 3 * (size_t)node;
}
// Distance of x from the line through a and b [m], and where it is nearest: 0 at a, 1 at b.
double cond_mending_off_line(const double a[3], const double b[3], const double x[3], double* at);

// Joins nodes of open edges that lie at the same place.
CondStatus cond_mending_weld(CondMending* mending);
// Cuts triangles with an open edge on which nodes of other open edges lie.
CondStatus cond_mending_split(CondMending* mending);
// Turns round the triangles that run against most of their connected part; *turned: there were any,
// and the edges are to be sorted anew.
CondStatus cond_mending_turn(CondMending* mending, int* turned);

#endif
