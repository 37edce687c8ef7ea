// Loops of the block factorisation, with the same bits in each variant.
#include "linear/block_lu_product.h"

#include "base/lanes.h"
#include "base/processor.h"

#include <math.h>

#define BODY static inline __attribute__((always_inline))

typedef CondLanesAnywhere Four;
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));

// Rows first .. first + count - 1 of C in the columns from j on that one vector holds. The sums
// stay in registers: the compiler knows the count and unrolls the loops over it.
#define TILE(name, Type)                                                                           \
    BODY void name(const CondPanelProduct* p, int first, int count, int j)                         \
    {                                                                                              \
        Type sum[COND_SIX] = {0};                                                                  \
        const double *a = p->A.value + first * p->A.row, *b = p->B + j;                            \
        for (int k = 0; k < p->depth; k++, a += p->A.column, b += p->b_row) {                      \
            Type x = *(const Type*)b;                                                              \
            for (int r = 0; r < count; r++)                                                        \
                sum[r] += a[r * p->A.row] * x;                                                     \
        }                                                                                          \
        _Pragma("GCC unroll 6") for (int r = 0; r < count; r++)                                    \
        {                                                                                          \
            Type* c = (Type*)(p->C + (first + r) * p->c_row + j);                                  \
            *c = *c - sum[r];                                                                      \
        }                                                                                          \
    }
TILE(tile_four, Four)
TILE(tile_two, Two)
TILE(tile_one, double)

// Eight columns at once: each number of A is loaded for two vectors.
BODY void tile_eight(const CondPanelProduct* p, int first, int count, int j)
{
    Four left[COND_SIX] = {0}, right[COND_SIX] = {0};
    const double *a = p->A.value + first * p->A.row, *b = p->B + j;
    for (int k = 0; k < p->depth; k++, a += p->A.column, b += p->b_row) {
        Four x = *(const Four*)b, y = *(const Four*)(b + COND_LANES);
        for (int r = 0; r < count; r++) {
            left[r] += a[r * p->A.row] * x;
            right[r] += a[r * p->A.row] * y;
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < count; r++) {
        Four* c = (Four*)(p->C + (first + r) * p->c_row + j);
        *c = *c - left[r];
        c = (Four*)(p->C + (first + r) * p->c_row + j + COND_LANES);
        *c = *c - right[r];
    }
}

BODY void strip(const CondPanelProduct* p, int first, int count)
{
    int j = 0;
    for (; j + 2 * COND_LANES <= p->columns; j += 2 * COND_LANES)
        tile_eight(p, first, count, j);
    if (j + COND_LANES <= p->columns) {
        tile_four(p, first, count, j);
        j += COND_LANES;
    }
    if (j + 2 <= p->columns) {
        tile_two(p, first, count, j);
        j += 2;
    }
    if (j < p->columns)
        tile_one(p, first, count, j);
}

BODY void subtract(const CondPanelProduct* p)
{
    int i = 0;
    for (; i + 6 <= p->rows; i += 6)
        strip(p, i, 6);
    for (; i + 3 <= p->rows; i += 3)
        strip(p, i, 3);
    for (; i < p->rows; i++)
        strip(p, i, 1);
}

// A row of six numbers, and masks of its columns.
typedef struct Row {
    Four low;
    Two high;
} Row;

typedef long long FourMask __attribute__((vector_size(32)));
typedef long long TwoMask __attribute__((vector_size(16)));

BODY void load_row(const double* at, Row* row)
{
    row->low = *(const Four*)at;
    row->high = *(const Two*)(at + COND_LANES);
}

BODY void store_row(const Row* row, double* at)
{
    *(Four*)at = row->low;
    *(Two*)(at + COND_LANES) = row->high;
}

// row -= l pivot in the columns behind k, and l in column k. The row is stored as a whole: the
// processor passes it on to the next load only in the parts in which it was stored.
BODY void eliminate(int k, double l, const Row* pivot, double* at)
{
    const FourMask low_at = {0, 1, 2, 3}, low_here = low_at == k, low_behind = low_at > k;
    const TwoMask high_at = {4, 5}, high_here = high_at == k, high_behind = high_at > k;
    Row row;
    load_row(at, &row);
    FourMask low = (FourMask)(row.low - l * pivot->low), low_l = (FourMask)(l + (Four){0.0});
    TwoMask high = (TwoMask)(row.high - l * pivot->high), high_l = (TwoMask)(l + (Two){0.0});
    low = (low & low_behind) | (low_l & low_here) | ((FourMask)row.low & ~(low_behind | low_here));
    high = (high & high_behind) | (high_l & high_here) |
           ((TwoMask)row.high & ~(high_behind | high_here));
    row = (Row){(Four)low, (Two)high};
    store_row(&row, at);
}

// Which row has the pivot is found without a branch, and rows are exchanged even with themselves:
// no processor foresees it.
BODY int factor(double* D, int* pivot)
{
#pragma GCC unroll 6
    for (int k = 0; k < COND_SIX; k++) {
        double most = fabs(D[(COND_SIX + 1) * k]);
        int best = k;
        for (int i = k + 1; i < COND_SIX; i++) {
            double size = fabs(D[COND_SIX * i + k]);
            best = size > most ? i : best;
            most = size > most ? size : most;
        }
        pivot[k] = best;
        if (!(most > 0.0) || !isfinite(most))
            return 1;
        Row own, other;
        load_row(D + (ptrdiff_t)COND_SIX * k, &other);
        load_row(D + (ptrdiff_t)COND_SIX * best, &own);
        store_row(&other, D + (ptrdiff_t)COND_SIX * best);
        store_row(&own, D + (ptrdiff_t)COND_SIX * k);
        double value = D[(COND_SIX + 1) * k];
        for (int i = k + 1; i < COND_SIX; i++)
            eliminate(k, D[COND_SIX * i + k] / value, &own, D + (ptrdiff_t)COND_SIX * i);
    }
    for (int k = 0; k < COND_SIX; k++)
        D[(COND_SIX + 1) * k] = 1.0 / D[(COND_SIX + 1) * k];
    return 0;
}

// A column at a time: P first, then L y = P x, then U x = y with the reciprocals of its diagonal.
BODY void divide(const double* restrict D, const int* pivot, int n, double* restrict X,
                 ptrdiff_t row)
{
    int from[COND_SIX] = {0, 1, 2, 3, 4, 5};
    for (int k = 0; k < COND_SIX; k++) {
        int swap = from[k];
        from[k] = from[pivot[k]];
        from[pivot[k]] = swap;
    }
    const double *f0 = X + from[0] * row, *f1 = X + from[1] * row, *f2 = X + from[2] * row;
    const double *f3 = X + from[3] * row, *f4 = X + from[4] * row, *f5 = X + from[5] * row;
#pragma omp simd // a column is read before it is written
    for (int j = 0; j < n; j++) {
        double x0 = f0[j], x1 = f1[j] - D[6] * x0;
        double x2 = f2[j] - D[12] * x0 - D[13] * x1;
        double x3 = f3[j] - D[18] * x0 - D[19] * x1 - D[20] * x2;
        double x4 = f4[j] - D[24] * x0 - D[25] * x1 - D[26] * x2 - D[27] * x3;
        double x5 = f5[j] - D[30] * x0 - D[31] * x1 - D[32] * x2 - D[33] * x3 - D[34] * x4;
        x5 = x5 * D[35];
        x4 = (x4 - D[29] * x5) * D[28];
        x3 = (x3 - D[22] * x4 - D[23] * x5) * D[21];
        x2 = (x2 - D[15] * x3 - D[16] * x4 - D[17] * x5) * D[14];
        x1 = (x1 - D[8] * x2 - D[9] * x3 - D[10] * x4 - D[11] * x5) * D[7];
        x0 = (x0 - D[1] * x1 - D[2] * x2 - D[3] * x3 - D[4] * x4 - D[5] * x5) * D[0];
        X[j] = x0, X[row + j] = x1, X[2 * row + j] = x2;
        X[3 * row + j] = x3, X[4 * row + j] = x4, X[5 * row + j] = x5;
    }
}

BODY void combine(int depth, int n, const double* M, ptrdiff_t row, const double* x, double* y)
{
    int j = 0;
    for (; j + COND_LANES <= n; j += COND_LANES) {
        Four sum = {0};
        for (int k = 0; k < depth; k++)
            sum += x[k] * *(const Four*)(M + k * row + j);
        *(Four*)(y + j) = sum;
    }
    for (; j < n; j++) {
        double sum = 0.0;
        for (int k = 0; k < depth; k++)
            sum += x[k] * M[k * row + j];
        y[j] = sum;
    }
}

// Four sums side by side for each row, over every fourth column, in any variant.
BODY void reduce_rows(int count, int n, const double* M, ptrdiff_t row, const double* y, double* x)
{
    Four sum[3] = {0};
    int j = 0;
    for (; j + COND_LANES <= n; j += COND_LANES)
        for (int r = 0; r < count; r++)
            sum[r] += *(const Four*)(M + r * row + j) * *(const Four*)(y + j);
    for (int r = 0; r < count; r++) {
        double total = (sum[r][0] + sum[r][1]) + (sum[r][2] + sum[r][3]);
        for (int k = j; k < n; k++)
            total += M[r * row + k] * y[k];
        x[r] -= total;
    }
}

BODY void reduce(int rows, int n, const double* M, ptrdiff_t row, const double* y, double* x)
{
    int i = 0;
    for (; i + 3 <= rows; i += 3)
        reduce_rows(3, n, M + i * row, row, y, x + i);
    for (; i < rows; i++)
        reduce_rows(1, n, M + i * row, row, y, x + i);
}

COND_AVX2 static void subtract_avx2(const CondPanelProduct* p)
{
    subtract(p);
}

COND_AVX2 static void divide_avx2(const double* D, const int* pivot, int n, double* X,
                                  ptrdiff_t row)
{
    divide(D, pivot, n, X, row);
}

COND_AVX2 static void combine_avx2(int depth, int n, const double* M, ptrdiff_t row,
                                   const double* x, double* y)
{
    combine(depth, n, M, row, x, y);
}

COND_AVX2 static void reduce_avx2(int rows, int n, const double* M, ptrdiff_t row, const double* y,
                                  double* x)
{
    reduce(rows, n, M, row, y, x);
}

COND_AVX2 static int factor_avx2(double* D, int* pivot)
{
    return factor(D, pivot);
}

static void subtract_generic(const CondPanelProduct* p)
{
    subtract(p);
}

static int factor_generic(double* D, int* pivot)
{
    return factor(D, pivot);
}

static void divide_generic(const double* D, const int* pivot, int n, double* X, ptrdiff_t row)
{
    divide(D, pivot, n, X, row);
}

static void combine_generic(int depth, int n, const double* M, ptrdiff_t row, const double* x,
                            double* y)
{
    combine(depth, n, M, row, x, y);
}

static void reduce_generic(int rows, int n, const double* M, ptrdiff_t row, const double* y,
                           double* x)
{
    reduce(rows, n, M, row, y, x);
}

#ifdef COND_PANEL_AVX512
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif

void cond_panel_subtract(int rows, int columns, int depth, CondPanel A, const double* B,
                         ptrdiff_t b_row, double* C, ptrdiff_t c_row)
{
    CondPanelProduct p = {rows, columns, depth, A, B, C, b_row, c_row};
#ifdef COND_PANEL_AVX512
    if (has_avx512()) {
        cond_panel_subtract_avx512(&p);
        return;
    }
#endif
    (COND_HAS_AVX2 ? subtract_avx2 : subtract_generic)(&p);
}

int cond_six_factor(double* D, int* pivot)
{
    return (COND_HAS_AVX2 ? factor_avx2 : factor_generic)(D, pivot);
}

void cond_six_divide(const double* D, const int* pivot, int n, double* X, ptrdiff_t row)
{
#ifdef COND_PANEL_AVX512
    if (n > 1 && has_avx512()) {
        cond_six_divide_avx512(D, pivot, n, X, row);
        return;
    }
#endif
    (COND_HAS_AVX2 ? divide_avx2 : divide_generic)(D, pivot, n, X, row);
}

void cond_panel_combine(int depth, int n, const double* M, ptrdiff_t row, const double* x,
                        double* y)
{
    (COND_HAS_AVX2 ? combine_avx2 : combine_generic)(depth, n, M, row, x, y);
}

void cond_panel_reduce(int rows, int n, const double* M, ptrdiff_t row, const double* y, double* x)
{
    (COND_HAS_AVX2 ? reduce_avx2 : reduce_generic)(rows, n, M, row, y, x);
}
