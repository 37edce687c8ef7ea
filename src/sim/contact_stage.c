// A contact problem that a stage of the step poses besides the step's own one: its contacts, its
// matrix, its solver and its answer.
#include "sim/contact_stage.h"

#include "base/memory.h"
#include "sim/sim.h"
#include "sim/tuning.h"

#include <string.h>

CondSolverSettings cond_contact_stage_settings(const CondModel* model)
{
    const CondSceneSettings* settings = &model->settings;
    CondSolverSettings own = cond_solver_settings_default();
    own.law = settings->solver.law;
    own.threads = settings->solver.threads;
    if (settings->solver.stop == COND_STOP_CERTIFICATE) {
        own.tolerance = settings->solver.tolerance;
        own.max_iterations = settings->solver.max_iterations;
        own.max_outer = settings->solver.max_outer;
        own.kv_scale = settings->solver.kv_scale;
    }
    return own;
}

CondStatus cond_contact_stage_prepare(const CondModel* model, CondAssemblyContent content,
                                      const CondSolverSettings* settings, CondContactStage* stage)
{
    const CondContext* m = &model->arena.context;
    if (stage->ready)
        return COND_OK;
    cond_contact_stage_destroy(stage); // what an attempt that failed has left
    *stage = (CondContactStage){
        .arena.context = *m, .candidates.arena.context = *m, .reduction.arena.context = *m};
    cond_frictionless_begin(m, &stage->frictionless);
    stage->law = settings->law;
    stage->tolerance = settings->tolerance;
    stage->budget = COND_FULL_BUDGET;
    stage->v = cond_arena_allocate(&stage->arena, (size_t)model->n_dof, sizeof(double));
    CondStatus status = stage->v ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status)
        status = cond_assembly_create(model, content, &stage->assembly);
    CondSolverSettings on_cpu = *settings; // masses alone: a device has nothing to gain
    on_cpu.device = COND_DEVICE_CPU;
    if (!status)
        status = cond_solver_create(m, "strategy", &on_cpu, &stage->solver, NULL);
    stage->ready = !status;
    return status;
}

void cond_contact_stage_destroy(CondContactStage* stage)
{
    cond_assembly_destroy(&stage->assembly);
    cond_solver_destroy(stage->solver);
    cond_candidates_end(&stage->candidates);
    cond_reduction_destroy(&stage->reduction);
    cond_frictionless_end(&stage->frictionless);
    cond_arena_release(&stage->arena);
}

static CondStatus solve(CondContactStage* stage, const CondProblem* problem, CondSolveInfo* info)
{
    CondSolveOutcome outcome;
    return cond_solver_solve_within(stage->solver, problem, stage->budget, stage->v, stage->lambda,
                                    info, &outcome);
}

// Without friction by conjugate gradients on the contacts where that serves; what these do not
// bring to the tolerance the solver goes on with.
static CondStatus solve_free(CondContactStage* stage, const CondProblem* problem,
                             CondSolveInfo* info)
{
    CondSolveInfo first;
    if (!cond_frictionless_serves(problem))
        return solve(stage, problem, info);
    CondStatus status =
        cond_frictionless_solve(&stage->frictionless, problem, stage->law, stage->tolerance,
                                COND_STAGE_PRODUCTS, stage->v, stage->lambda, &first);
    *info = first;
    if (status != COND_NOT_CONVERGED)
        return status;
    status = solve(stage, problem, info);
    cond_solve_info_add_work(&first, info, info);
    return status;
}

CondStatus cond_contact_stage_solve(CondContactStage* stage, const CondProblem* problem,
                                    const double* start, CondSolveInfo* info)
{
    size_t bytes = 3 * (size_t)problem->n_contact * sizeof *stage->lambda;
    if (COND_RESERVE(&stage->arena, stage->lambda, 3 * problem->n_contact))
        return COND_OUT_OF_MEMORY;
    if (start && bytes > 0)
        memcpy(stage->lambda, start, bytes);
    else
        memset(stage->lambda, 0, bytes);
    if (!stage->given)
        return solve_free(stage, problem, info);
    CondReduction* reduction = &stage->reduction;
    CondStatus status = cond_problem_reduce(problem, stage->given, stage->rate, reduction);
    if (status)
        return status;
    cond_reduction_enter(reduction, stage->given, stage->v, stage->lambda);
    status = solve(stage, &reduction->problem, info);
    cond_reduction_leave(reduction, stage->given, stage->v, stage->lambda);
    return status;
}
