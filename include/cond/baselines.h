// The solvers that COND is compared with. They are in a library of their own, libcond_baselines,
// which uses CHOLMOD; libcond never needs it.
//
//     pgs              projected Gauss-Seidel, exact one-contact solves     either law
//     pgs-simplicial   the same with a simplicial factorisation
//     pgs-paper        projection step and simplicial factorisation, as in the paper
//     apgd             accelerated projected gradient descent               proximal law only
//     apgd-simplicial  the same with a simplicial factorisation
//     ccs              splitting of dynamics and contact (ADMM)             either law
//
// A solver is made by cond_solver_create_from(context, cond_baseline("pgs"), ...) and used like any
// other. CondSolveInfo.delassus_seconds is the time of factorisations and of the Delassus operator;
// products counts sweeps, products with the Delassus operator or solves, whichever the method does.
#ifndef COND_BASELINES_H
#define COND_BASELINES_H

#include "cond/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// Names in table order; NULL past the end.
const char* cond_baseline_name(int index);

// The solver of that name, NULL when there is none.
const CondSolverOps* cond_baseline(const char* name);

#ifdef __cplusplus
}
#endif
#endif
