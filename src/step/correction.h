// The correction stage: penetration that is left at the end of the step is removed by moving the
// configuration and leaving the velocity alone.
#ifndef COND_STEP_CORRECTION_H
#define COND_STEP_CORRECTION_H

#include "step/contact_stage.h"

typedef struct CondCorrection {
    CondContactStage stage; // its contacts are those in reach of the correction
} CondCorrection;

void cond_correction_destroy(CondCorrection* correction);

// Moves the configuration of sim->next out of penetration; leaves its velocity alone.
CondStatus cond_sim_correct(CondSim* sim, double deepest, CondSolveInfo* info);

#endif
