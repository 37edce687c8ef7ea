// What pieces of a step add up to: impulses contact by contact, means of attachments, sensors and
// joints, work.
#ifndef COND_STEP_TALLY_H
#define COND_STEP_TALLY_H

#include "sim/sim.h"

// Nothing yet.
void cond_tally_begin(CondTally* tally);
// Adds the piece that was made last, `weight` long; `within`, unless NULL, is what that piece was
// itself added up from, and has its contacts.
CondStatus cond_tally_add(CondSim* sim, CondTally* tally, const CondStepInfo* info, double weight,
                          const CondTally* within);
// What is read from the step is what the pieces add up to: impulses of the whole step for the
// contacts of the last piece, followed by those of earlier ones, and means over time.
CondStatus cond_tally_spread(CondSim* sim, const CondTally* tally);
CondStatus cond_tally_copy(CondSim* sim, const CondTally* from, CondTally* to);

#endif
