// The energy of each group of bodies over a step, held against the work that was done on it.
#ifndef COND_INTEGRATE_BALANCE_H
#define COND_INTEGRATE_BALANCE_H

#include "body/kinematics.h"
#include "integrate/group.h"

// Works on all bodies in a step, beside those of contacts [J].
typedef struct CondWorks {
    double given;      // of forces, motors, frames in space, hooks and of what holds coordinates
    double damping;    // of materials, joints, springs, attachments and motors; not above 0
    double numerical;  // of spectral damping, and what implicit Euler loses; not above 0
    double impact;     // what the impact stage had given, which is taken back
    double correction; // of the position correction, less what the motion has paid for it
} CondWorks;

// Workspace of the integrator auto.
typedef struct CondBalance {
    CondKinematics end; // at q_{k+1}
    double* q;          // q_{k+1}                                            (n_q)
    double* v;          // v_{k+1}                                            (n_dof)
    double* p;          // momenta                                            (n_dof)
    double* extra;      // what forces on a body were extrapolated by [s]     (n_body)
    double* of_body;    // scratch: numbers of each body                      (n_body x 3)
    double* damped;     // spectral damping of the bodies                       (n_body)
    double* middle;     // q in the middle of the step                        (n_q)
    double taken;       // what that damping takes in the step [J]
    CondWorks works;    // of the step, by measure
    int* spans;         // 1: the body takes the midpoint rule by Newton's method (n_body)
    double* rigid;      // motions of the groups as rigid wholes          (6 x n_dof)
    double* robot;      // scratch: A of one robot                    (largest n_dof squared)
    double* links;      // scratch: momenta of the links of one robot (integrate/momenta.h)
} CondBalance;

CondStatus cond_balance_create(CondSim* sim);
void cond_balance_destroy(CondSim* sim);

// balance.end at q_{k+1}, for the bodies in the middle of whose step forces are means over it: what
// belongs to body b, and then what belongs to all.
void cond_balance_advance(CondSim* sim, const CondState* state, int b);
void cond_balance_pose(CondSim* sim);

// 1/2 v' M v of each group.                                                   energy (n of n_body)
void cond_balance_kinetic(CondSim* sim, const CondKinematics* kinematics, const double* v,
                          double* energy);

// kinetic and excess of the groups, if the step went on with sim->attempt.v_hat and
// sim->attempt.lambda:
//     excess = E(q_{k+1}, v_{k+1}) - E(q_k, v_k) - t (power of what is given, damping and contacts)
// with E the energy of motion, weight, elasticity, springs and attachments.
CondStatus cond_balance_measure(CondSim* sim, const CondState* state);

// Takes the excess out of the velocity of sim->next, at sim->at_end.
void cond_sim_balance(CondSim* sim);

#endif
