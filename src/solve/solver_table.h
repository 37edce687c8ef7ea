// The run-time table of solvers: each is a workspace with the same verbs.
#ifndef COND_SOLVE_SOLVER_TABLE_H
#define COND_SOLVE_SOLVER_TABLE_H

#include "cond/solver.h"

typedef struct CondSolverOps {
    const char* name;
    // A workspace, or NULL when memory is short.
    void* (*create)(const CondContext* context, const CondSolverSettings* settings);
    CondStatus (*solve)(void* work, const CondProblem* problem, double* v, double* lambda,
                        CondSolveInfo* info);
    const double* (*history)(const void* work, int* n);
    void (*destroy)(void* work);
} CondSolverOps;

#endif
