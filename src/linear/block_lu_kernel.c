#include "linear/block_lu_kernel.h"

#include <stddef.h>

#define BODY static inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GNUC__)
#define AVX2 __attribute__((target("avx2")))
#endif

// A column at a time: P first, then L y = P x, then U x = y with the reciprocals of its diagonal.
BODY void divide(const double* restrict D, const int* pivot, int n, double* restrict X)
{
    double r[COND_SIX];
    int from[COND_SIX] = {0, 1, 2, 3, 4, 5};
    for (int k = 0; k < COND_SIX; k++) {
        int swap = from[k];
        from[k] = from[pivot[k]];
        from[pivot[k]] = swap;
        r[k] = 1.0 / D[7 * k];
    }
    const double *f0 = X + (ptrdiff_t)from[0] * n, *f1 = X + (ptrdiff_t)from[1] * n;
    const double *f2 = X + (ptrdiff_t)from[2] * n, *f3 = X + (ptrdiff_t)from[3] * n;
    const double *f4 = X + (ptrdiff_t)from[4] * n, *f5 = X + (ptrdiff_t)from[5] * n;
#pragma omp simd // a column is read before it is written
    for (int j = 0; j < n; j++) {
        double x0 = f0[j], x1 = f1[j] - D[6] * x0;
        double x2 = f2[j] - D[12] * x0 - D[13] * x1;
        double x3 = f3[j] - D[18] * x0 - D[19] * x1 - D[20] * x2;
        double x4 = f4[j] - D[24] * x0 - D[25] * x1 - D[26] * x2 - D[27] * x3;
        double x5 = f5[j] - D[30] * x0 - D[31] * x1 - D[32] * x2 - D[33] * x3 - D[34] * x4;
        x5 = x5 * r[5];
        x4 = (x4 - D[29] * x5) * r[4];
        x3 = (x3 - D[22] * x4 - D[23] * x5) * r[3];
        x2 = (x2 - D[15] * x3 - D[16] * x4 - D[17] * x5) * r[2];
        x1 = (x1 - D[8] * x2 - D[9] * x3 - D[10] * x4 - D[11] * x5) * r[1];
        x0 = (x0 - D[1] * x1 - D[2] * x2 - D[3] * x3 - D[4] * x4 - D[5] * x5) * r[0];
        X[j] = x0, X[(ptrdiff_t)n + j] = x1, X[2 * (ptrdiff_t)n + j] = x2;
        X[3 * (ptrdiff_t)n + j] = x3, X[4 * (ptrdiff_t)n + j] = x4, X[5 * (ptrdiff_t)n + j] = x5;
    }
}

// Two rows of Y at once: X is loaded half as often.
BODY void multiply(int width, const double* M, int n, const double* restrict X, double* restrict Y)
{
    const double* restrict X1 = X + width, * restrict X2 = X1 + width, * restrict X3 = X2 + width;
    const double* restrict X4 = X3 + width, * restrict X5 = X4 + width;
    for (int i = 0; i < COND_SIX; i += 2) {
        const double *m0 = M + i, *m1 = m0 + width, *m2 = m1 + width, *m3 = m2 + width;
        const double *m4 = m3 + width, *m5 = m4 + width;
        double a0 = m0[0], a1 = m1[0], a2 = m2[0], a3 = m3[0], a4 = m4[0], a5 = m5[0];
        double b0 = m0[1], b1 = m1[1], b2 = m2[1], b3 = m3[1], b4 = m4[1], b5 = m5[1];
        double* restrict y = Y + (ptrdiff_t)i * n, * restrict z = y + n;
        for (int j = 0; j < n; j++) {
            y[j] = a0 * X[j] + a1 * X1[j] + a2 * X2[j] + a3 * X3[j] + a4 * X4[j] + a5 * X5[j];
            z[j] = b0 * X[j] + b1 * X1[j] + b2 * X2[j] + b3 * X3[j] + b4 * X4[j] + b5 * X5[j];
        }
    }
}

BODY void combine(int n, const double* M, const double* x, double* restrict y)
{
    const double *M1 = M + n, *M2 = M1 + n, *M3 = M2 + n, *M4 = M3 + n, *M5 = M4 + n;
    double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5];
    for (int j = 0; j < n; j++)
        y[j] = M[j] * x0 + M1[j] * x1 + M2[j] * x2 + M3[j] * x3 + M4[j] * x4 + M5[j] * x5;
}

#ifdef AVX2
AVX2 static void divide_avx2(const double* D, const int* pivot, int n, double* X)
{
    divide(D, pivot, n, X);
}

AVX2 static void multiply_avx2(int width, const double* M, int n, const double* X, double* Y)
{
    multiply(width, M, n, X, Y);
}

AVX2 static void combine_avx2(int n, const double* M, const double* x, double* y)
{
    combine(n, M, x, y);
}
#define WIDE(call)                                                                                 \
    if (__builtin_cpu_supports("avx2")) {                                                          \
        call;                                                                                      \
        return;                                                                                    \
    }
#else
#define WIDE(call)
#endif

void cond_six_divide(const double* D, const int* pivot, int n, double* X)
{
    WIDE(divide_avx2(D, pivot, n, X))
    divide(D, pivot, n, X);
}

void cond_six_multiply(int width, const double* M, int n, const double* X, double* Y)
{
    WIDE(multiply_avx2(width, M, n, X, Y))
    multiply(width, M, n, X, Y);
}

void cond_six_combine(int n, const double* M, const double* x, double* y)
{
    WIDE(combine_avx2(n, M, x, y))
    combine(n, M, x, y);
}
