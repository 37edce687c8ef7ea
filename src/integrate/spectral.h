// Spectral damping (body/spectral.h) of the deformable bodies that are stepped by the midpoint
// rule.
#ifndef COND_INTEGRATE_SPECTRAL_H
#define COND_INTEGRATE_SPECTRAL_H

#include "model/state.h"

typedef struct CondSim CondSim;

// For body b at the present iterate: sets its damping in balance.damped, and replaces its
// configuration in the middle of the step by q*; the former is kept in balance.middle.   (n_q)
void cond_spectral_lead_on(CondSim* sim, const CondState* state, int b, double* q);

// Replaces v_k of a damped body b by the velocity that its inertia term refers to.    (n_dof)
void cond_spectral_start(const CondSim* sim, const CondState* state, int b, double* v);

// The damping of a body in the finished step.
double cond_spectral_of(const CondSim* sim, int body);

// v_{k+1} of a body, from v_hat and v_k (n_dof of the model).
void cond_spectral_arrive(const CondSim* sim, const CondState* state, int body, double* v);

// energy[g] += the energy that the damping removes from group g in the step [J]; v holds v_{k+1}.
// Their sum is balance.taken.
void cond_spectral_account(CondSim* sim, const CondState* state, const double* v, double* energy);

#endif
