// Numbers of laws, certificates and answers, and thresholds of problem sizes, also for the layers
// that pose problems.
#ifndef COND_LAW_TUNING_H
#define COND_LAW_TUNING_H

#include "base/tuning.h"

// [share] of half the width of a force interval without compliance: times the contact's Delassus
// scale, it enters the velocity scale.
#define COND_CERTIFICATE_WIDTH 1e-2

// [1] coarse tolerance of problems that will be solved again with more contacts, and share of the
// load that an iterate of the integrators may then leave. In a step of a millisecond such an error
// moves a body with 1 m/s by 1e-7 m.
#define COND_COARSE_TOLERANCE 1e-4
// [share] of the tolerance that inner solves aim at, because the certificate is evaluated after
// them; of the residual to which a round of proximal-point steps is solved (0.1 or 0.03 take more
// Newton steps in total); of the merit function: a step that leaves more is extended.
#define COND_AIM 0.3
// [share] of the residual that an inner solve may leave: conjugate gradients of a Newton step, a
// multiplier iteration, Newton's method of the integrators before quadratic convergence with the
// derivative; of the residual at which the next certificate is computed if no prediction is
// possible; of the tolerance, below which a quadratically converging residual is not evaluated
// again.
#define COND_INNER_REDUCTION 0.1

enum {
    // Coordinates of a few rigid bodies: a factorisation costs next to nothing.
    COND_TINY_PROBLEM = 6 * COND_FEW_BODIES,
    COND_NEWTON_STEPS = 12, // [count] Newton steps before another method is tried: with a
                            // factorisation (wasted on dominoes, needed for random problems with
                            // friction 8), in rounds of proximal-point steps before the
                            // interior-point method, successive regularised steps that do not halve
                            // the residual, iterates of the integrators (5 in long steps, rarely 8)
    COND_HALVINGS = 4, // [count] halvings of a step that fails, doublings of one that is too short,
                       // and steps that may exceed the least merit, which first grows around a
                       // corner of the law
    COND_STALL = 3,    // [count] steps with little progress after which a method changes its
                    // procedure: on piles, steps may alternate between two sets for ever. Also the
                    // halvings of an iterate of auto before it retreats
    COND_HISTORY_BLOCK = 1024, // [count] iterations of a solve that the history allocates at a time
};

#endif
