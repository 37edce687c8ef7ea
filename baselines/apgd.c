// Accelerated projected gradient descent on the convex problem (the proximal law)
//
//     minimise f(lambda) = 1/2 lambda'Ac lambda + lambda'q   over the product of friction cones
// and intervals,
//
// by Nesterov's method with a step that backtracks and momentum that restarts when it points
// uphill. Lengths are measured by |d|_M^2 = sum_c m_c |d_c|^2 with m_c the mean diagonal of the
// contact's block. One number per contact leaves the cones as they are, and it removes differences
// of scale between contacts. In that norm the largest eigenvalue of Ac is at most 3 n_contact, its
// trace.
#include "baselines.h"

#include "dual.h"
#include "law/contact_law.h"
#include "problem/side.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double SHRINK = 0.9; // of the step constant from one iteration to the next

enum { VECTOR_Y, VECTOR_GRADIENT, VECTOR_MASS, N_VECTOR };
enum { STATE_THETA, STATE_L };

static double* vector(const CondDual* s, int which)
{
    return s->vector + (size_t)which * (size_t)s->delassus.n;
}

// |d|_M^2
static double square_M(const CondDual* s, const double* d)
{
    const double* m = vector(s, VECTOR_MASS);
    double sum = 0.0;
    for (int i = 0; i < s->delassus.n; i++)
        sum += m[i] * d[i] * d[i];
    return sum;
}

static void begin(CondDual* s)
{
    const CondDelassus* d = &s->delassus;
    double *m = vector(s, VECTOR_MASS), *x = s->old_lambda, *Ax = s->old_u;
    for (int i = 0; i < d->n; i++) {
        double trace = 0.0;
        int rows = cond_contact_rows(&d->problem->contact[i / 3]);
        for (int r = 0; r < rows; r++)
            trace += d->Ac[((size_t)d->n + 1) * (size_t)(i / 3 * 3 + r)];
        m[i] = trace > 0.0 ? trace / rows : 1.0;
        x[i] = i % 3 == 0 ? 1.0 / sqrt(m[i]) : 0.0;
    }
    // The Rayleigh quotient of all contacts pressing alike is a first guess of the eigenvalue.
    cond_delassus_velocity(d, x, Ax);
    double quotient = 0.0;
    for (int i = 0; i < d->n; i++)
        quotient += x[i] * (Ax[i] - d->q[i]);
    s->state[STATE_L] = fmax(1.0, quotient / square_M(s, x));
    s->state[STATE_THETA] = 1.0;
    memcpy(vector(s, VECTOR_Y), s->lambda, (size_t)d->n * sizeof *s->lambda);
    memcpy(vector(s, VECTOR_GRADIENT), s->u, (size_t)d->n * sizeof *s->u);
}

// lambda = P(y - M^-1 g / L), u = Ac lambda + q. Returns whether f lies below its model there:
// d'Ac d <= L |d|_M^2 with d = lambda - y.
static int try_step(CondDual* s, double L, CondSolveInfo* info)
{
    const CondDelassus* d = &s->delassus;
    const double *y = vector(s, VECTOR_Y), *g = vector(s, VECTOR_GRADIENT);
    const double* m = vector(s, VECTOR_MASS);
    for (int c = 0; c < d->problem->n_contact; c++) {
        double trial[3];
        for (int i = 3 * c; i < 3 * c + 3; i++)
            trial[i - 3 * c] = y[i] - g[i] / (L * m[i]);
        cond_contact_law_project(COND_LAW_PROXIMAL, &d->problem->contact[c], trial,
                                 s->lambda + 3 * c);
    }
    cond_delassus_velocity(d, s->lambda, s->u);
    info->products++;
    double bent = 0.0, length = 0.0, noise = 0.0;
    for (int i = 0; i < d->n; i++) {
        double change = s->lambda[i] - y[i];
        bent += change * (s->u[i] - g[i]);
        length += m[i] * change * change;
        noise += fabs(change) * fabs(s->u[i]);
    }
    return bent <= L * length + 64.0 * DBL_EPSILON * noise;
}

static void iterate(CondDual* s, CondSolveInfo* info)
{
    const CondDelassus* d = &s->delassus;
    double *y = vector(s, VECTOR_Y), *g = vector(s, VECTOR_GRADIENT);
    double L = s->state[STATE_L], most = (double)d->n;
    while (!try_step(s, fmin(L, most), info) && L < most)
        L *= 2.0;
    double theta = s->state[STATE_THETA];
    double next = 0.5 * theta * (sqrt(theta * theta + 4.0) - theta);
    double beta = theta * (1.0 - theta) / (theta * theta + next);
    double uphill = 0.0;
    for (int i = 0; i < d->n; i++)
        uphill += g[i] * (s->lambda[i] - s->old_lambda[i]);
    if (uphill > 0.0) {
        beta = 0.0;
        next = 1.0;
        info->restarts++;
    }
    for (int i = 0; i < d->n; i++) { // Ac y + q is linear in y
        y[i] = s->lambda[i] + beta * (s->lambda[i] - s->old_lambda[i]);
        g[i] = s->u[i] + beta * (s->u[i] - s->old_u[i]);
    }
    s->state[STATE_THETA] = next;
    s->state[STATE_L] = SHRINK * fmin(L, most);
}

static const CondDualMethod supernodal = {COND_FACTOR_SUPERNODAL, 1, N_VECTOR, begin, iterate};
static const CondDualMethod simplicial = {COND_FACTOR_SIMPLICIAL, 1, N_VECTOR, begin, iterate};

static void* create(const CondContext* context, const CondSolverSettings* settings)
{
    return cond_dual_create(context, settings, &supernodal);
}

static void* create_simplicial(const CondContext* context, const CondSolverSettings* settings)
{
    return cond_dual_create(context, settings, &simplicial);
}

const CondSolverOps cond_baseline_apgd = {
    .name = "apgd",
    .create = create,
    .solve = cond_dual_solve,
    .history = cond_dual_history,
    .destroy = cond_dual_destroy,
};
const CondSolverOps cond_baseline_apgd_simplicial = {
    .name = "apgd-simplicial",
    .create = create_simplicial,
    .solve = cond_dual_solve,
    .history = cond_dual_history,
    .destroy = cond_dual_destroy,
};
