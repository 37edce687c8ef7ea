// The solver "vfpi" over the islands of a problem: each is solved by the strategy, apart from the
// others and side by side with them.
#ifndef COND_STRATEGY_ISLAND_SOLVER_H
#define COND_STRATEGY_ISLAND_SOLVER_H

#include "cond/solver.h"

extern const CondSolverOps cond_solver_islands;

#endif
