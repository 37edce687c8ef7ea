// What the step asks of a solver beside cond/solver.h.
#ifndef COND_STRATEGY_SOLVER_H
#define COND_STRATEGY_SOLVER_H

#include "cond/solver.h"

// With brief = 1 the solver leaves out methods of last resort from now on, because the caller has
// another way. Returns 1 where it has done so since the last call.
int cond_solver_hurry(CondSolver* solver, int brief);

// With rough = 1 answers may be rough from now on where fine ones are dear: the caller will pose
// the problem again, with more contacts or to the tolerance. Returns 1 where one was rough since
// the last call.
int cond_solver_draft(CondSolver* solver, int rough);

#endif
