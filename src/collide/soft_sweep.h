// Features that met the surface of a soft body within a step.
#ifndef COND_COLLIDE_SOFT_SWEEP_H
#define COND_COLLIDE_SOFT_SWEEP_H

#include "collide/sweep.h"

// Corners, points and balls, edges of solids, links of rods, other soft bodies, and the body
// itself where it may touch itself, against soft body b.
CondStatus cond_sweep_soft(CondSweepPass* pass, int b);

#endif
