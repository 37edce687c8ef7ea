// The solve of a step: where it starts from, and what is made of the answer of the linear problem.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "body/each.h"
#include "sim/sim.h"
#include "sleep/sleep.h"
#include "strategy/solver.h"

#include <string.h>

typedef struct PredictLoop {
    CondSim* sim;
    const CondState* state;
} PredictLoop;

// With the forces in sim->work.
static void predict_body(const void* loop, int b)
{
    const PredictLoop* l = loop;
    const CondBody* body = &l->sim->model->body[b];
    double* v_hat = l->sim->attempt.v_hat + body->dof_begin;
    if (body->kind != COND_BODY_PARTICLE && body->kind != COND_BODY_RIGID)
        return;
    cond_body_ops(body->kind)
        ->accelerate(body, &l->sim->at_start, l->sim->work + body->dof_begin, v_hat);
    for (int i = 0; i < body->n_dof; i++)
        v_hat[i] = l->state->v[body->dof_begin + i] + l->sim->length[b] * v_hat[i];
}

// v_hat to start from: the last one for soft bodies, robots, and where springs act (and for the
// paper's stop test, which the paper combines with that start), for other particles and rigid
// bodies v_k + th t M^-1 (f + Jc' lambda). The latter leaves no residual in the dynamics. A start
// that does would be accepted whenever the change of a step is below the tolerance relative to M
// v_k / t, and a body that moves fast would never feel a small force.
static void predict(CondSim* sim, const CondState* state)
{
    const CondModel* model = sim->model;
    const CondSceneSettings* settings = &model->settings;
    double* force = sim->work; // free until the step is integrated
    PredictLoop loop = {sim, state};
    cond_parallel_copy(model->n_dof, state->v_hat, sim->attempt.v_hat, settings->solver.threads);
    if (settings->solver.stop == COND_STOP_STEP ||
        model->n_kind[COND_BODY_PARTICLE] + model->n_kind[COND_BODY_RIGID] == 0)
        return;
    cond_parallel_copy(model->n_dof, sim->f, force, settings->solver.threads);
    cond_assembly_add_forces(&sim->attempt.assembly, model, sim->attempt.candidates.n, 1.0,
                             sim->attempt.lambda, force);
    cond_each_body(model, COND_COORDINATE_WORK, predict_body, &loop);
    for (int i = 0; i < model->n_spring; i++) {
        for (int end = 0; end < 2; end++) {
            int b = model->spring[i].end[end].body;
            if (b >= 0)
                memcpy(sim->attempt.v_hat + model->body[b].dof_begin,
                       state->v_hat + model->body[b].dof_begin,
                       (size_t)model->body[b].n_dof * sizeof(double));
        }
    }
}

void cond_sim_note_relaxed(CondSim* sim)
{
    int count = 0;
    const int* relaxed = cond_solver_relaxed(sim->solver, &count);
    for (int c = 0; c < sim->attempt.candidates.n; c++)
        sim->attempt.relaxed[c] = relaxed ? relaxed[c] : 0;
}

// Forces of the last step: both lists ascend with the key.
typedef struct RecallLoop {
    CondSim* sim;
    const CondState* state;
} RecallLoop;

static void recall(const void* data, int first, int last)
{
    const RecallLoop* loop = data;
    const CondState* state = loop->state;
    CondSim* sim = loop->sim;
    const CondCandidate* candidate = sim->attempt.candidates.candidate;
    int k = cond_state_memory_from(state, candidate[first].key);
    for (int c = first; c < last; c++) {
        CondContactKey key = candidate[c].key;
        while (k < state->n_memory && cond_key_less(state->memory[k].key, key))
            k++;
        int known = k < state->n_memory && cond_key_equal(state->memory[k].key, key);
        for (int i = 0; i < 3; i++)
            sim->attempt.lambda[3 * (ptrdiff_t)c + i] = known ? state->memory[k].lambda[i] : 0.0;
    }
}

CondStatus cond_sim_start(CondSim* sim, const CondState* state)
{
    int n = sim->attempt.candidates.n;
    if (cond_sim_reserve_forces(sim, cond_sim_n_force(sim)))
        return COND_OUT_OF_MEMORY;
    RecallLoop loop = {sim, state};
    cond_parallel(
        n, cond_threads(COND_COORDINATE_WORK * (size_t)n, sim->model->settings.solver.threads),
        recall, &loop);
    for (int r = 0; r < sim->rows.n; r++) {
        const CondContactMemory* memory = cond_state_recall(state, sim->rows.row[r].key);
        double* lambda = sim->attempt.lambda + 3 * (ptrdiff_t)(n + r);
        lambda[0] = memory ? cond_joint_row_lambda(sim, r, memory->lambda[0]) : 0.0;
        lambda[1] = lambda[2] = 0.0;
    }
    predict(sim, state);
    if (sim->model->settings.solver.stop == COND_STOP_CERTIFICATE)
        cond_sim_start_at_rest(sim);
    // What a solver keeps is made anew at fixed steps, so that a state saved there tells all.
    if (state->step % sim->model->settings.solver.reuse == 0)
        cond_solver_reset(sim->solver);
    return COND_OK;
}

static CondStatus solve_once(CondSim* sim, CondSolveInfo* info)
{
    const CondHeld* held = &sim->held;
    if (held->n > 0)
        cond_reduction_enter(&held->reduction, held->flag, sim->attempt.v_hat, sim->attempt.lambda);
    CondSolveOutcome outcome;
    CondStatus status =
        cond_solver_solve_within(sim->solver, cond_held_problem(sim), sim->attempt.budget,
                                 sim->attempt.v_hat, sim->attempt.lambda, info, &outcome);
    sim->attempt.verdict.coarse_solve = outcome.is_coarse;
    if (held->n > 0)
        cond_reduction_leave(&held->reduction, held->flag, sim->attempt.v_hat, sim->attempt.lambda);
    return status;
}

// From rest and without forces, where joints are bounded: a joint that comes to its limit or begins
// to slip may be far from its last answer. The better one stands.
static CondStatus solve_anew(CondSim* sim, CondSolveInfo* info)
{
    CondJointRows* rows = &sim->rows;
    size_t n_dof = (size_t)sim->model->n_dof, n = 3 * (size_t)cond_sim_n_force(sim);
    CondSolveInfo first = *info;
    if (COND_RESERVE(&sim->arena, rows->v, (int)n_dof) ||
        COND_RESERVE(&sim->arena, rows->lambda, (int)n))
        return COND_OUT_OF_MEMORY;
    memcpy(rows->v, sim->attempt.v_hat, n_dof * sizeof *rows->v);
    memcpy(rows->lambda, sim->attempt.lambda, n * sizeof *rows->lambda);
    memset(sim->attempt.v_hat, 0, n_dof * sizeof *rows->v);
    memset(sim->attempt.lambda, 0, n * sizeof *rows->lambda);
    CondStatus status = solve_once(sim, info);
    int worse = status == COND_NOT_CONVERGED && cond_certificate_residual(&info->certificate) >
                                                    cond_certificate_residual(&first.certificate);
    CondSolveInfo best = worse ? first : *info;
    cond_solve_info_add_work(&first, info, &best);
    *info = best;
    if (worse) {
        memcpy(sim->attempt.v_hat, rows->v, n_dof * sizeof *rows->v);
        memcpy(sim->attempt.lambda, rows->lambda, n * sizeof *rows->lambda);
    }
    return status;
}

CondStatus cond_sim_solve_problem(CondSim* sim, CondSolveInfo* info)
{
    CondStatus status = solve_once(sim, info);
    return status == COND_NOT_CONVERGED && sim->rows.n > 0 ? solve_anew(sim, info) : status;
}

CondStatus cond_integrator_choose(CondSim* sim, CondAttempt* attempt)
{
    const CondSceneSettings* settings = &sim->model->settings;
    int changed = 0;
    CondStatus status = COND_OK;
    attempt->verdict.coarse_iterate = 0;
    switch (settings->integrator) {
    case COND_INTEGRATOR_THETA: // motors may have left the matrix
        changed = attempt->late && sim->rows.joined;
        break;
    case COND_INTEGRATOR_AUTO:
        status = cond_sim_choose(sim, attempt->from, attempt->late, &changed);
        attempt->at_iterate = attempt->late && cond_auto_iterates(sim);
        changed = attempt->late ? !attempt->at_iterate : changed;
        break;
    default:
        attempt->at_iterate = attempt->late && settings->newton_iterations > 1;
    }
    attempt->verdict.other_theta = changed;
    return status;
}

CondStatus cond_integrator_resume(CondSim* sim, const CondState* state)
{
    if (sim->model->settings.integrator != COND_INTEGRATOR_AUTO)
        return cond_newton_resume(sim, state);
    cond_sim_control_middle(sim, state);
    return cond_auto_resume(sim, state);
}

CondStatus cond_integrator_next(CondSim* sim, const CondState* state, CondStatus solved,
                                CondSolveInfo* info, CondNext* next)
{
    *next = COND_NEXT_DONE;
    switch (sim->model->settings.integrator) {
    case COND_INTEGRATOR_THETA:
        return solved;
    case COND_INTEGRATOR_AUTO:
        return cond_auto_next(sim, state, solved, info, next);
    default:
        return cond_newton_next(sim, state, solved, info, next);
    }
}

const double* cond_sim_solution(const CondSim* sim)
{
    return cond_sleep_reader(sim)->attempt.v_hat;
}

const double* cond_sim_lambda(const CondSim* sim)
{
    return cond_sleep_reader(sim)->attempt.lambda;
}
