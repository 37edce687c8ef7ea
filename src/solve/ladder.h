// The solver "vfpi": a ladder of ways to an answer, each tried where those before it do not reach
// the tolerance. What made the answer is in CondSolveInfo.rung.
#ifndef COND_SOLVE_LADDER_H
#define COND_SOLVE_LADDER_H

#include "cond/solver.h"

extern const CondSolverOps cond_solver_vfpi;

#endif
