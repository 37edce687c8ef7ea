// The solver "strategy" over the islands of a problem: each is solved by the strategy, apart from
// the others and side by side with them.
#ifndef COND_STRATEGY_ISLAND_SOLVER_H
#define COND_STRATEGY_ISLAND_SOLVER_H

#include "strategy/solver.h"

extern const CondSolverOps cond_solver_islands;

// Its solve within a budget; work is its workspace.
CondStatus cond_island_solver_solve(void* work, const CondProblem* problem, CondSolveBudget budget,
                                    double* v, double* lambda, CondSolveInfo* info,
                                    CondSolveOutcome* outcome);

// As cond_solver_reads_on_device and cond_solver_set_matrix.
int cond_island_solver_reads_on_device(const void* work);
void cond_island_solver_set_matrix(void* work, CondDeviceMatrix* matrix);

#endif
