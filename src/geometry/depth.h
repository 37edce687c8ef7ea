// The signed distance of two bodies of which one at least is a closed surface that need not be
// convex: apart, the distance; overlapping, minus the depth of the deepest point of either surface
// in the other body, where the depth of a point is its distance to the other's boundary.
#ifndef COND_GEOMETRY_DEPTH_H
#define COND_GEOMETRY_DEPTH_H

#include "geometry/cell.h"

typedef struct CondDepth {
    double gap;         // [m], negative: they overlap
    double normal[3];   // unit, from b to a
    int owner;          // 0, 1: whose point is the deepest
    double point[2][3]; // of a and of b: the deepest point of the one and where it would leave the
                        // other, or the two nearest points [m]
} CondDepth;

typedef struct CondDepthWork {
    CondArena arena;
    CondTreeHits hits;
    CondCell* stack; // pieces still to be looked at
    int hint;        // plane of a convex body in front of which the last piece was
    long looked;     // pieces looked at; counts on, for measuring
} CondDepthWork;

void cond_depth_begin(const CondContext* context, CondDepthWork* work);
void cond_depth_end(CondDepthWork* work);

// Of the boundaries without any rounding. Distances of more than `far` are not looked for: the gap
// is then INFINITY.
CondStatus cond_boundaries_depth(CondDepthWork* work, const CondBoundary* a, const CondBoundary* b,
                                 double far, CondDepth* out);

// The deepest point of a surface in a body.
typedef struct CondDeepest {
    double depth; // only what is deeper than this is looked for [m]
    double x[3];  // [m]
    int part;     // of the body's boundary that is nearest; -1: nothing was found
} CondDeepest;
// Looks at one more triangle, whose corners are given, for something that is deeper by more than
// `small`; 1: there is.
int cond_triangle_deepest(CondDepthWork* work, const CondBoundary* body,
                          const double* const corner[3], double small, CondDeepest* deepest);
// Looks at the surface of a in b and that of b in a for what is deeper than `known`; 1: there is.
int cond_boundaries_deeper(CondDepthWork* work, const CondBoundary* a, const CondBoundary* b,
                           double known, CondDepth* out);
// How far and along which unit vector a point of some depth leaves a body: along the mean of the
// directions from its nearest parts, over the edge or corner between them.
double cond_boundary_way_out(const CondBoundary* body, const double x[3], double depth,
                             double out[3]);

// The part of it for what does not overlap: 0 where they are not nearer than `far`.
int cond_boundaries_apart(const CondBoundary* a, const CondBoundary* b, double far, CondDepth* out);

#endif
