// The nearest points of two things of a scene, part by part.
#ifndef COND_COLLIDE_CLOSEST_H
#define COND_COLLIDE_CLOSEST_H

#include "collide/pair.h"
#include "cond/query.h"

// A solid or a link of a rod, which has a shape, or the whole surface of a soft body.
typedef struct CondClosestPart {
    CondShape shape;      // of what is not soft
    double pose[7];       // of the shape
    const CondBody* soft; // NULL: there is a shape
    const double* vertex; // of a soft body, world [m]                       (n_vertex x 3)
    int n_vertex;
    double box[6]; // around it
    int part;      // what CondClosest calls it
} CondClosestPart;

// Takes over what two parts have nearer to each other than *nearest, which says INFINITY or how
// near others are.
CondStatus cond_parts_closest(CondPairWork* work, const CondClosestPart* a,
                              const CondClosestPart* b, CondClosest* nearest);
// The same for a part and a plane.
void cond_part_closest_plane(const CondClosestPart* a, const CondPlane* plane,
                             CondClosest* nearest);

#endif
