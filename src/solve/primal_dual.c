#include "solve/primal_dual.h"

#include "base/memory.h"
#include "linear/lu.h"
#include "solve/primal_dual_system.h"
#include "solve/primal_dual_tie.h"
#include "solve/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

void cond_primal_dual_plan(CondPrimalDual* pd, const CondProblem* problem)
{
    int in_rods = 0;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_TRIDIAGONAL)
            in_rods += problem->block[b].n_dof;
    pd->rods = 2 * in_rods > problem->n_dof;
    pd->planned = 0;
}

static CondStatus reserve(CondPrimalDual* pd, const CondProblem* problem)
{
    const CondContext* m = &pd->context;
    int n = problem->n_dof, nc = problem->n_contact;
#define RESERVE(array, count)                                                                      \
    cond_reserve(m, &pd->array, &pd->cap_##array, count, sizeof *pd->array)
    if (RESERVE(gamma, nc) || RESERVE(tie, nc) || RESERVE(v, n) || RESERVE(lambda, 3 * nc) ||
        RESERVE(v_new, n) || RESERVE(lambda_new, 3 * nc) || RESERVE(D, 9 * nc) ||
        RESERVE(gap, 3 * nc) || RESERVE(u, 3 * nc) || RESERVE(u_new, 3 * nc) ||
        RESERVE(v_best, n) || RESERVE(lambda_best, 3 * nc) || RESERVE(f, n) || RESERVE(work, 2 * n))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    return COND_OK;
}

void cond_primal_dual_destroy(CondPrimalDual* pd)
{
    void* arrays[] = {pd->node,   pd->node_size, pd->column_node, pd->column,      pd->gamma,
                      pd->middle, pd->before,    pd->behind,      pd->tie,         pd->v,
                      pd->lambda, pd->v_new,     pd->lambda_new,  pd->D,           pd->gap,
                      pd->u,      pd->u_new,     pd->v_best,      pd->lambda_best, pd->f,
                      pd->work};
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
// reference; 0: none. The start need not obey the dynamics, so the first step is taken whatever its
// merit.
static double search(CondPrimalDual* pd, const CondCertificateData* data)
{
    if (pd->merit == INFINITY)
        return 1.0;
    for (double a = 1.0; a > 0.2; a *= 0.5)
        if (merit(pd, data, a) <= (1.0 - COND_DECREASE * a) * pd->merit)
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
    if (pd->scale > 0.0 && now.velocity_scale > COND_MOST_GROWTH * pd->scale)
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

// The current pair becomes the reference.
static void refer(CondPrimalDual* pd, const CondCertificateData* data)
{
    pd->merit = merit(pd, data, 0.0);
    pd->watchdog = 0;
}

// Decides about the new pair: a step towards it on which the merit falls; else the whole of it,
// as long as the watchdog bears that. Where contacts slip slowly the friction force moves on a
// small circle, of which Newton's step is the tangent: the merit grows at first and then falls far
// below (Maratos' effect). Returns 0 to give up.
static int proceed(CondPrimalDual* pd, const CondCertificateData* data, double tolerance,
                   CondCertificate* certificate, double* residual)
{
    double step = search(pd, data), least = pd->least;
    if (step == 0.0 && pd->watchdog++ == COND_WATCHDOG)
        return 0;
    take(pd, data->problem, step > 0.0 ? step : 1.0);
    *residual = judge(pd, data, 0, certificate);
    pd->least = fmin(least, *residual);
    if (*residual > tolerance && (step > 0.0 || *residual < COND_PROGRESS * least))
        refer(pd, data);
    return isfinite(*residual);
}

// The whole step, as long as a few of them leave at most COND_PROGRESS of the certificate.
static int polish(CondPrimalDual* pd, const CondCertificateData* data, CondCertificate* certificate,
                  double* residual)
{
    take(pd, data->problem, 1.0);
    *residual = judge(pd, data, 0, certificate);
    pd->watchdog = *residual < COND_PROGRESS * pd->least ? 0 : pd->watchdog + 1;
    pd->least = pd->watchdog == 0 ? *residual : pd->least;
    return pd->watchdog < COND_POLISH_STEPS;
}

CondStatus cond_primal_dual_prepare(CondPrimalDual* pd, const CondCertificateData* data)
{
    CondStatus status = reserve(pd, data->problem);
    pd->H.order.arena.context = pd->context;
    if (!status && !pd->planned) {
        status = cond_primal_dual_pattern(pd, data->problem, &pd->fits);
        pd->planned = !status;
    }
    return status || !pd->fits ? status : cond_primal_dual_scale(pd, data);
}

CondStatus cond_primal_dual_solve(CondPrimalDual* pd, const CondCertificateData* data,
                                  double tolerance, double damping, int max_steps, double* v,
                                  double* lambda, CondCertificate* certificate, int* passes,
                                  int* products)
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
    pd->merit = INFINITY;
    pd->least = damping > 0.0 ? residual : INFINITY;
    pd->scale = damping > 0.0 ? start : 0.0;
    pd->watchdog = 0;
    memset(pd->tie, 0, (size_t)problem->n_contact * sizeof *pd->tie);
    measure(pd, problem);
    for (int k = 0, go = 1; go && k < max_steps && residual > tolerance; k++) {
        int singular = 0;
        if (cond_cancelled(&pd->context))
            return COND_CANCELLED;
        make_ties(pd, data);
        damp_ties(pd, data, damping);
        cond_primal_dual_solve_ties(pd, problem, pd->work + n, &singular);
        if (singular)
            break; // no solution of this linearisation; the best pair so far stands
        ++*passes, ++*products;
        go = damping > 0.0 ? polish(pd, data, certificate, &residual)
                           : proceed(pd, data, tolerance, certificate, &residual);
        if (k == 0 && damping == 0.0)
            pd->scale = fmax(start, fastest(pd, problem));
    }
    memcpy(v, pd->v_best, n * sizeof *v);
    memcpy(lambda, pd->lambda_best, nc3 * sizeof *lambda);
    return cond_certificate_residual(certificate) <= tolerance ? COND_OK : COND_NOT_CONVERGED;
}
