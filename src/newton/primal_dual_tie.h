// The tie of one contact: Newton's linearisation of its law.
#ifndef COND_NEWTON_PRIMAL_DUAL_TIE_H
#define COND_NEWTON_PRIMAL_DUAL_TIE_H

#include "newton/primal_dual.h"

// u = Jc v + phi and lambda now; slip c >= 0 is what the law's velocity u + c lambda adds (virtual
// node and omega). previous is the tie of the last pass, which the reversal rule looks at.
CondTie cond_tie_make(CondLaw law, const double* mu, double gamma, double c, const double* u,
                      const double* lambda, const CondTie* previous);

// x = lambda - (u + c lambda)/gamma, the trial force.
void cond_tie_trial(double gamma, double c, const double* u, const double* lambda, double x[3]);

// The same with a prediction of its own: x is the trial force, and gain k that of held directions.
// With u, the present velocity, D is symmetric, for conjugate gradients: while
// slipping under the strict law the friction force keeps the normal force of the prediction
// (lagged). u NULL: the linearisation in full.
CondTie cond_tie_make_from(CondLaw law, const double* mu, double gamma, double c, double k,
                           const double* x, const double* u, const double* lambda,
                           const CondTie* previous);

// lambda - P(lambda - (u + c lambda)/gamma), the natural map of the solver's own projection.
void cond_tie_error(CondLaw law, const double* mu, double gamma, double c, const double* u,
                    const double* lambda, double* error);

#endif
