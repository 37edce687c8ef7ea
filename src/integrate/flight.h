// Removes contacts near bouncing bodies in steps in which these touch nothing.
#ifndef COND_INTEGRATE_FLIGHT_H
#define COND_INTEGRATE_FLIGHT_H

#include "collide/candidate.h"
#include "cond/sim.h"

// Removes contacts of groups that stay open in free flight from sim->attempt.candidates; returns 1
// if there were any. Needs the groups and sim->f at q_k.
int cond_flight_drop(CondSim* sim, const CondState* state);

typedef enum CondLands {
    COND_LANDS_NOT = 0,
    COND_LANDS = 1,         // its bodies bounce, and none of them rests on another
    COND_LANDS_PERHAPS = 2, // a bouncing body whose contacts may last
} CondLands;

// Sets groups.lands.
void cond_flight_find(CondSim* sim, const CondState* state);

// Speed of approach at a contact at the start of the step.
double cond_flight_approach(const CondSim* sim, const CondState* state,
                            const CondCandidate* candidate);

// 1 if a contact with this speed is open: its gap is more than weight closes in a step, or it
// moves.
int cond_flight_is_apart(const CondSim* sim, const CondCandidate* candidate, double speed);

#endif
