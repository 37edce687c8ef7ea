// Points and balls of bodies, and links of rods, that met solids on their way.
#ifndef COND_COLLIDE_POINT_SWEEP_H
#define COND_COLLIDE_POINT_SWEEP_H

#include "collide/sweep.h"

CondStatus cond_sweep_points(CondSweepPass* pass);

// 1 where some body can be fast against some solid, by what is known of their ways.
int cond_sweep_is_any_fast(const CondSweepPass* pass);

#endif
