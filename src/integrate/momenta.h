// Inertia of a robot in the middle of a step, by the momenta of its links at the ends of it:
//     J_m' (P_{k+1} - P_k)/t,      P of each link its momentum and angular momentum,
// with J_m of the centres of mass and turns of the links in the middle. For small turns that is
// M dv/dt + C v there; but no link's momentum is changed by a turn of the link, however fast it is.
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

// P_k, in the scratch, where it stays for as many rates as are asked for.
void cond_momenta_begin(const CondMomentaStep* step);

// f = J_m' (P_{k+1} - P_k)/t less weight, without the inertia of rotors; v in the middle.  (n_dof)
void cond_momenta_rate(const CondMomentaStep* step, const double* v, double* f);

// 1 where the equation of a robot has these rates, and its step at the iterate that was posed last.
int cond_newton_has_momenta(const CondSim* sim, int body);
CondMomentaStep cond_newton_momenta(const CondSim* sim, int body);

#endif
