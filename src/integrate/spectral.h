// Spectral damping (body/spectral.h) of the deformable bodies that take the midpoint rule with it.
#ifndef COND_INTEGRATE_SPECTRAL_H
#define COND_INTEGRATE_SPECTRAL_H

#include "model/state.h"

typedef struct CondSim CondSim;

// Of body b of the iterate at hand the damping, in balance.damped, and q* in the place of its
// configuration in the middle of the step, which is kept in balance.middle.                (n_q)
void cond_spectral_lead_on(CondSim* sim, const CondState* state, int b, double* q);

// v_k of body b <- what the mass of a damped body is held against.                       (n_dof)
void cond_spectral_start(const CondSim* sim, const CondState* state, int b, double* v);

// The damping of a body in the step that ends.
double cond_spectral_of(const CondSim* sim, int body);

// v_{k+1} of a body, from v_hat and v_k (n_dof of the model).
void cond_spectral_arrive(const CondSim* sim, const CondState* state, int body, double* v);

// energy[g] += what the damping takes from the groups in the step [J]; v_{k+1} in v. In all it is
// balance.taken.
void cond_spectral_account(CondSim* sim, const CondState* state, const double* v, double* energy);

#endif
