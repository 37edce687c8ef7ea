// C -= A B with eight columns to a register, and two registers to a number of A; the last columns
// are loaded by a mask. Each number is the same chain of operations as in the other variants.
// A step of a heap of a thousand bodies, whose panels are wide, takes an eighth less time.
#include "linear/block_lu_product.h"

#ifdef COND_PANEL_AVX512
#include <immintrin.h>

#define BODY __attribute__((target("avx512f"), always_inline)) static inline

enum { EIGHT = sizeof(__m512d) / sizeof(double) };

// Rows first .. first + count - 1 of C in the eight columns from j on, or in those of the mask.
BODY void tile_eight(const CondPanelProduct* p, int first, int count, int j, __mmask8 mask)
{
    __m512d sum[COND_SIX];
    const double *a = p->A.value + first * p->A.row, *b = p->B + j;
#pragma GCC unroll 6
    for (int r = 0; r < count; r++)
        sum[r] = _mm512_setzero_pd();
    for (int k = 0; k < p->depth; k++, a += p->A.column, b += p->b_row) {
        __m512d x = _mm512_maskz_loadu_pd(mask, b);
#pragma GCC unroll 6
        for (int r = 0; r < count; r++)
            sum[r] = _mm512_add_pd(sum[r], _mm512_mul_pd(_mm512_set1_pd(a[r * p->A.row]), x));
    }
#pragma GCC unroll 6
    for (int r = 0; r < count; r++) {
        double* c = p->C + (first + r) * p->c_row + j;
        _mm512_mask_storeu_pd(c, mask, _mm512_sub_pd(_mm512_maskz_loadu_pd(mask, c), sum[r]));
    }
}

// Sixteen columns.
BODY void tile_sixteen(const CondPanelProduct* p, int first, int count, int j)
{
    __m512d left[COND_SIX], right[COND_SIX];
    const double *a = p->A.value + first * p->A.row, *b = p->B + j;
#pragma GCC unroll 6
    for (int r = 0; r < count; r++)
        left[r] = right[r] = _mm512_setzero_pd();
    for (int k = 0; k < p->depth; k++, a += p->A.column, b += p->b_row) {
        __m512d x = _mm512_loadu_pd(b), y = _mm512_loadu_pd(b + EIGHT);
#pragma GCC unroll 6
        for (int r = 0; r < count; r++) {
            __m512d much = _mm512_set1_pd(a[r * p->A.row]);
            left[r] = _mm512_add_pd(left[r], _mm512_mul_pd(much, x));
            right[r] = _mm512_add_pd(right[r], _mm512_mul_pd(much, y));
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < count; r++) {
        double* c = p->C + (first + r) * p->c_row + j;
        _mm512_storeu_pd(c, _mm512_sub_pd(_mm512_loadu_pd(c), left[r]));
        _mm512_storeu_pd(c + EIGHT, _mm512_sub_pd(_mm512_loadu_pd(c + EIGHT), right[r]));
    }
}

BODY void strip(const CondPanelProduct* p, int first, int count)
{
    int j = 0;
    for (; j + 2 * EIGHT <= p->columns; j += 2 * EIGHT)
        tile_sixteen(p, first, count, j);
    for (; j < p->columns; j += EIGHT) {
        int left = p->columns - j;
        tile_eight(p, first, count, j, (__mmask8)(left < EIGHT ? (1 << left) - 1 : 0xff));
    }
}

__attribute__((target("avx512f"))) void cond_panel_subtract_avx512(const CondPanelProduct* p)
{
    int i = 0;
    for (; i + 6 <= p->rows; i += 6)
        strip(p, i, 6);
    for (; i + 3 <= p->rows; i += 3)
        strip(p, i, 3);
    for (; i < p->rows; i++)
        strip(p, i, 1);
}
#endif
