#include "linear/lanczos.h"

#include "base/sum.h"

#include <lapacke.h>
#include <math.h>

// Extremes of the tridiagonal matrix (alpha, beta) of size k, with the residual bounds
// beta_k |last component| of their Ritz vectors.
static CondStatus tridiagonal_extremes(int k, const double* alpha, const double* beta, double* work,
                                       double* low, double* high)
{
    double *d = work, *e = d + k, *scratch = e + k, *z = scratch + 2 * k;
    for (int i = 0; i < k; i++) {
        d[i] = alpha[i];
        e[i] = beta[i];
    }
    if (LAPACKE_dstev_work(LAPACK_COL_MAJOR, 'V', k, d, e, z, k, scratch) != 0)
        return COND_DIVERGED;
    *low = d[0];
    *high = d[k - 1] + fabs(beta[k - 1] * z[(size_t)(k - 1) * k + k - 1]);
    return COND_OK;
}

CondStatus cond_lanczos_extremes(const CondOperator* A, int max_steps, double* work, double* low,
                                 double* high)
{
    int n = A->n, m = max_steps < n ? max_steps : n;
    double *Q = work, *alpha = Q + (size_t)(m + 1) * n, *beta = alpha + m, *small = beta + m;
    unsigned seed = 1; // a fixed start that is orthogonal to nothing in particular
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        Q[i] = 0.5 + (double)(seed >> 8) / 16777216.0;
    }
    double norm = sqrt(cond_dot(n, Q, Q, 1));
    for (int i = 0; i < n; i++)
        Q[i] /= norm;
    int k = 0;
    while (k < m) {
        double *q = Q + (size_t)k * n, *next = q + n;
        A->apply(A->data, q, next);
        alpha[k] = cond_dot(n, q, next, 1);
        for (int pass = 0; pass < 2; pass++) // twice is enough
            for (int j = 0; j <= k; j++) {
                const double* qj = Q + (size_t)j * n;
                double overlap = cond_dot(n, qj, next, 1);
                for (int i = 0; i < n; i++)
                    next[i] -= overlap * qj[i];
            }
        beta[k] = sqrt(cond_dot(n, next, next, 1));
        k++;
        if (!(beta[k - 1] > 1e-13 * fabs(alpha[0])))
            break;
        for (int i = 0; i < n; i++)
            next[i] /= beta[k - 1];
    }
    return tridiagonal_extremes(k, alpha, beta, small, low, high);
}
