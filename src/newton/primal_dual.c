#include "newton/primal_dual.h"

#include "base/memory.h"
#include "law/tuning.h"
#include "linear/lu.h"
#include "newton/primal_dual_system.h"
#include "newton/primal_dual_tie.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LEAST_DAMPING = 1e-5, MOST_DAMPING = 1.0; // shares of the scale gamma
static const double MOST_GROWTH = 1e5; // of the fastest contact, over start and first pair
enum {
    VAIN = 8,     // steps of polishing without a tenth of progress
    WATCHDOG = 4, // steps that may leave the merit of the reference behind
};

void cond_primal_dual_plan(CondPrimalDual* pd, const CondProblem* problem)
{
    int in_rods = 0;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_TRIDIAGONAL)
            in_rods += problem->block[b].n_dof;
    pd->rods = 2 * in_rods > problem->n_dof;
    pd->planned = 0;
    pd->price = 0.0;
    pd->allowed = COND_MOST_PRODUCTS;
}

static CondStatus reserve(CondPrimalDual* pd, const CondProblem* problem)
{
    const CondContext* m = &pd->context;
    int n = problem->n_dof, nc = problem->n_contact;
#define RESERVE(array, count)                                                                      \
    cond_reserve(m, &pd->array, &pd->cap_##array, count, sizeof *pd->array)
    if (RESERVE(gamma, nc) || RESERVE(tie, nc) || RESERVE(v, n) || RESERVE(lambda, 3 * nc) ||
        RESERVE(v_new, n) || RESERVE(lambda_new, 3 * nc) || RESERVE(v_ref, n) ||
        RESERVE(lambda_ref, 3 * nc) || RESERVE(D, 9 * nc) || RESERVE(gap, 3 * nc) ||
        RESERVE(u, 3 * nc) || RESERVE(u_new, 3 * nc) || RESERVE(v_best, n) ||
        RESERVE(lambda_best, 3 * nc) || RESERVE(f, n) || RESERVE(work, 2 * n))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    return COND_OK;
}

void cond_primal_dual_destroy(CondPrimalDual* pd)
{
    void* arrays[] = {pd->node,        pd->node_size, pd->column_node, pd->column, pd->gamma,
                      pd->middle,      pd->before,    pd->behind,      pd->tie,    pd->v,
                      pd->lambda,      pd->v_new,     pd->lambda_new,  pd->D,      pd->v_ref,
                      pd->lambda_ref,  pd->gap,       pd->u,           pd->u_new,  pd->v_best,
                      pd->lambda_best, pd->f,         pd->work};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&pd->context, arrays[i]);
    cond_block_lu_destroy(&pd->H);
}

// sqrt(sum gamma |lambda - P(x)|^2 + r' diag(A)^-1 r) at a share a of the way to the new pair. On
// it u, lambda and r are affine, and r is zero at its end.
static double merit(const CondPrimalDual* pd, const CondCertificateData* data, double a)
{
    double sum = 0.0;
    for (int c = 0; c < data->problem->n_contact; c++) {
        double u[3], lambda[3], e[3], slip = cond_certificate_slip(data, c),
                                      gamma = pd->gamma[c] + slip;
        for (int i = 0; i < 3; i++) {
            int k = 3 * c + i;
            u[i] = pd->u[k] + a * (pd->u_new[k] - pd->u[k]);
            lambda[i] = pd->lambda[k] + a * (pd->lambda_new[k] - pd->lambda[k]);
        }
        cond_tie_error(cond_certificate_law(data, c), data->problem->contact[c].friction, gamma,
                       slip, u, lambda, e);
        sum += gamma * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
    return sqrt(sum + (1.0 - a) * (1.0 - a) * pd->dynamics);
}

static void make_ties(CondPrimalDual* pd, const CondCertificateData* data)
{
    for (int c = 0; c < data->problem->n_contact; c++) {
        const CondContact* contact = &data->problem->contact[c];
        double slip = cond_certificate_slip(data, c);
        pd->tie[c] =
            cond_tie_make(cond_certificate_law(data, c), contact->friction, pd->gamma[c] + slip,
                          slip, pd->u + 3 * c, pd->lambda + 3 * c, &pd->tie[c]);
    }
}

// lambda + gap - D du for the ties of the current pair, with a resistance sigma = damping gamma
// against changes of lambda: lambda = fix - D (u + sigma (lambda - lambda_old)), so that
//     gap = M (fix - D u - lambda_old),   D <- M D,   M = (I + sigma D)^-1.
static void damp_ties(CondPrimalDual* pd, const CondCertificateData* data, double damping)
{
    for (int c = 0; c < data->problem->n_contact; c++) {
        const CondTie* tie = &pd->tie[c];
        const double *u = pd->u + 3 * c, *lambda = pd->lambda + 3 * c;
        double sigma = damping * (pd->gamma[c] + cond_certificate_slip(data, c));
        double M[9], *D = pd->D + 9 * c, *gap = pd->gap + 3 * c;
        memcpy(D, tie->D, sizeof tie->D);
        for (int i = 0; i < 3; i++) {
            gap[i] = tie->fix[i] - D[3 * i] * u[0] - D[3 * i + 1] * u[1] - D[3 * i + 2] * u[2] -
                     lambda[i];
            for (int j = 0; j < 3; j++)
                M[3 * i + j] = sigma * D[3 * i + j] + (i == j);
        }
        if (damping == 0.0)
            continue;
        int pivot[3];
        cond_lu_factor(3, M, pivot); // regular: D has no negative eigenvalue
        cond_lu_solve(3, M, pivot, gap);
        for (int j = 0; j < 3; j++) {
            double column[3] = {D[j], D[3 + j], D[6 + j]};
            cond_lu_solve(3, M, pivot, column);
            for (int i = 0; i < 3; i++)
                D[3 * i + j] = column[i];
        }
    }
}

static void measure(CondPrimalDual* pd, const CondProblem* problem)
{
    for (int c = 0; c < problem->n_contact; c++)
        cond_contact_velocity(&problem->contact[c], pd->v, pd->u + 3 * c);
}

// x moves by a share a of the way to y.
static void approach(int n, double a, const double* y, double* x)
{
    for (int i = 0; i < n; i++)
        x[i] = a == 1.0 ? y[i] : x[i] + a * (y[i] - x[i]);
}

static void take(CondPrimalDual* pd, const CondProblem* problem, double a)
{
    approach(problem->n_dof, a, pd->v_new, pd->v);
    approach(3 * problem->n_contact, a, pd->lambda_new, pd->lambda);
    measure(pd, problem);
}

// The longest of the steps 1, 1/2, 1/4 towards the new pair that brings the merit below that of the
// reference; 0: none.
static double search(CondPrimalDual* pd, const CondCertificateData* data, double reference,
                     double decrease)
{
    if (reference == INFINITY)
        return 1.0;
    for (double a = 1.0; a > 0.2; a *= 0.5)
        if (merit(pd, data, a) <= (1.0 - decrease * a) * reference)
            return a;
    return 0.0;
}

// Fastest contact of the current pair.
static double fastest(const CondPrimalDual* pd, const CondProblem* problem)
{
    double most = 0.0;
    for (int c = 0; c < problem->n_contact; c++) {
        const double* u = pd->u + 3 * c;
        most = fmax(most, hypot(hypot(u[0], u[1]), u[2]));
    }
    return most;
}

// Keeps the current pair when it is the best (always with `keep`); returns its residual. Leaves
// A v - b - Jc' lambda in the second half of pd->work, and its size in pd->dynamics. Where a
// problem has no solution, forces grow from pass to pass, and with them what the certificate
// measures errors of the law by: such pairs are worth nothing.
static double judge(CondPrimalDual* pd, const CondCertificateData* data, int keep,
                    CondCertificate* best)
{
    int n = data->problem->n_dof;
    CondCertificate now = cond_certificate_compute(data, pd->v, pd->lambda, pd->work);
    double residual = cond_certificate_residual(&now);
    if (pd->scale > 0.0 && now.velocity_scale > MOST_GROWTH * pd->scale)
        residual = DBL_MAX;
    pd->dynamics = 0.0;
    for (int i = 0; i < n; i++)
        pd->dynamics += pd->work[n + i] * pd->work[n + i] / data->diagonal[i];
    if (keep || residual < cond_certificate_residual(best)) {
        *best = now;
        memcpy(pd->v_best, pd->v, (size_t)n * sizeof *pd->v);
        memcpy(pd->lambda_best, pd->lambda,
               3 * (size_t)data->problem->n_contact * sizeof *pd->lambda);
    }
    return residual;
}

// How the passes are kept from cycling; see docs/primal_dual.md.
typedef struct Guard {
    double least;   // residual of all pairs so far
    double damping; // of ties while damped
    int damped;     // 1: steps from the reference, damped, that make its merit fall
    int stuck;      // 1: the last step was not taken
    int watchdog;   // full steps away from the reference without success
    int rest;       // damped steps to be made before the next try
    int pause;      // of these, what a try that fails costs
} Guard;

// The current pair becomes the reference.
static void refer(CondPrimalDual* pd, const CondCertificateData* data)
{
    memcpy(pd->v_ref, pd->v, (size_t)data->problem->n_dof * sizeof *pd->v);
    memcpy(pd->lambda_ref, pd->lambda, 3 * (size_t)data->problem->n_contact * sizeof *pd->lambda);
    pd->merit = merit(pd, data, 0.0);
}

// Back to the reference. What such steps learnt about reversals does not count there.
static void retreat(CondPrimalDual* pd, const CondCertificateData* data, Guard* guard)
{
    size_t n_contact = (size_t)data->problem->n_contact;
    memcpy(pd->v, pd->v_ref, (size_t)data->problem->n_dof * sizeof *pd->v);
    memcpy(pd->lambda, pd->lambda_ref, 3 * n_contact * sizeof *pd->lambda);
    memset(pd->tie, 0, n_contact * sizeof *pd->tie);
    measure(pd, data->problem);
    guard->damped = 1;
    guard->watchdog = 0;
    guard->rest = guard->pause;
    guard->pause *= 2;
    guard->damping = fmax(guard->damping, LEAST_DAMPING);
}

// Decides about the new pair: takes a step towards it, or none. Returns 0 to give up.
static int proceed(CondPrimalDual* pd, const CondCertificateData* data, Guard* guard,
                   double tolerance, CondCertificate* certificate, double* residual)
{
    double step = search(pd, data, pd->merit, guard->damped ? 1e-5 : 1e-3);
    int good = step > 0.0;
    guard->stuck = !good && guard->damped;
    if (guard->stuck) {
        guard->damping *= 10.0;
        return guard->damping <= MOST_DAMPING; // else there is no way down from the reference
    }
    if (good || guard->watchdog < WATCHDOG) {
        take(pd, data->problem, good ? step : 1.0);
        guard->watchdog += !good;
    } else {
        retreat(pd, data, guard);
    }
    *residual = judge(pd, data, 0, certificate);
    good = good || (!guard->damped && *residual < 0.9 * guard->least);
    guard->least = fmin(guard->least, *residual);
    if (!good || *residual <= tolerance)
        return isfinite(*residual);
    if (guard->watchdog > 0 || merit(pd, data, 0.0) < 0.1 * pd->merit)
        guard->pause = 1;
    guard->watchdog = 0;
    if (guard->damped) {
        guard->damping = fmax(LEAST_DAMPING, (step == 1.0 ? 0.3 : 1.0) * guard->damping);
        guard->damped = --guard->rest > 0;
    }
    refer(pd, data);
    return isfinite(*residual);
}

CondStatus cond_primal_dual_prepare(CondPrimalDual* pd, const CondCertificateData* data)
{
    CondStatus status = reserve(pd, data->problem);
    pd->H.order.arena.context = pd->context;
    if (!status && !pd->planned) {
        status = cond_primal_dual_pattern(pd, data->problem);
        pd->planned = !status;
    }
    pd->fits = pd->planned && pd->price <= pd->allowed;
    return status || !pd->fits ? status : cond_primal_dual_scale(pd, data);
}

CondStatus cond_primal_dual_polish(CondPrimalDual* pd, const CondCertificateData* data,
                                   double tolerance, double damping, double* v, double* lambda,
                                   CondCertificate* certificate, int* passes, int* products)
{
    const CondProblem* problem = data->problem;
    size_t n = (size_t)problem->n_dof, nc3 = 3 * (size_t)problem->n_contact;
    CondStatus status = cond_primal_dual_prepare(pd, data);
    if (status || !pd->fits)
        return status ? status : COND_NOT_CONVERGED;
    memcpy(pd->v, v, n * sizeof *v);
    memcpy(pd->lambda, lambda, nc3 * sizeof *lambda);
    pd->scale = 0.0;
    memset(pd->tie, 0, (size_t)problem->n_contact * sizeof *pd->tie);
    double residual = judge(pd, data, 1, certificate), least = residual;
    pd->scale = certificate->velocity_scale;
    measure(pd, problem);
    for (int vain = 0; vain < VAIN && residual > tolerance; vain++) {
        int singular = 0;
        make_ties(pd, data);
        damp_ties(pd, data, damping);
        cond_primal_dual_solve_ties(pd, problem, pd->work + n, &singular);
        if (singular)
            break;
        take(pd, problem, 1.0);
        residual = judge(pd, data, 0, certificate);
        ++*passes, ++*products;
        if (residual < 0.9 * least) {
            least = residual;
            vain = -1;
        }
    }
    memcpy(v, pd->v_best, n * sizeof *v);
    memcpy(lambda, pd->lambda_best, nc3 * sizeof *lambda);
    return cond_certificate_residual(certificate) <= tolerance ? COND_OK : COND_NOT_CONVERGED;
}

CondStatus cond_primal_dual_solve(CondPrimalDual* pd, const CondCertificateData* data,
                                  double tolerance, int max_passes, double* v, double* lambda,
                                  CondCertificate* certificate, int* passes, int* products)
{
    const CondProblem* problem = data->problem;
    size_t n = (size_t)problem->n_dof, nc3 = 3 * (size_t)problem->n_contact;
    CondStatus status = reserve(pd, problem);
    if (status)
        return status;
    memcpy(pd->v, v, n * sizeof *v);
    memcpy(pd->lambda, lambda, nc3 * sizeof *lambda);
    pd->scale = 0.0;
    double residual = judge(pd, data, 1, certificate), start = certificate->velocity_scale;
    ++*products;
    if (residual <= tolerance)
        return COND_OK;
    status = cond_primal_dual_prepare(pd, data);
    if (status || !pd->fits)
        return status ? status : COND_NOT_CONVERGED;
    // The start need not obey the dynamics: the first step is taken whatever its merit.
    Guard guard = {.least = INFINITY, .pause = 1};
    pd->merit = INFINITY;
    memset(pd->tie, 0, (size_t)problem->n_contact * sizeof *pd->tie);
    measure(pd, problem);
    for (int pass = 0, go = 1; go && pass < max_passes && residual > tolerance; pass++) {
        int singular = 0;
        if (cond_cancelled(&pd->context))
            return COND_CANCELLED;
        if (!guard.stuck)
            make_ties(pd, data);
        damp_ties(pd, data, guard.damped ? guard.damping : 0.0);
        cond_primal_dual_solve_ties(pd, problem, pd->work + n, &singular);
        if (singular)
            break; // no solution of this linearisation; the best pair so far stands
        ++*passes;
        go = proceed(pd, data, &guard, tolerance, certificate, &residual);
        *products += !guard.stuck;
        if (pass == 0)
            pd->scale = fmax(start, fastest(pd, problem));
    }
    memcpy(v, pd->v_best, n * sizeof *v);
    memcpy(lambda, pd->lambda_best, nc3 * sizeof *lambda);
    return cond_certificate_residual(certificate) <= tolerance ? COND_OK : COND_NOT_CONVERGED;
}
