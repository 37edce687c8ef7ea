// What is around the iteration: building it, the multiplier loop, and the answer.
//
// kv = INFINITY. The law is posed at u_v + phi - lambda_prev / kv, where u_v = u + lambda / kv is
// the velocity of the virtual node: when lambda no longer changes from one outer pass to the next,
// the law holds at u itself, whatever kv is (the method of multipliers).
#include "base/memory.h"
#include "law/tuning.h"
#include "vfpi/vfpi.h"

#include <math.h>
#include <string.h>

void cond_vfpi_create(const CondContext* context, const CondSolverSettings* settings, CondVfpi* s)
{
    cond_arena_begin(context, &s->arena);
    s->settings = *settings;
    s->W.arena.context = s->accelerator.arena.context = *context;
    s->fused.arena.context = s->history.arena.context = *context;
}

void cond_vfpi_destroy(CondVfpi* s)
{
    cond_surrogate_destroy(&s->W);
    cond_accelerator_destroy(&s->accelerator);
    cond_fused_destroy(&s->fused);
    cond_arena_release(&s->history.arena);
    cond_arena_release(&s->arena);
}

#define RESERVE(array, count) COND_RESERVE(&s->arena, s->array, count)

// What iterating needs.
static CondStatus reserve(CondVfpi* s)
{
    int n = s->nodal.n, nc3 = 3 * s->nodal.problem->n_contact;
    int failed = RESERVE(v, n) || RESERVE(g, n) || RESERVE(plain, n) || RESERVE(next, n) ||
                 RESERVE(metric, n) || RESERVE(lambda, nc3) || RESERVE(carry, nc3) ||
                 RESERVE(work, 2 * s->nodal.problem->n_dof);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

static int finite_all(int n, const double* x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

// The certificate of the pair in *best, which was taken without one.
static double judge_best(CondVfpi* s, CondSolveInfo* info)
{
    s->best->certificate = cond_vfpi_certify(s, s->best->v, s->best->lambda, NULL, info);
    return s->best->residual = cond_certificate_residual(&s->best->certificate);
}

// The loop with the step-length stop, without a way back from the team of threads in between.
static CondVfpiEnd run_fused(CondVfpi* s, CondSolveInfo* info)
{
    CondFusedPass pass = {.v = s->v,
                          .tolerance = s->settings.tolerance,
                          .max_iterations = s->max_iterations - info->iterations,
                          .history = &s->history};
    if (s->settings.accelerator == COND_ACCELERATOR_CHEBYSHEV)
        pass.chebyshev = &s->accelerator.chebyshev;
    cond_accelerator_restart(&s->accelerator);
    cond_fused_run(&s->fused, &pass);
    info->iterations += pass.iterations;
    info->products += pass.products;
    if (pass.iterations > 0)
        info->step_length = pass.length;
    if (!isfinite(info->step_length))
        return COND_VFPI_DIVERGED;
    return info->step_length < pass.tolerance ? COND_VFPI_CARRY : COND_VFPI_LIMIT;
}

// Ends a pass of the step-length stop with a plain iteration: only then does (v, lambda) obey the
// contact law exactly. The multiplier has settled when the slip that it still corrects is as short
// as the step.
static CondVfpiEnd finish_step_pass(CondVfpi* s, CondVfpiEnd end, CondSolveInfo* info)
{
    const CondNodal* nodal = &s->nodal;
    double change = 0.0;
    if (end == COND_VFPI_DIVERGED)
        return end;
    if (s->is_fused)
        cond_fused_finish(&s->fused, s->v, s->plain, s->lambda);
    else
        cond_vfpi_iterate(s);
    info->products++;
    if (!finite_all(nodal->n, s->plain))
        return COND_VFPI_DIVERGED;
    cond_answer_set(nodal->problem, s->plain, s->lambda, NULL, s->best);
    for (int k = 0; k < 3 * nodal->problem->n_contact && nodal->any_carried; k++)
        if (nodal->carried[k / 3])
            change += pow(nodal->compliance[k / 3] * (s->lambda[k] - s->carry[k]), 2.0);
    return end == COND_VFPI_CARRY && sqrt(change) < s->settings.tolerance ? COND_VFPI_DONE : end;
}

// The multiplier loop: one pass when no contact has kv = INFINITY.
static CondVfpiEnd run(CondVfpi* s, int max_outer, CondSolveInfo* info)
{
    const CondSolverSettings* settings = &s->settings;
    size_t nc3 = 3 * (size_t)s->nodal.problem->n_contact;
    CondVfpiEnd end = COND_VFPI_LIMIT;
    int certified = settings->stop == COND_STOP_CERTIFICATE;
    if (certified && judge_best(s, info) <= settings->tolerance)
        return COND_VFPI_DONE; // the warm start is good already
    for (info->outer = 1; info->outer <= max_outer; info->outer++) {
        s->inner_tolerance = fmax(COND_INNER_REDUCTION * fmin(s->best->residual, 1.0),
                                  COND_AIM * settings->tolerance);
        end = s->is_fused ? run_fused(s, info) : cond_vfpi_loop(s, info);
        if (!certified)
            end = finish_step_pass(s, end, info);
        if (end != COND_VFPI_CARRY)
            break;
        memcpy(s->carry, s->lambda, nc3 * sizeof *s->carry);
        memcpy(s->v, s->plain, (size_t)s->nodal.n * sizeof *s->v);
    }
    if (info->outer > max_outer)
        info->outer = max_outer;
    if (!certified) // the certificate says what the answer is worth, and decides nothing
        judge_best(s, info);
    return end;
}

// The contacts of the problem at hand.
static CondStatus lay_contacts(CondVfpi* s)
{
    s->contacts = (CondContactSolve){.nodal = &s->nodal,
                                     .law = s->settings.law,
                                     .omega = s->settings.omega,
                                     .node = s->nodal.node,
                                     .w = s->W.w,
                                     .carry = s->carry};
    return s->built && s->is_fused ? cond_fused_lay_contacts(&s->fused, &s->contacts) : COND_OK;
}

// W, the accelerator and room for iterates, made when they are first needed: the other stages do
// without.
static CondStatus prepare(CondVfpi* s, CondSolveInfo* info)
{
    if (s->built)
        return COND_OK;
    cond_nodal_complete(&s->nodal);
    CondStatus status = reserve(s);
    if (!status)
        status = cond_surrogate_build(&s->W, &s->nodal, &s->settings);
    info->products += status ? 0 : s->W.products;
    if (!status)
        status = cond_accelerator_begin(&s->accelerator, &s->settings, s->nodal.n, s->W.w);
    if (!status)
        status = cond_fused_build(&s->fused, &s->nodal, &s->W, &s->settings, &s->is_fused);
    s->built = !status;
    if (!status)
        status = lay_contacts(s);
    s->built = !status;
    return status;
}

CondStatus cond_vfpi_begin(CondVfpi* s, const CondNodal* view, CondSolveInfo* info)
{
    s->history.n = s->history.failed = 0;
    s->built = 0;
    s->accelerator.restarts = 0;
    s->nodal = *view;
    return s->settings.reuse > 1 ? prepare(s, info) : COND_OK; // the age of W counts solves
}

static void start(CondVfpi* s, CondAnswer* best)
{
    size_t nc3 = 3 * (size_t)s->nodal.problem->n_contact;
    memcpy(s->v, best->v, (size_t)s->nodal.n_dof * sizeof *s->v);
    cond_nodal_lift(&s->nodal, s->v);
    memcpy(s->lambda, best->lambda, nc3 * sizeof *s->lambda);
    memcpy(s->carry, best->lambda, nc3 * sizeof *s->carry);
    best->residual = INFINITY;
    s->best = best;
}

CondStatus cond_vfpi_run(CondVfpi* s, int max_iterations, int max_outer, CondAnswer* best,
                         CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondSolverSettings* settings = &s->settings;
    CondStatus status = prepare(s, info);
    if (status)
        return status;
    s->max_iterations = max_iterations < settings->max_iterations - info->iterations
                            ? info->iterations + max_iterations
                            : settings->max_iterations;
    start(s, best);
    *end = run(s, max_outer < settings->max_outer ? max_outer : settings->max_outer, info);
    return s->history.failed ? COND_OUT_OF_MEMORY : COND_OK;
}
