// Products with rows of a dense matrix, several side by side: a sum is made one column after the
// other, in the same order as alone, and does not wait for those of other rows.
#ifndef COND_LINEAR_DENSE_ROWS_H
#define COND_LINEAR_DENSE_ROWS_H

#include <stddef.h>

enum { COND_ROWS = 4 }; // side by side: a sum takes four cycles a column, and begins one a cycle

// sum += sign A x for COND_ROWS rows, `stride` apart; sign is 1 or -1.
static inline void cond_rows_add(int n, const double* A, ptrdiff_t stride, double sign,
                                 const double* x, double sum[COND_ROWS])
{
    const double *a = A, *b = A + stride, *c = A + 2 * stride, *d = A + 3 * stride;
    double s = sum[0], t = sum[1], u = sum[2], v = sum[3]; // an array would be kept in memory
    for (int j = 0; j < n; j++) {
        double y = sign * x[j];
        s += a[j] * y;
        t += b[j] * y;
        u += c[j] * y;
        v += d[j] * y;
    }
    sum[0] = s;
    sum[1] = t;
    sum[2] = u;
    sum[3] = v;
}

// y = A x for n_row rows of n columns.                                      A (n_row x n),
// row-major
static inline void cond_rows_multiply(int n_row, int n, const double* A, const double* x, double* y)
{
    int i = 0;
    for (; i + COND_ROWS <= n_row; i += COND_ROWS) {
        double sum[COND_ROWS] = {0.0};
        cond_rows_add(n, A + (ptrdiff_t)i * n, n, 1.0, x, sum);
        for (int r = 0; r < COND_ROWS; r++)
            y[i + r] = sum[r];
    }
    for (; i < n_row; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += A[(ptrdiff_t)i * n + j] * x[j];
        y[i] = sum;
    }
}

#endif
