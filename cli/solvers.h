// The solvers the tool offers: those of libcond, then the baselines where they are built in.
#ifndef COND_CLI_SOLVERS_H
#define COND_CLI_SOLVERS_H

#include "cond/solver.h"

// Names in order; NULL past the end.
const char* solvers_name(int index);

int solvers_is_built(const char* name);

// For messages about a solver that is not there: how to build the one of that name, after a
// semicolon; empty where no build has one.
const char* solvers_hint(const char* name);

// A line on stderr where the baselines are not built in: what is left out, and what to build. Once.
void solvers_say_left_out(const char* what);

// As cond_solver_create, over all solvers.
CondStatus solvers_create(const char* name, const CondSolverSettings* settings, CondSolver** solver,
                          CondError* error);

#endif
