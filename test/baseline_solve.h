// Solving with a baseline in a test: every answer goes through the independent verifier.
#ifndef COND_TEST_BASELINE_SOLVE_H
#define COND_TEST_BASELINE_SOLVE_H

#include "cond/solver.h"

typedef struct BaselineAnswer {
    double* v;      //                                                        (n_dof)
    double* lambda; //                                                        (n_contact x 3)
    CondSolveInfo info;
} BaselineAnswer;

// Zeros, to start from.
BaselineAnswer baseline_zero(const CondProblem* problem);
void baseline_free(BaselineAnswer* answer);

// Settings with a tight tolerance and room for many iterations.
CondSolverSettings baseline_settings(CondLaw law);

// Solves from what the answer holds; returns what the solver returned.
CondStatus baseline_solve_from(const char* name, const CondProblem* problem,
                               const CondSolverSettings* settings, BaselineAnswer* answer);
// Solves from zeros; fails the test unless the answer is certified.
BaselineAnswer baseline_solve(const char* name, const CondProblem* problem,
                              const CondSolverSettings* settings);
// The same by V-FPI.
BaselineAnswer baseline_vfpi(const CondProblem* problem, const CondSolverSettings* settings);

// Fails the test unless |a.v - b.v| <= tolerance |b.v|.
void baseline_same_motion(const char* name, const CondProblem* problem, const BaselineAnswer* a,
                          const BaselineAnswer* b, double tolerance);

#endif
