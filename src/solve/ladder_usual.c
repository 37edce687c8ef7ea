// The usual rungs: V-FPI, primal-dual passes by conjugate gradients, primal-dual passes that
// factor, and how they take turns.
#include "solve/ladder_part.h"

#include "base/memory.h"

#include <math.h>

enum {
    FIRST_TRY = 300,  // iterations of V-FPI before the passes that factor, where these fit,
    FIRST_OUTER = 30, // and outer passes
    TINY = 60,        // coordinates of problems that are factored in no time,
    TINY_TRY = 30,    // and iterations before it there
    FIRST_WHILE = 30, // iterations between rounds of passes, doubled each time
    ROUNDS = 5,       //
    MAX_PASSES = 200, // that factor,
    FEW_PASSES = 12,  // and of them before the interior-point method
};

CondCertificateData cond_ladder_certificate_data(const CondLadder* s)
{
    return cond_vfpi_certificate_data(&s->vfpi);
}

void cond_ladder_aim(CondLadder* s, double tolerance, int iterations)
{
    int most = s->asked.max_iterations;
    s->settings.tolerance = s->vfpi.settings.tolerance = tolerance;
    s->settings.max_iterations = iterations < most ? iterations : most;
    s->vfpi.settings.max_iterations = s->settings.max_iterations;
}

CondStatus cond_ladder_vfpi(CondLadder* s, int max_iterations, int max_outer, CondSolveInfo* info,
                            CondVfpiEnd* end)
{
    if (cond_cancelled(&s->context))
        return COND_CANCELLED;
    return cond_vfpi_run(&s->vfpi, max_iterations, max_outer, &s->best, info, end);
}

static CondStatus climb_lagged(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondSolverSettings* settings = &s->settings;
    CondCertificateData data = cond_ladder_certificate_data(s);
    CondStatus status = cond_lagged_solve(&s->lagged, &data, settings->tolerance,
                                          settings->max_iterations - info->iterations, s->best.v,
                                          s->best.lambda, &s->best.certificate, info);
    s->best.residual = cond_certificate_residual(&s->best.certificate);
    *end = status == COND_OK ? COND_VFPI_DONE : COND_VFPI_LIMIT;
    return status < 0 ? status : COND_OK;
}

CondStatus cond_ladder_factored(CondLadder* s, int max_passes, CondSolveInfo* info,
                                CondVfpiEnd* end)
{
    CondCertificateData data = cond_ladder_certificate_data(s);
    CondStatus status = cond_primal_dual_solve(
        &s->factored, &data, s->settings.tolerance, max_passes, s->best.v, s->best.lambda,
        &s->best.certificate, &info->passes, &info->products);
    s->best.residual = cond_certificate_residual(&s->best.certificate);
    info->rung = COND_RUNG_FACTORED;
    *end = status == COND_OK ? COND_VFPI_DONE : COND_VFPI_LIMIT;
    return status < 0 ? status : COND_OK;
}

// Newton steps that resist changes of the forces, from the pair in s->best.
static CondStatus polish(CondLadder* s, const CondCertificateData* data, CondSolveInfo* info)
{
    static const double damping[] = {1e-2, 1e-3, 1e-1}; // shares of gamma
    CondStatus status = COND_OK;
    for (int k = 0; k < 3 && status >= 0 && s->best.residual > s->settings.tolerance; k++) {
        status = cond_primal_dual_polish(&s->factored, data, s->settings.tolerance, damping[k],
                                         s->best.v, s->best.lambda, &s->best.certificate,
                                         &info->passes, &info->products);
        s->best.residual = cond_certificate_residual(&s->best.certificate);
    }
    return status < 0 ? status : COND_OK;
}

// Nearly redundant contacts: the interior-point method to where rounding stops it, then polishing;
// where that ends too early, the same again from the middle of the cone with other forces, which
// leads another way, and the better pair stands.
CondStatus cond_ladder_interior(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    static const double first_force[] = {0.1, 1.0, 0.01, 10.0}; // of what stops the fastest contact
    const CondProblem* problem = s->vfpi.nodal.problem;
    CondCertificateData data = cond_ladder_certificate_data(s);
    double tolerance = s->settings.tolerance;
    CondStatus status = cond_answer_reserve(&s->context, problem, &s->central);
    for (int round = 0; round < 4 && !status && s->best.residual > tolerance; round++) {
        cond_answer_copy(problem, &s->best, &s->central);
        s->best.residual = INFINITY;
        status =
            cond_interior_point_solve(&s->interior, &s->factored, &data, tolerance,
                                      first_force[round], &s->best, &info->passes, &info->products);
        if (!status && isfinite(s->best.residual))
            status = polish(s, &data, info);
        if (!(s->best.residual <= s->central.residual))
            cond_answer_copy(problem, &s->central, &s->best);
    }
    info->rung = COND_RUNG_INTERIOR;
    *end = s->best.residual <= tolerance ? COND_VFPI_DONE : COND_VFPI_LIMIT;
    return status;
}

// V-FPI, and where it stalls primal-dual passes that factor, from the best pair.
static CondStatus climb_vfpi(CondLadder* s, int iterations, CondSolveInfo* info, CondVfpiEnd* end)
{
    CondStatus status = cond_ladder_vfpi(s, iterations, FIRST_OUTER, info, end);
    if (!status && *end != COND_VFPI_DONE && isfinite(s->best.residual))
        status = cond_ladder_factored(s, MAX_PASSES, info, end);
    return status;
}

// Rods begin with the passes, one of which costs little more than an iteration, and make more of
// them after a while of V-FPI.
static CondStatus climb_rods(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    CondStatus status = COND_OK;
    for (int round = 0; round < ROUNDS && !status && *end != COND_VFPI_DONE; round++) {
        status = cond_ladder_factored(s, MAX_PASSES, info, end);
        if (!status && *end != COND_VFPI_DONE && round < ROUNDS - 1)
            status = cond_ladder_vfpi(s, FIRST_WHILE << round, FIRST_OUTER, info, end);
    }
    return status;
}

// What can be factored: rods, and groups of rigid bodies, robots and small meshes. Of the latter
// tiny ones begin with V-FPI, larger ones with a few passes; those that then still miss mostly have
// redundant contacts.
static CondStatus climb_small(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    if (s->factored.rods) // a start from zero may have no finite residual
        return climb_rods(s, info, end);
    int tiny = s->vfpi.nodal.n_dof <= TINY;
    int last = !tiny && s->settings.accelerator == COND_ACCELERATOR_PRIMAL_DUAL;
    CondStatus status = last ? cond_ladder_factored(s, FEW_PASSES, info, end)
                             : climb_vfpi(s, tiny ? TINY_TRY : FIRST_TRY, info, end);
    if (!status && *end != COND_VFPI_DONE && isfinite(s->best.residual))
        status = cond_ladder_interior(s, info, end);
    if (!status && *end != COND_VFPI_DONE && last)
        status = climb_vfpi(s, FIRST_TRY, info, end);
    return status;
}

// Problems with soft bodies: primal-dual passes by conjugate gradients. Where they make little
// progress, a while of V-FPI, which sorts out which contacts slip and which stick, and passes again
// from there; the later rounds with more V-FPI, with friction that follows within a pass, and with
// passes that factor where that fits.
static CondStatus climb_rounds(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    CondStatus status = COND_OK;
    for (int round = 0; round < ROUNDS && !status && *end != COND_VFPI_DONE; round++) {
        s->lagged.may_follow = round >= ROUNDS / 2;
        status = climb_lagged(s, info, end);
        info->rung = round == 0 ? COND_RUNG_PASSES : COND_RUNG_ROUNDS;
        if (!status && *end != COND_VFPI_DONE && s->small && round >= 1 &&
            isfinite(s->best.residual))
            status = cond_ladder_factored(s, MAX_PASSES, info, end);
        if (status || *end == COND_VFPI_DONE || (round == ROUNDS - 1 && !s->small))
            break;
        info->rung = COND_RUNG_ROUNDS;
        status = cond_ladder_vfpi(s, FIRST_WHILE << round, FIRST_OUTER, info, end);
    }
    return status;
}

// The same, and where the bodies' groups are small enough to factor, from the beginning again the
// other way: the passes may have led astray. The better of the two answers stands.
static CondStatus climb_soft(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    const CondProblem* problem = s->vfpi.nodal.problem;
    CondStatus status = COND_OK;
    if (s->small)
        status = cond_answer_reserve(&s->context, problem, &s->aside);
    if (!status && s->small)
        cond_answer_copy(problem, &s->best, &s->aside);
    if (!status)
        status = climb_rounds(s, info, end);
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

CondStatus cond_ladder_usual(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    if (s->soft)
        return climb_soft(s, info, end);
    if (s->small)
        return climb_small(s, info, end);
    return COND_OK;
}

CondStatus cond_ladder_augmented(CondLadder* s, CondSolveInfo* info, CondVfpiEnd* end)
{
    CondCertificateData data = cond_ladder_certificate_data(s);
    if (!s->soft)
        return COND_OK;
    s->lagged.system.deep = s->lagged.system.grouped = 0;
    CondStatus status =
        cond_augmented_solve(&s->augmented, &data, &s->lagged.system, s->settings.tolerance,
                             s->settings.max_iterations - info->iterations, &s->best, info);
    info->rung = COND_RUNG_MULTIPLIERS;
    *end = status == COND_OK ? COND_VFPI_DONE : COND_VFPI_LIMIT;
    return status < 0 ? status : COND_OK;
}
