// Potentials between bodies: constant forces and springs. Each adds its generalized force at q to
// f (n_dof of the model); springs couple bodies.
#ifndef COND_POTENTIAL_POTENTIAL_H
#define COND_POTENTIAL_POTENTIAL_H

#include "assemble/assemble.h"
#include "body/kinematics.h"
#include "model/state.h"

// 1 while a force of the scene acts.
int cond_force_acts(const CondModel* model, const CondForce* force, double time);
// f += the forces of the scene that act at the state's time, and those that the user gave it.
void cond_force_add(const CondKinematics* kinematics, const CondState* state, double* f);

// Adds the elastic force -J' k (length - rest) d to f and the coupling J' K J to the assembly, with
// K = th t (k dd' + max(tension, 0)/length (I - dd')) + c dd' and step = th t. Where the kinematics
// spans the step, the force is the one whose work over it is the change of energy.
CondStatus cond_spring_add(const CondKinematics* kinematics, const CondSpring* spring, double step,
                           CondAssembly* assembly, double* f);
double cond_spring_energy(const CondKinematics* kinematics, const CondSpring* spring);

#endif
