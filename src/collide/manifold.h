// The overlap of two facets, projected along the normal: the corners of their intersection, each
// with its own gap, reduced to a subset that spans the same forces and moments.
#ifndef COND_COLLIDE_MANIFOLD_H
#define COND_COLLIDE_MANIFOLD_H

#include "base/arena.h"
#include "geometry/facet.h"
#include "geometry/separation.h"

#include <stdint.h>

typedef struct CondManifoldPoint {
    double point[2][3]; // on a and on b, on the rounded surfaces [m]
    double normal[3];   // unit, from b towards a
    double gap;         // along the normal [m]
    uint32_t role;      // identifies the corner or edges, the same in every step
    double at[2];       // in the plane across the normal [m]
} CondManifoldPoint;

typedef struct CondManifold {
    CondArena arena;
    int n;
    CondManifoldPoint* meeting; //                                                  (n)
    double* differs;            // scratch of cond_manifold_thin                   (n)
    double* seen;               // scratch: points of two facets in the plane across the normal [m]
} CondManifold;

void cond_manifold_begin(const CondContext* context, CondManifold* manifold);
void cond_manifold_end(CondManifold* manifold);

// Finds the points where facet a, of a core with radius round_a, and facet b overlap along the unit
// normal n, which points from b to a, with a gap of at most `far`. Points closer than `small` count
// as one.
CondStatus cond_manifold_make(const CondFacet* a, double round_a, const CondFacet* b,
                              double round_b, const double n[3], double far, double small,
                              CondManifold* manifold);
// The same for a facet and the plane (n, offset).
CondStatus cond_manifold_on_plane(const CondFacet* a, double round_a, const double n[3],
                                  double offset, double far, double small, CondManifold* manifold);

// Adds the point of smallest separation if no point of the manifold is there: lines that are nearly
// parallel meet at their ends but are nearest in between.
CondStatus cond_manifold_hold(const CondCore* a, const CondCore* b, const CondSeparation* apart,
                              CondManifold* manifold);

// 1 if the points with a gap of at most `touching` lie in a point or a line, within `tie`; on_a and
// on_b get their middle on both sides.
int cond_manifold_is_sharp(const CondManifold* manifold, double touching, double tie,
                           double on_a[3], double on_b[3]);

// Adds a point, given in the axes of core a, and the opposite point, `gap` below it along n.
CondStatus cond_manifold_add(CondManifold* manifold, const CondCore* a, const double local[3],
                             const double n[3], double gap, uint32_t role);
// Reduces the manifold to a few points of its hull across the normal, which span the same forces
// and moments.
CondStatus cond_manifold_reduce(CondManifold* manifold, double small);
// Of the points deeper than `deep`, keeps thirty-two: the deepest, and those that differ most in
// position (in units of `size`) and normal. Thousands of points far inside another body have
// contradicting normals, which add cost to the solve but no information.
CondStatus cond_manifold_thin(CondManifold* manifold, double deep, double size);
CondStatus cond_manifold_append(CondManifold* manifold, const CondManifold* part);

#endif
