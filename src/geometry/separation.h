// The signed distance of two convex cores and its normal; negative if they overlap.
#ifndef COND_GEOMETRY_SEPARATION_H
#define COND_GEOMETRY_SEPARATION_H

#include "geometry/core.h"

typedef struct CondSeparation {
    double normal[3]; // unit, from b towards a
    double apart;     // distance of the cores along it, less both radii [m]
} CondSeparation;

// max over unit vectors n of min over A - B of n . x: the distance, or minus the length of the
// shortest separating translation. Returns 0 if the shapes are farther apart than `far`, with a
// normal along which they are; out->apart may then be INFINITY.
int cond_cores_separate(const CondCore* a, const CondCore* b, double far, CondSeparation* out);

// The steps of it. Distance by the algorithm of Gilbert, Johnson and Keerthi: returns 1 and the
// normal from b to a; 0 if the cores are farther apart than `far` along n; -1 if they overlap or
// are too near to determine the direction between them.
int cond_cores_distance(const CondCore* a, const CondCore* b, double far, double n[3]);
// The normal of the shortest separating translation, by the expanding polytope algorithm; also
// correct for cores that are apart by rounding errors only. At least one core has a volume.
void cond_cores_expand(const CondCore* a, const CondCore* b, double n[3]);
// Refines an approximate normal to rounding accuracy, with the flat faces, edges and rims near it
// as candidates.
void cond_cores_refine(const CondCore* a, const CondCore* b, double n[3]);

#endif
