// Tells a run that runs away from one that goes well: energy that nothing put in, bodies that sink
// into others by more than their own size, numbers that are not finite.
#ifndef COND_SIM_WATCH_H
#define COND_SIM_WATCH_H

#include "model/state.h"

struct CondSim;

// Of a CondSim.
typedef struct CondWatch {
    double least_size; // of all bodies [m]
    double total_mass; // [kg]
    double energy;     // kinetic and elastic, of the state being made [J]
    char message[256]; // what ran away in the last step; "" where nothing did
} CondWatch;

void cond_watch_create(struct CondSim* sim);

// Forgets what was said of the last step.
void cond_watch_begin(struct CondSim* sim);

// 1 where configuration and velocity of the state being made are finite; else says what is not.
int cond_watch_finds_finite(struct CondSim* sim);

// COND_DIVERGED where energies or penetration of the state being made are not finite, or it has
// sunk in; brings its account up to date. Needs sim->at_start and sim->at_end as they were at the
// start and at the end of the step, and M v in sim->work, as the energies leave them.
CondStatus cond_watch_motion(struct CondSim* sim, const CondState* state, const CondStepInfo* info);

// The same for forces, of contacts, attachments and sensors, and for the energy: attachments that
// lead have put some in.
CondStatus cond_watch_forces(struct CondSim* sim);

// Names a body after a stage of the step has diverged, unless one is named already.
void cond_watch_blame(struct CondSim* sim);

#endif
