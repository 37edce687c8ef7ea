// Estimated error of a pair of pieces, relative to the motion: docs/stepping.md, Error control.
#ifndef COND_INTEGRATE_PAIR_ERROR_H
#define COND_INTEGRATE_PAIR_ERROR_H

#include "sim/sim.h"

typedef struct CondPieceError {
    double place, speed; // errors that the step control uses
    double relative;     // error of the change of velocity, also if the control ignores it
    int vibrates;        // 1: `speed` is that of a deformable body without contacts
} CondPieceError;

// The largest error of all bodies, for a pair of t seconds in sim->pieces.
CondPieceError cond_pair_error(CondSim* sim, double t);

// The difference of the acceleration in a piece of t seconds between two states from that in the
// piece before it, relative to the change of velocity; the maximum over the bodies. 0: equal.
double cond_piece_unsteadiness(CondSim* sim, const CondState* begin, const CondState* end,
                               double t);

#endif
