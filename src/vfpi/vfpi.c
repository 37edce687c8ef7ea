// The loop reads like the paper: product, surrogate, one-shot contact solve, update, stop test.
//
// Certified stop. The pair that is judged is always (v**, lambda) of a plain iteration: it obeys
// the contact law at the nodes by construction, so its certificate measures the dynamics and what
// the virtual nodes still slip. Judging costs about a product; it is done when the fixed-point
// residual |v** - v| predicts success, because the two shrink in proportion.
//
// kv = INFINITY. The law is posed at u_v + phi - lambda_prev / kv, where u_v = u + lambda / kv is
// the velocity of the virtual node: when lambda no longer changes from one outer pass to the next,
// the law holds at u itself, whatever kv is (the method of multipliers).
#include "vfpi/vfpi.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "law/settings.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double INNER_SHARE = 0.1; // of the true residual that an inner pass must reach
static const double INNER_FLOOR = 0.3; // of the tolerance, below which inner passes need not go
static const double SAFETY = 0.7;      // on the predicted residual before judging again
static const double ROUNDING = 1e-16;  // change relative to |v| below which iterating is over
enum {
    ROUNDING_EVERY = 16, // iterations between looks at the rounding floor
    JUDGE_EVERY = 100,   // iterations after which a pair is judged in any case
};

void cond_vfpi_create(const CondContext* context, const CondSolverSettings* settings, CondVfpi* s)
{
    cond_arena_begin(context, &s->arena);
    s->settings = *settings;
    s->nodal.threads = settings->threads;
    s->nodal.arena.context = s->W.arena.context = s->accelerator.arena.context = *context;
    s->sweep.context = s->fused.arena.context = *context;
    s->history.context = *context;
}

void cond_vfpi_destroy(CondVfpi* s)
{
    cond_nodal_destroy(&s->nodal);
    cond_surrogate_destroy(&s->W);
    cond_accelerator_destroy(&s->accelerator);
    cond_contact_sweep_destroy(&s->sweep);
    cond_fused_destroy(&s->fused);
    cond_release(&s->arena.context, s->history.length);
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

#undef RESERVE

static int finite_all(int n, const double* x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

// One plain iteration (Alg. 1): v** and lambda from v, and how far they are from each other.
typedef struct Step {
    double length;   // |v** - v|
    double residual; // the same in the norm of the metric, where there is one
} Step;

static Step iterate(CondVfpi* s, const double* metric, CondSolveInfo* info)
{
    int n = s->nodal.n, threads = s->settings.threads;
    cond_surrogate_step(&s->W, &s->nodal, &s->settings, s->v, s->g, s->plain);
    if (cond_surrogate_varies(s->settings.surrogate))
        cond_contact_sweep_weigh(&s->sweep, s->W.w);
    cond_contact_sweep_run(&s->sweep, s->carry, s->plain, s->lambda, threads);
    info->products++;
    return (Step){
        .length = sqrt(cond_distance2(n, s->plain, s->v, threads)),
        .residual = metric ? sqrt(cond_distance2_scaled(n, metric, s->plain, s->v, threads)) : 0.0};
}

// 1 / diagonal of W, the weights of the W^-1 norm; W may have changed since the last time.
static void weigh(CondVfpi* s)
{
    for (int i = 0; i < s->nodal.n; i++)
        s->metric[i] = 1.0 / s->W.w[i];
}

// |v** - v| in the norm of a W that has changed in the iteration.
static double fixed_point_residual(CondVfpi* s)
{
    weigh(s);
    return sqrt(cond_distance2_scaled(s->nodal.n, s->metric, s->plain, s->v, s->settings.threads));
}

// |v| in the W^-1 norm (of the diagonal of W).
static double velocity_norm(const CondVfpi* s)
{
    return sqrt(cond_dot_scaled(s->nodal.n, s->metric, s->v, s->v, s->settings.threads));
}

CondCertificateData cond_vfpi_certificate_data(const CondVfpi* s)
{
    return (CondCertificateData){.problem = s->nodal.problem,
                                 .law = s->settings.law,
                                 .omega = s->settings.omega,
                                 .diagonal = s->nodal.diagonal,
                                 .delassus = s->nodal.delassus,
                                 .compliance = s->nodal.compliance,
                                 .carried = s->nodal.carried,
                                 .relaxed = s->relaxed};
}

static CondCertificate certify(CondVfpi* s, const double* v, const double* lambda,
                               const double* carry)
{
    CondCertificateData data = cond_vfpi_certificate_data(s);
    data.carry = carry;
    data.threads = cond_threads(SIZE_MAX, s->settings.threads);
    return cond_certificate_compute(&data, v, lambda, s->work);
}

// Keeps (v, lambda) when it is the best so far; returns its residual.
static double judge(CondVfpi* s, const double* v, const double* lambda, CondSolveInfo* info)
{
    CondCertificate certificate = certify(s, v, lambda, NULL);
    double residual = cond_certificate_residual(&certificate);
    info->products++;
    if (residual < s->best->residual)
        cond_answer_set(s->nodal.problem, v, lambda, &certificate, s->best);
    return residual;
}

// The certificate of the pair in *best, which was taken without one.
static double judge_best(CondVfpi* s, CondSolveInfo* info)
{
    s->best->certificate = certify(s, s->best->v, s->best->lambda, NULL);
    info->products++;
    return s->best->residual = cond_certificate_residual(&s->best->certificate);
}

// Certified stop: decides whether the pass goes on (-1) or how it ends. *trigger is the
// fixed-point residual below which the next pair is judged.
static int test_certificate(CondVfpi* s, double residual, double* trigger, double inner_tolerance,
                            CondSolveInfo* info)
{
    double tolerance = s->settings.tolerance;
    double value = judge(s, s->plain, s->lambda, info);
    if (value <= tolerance)
        return COND_VFPI_DONE;
    if (s->nodal.any_carried) {
        CondCertificate inner = certify(s, s->plain, s->lambda, s->carry);
        info->products++;
        value = cond_certificate_residual(&inner);
        if (value <= inner_tolerance)
            return COND_VFPI_CARRY;
        tolerance = inner_tolerance;
    }
    double ratio = SAFETY * tolerance / value;
    *trigger = residual * (isfinite(ratio) ? ratio : 0.1);
    return -1;
}

// Keeps the length of the step from v^l to v^{l+1}.
static void record_length(CondVfpi* s, double length, CondSolveInfo* info)
{
    info->step_length = length;
    cond_history_add(&s->history, length);
}

static void swap_with_v(CondVfpi* s, double** other)
{
    double* v = s->v;
    s->v = *other;
    *other = v;
}

// v^{l+1} takes the place of v^l; returns the length of the step, which that to v** is `plain`.
static double accelerate(CondVfpi* s, double residual, double plain)
{
    if (s->settings.accelerator == COND_ACCELERATOR_NONE) { // v** itself
        swap_with_v(s, &s->plain);
        return plain;
    }
    double length = cond_accelerator_propose(&s->accelerator, s->v, s->plain, residual, s->next);
    swap_with_v(s, &s->next);
    return length;
}

// Iterates until the stop test holds.
static CondVfpiEnd run_pass(CondVfpi* s, double inner_tolerance, CondSolveInfo* info)
{
    const CondSolverSettings* settings = &s->settings;
    int last_judged = 0, certified = settings->stop == COND_STOP_CERTIFICATE;
    int measured = certified || cond_accelerator_mixes(settings->accelerator);
    int varies = cond_surrogate_varies(settings->surrogate);
    double trigger = INFINITY;
    weigh(s);
    cond_accelerator_restart(&s->accelerator);
    for (int l = 1; info->iterations < s->max_iterations && !cond_cancelled(&s->arena.context);
         l++) {
        Step at = iterate(s, measured && !varies ? s->metric : NULL, info);
        info->iterations++;
        double residual = measured && varies ? fixed_point_residual(s) : at.residual;
        if (!isfinite(residual)) {
            record_length(s, at.length, info);
            return COND_VFPI_DIVERGED;
        }
        // No change left but rounding.
        int exact = certified && (residual == 0.0 || l % ROUNDING_EVERY == 0) &&
                    residual <= ROUNDING * velocity_norm(s);
        if (certified && (residual <= trigger || exact || l - last_judged >= JUDGE_EVERY)) {
            int end = test_certificate(s, residual, &trigger, inner_tolerance, info);
            last_judged = l;
            if (end < 0 && exact)
                end = s->nodal.any_carried ? COND_VFPI_CARRY : COND_VFPI_LIMIT;
            if (end >= 0) { // the pass ends with the plain iterate
                record_length(s, at.length, info);
                return (CondVfpiEnd)end;
            }
        }
        record_length(s, accelerate(s, residual, at.length), info);
        if (!isfinite(info->step_length))
            return COND_VFPI_DIVERGED;
        if (settings->stop == COND_STOP_STEP && info->step_length < settings->tolerance)
            return COND_VFPI_CARRY;
    }
    return COND_VFPI_LIMIT;
}

// The same with the step-length stop, without a way back from the team of threads in between.
static CondVfpiEnd run_fused(CondVfpi* s, CondSolveInfo* info)
{
    int left = s->max_iterations - info->iterations;
    CondFusedPass pass = {.carry = s->carry,
                          .v = s->v,
                          .tolerance = s->settings.tolerance,
                          .max_iterations = left,
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
// contact law exactly.
static CondVfpiEnd finish_step_pass(CondVfpi* s, CondVfpiEnd end, CondSolveInfo* info)
{
    if (end == COND_VFPI_DIVERGED)
        return end;
    if (s->is_fused) {
        cond_fused_finish(&s->fused, s->carry, s->v, s->plain, s->lambda);
        info->products++;
    } else {
        iterate(s, NULL, info);
    }
    if (!finite_all(s->nodal.n, s->plain))
        return COND_VFPI_DIVERGED;
    cond_answer_set(s->nodal.problem, s->plain, s->lambda, NULL, s->best);
    return end;
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
        double inner =
            fmax(INNER_SHARE * fmin(s->best->residual, 1.0), INNER_FLOOR * settings->tolerance);
        end = s->is_fused ? run_fused(s, info) : run_pass(s, inner, info);
        if (!certified) {
            end = finish_step_pass(s, end, info);
            // The carried multiplier has settled when the slip it still corrects is as short.
            double change = 0.0;
            for (int c = 0; c < s->nodal.problem->n_contact && s->nodal.any_carried; c++)
                for (int r = 0; r < 3 && s->nodal.carried[c]; r++) {
                    double d =
                        s->nodal.compliance[c] * (s->lambda[3 * c + r] - s->carry[3 * c + r]);
                    change += d * d;
                }
            if (end == COND_VFPI_CARRY && sqrt(change) < settings->tolerance)
                end = COND_VFPI_DONE;
        }
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

static CondStatus build_sweep(CondVfpi* s)
{
    if (s->is_fused)
        return cond_fused_lay_contacts(&s->fused, &s->sweep, &s->settings, s->relaxed);
    CondStatus status =
        cond_contact_sweep_build(&s->sweep, &s->nodal, NULL, &s->settings, s->relaxed);
    if (!status)
        cond_contact_sweep_weigh(&s->sweep, s->W.w);
    return status;
}

// W, the accelerator and room for iterates, made when they are first needed: the other stages do
// without.
static CondStatus prepare(CondVfpi* s, CondSolveInfo* info)
{
    if (s->built)
        return COND_OK;
    CondStatus status = reserve(s);
    if (!status)
        status = cond_surrogate_build(&s->W, &s->nodal, &s->settings);
    info->products += status ? 0 : s->W.products;
    if (!status)
        status = cond_accelerator_begin(&s->accelerator, &s->settings, s->nodal.n, s->W.w);
    if (!status)
        status = cond_fused_build(&s->fused, &s->nodal, &s->W, &s->settings, &s->is_fused);
    if (!status)
        status = build_sweep(s);
    s->built = !status;
    return status;
}

CondStatus cond_vfpi_begin(CondVfpi* s, const CondProblem* problem, CondSolveInfo* info)
{
    s->history.n = s->history.failed = 0;
    s->built = 0;
    s->relaxed = NULL;
    s->accelerator.restarts = 0;
    CondStatus status = cond_nodal_build(&s->nodal, problem, s->settings.kv_scale);
    if (!status && s->settings.reuse > 1) // its age counts solves
        status = prepare(s, info);
    return status;
}

CondStatus cond_vfpi_pose(CondVfpi* s, const CondProblem* problem)
{
    s->nodal.problem = problem;
    return cond_vfpi_relax(s, s->relaxed);
}

CondStatus cond_vfpi_relax(CondVfpi* s, const int* relaxed)
{
    s->relaxed = relaxed;
    return s->built ? build_sweep(s) : COND_OK;
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
    int limit = max_iterations < settings->max_iterations - info->iterations
                    ? info->iterations + max_iterations
                    : settings->max_iterations;
    s->max_iterations = limit;
    start(s, best);
    *end = run(s, max_outer < settings->max_outer ? max_outer : settings->max_outer, info);
    return s->history.failed ? COND_OUT_OF_MEMORY : COND_OK;
}
