// The solvers of this library, one per file; table.c lists them.
#ifndef COND_BASELINES_BASELINES_H
#define COND_BASELINES_BASELINES_H

#include "cond/solver.h"

extern const CondSolverOps cond_baseline_pgs;
extern const CondSolverOps cond_baseline_pgs_simplicial;
extern const CondSolverOps cond_baseline_pgs_paper;
extern const CondSolverOps cond_baseline_apgd;
extern const CondSolverOps cond_baseline_apgd_simplicial;
extern const CondSolverOps cond_baseline_ccs;

#endif
