// Small dense Cholesky factorisation, for blocks of a body.
#include "linear/cholesky.h"

#include "linear/dense_rows.h"

#include <math.h>
#include <stddef.h>

// L_ij = (A_ij - sum_{k<j} L_ik L_jk)/L_jj for columns j .. j + COND_ROWS - 1 of row i.
static void factor_few(int n, double* A, int i, int j)
{
    double *Li = A + (ptrdiff_t)i * n, *rows = A + (ptrdiff_t)j * n;
    cond_rows_add(j, rows, n, -1.0, Li, Li + j);
    for (int r = 0; r < COND_ROWS; r++) {
        const double* Lj = rows + (ptrdiff_t)r * n;
        for (int k = j; k < j + r; k++)
            Li[j + r] -= Li[k] * Lj[k];
        Li[j + r] /= Lj[j + r];
    }
}

int cond_cholesky_factor(int n, double* A)
{
    for (int i = 0; i < n; i++) {
        double* Li = A + (ptrdiff_t)i * n;
        int j = 0;
        for (; j + COND_ROWS <= i; j += COND_ROWS)
            factor_few(n, A, i, j);
        for (; j <= i; j++) {
            const double* Lj = A + (ptrdiff_t)j * n;
            double sum = Li[j];
            for (int k = 0; k < j; k++)
                sum -= Li[k] * Lj[k];
            if (j < i)
                Li[j] = sum / Lj[j];
            else if (sum > 0.0 && isfinite(sum))
                Li[i] = sqrt(sum);
            else
                return 1;
        }
    }
    return 0;
}

void cond_cholesky_solve(int n, const double* L, double* x)
{
    for (int i = 0; i < n; i++) { // L y = x
        const double* Li = L + (size_t)i * n;
        for (int k = 0; k < i; k++)
            x[i] -= Li[k] * x[k];
        x[i] /= Li[i];
    }
    for (int i = n - 1; i >= 0; i--) { // L' x = y
        x[i] /= L[(size_t)i * n + i];
        for (int k = 0; k < i; k++)
            x[k] -= L[(size_t)i * n + k] * x[i];
    }
}

void cond_cholesky_inverse_diagonal(int n, const double* L, double* d, double* work)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            work[k] = k == i;
        cond_cholesky_solve(n, L, work);
        d[i] = work[i];
    }
}
