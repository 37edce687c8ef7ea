// Sums over the pieces of a step: impulses of contacts, means of attachments, sensors and joints,
// and work.
#ifndef COND_STEP_TALLY_H
#define COND_STEP_TALLY_H

#include "sim/sim.h"

// Clears the sums.
void cond_tally_begin(CondTally* tally);
// Adds the last piece with its weight; `within`, unless NULL, holds the sums of that piece's own
// substeps, with its contacts.
CondStatus cond_tally_add(CondSim* sim, CondTally* tally, const CondStepInfo* info, double weight,
                          const CondTally* within);
// Writes the sums to the readings of the step: impulses of the whole step for the contacts of the
// last piece, followed by contacts of earlier ones, and means over time.
CondStatus cond_tally_spread(CondSim* sim, const CondTally* tally);
CondStatus cond_tally_copy(CondSim* sim, const CondTally* from, CondTally* to);

#endif
