// The linear system of one primal-dual pass.
#ifndef COND_SOLVE_PRIMAL_DUAL_SYSTEM_H
#define COND_SOLVE_PRIMAL_DUAL_SYSTEM_H

#include "solve/primal_dual.h"

// Gives every coordinate its place in its group, and those contacts and couplings a place in the
// border that join places of the band too far apart for it. Fills place, n_band, n_border, slack,
// coupling_slack, largest and widest.
void cond_primal_dual_layout(CondPrimalDual* pd, const CondProblem* problem);

// (A + Jc' D Jc) v_new = b + Jc' (fix - D phi), lambda_new = fix - D u_new, from the ties.
CondStatus cond_primal_dual_solve_ties(CondPrimalDual* pd, const CondProblem* problem,
                                       int* singular);

// Fills gamma.
CondStatus cond_primal_dual_scale(CondPrimalDual* pd, const CondCertificateData* data);

#endif
