// The parts of one mesh that are near another, found with the trees of both, so that the cost is
// that of what is near and not that of the meshes.
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

// Corners of `own` within `far` of the other mesh or inside it, of those far inside one for each
// neighbourhood; numbers of poly.corner.
CondStatus cond_mesh_near_corners(const CondCore* own, const CondCore* other, double far,
                                  CondMeshNear* near);
// Convex edges of `own` within `far` of the surface of the other, in neighbourhoods: some are
// farther; numbers of poly.edge.
CondStatus cond_mesh_near_edges(const CondCore* own, const CondCore* other, double far,
                                CondMeshNear* near);
// Convex edges of the mesh within `far` of the segment from p to q, by boxes in the axes of the
// mesh.
CondStatus cond_mesh_near_segment(const CondCore* mesh, const double p[3], const double q[3],
                                  double far, CondMeshNear* near);
// *cross: 1 where a triangle of one has corners on both sides of one of the other, by more than
// `small`, and the other of it.
CondStatus cond_meshes_cross(const CondCore* a, const CondCore* b, double small, CondMeshNear* near,
                             int* cross);

#endif
