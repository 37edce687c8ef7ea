// Prescribed coordinates: those of bodies, patches and links of rods that an attachment of infinite
// stiffness holds to the world or to a frame in space, and those of bodies that are switched off,
// which rest. They are eliminated from the problems of the step (problem/reduce.h); their reaction
// is the force of the attachment.
#ifndef COND_SIM_HELD_H
#define COND_SIM_HELD_H

#include "collide/candidate.h"
#include "model/state.h"
#include "problem/reduce.h"

typedef struct CondSim CondSim;

typedef struct CondHeld {
    int n;                   // number of prescribed coordinates in this step
    unsigned char* flag;     // 1: prescribed                                          (n_dof)
    double* rate;            // representative velocity to the prescribed position     (n_dof)
    double* end;             // velocity at the end of the step                    (n_dof)
    double* force;           // scratch: reactions                                     (n_dof)
    CondReduction reduction; // of the step's problem
} CondHeld;

CondStatus cond_held_create(CondSim* sim);
void cond_held_destroy(CondSim* sim);

// Determines the prescribed coordinates of the step from the state on, and their motion; needs the
// attachments of sim->next.
void cond_held_begin(CondSim* sim, const CondState* state);

// The problem of the solver: that of the step, or the reduced one.
const CondProblem* cond_held_problem(const CondSim* sim);
CondStatus cond_held_reduce(CondSim* sim);

// 1 if some coordinate of a body is prescribed; 1 if all are.
int cond_held_some(const CondSim* sim, int body);
int cond_held_whole(const CondSim* sim, int body);

// Removes contacts that cannot open or close from a list: those between prescribed points, or with
// static shapes; and those of bodies that are switched off.
void cond_held_filter(const CondSim* sim, const CondKinematics* kinematics,
                      CondCandidateList* list);

// Set the prescribed entries of v (n_dof of the model): representative velocities, and those at the
// end of the step.
void cond_held_put_rate(const CondSim* sim, double* v);
void cond_held_put_end(const CondSim* sim, double* v);

// Computes the reactions (A v_hat - b)_i - (Jc' impulse)_i/t in held.force.
void cond_held_forces(CondSim* sim);
// Force and torque of a rigid attachment on its end 0, from these, in world axes.
void cond_held_wrench(const CondSim* sim, const CondWeld* weld, double wrench[6]);

#endif
