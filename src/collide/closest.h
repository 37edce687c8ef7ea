// The nearest points of two bodies, from those of their parts: solids, links of rods, soft
// surfaces.
#ifndef COND_COLLIDE_CLOSEST_H
#define COND_COLLIDE_CLOSEST_H

#include "collide/pair.h"
#include "cond/query.h"

// A solid or a link of a rod, which have a shape, or the whole surface of a soft body.
typedef struct CondClosestPart {
    CondShape shape;      // of a solid or link
    double pose[7];       // of the shape
    const CondBody* soft; // NULL: `shape` is used
    const double* vertex; // of a soft body, world [m]                       (n_vertex x 3)
    int n_vertex;
    double box[6]; // around it
    int part;      // CondClosest.part
} CondClosestPart;

// Sets *nearest to the nearest points of two parts if these are nearer than *nearest, whose
// distance is INFINITY or that of other parts.
CondStatus cond_parts_closest(CondPairWork* work, const CondClosestPart* a,
                              const CondClosestPart* b, CondClosest* nearest);
// The same for a part and a plane.
void cond_part_closest_plane(const CondClosestPart* a, const CondPlane* plane,
                             CondClosest* nearest);

#endif
