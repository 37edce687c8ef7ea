// Detects diverging runs: growth of energy without work, bodies that sink into others by more than
// their own size, numbers that are not finite.
#ifndef COND_SIM_WATCH_H
#define COND_SIM_WATCH_H

#include "model/state.h"

struct CondSim;

// Of a CondSim.
typedef struct CondWatch {
    double least_size; // of all bodies [m]
    double total_mass; // [kg]
    double energy;     // kinetic and elastic, of the state being made [J]
    char message[256]; // the cause of divergence in the last step; "": none
} CondWatch;

void cond_watch_create(struct CondSim* sim);

// Clears the message of the last step.
void cond_watch_begin(struct CondSim* sim);

// 1 if configuration and velocity of the new state are finite; else stores a message.
int cond_watch_finds_finite(struct CondSim* sim);

// COND_DIVERGED if energies or penetration of the new state are not finite, or a body has sunk into
// another; updates the state's account. Needs sim->at_start and sim->at_end at the start and the
// end of the step, and M v in sim->work, as cond_sim_energies leaves them.
CondStatus cond_watch_motion(struct CondSim* sim, const CondState* state, const CondStepInfo* info);

// The same for the forces of contacts, attachments and sensors, and for the energy, including the
// work of attachments to moving frames.
CondStatus cond_watch_forces(struct CondSim* sim);

// Names a body in the message after a stage has diverged, unless it names one already.
void cond_watch_blame(struct CondSim* sim);

#endif
