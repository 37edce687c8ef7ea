// Normals of polyhedra that touch only at edges or corners: the contact allows a fan of normals,
// and the middle one is used.
#ifndef COND_GEOMETRY_FAN_H
#define COND_GEOMETRY_FAN_H

#include "geometry/separation.h"

// 1 if a fan is possible: neither core is round, and they are within `tie` of touching.
int cond_cores_may_fan(const CondCore* a, const CondCore* b, const CondSeparation* apart,
                       double tie);

// Two cores touch at one point each, with no common area along apart->normal. The normals n of the
// fan have
//     s(n) >= s(apart->normal) - tie;
// apart becomes the middle of the fan. Returns 1 if the normal has changed.
int cond_cores_fan(const CondCore* a, const CondCore* b, const double on_a[3], const double on_b[3],
                   double tie, CondSeparation* apart);

#endif
