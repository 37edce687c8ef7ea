// Estimated error of a pair of pieces, relative to the motion: docs/stepping.md, Error control.
#ifndef COND_INTEGRATE_PAIR_ERROR_H
#define COND_INTEGRATE_PAIR_ERROR_H

#include "sim/sim.h"

// *error: the worst of all bodies, of a pair of t seconds in sim->pieces.
CondStatus cond_pair_error(CondSim* sim, double t, double* error);

// How much the acceleration in a piece of t seconds between two states differs from that of the
// piece before it, over the change of velocity: *worst of all bodies. 0: it is the same.
CondStatus cond_piece_unsteadiness(CondSim* sim, const CondState* begin, const CondState* end,
                                   double t, double* worst);

#endif
