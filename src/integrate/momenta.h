// Inertial forces of a robot in the middle of a step, from the momenta of its links at both ends:
//     J_m' (P_{k+1} - P_k)/t,      P: momentum and angular momentum of each link,
// with J_m the Jacobian of the centres of mass and rotations of the links in the middle. For small
// rotations that is M dv/dt + C v there; and for any rate of rotation, a rotation alone changes no
// link's momentum.
#ifndef COND_INTEGRATE_MOMENTA_H
#define COND_INTEGRATE_MOMENTA_H

#include "body/kinematics.h"

typedef struct CondSim CondSim;

// A step of length t of one robot: its links at the start with v_k, in the middle, and at the end.
typedef struct CondMomentaStep {
    const CondArticulation* arm;
    CondArticulationWork *start, *middle, *end;
    const double* v_k; //                                                          (n_dof)
    double t;
    const double* gravity;
    double* scratch; //                                  (COND_MOMENTA_SCRATCH n_link + n_dof)
} CondMomentaStep;

enum { COND_MOMENTA_SCRATCH = 18 }; // [count] numbers of scratch a link

// Computes P_k in the scratch; it serves any number of calls of cond_momenta_rate.
void cond_momenta_begin(const CondMomentaStep* step);

// f = J_m' (P_{k+1} - P_k)/t less weight, without the inertia of rotors; v in the middle.  (n_dof)
void cond_momenta_rate(const CondMomentaStep* step, const double* v, double* f);

// 1 if the equation of a robot uses these rates; and its step at the last posed iterate.
int cond_newton_has_momenta(const CondSim* sim, int body);
CondMomentaStep cond_newton_momenta(const CondSim* sim, int body);

#endif
