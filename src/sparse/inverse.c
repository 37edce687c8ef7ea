// A = U'U, W = U'^-1, A^-1 = W'W, all three by adding multiples of rows to a row.
#include "sparse/inverse.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
#define INLINE static inline __attribute__((always_inline))

// y += sum of s_k x_k over `count` rows x_k, from column `first` to `last`; s_k are `step` apart.
// Where x is `lower`, row k has nothing beyond column k.
INLINE void add_rows(int count, const double* s, int step, const double* x, int stride, int lower,
                     int first, int last, double* y)
{
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *a = x + (ptrdiff_t)k * stride, *b = a + stride, *c = b + stride;
        const double *d = c + stride, *sk = s + (ptrdiff_t)k * step;
        double s0 = sk[0], s1 = sk[step], s2 = sk[2 * (ptrdiff_t)step],
               s3 = sk[3 * (ptrdiff_t)step];
        int j = first, end = lower && k + 4 < last ? k + 4 : last;
        for (; j + 4 <= end; j += 4)
            *(Four*)(y + j) += (s0 * *(const Four*)(a + j) + s1 * *(const Four*)(b + j)) +
                               (s2 * *(const Four*)(c + j) + s3 * *(const Four*)(d + j));
        for (; j < end; j++)
            y[j] += (s0 * a[j] + s1 * b[j]) + (s2 * c[j] + s3 * d[j]);
    }
    for (; k < count; k++)
        for (int j = first; j < last; j++)
            y[j] += s[(ptrdiff_t)k * step] * x[(ptrdiff_t)k * stride + j];
}

// -U in the upper triangle of A, with 1 / U_kk on the diagonal; 0 there where a coordinate is left
// out.
INLINE void factor(int n, int stride, double least, double* A)
{
    for (int k = 0; k < n; k++) {
        double *row = A + (ptrdiff_t)k * stride, entry = row[k];
        for (int m = 0; m < k; m++) // column k of -U, side by side
            row[m] = A[(ptrdiff_t)m * stride + k];
        for (int m = 0; m < k; m++)
            row[k] -= row[m] * row[m];
        int keeps = row[k] > least * entry && isfinite(row[k]);
        double scale = keeps ? 1.0 / sqrt(row[k]) : 0.0;
        for (int m = 0; m < k; m++)
            row[m] = -row[m];
        add_rows(k, row, 1, A, stride, 0, k + 1, n, row);
        row[k] = scale;
        for (int j = k + 1; j < n; j++)
            row[j] *= -scale;
    }
}

// W, lower, from -U; zero above the diagonal up to full registers.
INLINE void invert_factor(int n, int stride, const double* A, double* W)
{
    for (int i = 0; i < n; i++) {
        double* row = W + (ptrdiff_t)i * stride;
        double scale = A[(ptrdiff_t)i * stride + i];
        memset(row, 0, (size_t)stride * sizeof *row);
        add_rows(i, A + i, stride, W, stride, 1, 0, i, row);
        for (int j = 0; j < i; j++)
            row[j] *= scale;
        row[i] = scale;
    }
}

INLINE void invert(int n, int stride, double least, double* A, double* W)
{
    factor(n, stride, least, A);
    invert_factor(n, stride, A, W);
    for (int i = 0; i < n; i++) { // the lower triangle, then the other
        double* row = A + (ptrdiff_t)i * stride;
        memset(row, 0, (size_t)stride * sizeof *row);
        add_rows(n - i, W + (ptrdiff_t)i * stride + i, stride, W + (ptrdiff_t)i * stride, stride, 0,
                 0, i + 1, row);
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            A[(ptrdiff_t)i * stride + j] = A[(ptrdiff_t)j * stride + i];
}

static void invert_generic(int n, int stride, double least, double* A, double* work)
{
    invert(n, stride, least, A, work);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void invert_avx2(int n, int stride, double least, double* A,
                                                        double* work)
{
    invert(n, stride, least, A, work);
}
#endif

void cond_inverse(int n, int stride, double least, double* A, double* work)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) {
        invert_avx2(n, stride, least, A, work);
        return;
    }
#endif
    invert_generic(n, stride, least, A, work);
}
