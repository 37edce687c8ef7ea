// Potentials between bodies: constant forces and springs. Each adds its generalized force at q to
// f (n_dof of the model); springs couple bodies.
#ifndef COND_POTENTIAL_POTENTIAL_H
#define COND_POTENTIAL_POTENTIAL_H

#include "assemble/assemble.h"
#include "body/kinematics.h"
#include "model/state.h"

// The share of a step of length t from `time` on during which a force of the scene acts: 0 .. 1.
double cond_force_share(const CondForce* force, double time, double t);
// f += the forces of the scene, each as its mean over the step of length t from the state's time
// on, and the external forces in the state.
void cond_force_add(const CondKinematics* kinematics, const CondState* state, double t, double* f);

// f += a share of a force of the scene on a soft body: spread over nodes, and a pressure on faces.
void cond_load_add(const CondKinematics* kinematics, const CondForce* force, double share,
                   double* f);
// -df/dx of a pressure on one face, its symmetric part.                    x (nodes), K (9 x 9)
void cond_load_face_stiffness(const double* x, const int* corner, double pressure, double K[81]);
// Adds step = th t times the stiffness of the pressures, as their means over the step of length t
// from `time` on, to the blocks of A: only the positive part of each face.
void cond_load_stiffen(const CondKinematics* kinematics, double time, double t, const double* step,
                       CondAssembly* assembly);

// Adds the joint that closes a rod: its elastic force to f, and the coupling J' (step K + D) J of
// the last link and the first; nothing if the rod is open.
CondStatus cond_closure_add(const CondKinematics* kinematics, const CondBody* body, double step,
                            CondAssembly* assembly, double* f);

// Adds the elastic force -J' k (length - rest) d to f and the coupling J' K J to the assembly, with
// K = th t (k dd' + max(tension, 0)/length (I - dd')) + c dd' and step = th t. Where the kinematics
// spans the step, the force is the one whose work over it is the change of energy.
CondStatus cond_spring_add(const CondKinematics* kinematics, const CondSpring* spring, double step,
                           CondAssembly* assembly, double* f);
double cond_spring_energy(const CondKinematics* kinematics, const CondSpring* spring);

#endif
