// Estimated error of a pair of pieces, relative to the motion: docs/stepping.md, Error control.
#ifndef COND_INTEGRATE_PAIR_ERROR_H
#define COND_INTEGRATE_PAIR_ERROR_H

#include "sim/sim.h"

// The largest error of all bodies, for a pair of t seconds in sim->pieces.
CondStatus cond_pair_error(CondSim* sim, double t, double* error);

// The difference of the acceleration in a piece of t seconds between two states from that in the
// piece before it, relative to the change of velocity; *worst is the maximum over the bodies, 0 if
// they are equal.
CondStatus cond_piece_unsteadiness(CondSim* sim, const CondState* begin, const CondState* end,
                                   double t, double* worst);

#endif
