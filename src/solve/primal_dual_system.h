// The linear system of one primal-dual pass.
#ifndef COND_SOLVE_PRIMAL_DUAL_SYSTEM_H
#define COND_SOLVE_PRIMAL_DUAL_SYSTEM_H

#include "solve/primal_dual.h"

// Gives every coordinate its place in its group, and those contacts and couplings a place in the
// border that join places of the band too far apart for it. Fills place, n_band, n_border, far,
// coupling_slack, most_columns, largest and widest.
void cond_primal_dual_layout(CondPrimalDual* pd, const CondProblem* problem);

// The pair that obeys the dynamics and the ties, from the current one and its residual
// r = A v - b - Jc' lambda: (A + Jc' D Jc) dv = Jc' (fix - D u - lambda) - r. Differences are
// solved for because gains are large: rounding falls with the differences from pass to pass.
CondStatus cond_primal_dual_solve_ties(CondPrimalDual* pd, const CondProblem* problem,
                                       const double* r, int* singular);

// Fills gamma.
CondStatus cond_primal_dual_scale(CondPrimalDual* pd, const CondCertificateData* data);

#endif
