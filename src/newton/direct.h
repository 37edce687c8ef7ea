// A v = b, a problem without contacts, by one factorisation. The layout of the factors is kept for
// as long as problems have the same pattern, as those of a chain have from step to step.
#ifndef COND_NEWTON_DIRECT_H
#define COND_NEWTON_DIRECT_H

#include "cond/solver.h"
#include "newton/factored_system.h"

typedef struct CondDirect {
    CondArena arena;
    CondFactoredSystem system;
    int n_pattern;
    int* pattern;     // what the system is laid out for: blocks and couplings   (n_pattern)
    double* diagonal; // of A                                                    (n_dof)
    double* tried;    //                                                         (n_dof)
    double* work;     // of the certificate; its second half is A v - b          (2 n_dof)
} CondDirect;

void cond_direct_create(const CondContext* context, CondDirect* direct);
void cond_direct_destroy(CondDirect* direct);

// 1 for rigid bodies, robots and rods without contacts.
int cond_direct_serves(const CondProblem* problem);

// From v, which is the answer already where its certificate says so. COND_NOT_CONVERGED, and v as
// it was, where the tolerance is not reached: A is singular or far from regular.
CondStatus cond_direct_solve(CondDirect* direct, const CondProblem* problem, double tolerance,
                             double* v, CondSolveInfo* info);

#endif
