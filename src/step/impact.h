// The impact stage: the velocity at the end of the step obeys the contact law of impacts.
#ifndef COND_STEP_IMPACT_H
#define COND_STEP_IMPACT_H

#include "step/contact_stage.h"

typedef struct CondImpact {
    CondContactStage stage; // its contacts are those that are closed at the end of the step
    int* contact_of;        // their index among the contacts of the step   (n_contact)
    int cap_contact_of;
} CondImpact;

void cond_impact_destroy(CondImpact* impact);

// Replaces the velocity of sim->next by one that the law of impacts allows, and sim->impulse by
// what led there, where contacts closed in a way that asks for it.
CondStatus cond_sim_impact(CondSim* sim, const CondState* state, CondSolveInfo* info);

#endif
