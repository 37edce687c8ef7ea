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
#include "solve/vfpi.h"

#include "base/memory.h"
#include "base/sum.h"
#include "solve/accelerate.h"
#include "solve/certificate.h"
#include "solve/contact_sweep.h"
#include "solve/lagged.h"
#include "solve/primal_dual.h"
#include "solve/settings.h"
#include "solve/surrogate.h"

#include <math.h>
#include <string.h>

static const double INNER_SHARE = 0.1; // of the true residual that an inner pass must reach
static const double INNER_FLOOR = 0.3; // of the tolerance, below which inner passes need not go
static const double SAFETY = 0.7;      // on the predicted residual before judging again
static const double ROUNDING = 1e-16;  // change relative to |v| below which iterating is over
enum {
    ROUNDING_EVERY = 16, // iterations between looks at the rounding floor
    JUDGE_EVERY = 100,   // iterations after which a pair is judged in any case
    FIRST_TRY = 300,     // iterations before the fallback, where there is one,
    FIRST_OUTER = 30,    // and outer passes
    TINY = 60,           // coordinates of problems that are factored in no time,
    TINY_TRY = 30,       // and iterations before it there
    FIRST_WHILE = 30,    // iterations between rounds of passes, doubled each time
    ROUNDS = 5,          //
    MAX_PASSES = 200,    // that factor
};

typedef struct Vfpi {
    CondContext context;
    CondSolverSettings settings;
    CondNodal nodal;
    CondSurrogate W;
    CondAccelerator accelerator;
    CondContactSweep sweep;
    CondPrimalDual fallback;
    CondLagged lagged;
    int built;            // 1: W and the accelerator are those of the problem
    int max_iterations;   // of this leg of the ladder
    int max_outer;        //
    int small;            // 1: passes that factor can serve the problem
    double* v;            // v^l                                                  (nodal.n)
    double* g;            // A v - b                                              (nodal.n)
    double* plain;        // v**                                                  (nodal.n)
    double* next;         // v^{l+1}                                              (nodal.n)
    double* metric;       // 1 / diagonal of W                                   (nodal.n)
    double* lambda;       // of the last contact solve                            (n_contact x 3)
    double* carry;        // lambda_prev of the multiplier loop                   (n_contact x 3)
    double* best_v;       // best certified pair                                  (n_dof)
    double* best_lambda;  //                                                      (n_contact x 3)
    double* first_v;      // where the solve began                                (n_dof)
    double* first_lambda; //                                                      (n_contact x 3)
    double* work;         // scratch of the certificate                           (2 n_dof)
    double* history;      // step lengths                                         (iterations)
    int n_history;
    double best; // residual of the best pair
    CondCertificate best_certificate;
    int cap_v, cap_g, cap_plain, cap_next, cap_metric, cap_lambda, cap_carry, cap_best_v,
        cap_best_lambda;
    int cap_work, cap_history, cap_first_v, cap_first_lambda;
} Vfpi;

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    Vfpi* s = cond_allocate(context, 1, sizeof *s);
    if (!s)
        return NULL;
    s->context = *context;
    s->settings = *settings;
    s->nodal.context = s->W.context = s->accelerator.context = *context;
    s->sweep.context = *context;
    s->fallback.context = s->lagged.context = *context;
    return s;
}

static void destroy(void* work)
{
    Vfpi* s = work;
    if (!s)
        return;
    CondContext m = s->context;
    cond_nodal_destroy(&s->nodal);
    cond_surrogate_destroy(&s->W);
    cond_accelerator_destroy(&s->accelerator);
    cond_contact_sweep_destroy(&s->sweep);
    cond_primal_dual_destroy(&s->fallback);
    cond_lagged_destroy(&s->lagged);
    void* arrays[] = {s->v,       s->metric,  s->g,           s->plain,       s->next,
                      s->lambda,  s->carry,   s->best_v,      s->best_lambda, s->work,
                      s->history, s->first_v, s->first_lambda};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&m, arrays[i]);
    cond_release(&m, s);
}

static const double* history(const void* work, int* n)
{
    const Vfpi* s = work;
    *n = s->n_history;
    return s->history;
}

#define RESERVE(array, count)                                                                      \
    cond_reserve(&s->context, &s->array, &s->cap_##array, count, sizeof *s->array)

static CondStatus reserve(Vfpi* s, const CondProblem* problem)
{
    int nc3 = 3 * problem->n_contact;
    int failed = RESERVE(v, s->nodal.n) || RESERVE(lambda, nc3) || RESERVE(carry, nc3) ||
                 RESERVE(best_v, problem->n_dof) || RESERVE(best_lambda, nc3) ||
                 RESERVE(first_v, problem->n_dof) || RESERVE(first_lambda, nc3) ||
                 RESERVE(work, 2 * problem->n_dof) || RESERVE(history, s->settings.max_iterations);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

// What iterating needs besides.
static CondStatus reserve_iterates(Vfpi* s)
{
    int n = s->nodal.n;
    int failed = RESERVE(g, n) || RESERVE(plain, n) || RESERVE(next, n) || RESERVE(metric, n);
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

// v** and lambda from v: one plain iteration.
static void iterate(Vfpi* s)
{
    const CondSolverSettings* settings = &s->settings;
    cond_surrogate_step(&s->W, &s->nodal, settings, s->v, s->g, s->plain);
    cond_contact_sweep_run(&s->sweep, s->W.w, s->carry, s->plain, s->lambda, settings->threads);
}

// 1 / diagonal of W, the weights of the W^-1 norm; W may have changed since the last time.
static void weigh(Vfpi* s)
{
    for (int i = 0; i < s->nodal.n; i++)
        s->metric[i] = 1.0 / s->W.w[i];
}

// |v** - v| in the W^-1 norm (of the diagonal of W).
static double fixed_point_residual(Vfpi* s)
{
    double* f = s->next; // free until the accelerator writes it
    int n = s->nodal.n;
    for (int i = 0; i < n; i++)
        f[i] = s->plain[i] - s->v[i];
    return sqrt(cond_dot_scaled(n, s->metric, f, f, s->settings.threads));
}

// |v| in the same norm.
static double velocity_norm(const Vfpi* s)
{
    return sqrt(cond_dot_scaled(s->nodal.n, s->metric, s->v, s->v, s->settings.threads));
}

static CondCertificateData certificate_data(const Vfpi* s, const double* carry)
{
    return (CondCertificateData){.problem = s->nodal.problem,
                                 .law = s->settings.law,
                                 .omega = s->settings.omega,
                                 .diagonal = s->nodal.diagonal,
                                 .delassus = s->nodal.delassus,
                                 .compliance = s->nodal.compliance,
                                 .carried = s->nodal.carried,
                                 .carry = carry};
}

static CondCertificate certify(Vfpi* s, const double* v, const double* lambda, const double* carry)
{
    CondCertificateData data = certificate_data(s, carry);
    return cond_certificate_compute(&data, v, lambda, s->work);
}

// Keeps (v, lambda) when it is the best so far (always with `take`); returns its residual.
static double judge(Vfpi* s, const double* v, const double* lambda, int take)
{
    CondCertificate certificate = certify(s, v, lambda, NULL);
    double residual = cond_certificate_residual(&certificate);
    if (take || residual < s->best) {
        s->best = residual;
        s->best_certificate = certificate;
        memcpy(s->best_v, v, (size_t)s->nodal.n_dof * sizeof *v);
        memcpy(s->best_lambda, lambda, 3 * (size_t)s->nodal.problem->n_contact * sizeof *lambda);
    }
    return residual;
}

typedef enum PassEnd { PASS_DONE, PASS_CARRY, PASS_LIMIT, PASS_DIVERGED } PassEnd;

// Certified stop: decides whether the pass goes on (-1) or how it ends. *trigger is the
// fixed-point residual below which the next pair is judged.
static int test_certificate(Vfpi* s, double residual, double* trigger, double inner_tolerance,
                            CondSolveInfo* info)
{
    double tolerance = s->settings.tolerance;
    double value = judge(s, s->plain, s->lambda, 0);
    info->products++;
    if (value <= tolerance)
        return PASS_DONE;
    if (s->nodal.any_carried) {
        CondCertificate inner = certify(s, s->plain, s->lambda, s->carry);
        info->products++;
        value = cond_certificate_residual(&inner);
        if (value <= inner_tolerance)
            return PASS_CARRY;
        tolerance = inner_tolerance;
    }
    double ratio = SAFETY * tolerance / value;
    *trigger = residual * (isfinite(ratio) ? ratio : 0.1);
    return -1;
}

// Keeps the length of the step from v^l to v^{l+1}.
static void record_length(Vfpi* s, double length, CondSolveInfo* info)
{
    info->step_length = length;
    s->history[s->n_history++] = length;
}

static void record_step(Vfpi* s, const double* to, CondSolveInfo* info)
{
    record_length(s, sqrt(cond_distance2(s->nodal.n, to, s->v, s->settings.threads)), info);
}

static void swap_with_v(Vfpi* s, double** other, int* cap)
{
    double* v = s->v;
    int cap_v = s->cap_v;
    s->v = *other;
    s->cap_v = *cap;
    *other = v;
    *cap = cap_v;
}

// v^{l+1} takes the place of v^l; returns the length of the step.
static double accelerate(Vfpi* s, double residual)
{
    if (s->settings.accelerator == COND_ACCELERATOR_NONE) { // v** itself
        double length = sqrt(cond_distance2(s->nodal.n, s->plain, s->v, s->settings.threads));
        swap_with_v(s, &s->plain, &s->cap_plain);
        return length;
    }
    double length = cond_accelerator_propose(&s->accelerator, s->v, s->plain, residual, s->next);
    swap_with_v(s, &s->next, &s->cap_next);
    return length;
}

// Iterates until the stop test holds.
static PassEnd run_pass(Vfpi* s, double inner_tolerance, CondSolveInfo* info)
{
    const CondSolverSettings* settings = &s->settings;
    int last_judged = 0, certified = settings->stop == COND_STOP_CERTIFICATE;
    int measured = certified || cond_accelerator_mixes(settings->accelerator);
    int varies = cond_surrogate_varies(settings->surrogate);
    double trigger = INFINITY;
    weigh(s);
    cond_accelerator_restart(&s->accelerator);
    for (int l = 1; info->iterations < s->max_iterations; l++) {
        iterate(s);
        if (varies)
            weigh(s);
        info->iterations++;
        info->products++;
        double residual = measured ? fixed_point_residual(s) : 0.0;
        if (!isfinite(residual)) {
            record_step(s, s->plain, info);
            return PASS_DIVERGED;
        }
        // No change left but rounding.
        int exact = certified && (residual == 0.0 || l % ROUNDING_EVERY == 0) &&
                    residual <= ROUNDING * velocity_norm(s);
        if (certified && (residual <= trigger || exact || l - last_judged >= JUDGE_EVERY)) {
            int end = test_certificate(s, residual, &trigger, inner_tolerance, info);
            last_judged = l;
            if (end < 0 && exact)
                end = s->nodal.any_carried ? PASS_CARRY : PASS_LIMIT;
            if (end >= 0) { // the pass ends with the plain iterate
                record_step(s, s->plain, info);
                return (PassEnd)end;
            }
        }
        record_length(s, accelerate(s, residual), info);
        if (!isfinite(info->step_length))
            return PASS_DIVERGED;
        if (settings->stop == COND_STOP_STEP && info->step_length < settings->tolerance)
            return PASS_CARRY;
    }
    return PASS_LIMIT;
}

// Ends a pass of the step-length stop with a plain iteration: only then does (v, lambda) obey the
// contact law exactly.
static PassEnd finish_step_pass(Vfpi* s, PassEnd end, CondSolveInfo* info)
{
    if (end == PASS_DIVERGED)
        return end;
    iterate(s);
    info->products++;
    if (!finite_all(s->nodal.n, s->plain))
        return PASS_DIVERGED;
    judge(s, s->plain, s->lambda, 1);
    info->products++;
    return end;
}

// The user's arrays may be NULL where there is nothing in them, which memcpy must not see.
static void copy(double* to, const double* from, size_t n)
{
    if (n > 0)
        memcpy(to, from, n * sizeof *to);
}

static void start(Vfpi* s, const double* v, const double* lambda)
{
    size_t nc3 = 3 * (size_t)s->nodal.problem->n_contact;
    copy(s->v, v, (size_t)s->nodal.n_dof);
    cond_nodal_lift(&s->nodal, s->v);
    copy(s->lambda, lambda, nc3);
    copy(s->carry, lambda, nc3);
    s->best = INFINITY;
}

// The multiplier loop: one pass when no contact has kv = INFINITY.
static PassEnd run(Vfpi* s, CondSolveInfo* info)
{
    const CondSolverSettings* settings = &s->settings;
    size_t nc3 = 3 * (size_t)s->nodal.problem->n_contact;
    PassEnd end = PASS_LIMIT;
    double value = judge(s, s->v, s->lambda, 1); // the warm start may be good already
    info->products++;
    if (settings->stop == COND_STOP_CERTIFICATE && value <= settings->tolerance)
        return PASS_DONE;
    for (info->outer = 1; info->outer <= s->max_outer; info->outer++) {
        double inner = fmax(INNER_SHARE * fmin(s->best, 1.0), INNER_FLOOR * settings->tolerance);
        end = run_pass(s, inner, info);
        if (settings->stop == COND_STOP_STEP) {
            end = finish_step_pass(s, end, info);
            // The carried multiplier has settled when the slip it still corrects is as short.
            double change = 0.0;
            for (int c = 0; c < s->nodal.problem->n_contact && s->nodal.any_carried; c++)
                for (int r = 0; r < 3 && s->nodal.carried[c]; r++) {
                    double d =
                        s->nodal.compliance[c] * (s->lambda[3 * c + r] - s->carry[3 * c + r]);
                    change += d * d;
                }
            if (end == PASS_CARRY && sqrt(change) < settings->tolerance)
                end = PASS_DONE;
        }
        if (end != PASS_CARRY)
            break;
        memcpy(s->carry, s->lambda, nc3 * sizeof *s->carry);
        memcpy(s->v, s->plain, (size_t)s->nodal.n * sizeof *s->v);
    }
    if (info->outer > s->max_outer)
        info->outer = s->max_outer;
    return end;
}

// The rungs of the ladder below. Each goes on from (v, lambda) of `start`, leaves the best pair in
// best_v and best_lambda, and says in *end whether the certificate holds.

// W, the accelerator and room for iterates, made when they are first needed: the other rungs do
// without.
static CondStatus prepare(Vfpi* s, CondSolveInfo* info)
{
    if (s->built)
        return COND_OK;
    CondStatus status = reserve_iterates(s);
    if (!status)
        status = cond_surrogate_build(&s->W, &s->nodal, &s->settings);
    info->products += status ? 0 : s->W.products;
    if (!status)
        status = cond_accelerator_begin(&s->accelerator, &s->settings, s->nodal.n, s->W.w);
    if (!status)
        status = cond_contact_sweep_build(&s->sweep, &s->nodal, &s->settings);
    s->built = !status;
    return status;
}

static CondStatus climb_vfpi(Vfpi* s, int max_iterations, int max_outer, CondSolveInfo* info,
                             PassEnd* end)
{
    const CondSolverSettings* settings = &s->settings;
    CondStatus status = prepare(s, info);
    if (status)
        return status;
    int limit = info->iterations + max_iterations;
    s->max_iterations = limit < settings->max_iterations ? limit : settings->max_iterations;
    s->max_outer = max_outer < settings->max_outer ? max_outer : settings->max_outer;
    *end = run(s, info);
    return COND_OK;
}

static CondStatus climb_lagged(Vfpi* s, CondSolveInfo* info, PassEnd* end)
{
    const CondSolverSettings* settings = &s->settings;
    CondCertificateData data = certificate_data(s, NULL);
    copy(s->best_v, s->v, (size_t)s->nodal.n_dof);
    copy(s->best_lambda, s->lambda, 3 * (size_t)s->nodal.problem->n_contact);
    CondStatus status = cond_lagged_solve(&s->lagged, &data, settings->tolerance,
                                          settings->max_iterations - info->iterations, s->best_v,
                                          s->best_lambda, &s->best_certificate, info);
    s->best = cond_certificate_residual(&s->best_certificate);
    *end = status == COND_OK ? PASS_DONE : PASS_LIMIT;
    return status < 0 ? status : COND_OK;
}

static CondStatus climb_primal_dual(Vfpi* s, CondSolveInfo* info, PassEnd* end)
{
    CondCertificateData data = certificate_data(s, NULL);
    CondStatus status = cond_primal_dual_solve(
        &s->fallback, &data, s->settings.tolerance, MAX_PASSES, s->best_v, s->best_lambda,
        &s->best_certificate, &info->passes, &info->products);
    s->best = cond_certificate_residual(&s->best_certificate);
    info->rung = COND_RUNG_FACTORED;
    *end = status == COND_OK ? PASS_DONE : PASS_LIMIT;
    return status < 0 ? status : COND_OK;
}

// Small groups of bodies: V-FPI; where it stalls, primal-dual passes that factor, from the best
// pair; and V-FPI again with all the iterations that were asked for. Rods begin with the passes,
// one of which costs little more than an iteration, and make more of them after a while of V-FPI.
static CondStatus climb_small(Vfpi* s, CondSolveInfo* info, PassEnd* end)
{
    CondStatus status = COND_OK;
    int rods = s->fallback.band; // a start from zero may have no finite residual
    if (rods) {
        copy(s->best_v, s->v, (size_t)s->nodal.n_dof);
        copy(s->best_lambda, s->lambda, 3 * (size_t)s->nodal.problem->n_contact);
    } else {
        int first = s->nodal.n_dof <= TINY ? TINY_TRY : FIRST_TRY;
        status = climb_vfpi(s, first, FIRST_OUTER, info, end);
    }
    for (int round = rods ? 0 : ROUNDS - 1; round < ROUNDS && *end != PASS_DONE; round++) {
        int last = round == ROUNDS - 1;
        if (status || (!rods && !isfinite(s->best)))
            break;
        status = climb_primal_dual(s, info, end);
        if (status || *end == PASS_DONE)
            break;
        info->rung = last ? COND_RUNG_ALL : info->rung;
        start(s, s->best_v, s->best_lambda);
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
static CondStatus climb_rounds(Vfpi* s, CondSolveInfo* info, PassEnd* end)
{
    CondStatus status = COND_OK;
    for (int round = 0; round < ROUNDS && !status && *end != PASS_DONE; round++) {
        s->lagged.may_follow = round >= ROUNDS / 2;
        status = climb_lagged(s, info, end);
        info->rung = round == 0 ? COND_RUNG_PASSES : COND_RUNG_ROUNDS;
        if (!status && *end != PASS_DONE && s->small && round >= 1 && isfinite(s->best))
            status = climb_primal_dual(s, info, end);
        if (status || *end == PASS_DONE)
            break;
        if (isfinite(s->best))
            start(s, s->best_v, s->best_lambda);
        int last = round == ROUNDS - 1 && !s->small;
        info->rung = last ? COND_RUNG_ALL : COND_RUNG_ROUNDS;
        status = climb_vfpi(s, last ? s->settings.max_iterations : FIRST_WHILE << round,
                            last ? s->settings.max_outer : FIRST_OUTER, info, end);
        if (round < ROUNDS - 1 && *end != PASS_DONE && isfinite(s->best))
            start(s, s->best_v, s->best_lambda);
    }
    return status;
}

// The same, and where the bodies' groups are small enough to factor, from the beginning again the
// other way: the passes may have led astray. The better of the two answers stands.
static CondStatus climb_soft(Vfpi* s, CondSolveInfo* info, PassEnd* end)
{
    size_t n = (size_t)s->nodal.n_dof, nc3 = 3 * (size_t)s->nodal.problem->n_contact;
    copy(s->first_v, s->v, n);
    copy(s->first_lambda, s->lambda, nc3);
    CondStatus status = climb_rounds(s, info, end);
    if (status || *end == PASS_DONE || !s->small)
        return status;
    double kept = s->best;
    CondCertificate certificate = s->best_certificate;
    start(s, s->first_v, s->first_lambda);
    copy(s->first_v, s->best_v, n);
    copy(s->first_lambda, s->best_lambda, nc3);
    status = climb_small(s, info, end);
    info->rung = COND_RUNG_AGAIN;
    if (!status && *end != PASS_DONE && isfinite(kept) && !(s->best <= kept)) {
        s->best = kept;
        s->best_certificate = certificate;
        copy(s->best_v, s->first_v, n);
        copy(s->best_lambda, s->first_lambda, nc3);
        *end = PASS_LIMIT;
    }
    return status;
}

static CondStatus climb(Vfpi* s, CondSolveInfo* info, PassEnd* end)
{
    const CondSolverSettings* settings = &s->settings;
    const CondProblem* problem = s->nodal.problem;
    CondStatus status = COND_OK;
    s->small = 0;
    int soft = 0, certified = settings->stop == COND_STOP_CERTIFICATE;
    if (certified && settings->accelerator == COND_ACCELERATOR_PRIMAL_DUAL)
        status = cond_lagged_plan(&s->lagged, problem, settings, &soft);
    if (!status && certified && settings->fallback)
        status = cond_primal_dual_plan(&s->fallback, problem, settings->law, &s->small);
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
    Vfpi* s = work;
    const CondSolverSettings* settings = &s->settings;
    info->certificate.worst_contact = -1;
    info->certificate.dynamics = info->certificate.contact = INFINITY; // until something is known
    s->n_history = 0;
    CondStatus status = cond_nodal_build(&s->nodal, problem, settings->kv_scale);
    if (!status)
        status = reserve(s, problem);
    s->built = 0;
    s->accelerator.restarts = 0;
    if (!status && settings->reuse > 1) // its age counts solves
        status = prepare(s, info);
    if (status)
        return status;
    info->virtual_nodes = s->nodal.n_virtual;
    start(s, v, lambda);
    PassEnd end = PASS_LIMIT;
    info->rung = COND_RUNG_VFPI;
    status = climb(s, info, &end);
    if (status)
        return status;
    if (settings->stop == COND_STOP_CERTIFICATE && end != PASS_DONE)
        info->rung = COND_RUNG_NONE;
    else if (settings->stop == COND_STOP_CERTIFICATE && info->iterations + info->passes == 0)
        info->rung = COND_RUNG_START;
    info->restarts = s->accelerator.restarts;
    info->certificate = s->best_certificate;
    copy(v, s->best_v, (size_t)problem->n_dof);
    copy(lambda, s->best_lambda, 3 * (size_t)problem->n_contact);
    if (end == PASS_DIVERGED || !isfinite(s->best)) // NaN in phi alone leaves v finite
        return COND_DIVERGED;
    return end == PASS_DONE ? COND_OK : COND_NOT_CONVERGED;
}

static void reset(void* work)
{
    cond_surrogate_forget(&((Vfpi*)work)->W);
}

const CondSolverOps cond_solver_vfpi = {"vfpi", create, solve, history, destroy, reset};
