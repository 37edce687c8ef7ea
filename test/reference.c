// A dense reference solver of the contact problem, for comparison: forms A^-1 and the Delassus
// matrix, and sweeps over the contacts, each solved exactly by a search over its slip angle.
#include "reference.h"

#include "cone.h"
#include "dense.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double FULL_TURN = 6.28318530717958647692;
enum { MAX_SWEEPS = 20000, ANGLES = 72, HALVINGS = 55, LOCAL_STEPS = 20 };

void delassus_make(const CondProblem* problem, double omega, Delassus* out)
{
    int n = problem->n_dof, m = 3 * problem->n_contact;
    double* A = dense_zeros((size_t)n * n);
    double* J = dense_zeros((size_t)m * n);
    double* column = dense_zeros((size_t)n);
    int* sides = calloc((size_t)problem->n_contact + 1, sizeof *sides);
    assert_non_null(sides);
    *out = (Delassus){m,
                      n,
                      dense_zeros((size_t)m * m),
                      dense_zeros((size_t)m),
                      dense_zeros((size_t)n * m),
                      dense_zeros((size_t)n)};
    dense_problem_matrix(problem, A);
    assert_true(dense_cholesky(n, A));
    memcpy(out->v_free, problem->b, (size_t)n * sizeof *out->v_free);
    dense_cholesky_solve(n, A, out->v_free);
    for (int c = 0; c < problem->n_contact; c++)
        dense_contact_jacobian(&problem->contact[c], n, J + (size_t)3 * c * n);
    for (int j = 0; j < m; j++) {
        memcpy(column, J + (size_t)j * n, (size_t)n * sizeof *column);
        dense_cholesky_solve(n, A, column);
        for (int i = 0; i < n; i++)
            out->lift[(size_t)i * m + j] = column[i];
        for (int i = 0; i < m; i++)
            for (int k = 0; k < n; k++)
                out->W[(size_t)i * m + j] += J[(size_t)i * n + k] * column[k];
    }
    dense_multiply(m, n, J, out->v_free, out->q);
    verifier_virtual_sides(problem, sides);
    for (int i = 0; i < m; i++) {
        const CondContact* contact = &problem->contact[i / 3];
        out->q[i] += contact->phi[i % 3];
        out->W[(size_t)i * m + i] += omega;
        if (contact->kv < INFINITY)
            out->W[(size_t)i * m + i] += sides[i / 3] / contact->kv;
    }
    free(A);
    free(J);
    free(column);
    free(sides);
}

void delassus_free(Delassus* made)
{
    free(made->W);
    free(made->q);
    free(made->lift);
    free(made->v_free);
}

// One contact, 3x3 block B and velocity q without its own force.
typedef struct Local {
    double B[9], q[3];
    const double* mu;
} Local;

// Force at slip angle a that keeps u_n = 0, and how far the slip is from the dissipative
// direction: the cross product of (mu1 u1, mu2 u2) with (cos a, sin a). *opposed: u_t points
// against the force.
static double slip_mismatch(const Local* at, double a, double* lambda, int* opposed)
{
    double c = cos(a), s = sin(a), d[3] = {1.0, at->mu[0] * c, at->mu[1] * s};
    double pivot = at->B[0] * d[0] + at->B[1] * d[1] + at->B[2] * d[2];
    double n = -at->q[0] / pivot, u[3];
    for (int i = 0; i < 3; i++)
        lambda[i] = n * d[i];
    for (int i = 0; i < 3; i++)
        u[i] = at->q[i] + at->B[3 * i] * lambda[0] + at->B[3 * i + 1] * lambda[1] +
               at->B[3 * i + 2] * lambda[2];
    double x = at->mu[0] * u[1], y = at->mu[1] * u[2];
    *opposed = pivot > 0.0 && x * c + y * s <= 0.0;
    return x * s - y * c;
}

// lambda of the strict law for one contact: open, stick, or the slip angle.
static void solve_local_strict(const Local* at, double* lambda)
{
    if (at->q[0] >= 0.0) {
        lambda[0] = lambda[1] = lambda[2] = 0.0;
        return;
    }
    double L[9], stick[3] = {-at->q[0], -at->q[1], -at->q[2]}, nearest[3];
    memcpy(L, at->B, sizeof L);
    assert_true(dense_cholesky(3, L));
    dense_cholesky_solve(3, L, stick);
    cone_nearest(at->mu, stick, nearest);
    if (dense_distance(3, stick, nearest) == 0.0) {
        memcpy(lambda, stick, sizeof stick);
        return;
    }
    if (at->mu[0] == 0.0 && at->mu[1] == 0.0) {
        lambda[0] = -at->q[0] / at->B[0];
        lambda[1] = lambda[2] = 0.0;
        return;
    }
    int opposed_low, opposed_high, opposed;
    double low = 0.0, force[3];
    double f_low = slip_mismatch(at, low, force, &opposed_low);
    for (int k = 1; k <= ANGLES; k++) {
        double high = k * FULL_TURN / ANGLES;
        double f_high = slip_mismatch(at, high, force, &opposed_high);
        if ((f_low <= 0.0) != (f_high <= 0.0) && (opposed_low || opposed_high)) {
            double a = low, b = high;
            for (int i = 0; i < HALVINGS; i++) {
                double middle = 0.5 * (a + b), f = slip_mismatch(at, middle, force, &opposed);
                if ((f <= 0.0) == (f_low <= 0.0))
                    a = middle;
                else
                    b = middle;
            }
            slip_mismatch(at, a, force, &opposed);
            if (opposed) {
                memcpy(lambda, force, sizeof force);
                return;
            }
        }
        low = high;
        f_low = f_high;
        opposed_low = opposed_high;
    }
    fail_msg("reference: a sliding contact has no slip angle");
}

// Projected gradient steps on the convex one-contact problem.
static void solve_local_proximal(const Local* at, double* lambda)
{
    double size = dense_norm(9, at->B);
    for (int step = 0; step < LOCAL_STEPS; step++) {
        double trial[3];
        for (int i = 0; i < 3; i++)
            trial[i] = lambda[i] - (at->q[i] + at->B[3 * i] * lambda[0] +
                                    at->B[3 * i + 1] * lambda[1] + at->B[3 * i + 2] * lambda[2]) /
                                       size;
        cone_nearest(at->mu, trial, lambda);
    }
}

double reference_solve(const CondProblem* problem, CondLaw law, double omega, double* v, double* u,
                       double* lambda)
{
    Delassus d;
    delassus_make(problem, omega, &d);
    int m = d.n;
    double scale = dense_largest(m, d.q), change = 0.0;
    double* old = dense_zeros((size_t)m);
    memset(lambda, 0, (size_t)m * sizeof *lambda);
    memcpy(u, d.q, (size_t)m * sizeof *u);
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        memcpy(old, u, (size_t)m * sizeof *u);
        for (int c = 0; c < m; c += 3) {
            Local at = {.mu = problem->contact[c / 3].friction};
            for (int i = 0; i < 3; i++) {
                at.q[i] = d.q[c + i];
                for (int j = 0; j < m; j++)
                    if (j < c || j >= c + 3)
                        at.q[i] += d.W[(size_t)(c + i) * m + j] * lambda[j];
                for (int j = 0; j < 3; j++)
                    at.B[3 * i + j] = d.W[(size_t)(c + i) * m + c + j];
            }
            if (law == COND_LAW_STRICT)
                solve_local_strict(&at, lambda + c);
            else
                solve_local_proximal(&at, lambda + c);
        }
        dense_multiply(m, m, d.W, lambda, u);
        for (int i = 0; i < m; i++)
            u[i] += d.q[i];
        change = 0.0;
        for (int i = 0; i < m; i++)
            change = fmax(change, fabs(u[i] - old[i]) / scale);
        if (change < 1e-14)
            break;
    }
    dense_multiply(d.n_dof, m, d.lift, lambda, v);
    for (int i = 0; i < d.n_dof; i++)
        v[i] += d.v_free[i];
    free(old);
    delassus_free(&d);
    return change;
}
