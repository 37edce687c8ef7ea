// Estimated error of a pair of pieces, relative to the motion: docs/stepping.md, Error control.
#ifndef COND_INTEGRATE_PAIR_ERROR_H
#define COND_INTEGRATE_PAIR_ERROR_H

#include "sim/sim.h"

typedef struct CondPieceError {
    double place, speed; // those that count
    double relative;     // of the change of velocity, also where it does not count
} CondPieceError;

// The worst of all bodies, of a pair of t seconds in sim->pieces.
CondPieceError cond_pair_error(CondSim* sim, double t);

#endif
