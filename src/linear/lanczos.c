// Extreme eigenvalues of a symmetric operator.
#include "linear/lanczos.h"

#include "device/sum.h"

#include <float.h>
#include <math.h>

// Eigenvalues of the tridiagonal matrix T (alpha, beta) below x: negative pivots of T - x I.
static int count_below(int k, const double* alpha, const double* beta, double x)
{
    int n = 0;
    double pivot = 1.0;
    for (int i = 0; i < k; i++) {
        double gap = alpha[i] - x;
        pivot = i == 0 ? gap : gap - beta[i - 1] * beta[i - 1] / pivot;
        if (pivot == 0.0) // x is an eigenvalue of the leading part: count it as above
            pivot = DBL_MIN;
        n += pivot < 0.0;
    }
    return n;
}

// The narrowest interval of doubles around the eigenvalue with `below` others below it.
static void bisect(int k, const double* alpha, const double* beta, int below, double* low,
                   double* high)
{
    for (;;) {
        double middle = *low + 0.5 * (*high - *low);
        if (!(middle > *low && middle < *high))
            return;
        if (count_below(k, alpha, beta, middle) > below)
            *high = middle;
        else
            *low = middle;
    }
}

// Last component of the unit eigenvector of T at x, just above all eigenvalues: with the pivots d
// of T - x I from the top, y_k = 1 and y_i = -(beta_i / d_i) y_{i+1}.
static double last_component(int k, const double* alpha, const double* beta, double x, double* d)
{
    for (int i = 0; i < k; i++)
        d[i] = alpha[i] - x - (i > 0 ? beta[i - 1] * beta[i - 1] / d[i - 1] : 0.0);
    double y = 1.0, sum = 1.0;
    for (int i = k - 2; i >= 0; i--) {
        y *= -beta[i] / d[i];
        sum += y * y;
    }
    return 1.0 / sqrt(sum);
}

// Extremes of T, the upper one with the residual bound beta_k |last component| of its Ritz vector.
static CondStatus tridiagonal_extremes(int k, const double* alpha, const double* beta, double* work,
                                       double* low, double* high)
{
    double least = alpha[0], most = alpha[0]; // Gershgorin's circles hold all eigenvalues
    for (int i = 0; i < k; i++) {
        double reach = (i > 0 ? beta[i - 1] : 0.0) + (i + 1 < k ? beta[i] : 0.0);
        least = fmin(least, alpha[i] - reach);
        most = fmax(most, alpha[i] + reach);
    }
    if (!isfinite(least) || !isfinite(most))
        return COND_DIVERGED;
    double slack = 4.0 * DBL_EPSILON * fmax(fabs(least), fabs(most)) + DBL_MIN;
    double a[2] = {least - slack, most + slack}, b[2] = {a[0], a[1]};
    bisect(k, alpha, beta, 0, &a[0], &a[1]);
    bisect(k, alpha, beta, k - 1, &b[0], &b[1]);
    *low = a[1];
    *high = b[1] + beta[k - 1] * last_component(k, alpha, beta, b[1], work);
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
        if (!(beta[k - 1] > n * DBL_EPSILON * fabs(alpha[0])))
            break;
        for (int i = 0; i < n; i++)
            next[i] /= beta[k - 1];
    }
    return tridiagonal_extremes(k, alpha, beta, small, low, high);
}
