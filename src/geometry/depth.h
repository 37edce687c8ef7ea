// The signed distance of two bodies of which one at least is a closed surface that need not be
// convex: apart, the distance; overlapping, minus the depth of the deepest point of either surface
// in the other body, where the depth of a point is its distance to the other's boundary.
#ifndef COND_GEOMETRY_DEPTH_H
#define COND_GEOMETRY_DEPTH_H

#include "geometry/cell.h"

typedef struct CondDepth {
    double gap;         // [m], negative: they overlap
    double normal[3];   // unit, from b to a
    double point[2][3]; // of a and of b: the deepest point of the one and where it would leave the
                        // other, or the two nearest points [m]
} CondDepth;

typedef struct CondDepthWork {
    CondArena arena;
    CondTreeHits hits;
    CondCell* stack; // pieces still to be looked at
    long looked;     // pieces looked at; counts on, for measuring
} CondDepthWork;

void cond_depth_begin(const CondContext* context, CondDepthWork* work);
void cond_depth_end(CondDepthWork* work);

// Of the boundaries without any rounding. Distances of more than `far` are not looked for: the gap
// is then INFINITY.
CondStatus cond_boundaries_depth(CondDepthWork* work, const CondBoundary* a, const CondBoundary* b,
                                 double far, CondDepth* out);

// The part of it for what does not overlap: 0 where they are not nearer than `far`.
int cond_boundaries_apart(const CondBoundary* a, const CondBoundary* b, double far, CondDepth* out);

#endif
