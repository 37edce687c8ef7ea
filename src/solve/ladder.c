#include "solve/ladder_part.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { ENOUGH = 2000 }; // iterations that are shared out

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    CondLadder* s = cond_allocate(context, 1, sizeof *s);
    if (!s)
        return NULL;
    s->context = *context;
    s->asked = s->settings = *settings;
    s->factored.context = s->interior.context = s->lagged.context = s->augmented.context = *context;
    cond_vfpi_create(context, settings, &s->vfpi);
    return s;
}

static void destroy(void* work)
{
    CondLadder* s = work;
    if (!s)
        return;
    CondContext m = s->context;
    cond_vfpi_destroy(&s->vfpi);
    cond_primal_dual_destroy(&s->factored);
    cond_interior_point_destroy(&s->interior);
    cond_lagged_destroy(&s->lagged);
    cond_augmented_destroy(&s->augmented);
    cond_answer_destroy(&m, &s->best);
    cond_answer_destroy(&m, &s->aside);
    cond_answer_destroy(&m, &s->central);
    cond_answer_destroy(&m, &s->before);
    cond_answer_destroy(&m, &s->kept);
    cond_release(&m, s->contact);
    cond_release(&m, s->relaxed);
    cond_release(&m, s->error);
    cond_release(&m, s);
}

static const double* history(const void* work, int* n)
{
    const CondLadder* s = work;
    *n = s->vfpi.history.n;
    return s->vfpi.history.length;
}

static const int* relaxed(const void* work, int* n)
{
    const CondLadder* s = work;
    *n = s->n_relaxed;
    return s->n_relaxed > 0 ? s->relaxed : NULL;
}

// What serves the problem.
static CondStatus plan(CondLadder* s, const CondProblem* problem)
{
    const CondSolverSettings* settings = &s->asked;
    CondStatus status = COND_OK;
    int certified = settings->stop == COND_STOP_CERTIFICATE;
    s->soft = s->small = 0;
    if (certified && settings->accelerator == COND_ACCELERATOR_PRIMAL_DUAL)
        status = cond_lagged_plan(&s->lagged, problem, settings, &s->soft);
    if (!status && certified && settings->fallback)
        status = cond_primal_dual_plan(&s->factored, problem, settings->law, &s->small);
    return status;
}

// An eighth of the iterations is kept for the friction path and a quarter for relaxed contacts,
// where they may have their turn and there are enough: too few iterations are no reason for another
// law.
static CondStatus climb(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondSolverSettings* asked = &s->asked;
    int all = asked->max_iterations, share = all >= ENOUGH ? all / 8 : 0;
    int late = asked->stop == COND_STOP_CERTIFICATE && asked->fallback;
    int relax = late && asked->relax && asked->law == COND_LAW_STRICT;
    cond_ladder_aim(s, asked->tolerance, all - (late ? share : 0) - (relax ? 2 * share : 0));
    CondStatus status = cond_ladder_usual(s, info, end);
    if (!status && *end != COND_VFPI_DONE && late && asked->law == COND_LAW_PROXIMAL)
        status = cond_ladder_augmented(s, info, end);
    if (!status && *end != COND_VFPI_DONE && late && (s->soft || s->small)) {
        cond_ladder_aim(s, asked->tolerance, info->iterations + share);
        status = cond_ladder_friction(s, info, end);
    }
    if (!status && *end != COND_VFPI_DONE) {
        if (s->soft || s->small)
            info->rung = COND_RUNG_ALL;
        cond_ladder_aim(s, asked->tolerance, relax ? all - 2 * share : all);
        status = cond_ladder_vfpi(s, all, asked->max_outer, info, end);
    }
    if (!status && *end != COND_VFPI_DONE && relax && isfinite(s->best.residual)) {
        cond_ladder_aim(s, asked->tolerance, all);
        status = cond_ladder_relax(s, info, end);
    }
    return status;
}

static CondStatus solve(void* work, const CondProblem* problem, double* v, double* lambda,
                        CondSolveInfo* info)
{
    CondLadder* s = work;
    int certified = s->asked.stop == COND_STOP_CERTIFICATE;
    info->certificate.worst_contact = -1;
    info->certificate.dynamics = info->certificate.contact = INFINITY; // until something is known
    s->n_relaxed = 0;
    cond_ladder_aim(s, s->asked.tolerance, s->asked.max_iterations);
    CondStatus status = cond_vfpi_begin(&s->vfpi, problem, info);
    if (!status)
        status = cond_answer_reserve(&s->context, problem, &s->best);
    if (!status)
        status = plan(s, problem);
    if (status)
        return status;
    info->virtual_nodes = s->vfpi.nodal.n_virtual;
    cond_answer_set(problem, v, lambda, NULL, &s->best);
    CondVfpiEnd end = COND_VFPI_LIMIT;
    info->rung = COND_RUNG_VFPI;
    status = climb(s, info, &end);
    if (status)
        return status;
    if (certified && end != COND_VFPI_DONE)
        info->rung = info->relaxed > 0 ? COND_RUNG_RELAXED : COND_RUNG_NONE;
    else if (certified && info->iterations + info->passes == 0)
        info->rung = COND_RUNG_START;
    info->restarts = s->vfpi.accelerator.restarts;
    info->certificate = s->best.certificate;
    if (problem->n_dof > 0)
        memcpy(v, s->best.v, (size_t)problem->n_dof * sizeof *v);
    if (problem->n_contact > 0)
        memcpy(lambda, s->best.lambda, 3 * (size_t)problem->n_contact * sizeof *lambda);
    if (end == COND_VFPI_DIVERGED ||
        !isfinite(s->best.residual)) // NaN in phi alone leaves v finite
        return COND_DIVERGED;
    return end == COND_VFPI_DONE ? COND_OK : COND_NOT_CONVERGED;
}

static void reset(void* work)
{
    cond_surrogate_forget(&((CondLadder*)work)->vfpi.W);
}

const CondSolverOps cond_solver_vfpi = {"vfpi", create, solve, history, destroy, reset, relaxed};
