// Hooks of a program in the steps of a simulation: forces, changes of contacts, a call after every
// step.
#ifndef COND_SIM_HOOKS_H
#define COND_SIM_HOOKS_H

#include "assemble/assemble.h"

struct CondSim;

// Adds the forces of the program to f and their tangents to the assembly; step: th t of each body,
// or NULL for the damping alone; assembly NULL: the forces alone.
CondStatus cond_hooks_add_forces(struct CondSim* sim, const CondKinematics* kinematics,
                                 const double* step, CondAssembly* assembly, double* f);

// Applies the program's contact hook: removes refused contacts, and applies its changes.
void cond_hooks_filter(const struct CondSim* sim, CondCandidateList* list);

// Calls the program's step and log hooks.
void cond_hooks_tell(const struct CondSim* sim, const CondState* state, const CondStepInfo* info);

// 1 if no body may sleep because of them.
int cond_hooks_wake(const struct CondSim* sim);

#endif
