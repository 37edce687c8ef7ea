// Conjugate gradients with the diagonal as preconditioner.
#include "linear/cg.h"

#include <math.h>
#include <string.h>

#include "base/sum.h"
#include "cond/status.h"

// s = D^-1. 0 when an entry of D is not positive and finite.
static int invert_diagonal(int n, const double* diagonal, double* s)
{
    for (int i = 0; i < n; i++) {
        if (!(diagonal[i] > 0.0) || !isfinite(diagonal[i]))
            return 0;
        s[i] = 1.0 / diagonal[i];
    }
    return 1;
}

// y += alpha x
static void add_scaled(int n, double alpha, const double* x, double* y)
{
    for (int i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

static int finish(int outcome, double relative, double* residual)
{
    if (residual)
        *residual = relative;
    return outcome;
}

int cond_cg_solve(const CondCgOperator* A, const double* b, double* x, double tolerance,
                  int max_iterations, double* work, double* residual, int threads)
{
    int n = A->n;
    double* s = work;     // D^-1
    double* r = work + n; // b - A x
    double* p = r + n;    // search direction
    double* q = p + n;    // A p
    if (!invert_diagonal(n, A->diagonal, s))
        return finish(COND_BAD_ARGUMENT, INFINITY, residual);

    double bb = cond_dot_scaled(n, s, b, b, threads);
    if (bb == 0.0) {
        memset(x, 0, (size_t)n * sizeof *x);
        return finish(0, 0.0, residual);
    }
    A->multiply(A->data, x, q);
    for (int i = 0; i < n; i++) {
        r[i] = b[i] - q[i];
        p[i] = s[i] * r[i];
    }
    double rr = cond_dot_scaled(n, s, r, r, threads); // r' D^-1 r
    if (!isfinite(bb) || !isfinite(rr))
        return finish(COND_DIVERGED, INFINITY, residual);

    int iteration = 0;
    while (sqrt(rr) > tolerance * sqrt(bb) && iteration < max_iterations) {
        A->multiply(A->data, p, q);
        double pq = cond_dot(n, p, q, threads);
        if (!(pq > 0.0) || !isfinite(pq))
            return finish(COND_DIVERGED, sqrt(rr / bb), residual);
        double alpha = rr / pq;
        add_scaled(n, -alpha, q, r);
        double rr_next = cond_dot_scaled(n, s, r, r, threads);
        if (!isfinite(alpha) || !isfinite(rr_next))
            return finish(COND_DIVERGED, sqrt(rr / bb), residual);
        add_scaled(n, alpha, p, x);
        double beta = rr_next / rr;
        for (int i = 0; i < n; i++)
            p[i] = s[i] * r[i] + beta * p[i]; // p = D^-1 r + beta p
        rr = rr_next;
        iteration++;
    }
    return finish(iteration, sqrt(rr / bb), residual);
}
