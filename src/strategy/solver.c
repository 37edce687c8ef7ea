// A solve within a budget: what the step asks of a solver beside cond/solver.h.
#include "strategy/solver.h"
#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/timer.h"
#include "cuda/soft_cg.h"
#include "law/settings.h"
#include "strategy/island_solver.h"

#include <math.h>
#include <string.h>

// A solver of the table, which keeps to budgets.
typedef struct Entry {
    const CondSolverOps* ops;
    CondStatus (*solve)(void* work, const CondProblem* problem, CondSolveBudget budget, double* v,
                        double* lambda, CondSolveInfo* info, CondSolveOutcome* outcome);
} Entry;

static const Entry table[] = {{&cond_solver_islands, cond_island_solver_solve}};
enum { N_SOLVER = sizeof table / sizeof table[0] };

struct CondSolver {
    CondContext context;
    CondSolverOps ops;  // as the program knows them, the others NULL
    const Entry* entry; // NULL: not from the table
    void* work;
    const CondProblem* prepared; // the problem that is ready to be solved; NULL: none
    double seconds;              // that this took
};

const char* cond_solver_name(int index)
{
    return index >= 0 && index < N_SOLVER ? table[index].ops->name : NULL;
}

CondStatus cond_solver_create(const CondContext* context, const char* name,
                              const CondSolverSettings* settings, CondSolver** solver,
                              CondError* error)
{
    *solver = NULL;
    for (int i = 0; i < N_SOLVER; i++)
        if (strcmp(cond_solver_present_name(name), table[i].ops->name) == 0) {
            CondStatus status =
                cond_solver_create_from(context, table[i].ops, settings, solver, error);
            if (!status)
                (*solver)->entry = &table[i];
            return status;
        }
    return cond_error_set(error, COND_BAD_ARGUMENT, "no solver is named '%s'", name);
}

const char* cond_device_cuda_name(const char** reason)
{
    return cond_cuda_name(reason);
}

// auto becomes one of the two others; cuda is there and serves the settings, or an error.
static CondStatus choose_device(CondSolverSettings* settings, CondError* error)
{
    const char* reason = "";
    if (settings->device == COND_DEVICE_CPU)
        return COND_OK;
    int there = cond_cuda_name(&reason) != NULL;
    int serves = settings->accelerator == COND_ACCELERATOR_NEWTON &&
                 settings->stop == COND_STOP_CERTIFICATE &&
                 settings->storage != COND_STORAGE_DOUBLE;
    if (there && !serves)
        reason = "it needs accelerator: newton, stop: certificate, and storage: auto or float";
    there = there && serves;
    if (settings->device == COND_DEVICE_CUDA && !there)
        return cond_error_set(error, COND_NOT_SUPPORTED, "solver.device: cuda: %s", reason);
    settings->device = there ? COND_DEVICE_CUDA : COND_DEVICE_CPU;
    return COND_OK;
}

CondStatus cond_solver_create_from_sized(const CondContext* context, const CondSolverOps* ops,
                                         const CondSolverSettings* settings, CondSolver** solver,
                                         CondError* error, size_t size)
{
    *solver = NULL;
    if (!ops)
        return cond_error_set(error, COND_BAD_ARGUMENT, "no solver was given");
    CondSolverSettings own;
    CondStatus status = cond_solver_settings_take(settings, &own, error);
    if (status)
        return status;
    if (choose_device(&own, error))
        return COND_NOT_SUPPORTED;
    CondContext memory = cond_context_or_default(context);
    CondSolver* made = cond_allocate(&memory, 1, sizeof *made);
    if (made) {
        made->context = memory;
        cond_struct_take(&made->ops, sizeof made->ops, ops, size);
        made->work = made->ops.create(&memory, &own);
        if (made->work) {
            *solver = made;
            return COND_OK;
        }
    }
    cond_release(&memory, made);
    return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
}

int cond_solver_reads_on_device(const CondSolver* solver)
{
    return solver->entry && cond_island_solver_reads_on_device(solver->work);
}

void cond_solver_set_matrix(CondSolver* solver, CondDeviceMatrix* matrix)
{
    if (solver->entry)
        cond_island_solver_set_matrix(solver->work, matrix);
}

CondStatus cond_solver_prepare(CondSolver* solver, const CondProblem* problem)
{
    double start = cond_seconds();
    CondStatus status = solver->ops.prepare ? solver->ops.prepare(solver->work, problem) : COND_OK;
    solver->prepared = status ? NULL : problem;
    solver->seconds = cond_seconds() - start;
    return cond_error_pass(status, "cond_solver_prepare");
}

CondStatus cond_solver_solve(CondSolver* solver, const CondProblem* problem, double* v,
                             double* lambda, CondSolveInfo* info)
{
    CondSolveOutcome outcome;
    return cond_error_pass(
        cond_solver_solve_within(solver, problem, COND_FULL_BUDGET, v, lambda, info, &outcome),
        "cond_solver_solve");
}

static CondStatus run(const CondSolver* solver, const CondProblem* problem, CondSolveBudget budget,
                      double* v, double* lambda, CondSolveInfo* info, CondSolveOutcome* outcome)
{
    if (solver->entry)
        return solver->entry->solve(solver->work, problem, budget, v, lambda, info, outcome);
    return solver->ops.solve(solver->work, problem, v, lambda, info);
}

CondStatus cond_solver_solve_within(CondSolver* solver, const CondProblem* problem,
                                    CondSolveBudget budget, double* v, double* lambda,
                                    CondSolveInfo* info, CondSolveOutcome* outcome)
{
    CondStatus status = COND_OK;
    *outcome = (CondSolveOutcome){0, 0};
    if (solver->prepared != problem)
        status = cond_solver_prepare(solver, problem);
    double start = cond_seconds();
    CondSolveInfo own;
    CondSolveInfo* out = info ? info : &own;
    memset(out, 0, sizeof *out);
    if (!status)
        status = run(solver, problem, budget, v, lambda, out, outcome);
    else // nothing is known of the answer
        out->certificate =
            (CondCertificate){.dynamics = INFINITY, .contact = INFINITY, .worst_contact = -1};
    solver->prepared = NULL;
    if (status != COND_OK && cond_cancelled(&solver->context))
        status = COND_CANCELLED; // it may have stopped before it was through
    out->status = status;
    out->seconds = solver->seconds + cond_seconds() - start;
    return status;
}

const double* cond_solver_history(const CondSolver* solver, int* n)
{
    return solver->ops.history(solver->work, n);
}

void cond_solver_reset(CondSolver* solver)
{
    if (solver->ops.reset)
        solver->ops.reset(solver->work);
}

const int* cond_solver_relaxed(const CondSolver* solver, int* n)
{
    (void)solver;
    *n = 0;
    return NULL;
}

void cond_solver_destroy(CondSolver* solver)
{
    if (!solver)
        return;
    CondContext memory = solver->context;
    solver->ops.destroy(solver->work);
    cond_release(&memory, solver);
}
