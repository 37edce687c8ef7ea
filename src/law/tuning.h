// Numbers of laws, certificates and answers, and those that say when a problem is large, for the
// layers that pose problems as well.
#ifndef COND_LAW_TUNING_H
#define COND_LAW_TUNING_H

#include "base/tuning.h"

// [share] of half the width of an interval of forces: velocity at play, times the compliance.
#define COND_CERTIFICATE_WIDTH 1e-2

// [1] tolerance of problems that will be posed again with more contacts, and share of the load that
// an iterate of the integrators may leave so far. In a step of a millisecond such an error moves
// what is as fast as 1 m/s by 1e-7 m.
#define COND_COARSE_TOLERANCE 1e-4
// [share] of the tolerance that solves within a solve aim at, because the certificate comes after
// them; of the residual, to which the problem of a round of proximal-point steps is solved (with
// 0.1 or 0.03 rounds take more Newton steps in all); of the merit: a step that leaves more creeps,
// and is prolonged.
#define COND_AIM 0.3
// [share] of the residual that a solve within an iteration leaves: conjugate gradients of a Newton
// step, a round of the multiplier loop, Newton's method of the integrators before its squares with
// the derivative end; of the residual that is next judged where nothing can be predicted; of the
// tolerance, below which a residual that falls by squares is not looked at again.
#define COND_INNER_REDUCTION 0.1

enum {
    // Coordinates of a few rigid bodies: a factorisation costs next to nothing.
    COND_TINY_PROBLEM = 6 * COND_FEW_BODIES,
    COND_NEWTON_STEPS = 12, // [count] of Newton's method before something else is tried: with a
                            // factorisation (dominoes waste them, random problems with friction 8
                            // need them), in rounds of proximal-point steps before the interior
                            // point, resisting steps in a row that halve nothing, iterates of the
                            // integrators (in long steps 5, rarely 8)
    COND_HALVINGS = 4, // [count] of a step that leads nowhere, doublings of one that creeps, and
                       // steps that may leave the least merit behind: on the way round a corner of
                       // the law it grows at first
    COND_STALL = 3,    // [count] steps of little progress after which a method changes its ways; of
                    // piles: steps that go to and fro between two sets do so for ever. Halvings of
                    // an iterate of auto, which retreats after them
    COND_HISTORY_BLOCK = 1024, // [count] iterations of a solve that there is memory for at once
};

#endif
