// Prescribed coordinates: those of bodies, patches and links of rods that an attachment of infinite
// stiffness holds to the world or to a frame in space, and all those of bodies that are switched
// off, which rest. They leave the problems of the step (problem/reduce.h); what it takes to move
// them so is read as the force of the attachment.
#ifndef COND_SIM_HELD_H
#define COND_SIM_HELD_H

#include "collide/candidate.h"
#include "model/state.h"
#include "problem/reduce.h"

typedef struct CondSim CondSim;

typedef struct CondHeld {
    int n;                   // coordinates that are held in this step
    unsigned char* flag;     // 1: held                                            (n_dof)
    double* rate;            // representative velocity to the prescribed position     (n_dof)
    double* end;             // velocity at the end of the step                    (n_dof)
    double* force;           // of what holds them, scratch                        (n_dof)
    CondReduction reduction; // of the step's problem
} CondHeld;

CondStatus cond_held_create(CondSim* sim);
void cond_held_destroy(CondSim* sim);

// Says what is held in the step from the state on, and how it moves; needs the attachments of
// sim->next. Velocities stay as they are with none.
void cond_held_begin(CondSim* sim, const CondState* state);

// The problem that the solver sees: the step's, or what is left of it.
const CondProblem* cond_held_problem(const CondSim* sim);
CondStatus cond_held_reduce(CondSim* sim);

// 1 where a body has a coordinate that is held, or has no other.
int cond_held_some(const CondSim* sim, int body);
int cond_held_whole(const CondSim* sim, int body);

// Takes contacts out of a list that nothing can open or close: between what is held and what is
// held or fixed; and those of bodies that are switched off.
void cond_held_filter(const CondSim* sim, const CondKinematics* kinematics,
                      CondCandidateList* list);

// Velocities of a whole model that are held get what they shall be.
void cond_held_put_rate(const CondSim* sim, double* v);
void cond_held_put_end(const CondSim* sim, double* v);

// What holds a coordinate acts on it with (A v_hat - b)_i - (Jc' impulse)_i/t; in held.force.
void cond_held_forces(CondSim* sim);
// Force and torque of an exact attachment on its end 0, from these, world axes.
void cond_held_wrench(const CondSim* sim, const CondWeld* weld, double wrench[6]);

#endif
