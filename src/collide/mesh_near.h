// Corners and edges of one mesh that are near another mesh, found with the trees of both: the cost
// depends on the number found, not on the size of the meshes.
#ifndef COND_COLLIDE_MESH_NEAR_H
#define COND_COLLIDE_MESH_NEAR_H

#include "base/arena.h"
#include "geometry/core.h"
#include "geometry/tree.h"

typedef struct CondMeshNear {
    CondArena arena;
    CondTreeHits hits;
    int n;
    int* item; // ascending                                                             (n)
} CondMeshNear;

void cond_mesh_near_begin(const CondContext* context, CondMeshNear* near);
void cond_mesh_near_end(CondMeshNear* near);

// Corners of `own` within `far` of the other mesh or inside it, as indices of poly.corner. Of those
// far inside there is one for each neighbourhood.
CondStatus cond_mesh_near_corners(const CondCore* own, const CondCore* other, double far,
                                  CondMeshNear* near);
// Convex edges of `own` within `far` of the surface of the other, as indices of poly.edge. Whole
// neighbourhoods are listed, so that some edges are farther away.
CondStatus cond_mesh_near_edges(const CondCore* own, const CondCore* other, double far,
                                CondMeshNear* near);
// Convex edges of the mesh within `far` of the segment from p to q, by boxes in the axes of the
// mesh.
CondStatus cond_mesh_near_segment(const CondCore* mesh, const double p[3], const double q[3],
                                  double far, CondMeshNear* near);
// *cross: 1 if some triangle of a and some triangle of b each have corners on both sides of the
// other, by more than `small`.
CondStatus cond_meshes_cross(const CondCore* a, const CondCore* b, double small, CondMeshNear* near,
                             int* cross);

#endif
