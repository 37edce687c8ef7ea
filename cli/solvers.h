// The solvers the tool offers: those of libcond, then the baselines where they are built in.
#ifndef COND_CLI_SOLVERS_H
#define COND_CLI_SOLVERS_H

#include "cond/solver.h"

// Names in order; NULL past the end.
const char* solvers_name(int index);

// As cond_solver_create, over all solvers.
CondStatus solvers_create(const char* name, const CondSolverSettings* settings, CondSolver** solver,
                          CondError* error);

#endif
