// Where two facets lie over each other, seen along the normal: the corners of what they have in
// common, each with its own gap, reduced to those that span the same forces and moments.
#ifndef COND_COLLIDE_MANIFOLD_H
#define COND_COLLIDE_MANIFOLD_H

#include "base/arena.h"
#include "geometry/facet.h"
#include "geometry/separation.h"

#include <stdint.h>

typedef struct CondManifoldPoint {
    double point[2][3]; // on a and on b, rounding included [m]
    double normal[3];   // unit, from b towards a
    double gap;         // along the normal [m]
    uint32_t role;      // which corner or edges: the same in every step
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

// Facet a of a core of radius round_a lies in front of facet b along the unit normal n. Finds the
// meetings with a gap of at most `far`; `small` is a length within which points are the same.
CondStatus cond_manifold_make(const CondFacet* a, double round_a, const CondFacet* b,
                              double round_b, const double n[3], double far, double small,
                              CondManifold* manifold);
// All points of a facet in front of the plane (n, offset).
CondStatus cond_manifold_on_plane(const CondFacet* a, double round_a, const double n[3],
                                  double offset, double far, double small, CondManifold* manifold);

// Adds what is nearest along the normal where no meeting of the facets is: lines that are nearly
// parallel meet at their ends, and are nearest between them.
CondStatus cond_manifold_hold(const CondCore* a, const CondCore* b, const CondSeparation* apart,
                              CondManifold* manifold);

// 1 where the meetings with a gap of at most `touching` lie in a point or a line, within `tie`;
// their middle on both sides.
int cond_manifold_is_sharp(const CondManifold* manifold, double touching, double tie,
                           double on_a[3], double on_b[3]);

// A meeting of a point given in the axes of core a with what lies `gap` below it along n.
CondStatus cond_manifold_add(CondManifold* manifold, const CondCore* a, const double local[3],
                             const double n[3], double gap, uint32_t role);
// Keeps what spans the same forces and moments: the hull across the normal, few of it.
CondStatus cond_manifold_reduce(CondManifold* manifold, double small);
// Of meetings deeper than `deep` keeps thirty-two, the deepest and those that differ most in place
// (in units of `size`) and normal: the ways out of thousands of points far inside another body
// contradict each other, and cost the solver what they cannot give.
CondStatus cond_manifold_thin(CondManifold* manifold, double deep, double size);
CondStatus cond_manifold_append(CondManifold* manifold, const CondManifold* part);

#endif
