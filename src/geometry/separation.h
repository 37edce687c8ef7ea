// How far two convex cores are apart, and along which normal; negative where they overlap.
#ifndef COND_GEOMETRY_SEPARATION_H
#define COND_GEOMETRY_SEPARATION_H

#include "geometry/core.h"

typedef struct CondSeparation {
    double normal[3]; // unit, from b towards a
    double apart;     // distance of the cores along it, less both radii [m]
} CondSeparation;

// max over unit vectors n of min over A - B of n . x: the distance, or minus the shortest way out.
// 0 when the shapes are farther apart than `far`, with a normal along which they are; how far may
// then be left as infinite.
int cond_cores_separate(const CondCore* a, const CondCore* b, double far, CondSeparation* out);

// The parts of it. Distance by the algorithm of Gilbert, Johnson and Keerthi: 1 and the normal from
// b to a; 0 when the cores are farther apart than `far` along n; -1 when they overlap or are too
// near for the direction between them to be told.
int cond_cores_distance(const CondCore* a, const CondCore* b, double far, double n[3]);
// The normal of the shortest way out, by an expanding polytope; good for cores that are apart by
// rounding too. One of the cores has a volume.
void cond_cores_expand(const CondCore* a, const CondCore* b, double n[3]);
// Improves a normal that is nearly right to rounding: the flat faces, edges and rims near it say
// what it can be.
void cond_cores_refine(const CondCore* a, const CondCore* b, double n[3]);

#endif
