// The linear system of one primal-dual pass: H = A + Jc' D Jc, factored by blocks.
#ifndef COND_NEWTON_PRIMAL_DUAL_SYSTEM_H
#define COND_NEWTON_PRIMAL_DUAL_SYSTEM_H

#include "newton/primal_dual.h"

// The nodes of H and where they meet, for all passes of a solve; open contacts count as well. The
// price is infinite where a factorisation would take too long.
CondStatus cond_primal_dual_pattern(CondPrimalDual* pd, const CondProblem* problem);

// Factors H = A + Jc' D Jc for the blocks in pd->D; 1 where it is singular.
int cond_primal_dual_factor(CondPrimalDual* pd, const CondProblem* problem);

// The pair that obeys the dynamics and the ties, from the current one and its residual
// r = A v - b - Jc' lambda: (A + Jc' D Jc) dv = Jc' (fix - D u - lambda) - r. Differences are
// solved for because gains are large: rounding falls with the differences from pass to pass.
void cond_primal_dual_solve_ties(CondPrimalDual* pd, const CondProblem* problem, const double* r,
                                 int* singular);

// Fills gamma.
CondStatus cond_primal_dual_scale(CondPrimalDual* pd, const CondCertificateData* data);

#endif
