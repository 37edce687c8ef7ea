// C -= A B and X = D \ X with eight columns to a register; the last columns are loaded by a mask.
// Each number is the same chain of operations as in the other variants.
#include "linear/block_lu_product.h"

#ifdef COND_PANEL_AVX512
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq")))
#define BODY __attribute__((target("avx512f,avx512dq"), always_inline)) static inline

enum { EIGHT = sizeof(__m512d) / sizeof(double), FOUR = EIGHT / 2 };

// Mask of the first n of eight columns; all from eight on.
BODY __mmask8 first_columns(int n)
{
    return (__mmask8)(n < EIGHT ? (1 << n) - 1 : 0xff);
}

// c -= sum in n columns. Six are stored in two parts without a mask: the processor passes a masked
// store on to a following load only when it is in the cache.
BODY void subtract_from(double* c, int n, __m512d sum)
{
    if (n >= EIGHT) {
        _mm512_storeu_pd(c, _mm512_sub_pd(_mm512_loadu_pd(c), sum));
        return;
    }
    if (n != COND_SIX && n != FOUR) {
        __mmask8 mask = first_columns(n);
        _mm512_mask_storeu_pd(c, mask, _mm512_sub_pd(_mm512_maskz_loadu_pd(mask, c), sum));
        return;
    }
    _mm256_storeu_pd(c, _mm256_sub_pd(_mm256_loadu_pd(c), _mm512_castpd512_pd256(sum)));
    if (n == COND_SIX) {
        __m128d high = _mm512_castpd512_pd128(_mm512_shuffle_f64x2(sum, sum, 2));
        _mm_storeu_pd(c + FOUR, _mm_sub_pd(_mm_loadu_pd(c + FOUR), high));
    }
}

// Rows first .. first + count - 1 of C in the n columns from j on, at most eight. a_row is that of
// A: a constant where its columns lie in memory.
BODY void tile_eight(const CondPanelProduct* p, ptrdiff_t a_row, int first, int count, int j, int n)
{
    __m512d sum[COND_SIX];
    const double *a = p->A.value + first * a_row, *b = p->B + j;
    __mmask8 mask = first_columns(n);
#pragma GCC unroll 6
    for (int r = 0; r < count; r++)
        sum[r] = _mm512_setzero_pd();
    for (int k = 0; k < p->depth; k++, a += p->A.column, b += p->b_row) {
        __m512d x = _mm512_maskz_loadu_pd(mask, b);
#pragma GCC unroll 6
        for (int r = 0; r < count; r++)
            sum[r] = _mm512_add_pd(sum[r], _mm512_mul_pd(_mm512_set1_pd(a[r * a_row]), x));
    }
    double* c = p->C + first * p->c_row + j;
#pragma GCC unroll 6
    for (int r = 0; r < count; r++)
        subtract_from(c + r * p->c_row, n, sum[r]);
}

// The same for more than eight columns, at most sixteen.
BODY void tile_sixteen(const CondPanelProduct* p, ptrdiff_t a_row, int first, int count, int j,
                       int n)
{
    __m512d left[COND_SIX], right[COND_SIX];
    const double *a = p->A.value + first * a_row, *b = p->B + j;
    __mmask8 mask = first_columns(n - EIGHT);
#pragma GCC unroll 6
    for (int r = 0; r < count; r++)
        left[r] = right[r] = _mm512_setzero_pd();
    for (int k = 0; k < p->depth; k++, a += p->A.column, b += p->b_row) {
        __m512d x = _mm512_loadu_pd(b), y = _mm512_maskz_loadu_pd(mask, b + EIGHT);
#pragma GCC unroll 6
        for (int r = 0; r < count; r++) {
            __m512d much = _mm512_set1_pd(a[r * a_row]);
            left[r] = _mm512_add_pd(left[r], _mm512_mul_pd(much, x));
            right[r] = _mm512_add_pd(right[r], _mm512_mul_pd(much, y));
        }
    }
    double* c = p->C + first * p->c_row + j;
#pragma GCC unroll 6
    for (int r = 0; r < count; r++) {
        subtract_from(c + r * p->c_row, EIGHT, left[r]);
        subtract_from(c + r * p->c_row + EIGHT, n - EIGHT, right[r]);
    }
}

BODY void strip(const CondPanelProduct* p, ptrdiff_t a_row, int first, int count)
{
    int j = 0;
    for (; j + 2 * EIGHT <= p->columns; j += 2 * EIGHT)
        tile_sixteen(p, a_row, first, count, j, 2 * EIGHT);
    int left = p->columns - j;
    if (left == COND_SIX)
        tile_eight(p, a_row, first, count, j, COND_SIX);
    else if (left == 2 * COND_SIX)
        tile_sixteen(p, a_row, first, count, j, 2 * COND_SIX);
    else if (left > EIGHT)
        tile_sixteen(p, a_row, first, count, j, left);
    else if (left > 0)
        tile_eight(p, a_row, first, count, j, left);
}

BODY void subtract(const CondPanelProduct* p, ptrdiff_t a_row)
{
    int i = 0;
    for (; i + COND_SIX <= p->rows; i += COND_SIX)
        strip(p, a_row, i, COND_SIX);
    for (; i + COND_SIX / 2 <= p->rows; i += COND_SIX / 2)
        strip(p, a_row, i, COND_SIX / 2);
    for (; i < p->rows; i++)
        strip(p, a_row, i, 1);
}

TARGET void cond_panel_subtract_avx512(const CondPanelProduct* p)
{
    if (p->A.row == 1)
        subtract(p, 1);
    else
        subtract(p, p->A.row);
}

// x -= d y
BODY __m512d less(__m512d x, double d, __m512d y)
{
    return _mm512_sub_pd(x, _mm512_mul_pd(_mm512_set1_pd(d), y));
}

// Eight columns of X, of which those of the mask are stored.
BODY void divide_eight(const double* D, const int from[COND_SIX], __mmask8 mask, double* X,
                       ptrdiff_t row)
{
    __m512d x[COND_SIX];
#pragma GCC unroll 6
    for (int i = 0; i < COND_SIX; i++) {
        x[i] = _mm512_maskz_loadu_pd(mask, X + from[i] * row);
#pragma GCC unroll 6
        for (int k = 0; k < i; k++)
            x[i] = less(x[i], D[COND_SIX * i + k], x[k]);
    }
#pragma GCC unroll 6
    for (int i = COND_SIX - 1; i >= 0; i--) {
#pragma GCC unroll 6
        for (int k = i + 1; k < COND_SIX; k++)
            x[i] = less(x[i], D[COND_SIX * i + k], x[k]);
        x[i] = _mm512_mul_pd(x[i], _mm512_set1_pd(D[(COND_SIX + 1) * i]));
    }
#pragma GCC unroll 6
    for (int i = 0; i < COND_SIX; i++)
        _mm512_mask_storeu_pd(X + i * row, mask, x[i]);
}

TARGET void cond_six_divide_avx512(const double* D, const int* pivot, int n, double* X,
                                   ptrdiff_t row)
{
    int from[COND_SIX] = {0, 1, 2, 3, 4, 5};
    for (int k = 0; k < COND_SIX; k++) {
        int swap = from[k];
        from[k] = from[pivot[k]];
        from[pivot[k]] = swap;
    }
    for (int j = 0; j < n; j += EIGHT)
        divide_eight(D, from, first_columns(n - j), X + j, row);
}
#endif
