// Normals of polyhedra that touch with edges or corners alone: a fan of them, of which the middle
// one is taken.
#ifndef COND_GEOMETRY_FAN_H
#define COND_GEOMETRY_FAN_H

#include "geometry/separation.h"

// 1 where a fan is possible: neither is round, and they are nearer than `tie` to touching.
int cond_cores_may_fan(const CondCore* a, const CondCore* b, const CondSeparation* apart,
                       double tie);

// Two cores touch at a point of each, and along apart->normal in no area. Every normal n of a fan
// has
//     s(n) >= s(apart->normal) - tie;
// apart becomes the middle of the fan. 1 where it is another normal.
int cond_cores_fan(const CondCore* a, const CondCore* b, const double on_a[3], const double on_b[3],
                   double tie, CondSeparation* apart);

#endif
