// The strategy: a constant table of stages, each a method with the problems it serves. A solve runs
// those that serve its problem, in the order of the table, until one reaches the tolerance; each
// goes on from the best pair so far. What made the answer is in CondSolveInfo.solved_by.
#ifndef COND_STRATEGY_STRATEGY_H
#define COND_STRATEGY_STRATEGY_H

#include "newton/direct.h"
#include "newton/interior_point.h"
#include "newton/proximal_point.h"
#include "newton/semismooth.h"
#include "strategy/solver.h"
#include "strategy/working_set.h"
#include "vfpi/vfpi.h"

typedef struct CondStrategy {
    CondContext context;
    double tolerance;            // of the settings that the user set
    CondSolverSettings asked;    // these, with the tolerance of this solve
    CondSolverSettings settings; // the same with the tolerance that the stages aim at
    CondNodal view;              // of a problem that is solved without islands
    CondVfpi vfpi;
    CondDirect direct;
    CondSemismooth newton;
    CondInteriorPoint interior;
    CondProximalPoint proximal;
    int rods;          // 1: most coordinates belong to rods
    int soft;          // 1: Newton's method with conjugate gradients serves the problem
    int small;         // 1: with a factorisation, by an estimate before the order is computed
    unsigned left_out; // stages that are not run, a bit for each name: for tests
    int diverged;      // 1: V-FPI was the last to run, and its iterates grew without bound
    int looks;         // 1: the start is measured before anything is laid out
    int large;         // 1: rigid bodies in contact, more than a handful
    int selects;       // 1: contacts that are open are left out
    double coarse;     // tolerance that suffices for these; 0: only that of the settings does
    int stale;         // 1: the start meets the coarse tolerance for the matrix before its change
    int last_resort;   // 1: the interior point may have all of its starts for piles
    CondSolveOutcome outcome;
    CondAnswer best;    // what the next stage goes on from
    CondAnswer start;   // what the first one began with
    CondAnswer central; // the best, while the interior-point method looks for a better one
    CondWorkingSet set; // of the contacts of a pile
    double* work;       // of the certificate of the start                       (2 n_dof)
    int cap_work;
    int met[2]; // most coordinates, and contacts, of a problem that was factored twice
} CondStrategy;

// A stage. It starts from strategy->best, stores its best pair there, and returns COND_OK if that
// meets the tolerance, COND_NOT_CONVERGED if not, or a negative status.
typedef struct CondSolverStage {
    CondSolvedBy name;
    int (*serves)(const CondStrategy* strategy);
    CondStatus (*run)(CondStrategy* strategy, CondSolveInfo* info);
} CondSolverStage;

extern const CondSolverOps cond_solver_strategy;

// Where problems to come have their A (problem/device_matrix.h).
void cond_strategy_set_matrix(void* work, CondDeviceMatrix* matrix);

// 1 where a problem without contacts is solved by one factorisation: it needs no nodes.
int cond_strategy_is_direct(const void* work, const CondProblem* problem);

// Solves a problem that is nodalized already, or needs no nodes; work is a CondStrategy.
CondStatus cond_strategy_solve(void* work, const CondNodal* view, CondSolveBudget budget, double* v,
                               double* lambda, CondSolveInfo* info, CondSolveOutcome* outcome);

// The same, with the details of the certificate: of a problem that is not part of another.
CondStatus cond_strategy_solve_alone(void* work, const CondNodal* view, CondSolveBudget budget,
                                     double* v, double* lambda, CondSolveInfo* info,
                                     CondSolveOutcome* outcome);

CondCertificateData cond_strategy_certificate_data(const CondStrategy* strategy);

// The stages (src/strategy/stages.c).
CondStatus cond_stage_vfpi(CondStrategy* strategy, CondSolveInfo* info);
CondStatus cond_stage_newton(CondStrategy* strategy, CondSolveInfo* info);
CondStatus cond_stage_factored_newton(CondStrategy* strategy, CondSolveInfo* info);
CondStatus cond_stage_interior_point(CondStrategy* strategy, CondSolveInfo* info);

// Two steps with a factorisation, for the memory that they take; changes strategy->best, and adds
// their products with A.
CondStatus cond_stage_rehearse(CondStrategy* strategy, int* products);

#endif
