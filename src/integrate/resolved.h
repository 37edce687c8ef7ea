// The part of a difference of two motions that steps of a length resolve. A difference x of the
// velocities, of which implicit Euler makes in a step of t seconds
//     (M/t + D + t K) r = M x/t,
// keeps what is slow, of rigid wholes above all, and loses vibrations of frequency om to
// 1/(1 + (om t)^2): the filter that implicit methods for stiff equations have for their errors. K
// and D are those of bodies, springs, attachments and motors.
#ifndef COND_INTEGRATE_RESOLVED_H
#define COND_INTEGRATE_RESOLVED_H

#include "sim/sim.h"

CondStatus cond_resolved_create(CondSim* sim);

// x <- r of n differences, by the matrix at sim->at_end. Where nothing can vibrate they stay as
// they are. sim->matrix and sim->work are scratch.                              x (n, n_dof each)
CondStatus cond_resolved_parts(CondSim* sim, double t, int n, double* const* x);

#endif
