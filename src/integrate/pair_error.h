// Estimated error of a pair of pieces, relative to the motion: docs/stepping.md, Error control.
#ifndef COND_INTEGRATE_PAIR_ERROR_H
#define COND_INTEGRATE_PAIR_ERROR_H

#include "sim/sim.h"

typedef struct CondPieceError {
    double place, speed; // those that count
    double relative;     // of the change of velocity, also where it does not count
    int vibrates;        // 1: speed is that of a body that changes its shape and touches nothing
} CondPieceError;

// The worst of all bodies, of a pair of t seconds in sim->pieces.
CondPieceError cond_pair_error(CondSim* sim, double t);

// How much the acceleration in a piece of t seconds between two states differs from that of the
// piece before it, over the change of velocity: of the worst body. 0: it is the same.
double cond_piece_unsteadiness(CondSim* sim, const CondState* begin, const CondState* end,
                               double t);

#endif
