// Contacts near bodies that bounce, in steps in which these meet nothing.
#ifndef COND_INTEGRATE_FLIGHT_H
#define COND_INTEGRATE_FLIGHT_H

#include "collide/candidate.h"
#include "cond/sim.h"

// Takes the contacts of groups out of sim->attempt.candidates that a free flight leaves open;
// returns 1 where there were any. Needs the groups and sim->f at q_k.
int cond_flight_drop(CondSim* sim, const CondState* state);

typedef enum CondLands {
    COND_LANDS_NOT = 0,
    COND_LANDS = 1,         // its bodies bounce, and none of them rests on anything
    COND_LANDS_PERHAPS = 2, // it is a body that bounces, and its contacts may last
} CondLands;

// Tells of the groups which land, in groups.lands.
void cond_flight_find(CondSim* sim, const CondState* state);

// Speed at which bodies approach at a contact at the start of the step.
double cond_flight_approach(const CondSim* sim, const CondState* state,
                            const CondCandidate* candidate);

// 1 where a contact with this speed is apart: by more than weight closes in a step, or it moves.
int cond_flight_is_apart(const CondSim* sim, const CondCandidate* candidate, double speed);

#endif
