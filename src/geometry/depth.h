// The signed distance of two bodies, of which at least one may be a non-convex closed surface. If
// they are apart, it is their distance. If they overlap, it is minus the depth of the deepest point
// of either surface in the other body; the depth of a point is its distance to the other's
// boundary.
#ifndef COND_GEOMETRY_DEPTH_H
#define COND_GEOMETRY_DEPTH_H

#include "geometry/cell.h"

typedef struct CondDepth {
    double gap;         // [m], negative: they overlap
    double normal[3];   // unit, from b to a
    int owner;          // the body, 0 or 1, of the deepest point
    double point[2][3]; // of a and of b: the deepest point and the point where it leaves the other
                        // body, or the two nearest points [m]
} CondDepth;

typedef struct CondDepthWork {
    CondArena arena;
    CondTreeHits hits;
    CondCell* stack; // cells that are still to be examined
    int hint;        // plane of a convex body that the last cell was in front of
    long looked;     // cells examined so far, for measurements
} CondDepthWork;

void cond_depth_begin(const CondContext* context, CondDepthWork* work);
void cond_depth_end(CondDepthWork* work);

// The signed distance of two boundaries without rounding; INFINITY if it is more than `far`.
CondStatus cond_boundaries_depth(CondDepthWork* work, const CondBoundary* a, const CondBoundary* b,
                                 double far, CondDepth* out);

// The deepest point of a surface in a body.
typedef struct CondDeepest {
    double depth; // only points deeper than this are searched [m]
    double x[3];  // [m]
    int part;     // nearest element of the body's boundary; -1: none was found
} CondDeepest;
// Searches one more triangle, with the given corners, for a point that is deeper by more than
// `small`; returns 1 if there is one.
int cond_triangle_deepest(CondDepthWork* work, const CondBoundary* body,
                          const double* const corner[3], double small, CondDeepest* deepest);
// The same in a convex body with flat faces (no `hollow`, no `side`).
int cond_triangle_deepest_flat(const CondBoundary* body, const double* const corner[3],
                               double small, CondDeepest* deepest);
// Searches the surface of a in b and that of b in a for a point deeper than `known`; returns 1 if
// there is one.
int cond_boundaries_deeper(CondDepthWork* work, const CondBoundary* a, const CondBoundary* b,
                           double known, CondDepth* out);
// The distance after which a point of a given depth leaves a body along the unit vector `out`: the
// mean of the directions to its nearest elements, over the edge or corner between them.
double cond_boundary_way_out(const CondBoundary* body, const double x[3], double depth,
                             double out[3]);

// The same for boundaries that do not overlap; returns 0 if their distance is `far` or more.
int cond_boundaries_apart(const CondBoundary* a, const CondBoundary* b, double far, CondDepth* out);

#endif
