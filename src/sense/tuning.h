// Every number of what is read from a step that was chosen, not derived, with its reason.
#ifndef COND_SENSE_TUNING_H
#define COND_SENSE_TUNING_H

// [1] share of their sizes: normal forces that sum to less have no centre of pressure, for what is
// left of them is the error of the solve
#define COND_SENSE_CANCELLED 1e-6

#endif
