// Features that met the surface of a soft body within a step.
#ifndef COND_COLLIDE_SOFT_SWEEP_H
#define COND_COLLIDE_SOFT_SWEEP_H

#include "collide/sweep.h"

// Appends the contacts of soft body b with points and spheres, edges of solids, links of rods,
// other soft bodies and, with self-contact, itself.
CondStatus cond_sweep_soft(CondSweepPass* pass, int b);

#endif
