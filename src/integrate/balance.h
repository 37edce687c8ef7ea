// The energy balance of each group of bodies over a step: its change of energy less the work done
// on it.
#ifndef COND_INTEGRATE_BALANCE_H
#define COND_INTEGRATE_BALANCE_H

#include "body/kinematics.h"
#include "integrate/group.h"

// Works on all bodies in a step, except those of contacts [J].
typedef struct CondWorks {
    double given;      // of forces, motors, frames in space, hooks, and reactions of prescribed
                       // coordinates
    double damping;    // of the damping of materials, joints, springs, attachments and motors; <= 0
    double numerical;  // of spectral damping, and the loss of implicit Euler; <= 0
    double impact;     // energy gained in the impact stage, which is removed again
    double correction; // potential energy gained by the position correction that the motion does
                       // not pay for
} CondWorks;

// Workspace of the integrator auto.
typedef struct CondBalance {
    CondKinematics end; // at q_{k+1}
    double* q;          // q_{k+1}                                            (n_q)
    double* v;          // v_{k+1}                                            (n_dof)
    double* p;          // momenta                                            (n_dof)
    double* extra;      // time by which the forces on a body were extrapolated [s]   (n_body)
    double* of_body;    // scratch: numbers of each body                      (n_body x 3)
    double* damped;     // spectral damping of the bodies                       (n_body)
    double* middle;     // q in the middle of the step                        (n_q)
    double taken;       // energy removed by that damping in the step [J]
    CondWorks works;    // of the step, by measure
    int* spans;         // 1: the body is stepped by the midpoint rule with Newton's method (n_body)
    double* rigid;      // rigid motions of the groups                             (6 x n_dof)
    double* robot;      // scratch: A of one robot                    (largest n_dof squared)
    double* links;      // scratch: momenta of the links of one robot (integrate/momenta.h)
} CondBalance;

CondStatus cond_balance_create(CondSim* sim);
void cond_balance_destroy(CondSim* sim);

// Updates balance.end to q_{k+1} for the bodies whose forces are means over the step: advance the
// data of body b, pose the common data afterwards.
void cond_balance_advance(CondSim* sim, const CondState* state, int b);
void cond_balance_pose(CondSim* sim);

// 1/2 v' M v of each group.                                                   energy (n of n_body)
void cond_balance_kinetic(CondSim* sim, const CondKinematics* kinematics, const double* v,
                          double* energy);

// Computes `kinetic` and `excess` of the groups for a step with sim->attempt.v_hat and
// sim->attempt.lambda:
//     excess = E(q_{k+1}, v_{k+1}) - E(q_k, v_k) - t (power of what is given, damping and contacts)
// with E the kinetic energy and the potential energy of weight, elasticity, springs and
// attachments.
CondStatus cond_balance_measure(CondSim* sim, const CondState* state);

// Removes the excess from the velocity of sim->next, at sim->at_end.
void cond_sim_balance(CondSim* sim);

#endif
