#include "solve/ladder.h"

#include "base/memory.h"
#include "solve/lagged.h"
#include "solve/primal_dual.h"
#include "solve/vfpi.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_TRY = 300,  // iterations of V-FPI before the passes that factor, where these fit,
    FIRST_OUTER = 30, // and outer passes
    TINY = 60,        // coordinates of problems that are factored in no time,
    TINY_TRY = 30,    // and iterations before it there
    FIRST_WHILE = 30, // iterations between rounds of passes, doubled each time
    ROUNDS = 5,       //
    MAX_PASSES = 200, // that factor
};

typedef struct Ladder {
    CondContext context;
    CondSolverSettings settings;
    CondVfpi vfpi;
    CondPrimalDual factored;
    CondLagged lagged;
    int small;        // 1: passes that factor can serve the problem
    CondAnswer best;  // what the next rung goes on from
    CondAnswer aside; // the start, then what the first way found, while the other is tried
} Ladder;

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    Ladder* s = cond_allocate(context, 1, sizeof *s);
    if (!s)
        return NULL;
    s->context = *context;
    s->settings = *settings;
    s->factored.context = s->lagged.context = *context;
    cond_vfpi_create(context, settings, &s->vfpi);
    return s;
}

static void destroy(void* work)
{
    Ladder* s = work;
    if (!s)
        return;
    CondContext m = s->context;
    cond_vfpi_destroy(&s->vfpi);
    cond_primal_dual_destroy(&s->factored);
    cond_lagged_destroy(&s->lagged);
    cond_answer_destroy(&m, &s->best);
    cond_answer_destroy(&m, &s->aside);
    cond_release(&m, s);
}

static const double* history(const void* work, int* n)
{
    const Ladder* s = work;
    *n = s->vfpi.n_history;
    return s->vfpi.history;
}

// The rungs. Each goes on from the pair in s->best, leaves the best one it saw there, and says in
// *end whether the certificate holds.

static CondStatus climb_vfpi(Ladder* s, int max_iterations, int max_outer, CondSolveInfo* info,
                             CondVfpiEnd* end)
{
    return cond_vfpi_run(&s->vfpi, max_iterations, max_outer, &s->best, info, end);
}

static CondStatus climb_lagged(Ladder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondSolverSettings* settings = &s->settings;
    CondCertificateData data = cond_vfpi_certificate_data(&s->vfpi);
    CondStatus status = cond_lagged_solve(&s->lagged, &data, settings->tolerance,
                                          settings->max_iterations - info->iterations, s->best.v,
                                          s->best.lambda, &s->best.certificate, info);
    s->best.residual = cond_certificate_residual(&s->best.certificate);
    *end = status == COND_OK ? COND_VFPI_DONE : COND_VFPI_LIMIT;
    return status < 0 ? status : COND_OK;
}

static CondStatus climb_factored(Ladder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    CondCertificateData data = cond_vfpi_certificate_data(&s->vfpi);
    CondStatus status = cond_primal_dual_solve(
        &s->factored, &data, s->settings.tolerance, MAX_PASSES, s->best.v, s->best.lambda,
        &s->best.certificate, &info->passes, &info->products);
    s->best.residual = cond_certificate_residual(&s->best.certificate);
    info->rung = COND_RUNG_FACTORED;
    *end = status == COND_OK ? COND_VFPI_DONE : COND_VFPI_LIMIT;
    return status < 0 ? status : COND_OK;
}

// Small groups of bodies: V-FPI; where it stalls, primal-dual passes that factor, from the best
// pair; and V-FPI again with all the iterations that were asked for. Rods begin with the passes,
// one of which costs little more than an iteration, and make more of them after a while of V-FPI.
static CondStatus climb_small(Ladder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    CondStatus status = COND_OK;
    int rods = s->factored.band; // a start from zero may have no finite residual
    if (!rods) {
        int first = s->vfpi.nodal.n_dof <= TINY ? TINY_TRY : FIRST_TRY;
        status = climb_vfpi(s, first, FIRST_OUTER, info, end);
    }
    for (int round = rods ? 0 : ROUNDS - 1; round < ROUNDS && *end != COND_VFPI_DONE; round++) {
        int last = round == ROUNDS - 1;
        if (status || (!rods && !isfinite(s->best.residual)))
            break;
        status = climb_factored(s, info, end);
        if (status || *end == COND_VFPI_DONE)
            break;
        info->rung = last ? COND_RUNG_ALL : info->rung;
        status = climb_vfpi(s, last ? s->settings.max_iterations : FIRST_WHILE << round,
                            last ? s->settings.max_outer : FIRST_OUTER, info, end);
    }
    return status;
}

// Problems with soft bodies: primal-dual passes by conjugate gradients. Where they make little
// progress, a while of V-FPI, which sorts out which contacts slip and which stick, and passes again
// from there; the later rounds with more V-FPI, with friction that follows within a pass, and with
// passes that factor where that fits. In the end, V-FPI with all the iterations that were asked
// for.
static CondStatus climb_rounds(Ladder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    CondStatus status = COND_OK;
    for (int round = 0; round < ROUNDS && !status && *end != COND_VFPI_DONE; round++) {
        s->lagged.may_follow = round >= ROUNDS / 2;
        status = climb_lagged(s, info, end);
        info->rung = round == 0 ? COND_RUNG_PASSES : COND_RUNG_ROUNDS;
        if (!status && *end != COND_VFPI_DONE && s->small && round >= 1 &&
            isfinite(s->best.residual))
            status = climb_factored(s, info, end);
        if (status || *end == COND_VFPI_DONE)
            break;
        int last = round == ROUNDS - 1 && !s->small;
        info->rung = last ? COND_RUNG_ALL : COND_RUNG_ROUNDS;
        status = climb_vfpi(s, last ? s->settings.max_iterations : FIRST_WHILE << round,
                            last ? s->settings.max_outer : FIRST_OUTER, info, end);
    }
    return status;
}

// The same, and where the bodies' groups are small enough to factor, from the beginning again the
// other way: the passes may have led astray. The better of the two answers stands.
static CondStatus climb_soft(Ladder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondProblem* problem = s->vfpi.nodal.problem;
    cond_answer_copy(problem, &s->best, &s->aside);
    CondStatus status = climb_rounds(s, info, end);
    if (status || *end == COND_VFPI_DONE || !s->small)
        return status;
    CondAnswer found = s->best;
    s->best = s->aside;
    s->aside = found;
    status = climb_small(s, info, end);
    info->rung = COND_RUNG_AGAIN;
    if (!status && *end != COND_VFPI_DONE && isfinite(found.residual) &&
        !(s->best.residual <= found.residual)) {
        cond_answer_copy(problem, &s->aside, &s->best);
        *end = COND_VFPI_LIMIT;
    }
    return status;
}

static CondStatus climb(Ladder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondSolverSettings* settings = &s->settings;
    const CondProblem* problem = s->vfpi.nodal.problem;
    CondStatus status = COND_OK;
    s->small = 0;
    int soft = 0, certified = settings->stop == COND_STOP_CERTIFICATE;
    if (certified && settings->accelerator == COND_ACCELERATOR_PRIMAL_DUAL)
        status = cond_lagged_plan(&s->lagged, problem, settings, &soft);
    if (!status && certified && settings->fallback)
        status = cond_primal_dual_plan(&s->factored, problem, settings->law, &s->small);
    if (status)
        return status;
    if (soft)
        return climb_soft(s, info, end);
    if (s->small)
        return climb_small(s, info, end);
    return climb_vfpi(s, settings->max_iterations, settings->max_outer, info, end);
}

static CondStatus solve(void* work, const CondProblem* problem, double* v, double* lambda,
                        CondSolveInfo* info)
{
    Ladder* s = work;
    int certified = s->settings.stop == COND_STOP_CERTIFICATE;
    info->certificate.worst_contact = -1;
    info->certificate.dynamics = info->certificate.contact = INFINITY; // until something is known
    CondStatus status = cond_vfpi_begin(&s->vfpi, problem, info);
    if (!status)
        status = cond_answer_reserve(&s->context, problem, &s->best);
    if (!status)
        status = cond_answer_reserve(&s->context, problem, &s->aside);
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
        info->rung = COND_RUNG_NONE;
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
    cond_surrogate_forget(&((Ladder*)work)->vfpi.W);
}

const CondSolverOps cond_solver_vfpi = {"vfpi", create, solve, history, destroy, reset};
