// Points and balls of bodies, and links of rods, that hit solids during the step.
#ifndef COND_COLLIDE_POINT_SWEEP_H
#define COND_COLLIDE_POINT_SWEEP_H

#include "collide/sweep.h"

CondStatus cond_sweep_points(CondSweepPass* pass);

// 1 if some body may be fast relative to some solid, by the known bounds of their motions.
int cond_sweep_is_any_fast(const CondSweepPass* pass);

#endif
