// A solve within a budget: what the step asks of a solver beside cond/solver.h.
#ifndef COND_STRATEGY_SOLVER_H
#define COND_STRATEGY_SOLVER_H

#include "cond/solver.h"
#include "problem/device_matrix.h"

// How far a solve is to go.
typedef struct CondSolveBudget {
    double tolerance;        // of the certificate; 0: that of the settings
    double coarse_tolerance; // suffices for many rigid bodies, where a finer answer costs much
                             // more; 0: it does not
    int last_resort;         // 1: the expensive methods that come last may run
    int all_contacts;        // 1: none is left out while others are solved for
} CondSolveBudget;

// All that the settings allow.
static const CondSolveBudget COND_FULL_BUDGET = {.last_resort = 1};

// What a solve has left undone for its budget.
typedef struct CondSolveOutcome {
    int is_coarse;    // 1: the answer has the coarse tolerance only; the status is COND_OK
    int has_left_out; // 1: the methods of last resort might have run
} CondSolveOutcome;

// cond_solver_solve within a budget. Solvers that are not in the table do without: their outcome is
// zero.
CondStatus cond_solver_solve_within(CondSolver* solver, const CondProblem* problem,
                                    CondSolveBudget budget, double* v, double* lambda,
                                    CondSolveInfo* info, CondSolveOutcome* outcome);

// 1 where the solver may read A of soft bodies on a CUDA device.
int cond_solver_reads_on_device(const CondSolver* solver);
// Where problems to come have their A (problem/device_matrix.h); it stays with the caller.
void cond_solver_set_matrix(CondSolver* solver, CondDeviceMatrix* matrix);

// Adds the outcome of another solve, of another island or a later one.
static inline void cond_solve_outcome_add(CondSolveOutcome* outcome, const CondSolveOutcome* other)
{
    outcome->is_coarse |= other->is_coarse;
    outcome->has_left_out |= other->has_left_out;
}

#endif
