// A row of a block fills three of the four lanes. Masked loads leave the fourth of x zero; what
// stands there in A, the first number of the next row, is dropped at the end. Sums over lanes are
// made once per row. Blocks are taken four at a time, and what comes next is asked for ahead: a row
// is too short for the processor to see it coming.
#include "base/tuning.h"
#include "linear/bsr3_product.h"

#ifdef COND_BSR3_AVX2
#include <immintrin.h>
#include <stddef.h>

#define AVX2 __attribute__((target("avx2")))

typedef struct Sums {
    __m256d s0, s1, s2;
} Sums;

AVX2 static inline __m256i first_three(void)
{
    return _mm256_set_epi64x(0, -1, -1, -1);
}

// Adds the products of one block's rows with x; `row2` is the last of them.
AVX2 static inline __attribute__((always_inline)) void add_rows(const double* B, __m256d row2,
                                                                const double* x, Sums* s)
{
    __m256d xk = _mm256_maskload_pd(x, first_three());
    s->s0 = _mm256_add_pd(s->s0, _mm256_mul_pd(_mm256_loadu_pd(B), xk));
    s->s1 = _mm256_add_pd(s->s1, _mm256_mul_pd(_mm256_loadu_pd(B + 3), xk));
    s->s2 = _mm256_add_pd(s->s2, _mm256_mul_pd(row2, xk));
}

// A block that another one follows.
AVX2 static inline __attribute__((always_inline)) void add_inner(const double* B, const double* x,
                                                                 Sums* s)
{
    add_rows(B, _mm256_loadu_pd(B + 6), x, s);
}

AVX2 static inline __attribute__((always_inline)) void fetch_ahead(const double* B)
{
    const char* at = (const char*)B + COND_PREFETCH_AHEAD;
    _mm_prefetch(at, _MM_HINT_T0);
    _mm_prefetch(at + 64, _MM_HINT_T0);
    _mm_prefetch(at + 128, _MM_HINT_T0);
    _mm_prefetch(at + 192, _MM_HINT_T0);
    _mm_prefetch(at + 256, _MM_HINT_T0);
}

AVX2 static inline __attribute__((always_inline)) void finish(Sums s, const double* shift,
                                                              double* y)
{
    __m256d zero = _mm256_setzero_pd();
    s.s0 = _mm256_blend_pd(s.s0, zero, 8);
    s.s1 = _mm256_blend_pd(s.s1, zero, 8);
    s.s2 = _mm256_blend_pd(s.s2, zero, 8);
    __m256d h01 = _mm256_hadd_pd(s.s0, s.s1), h2 = _mm256_hadd_pd(s.s2, s.s2);
    __m128d y01 = _mm_add_pd(_mm256_castpd256_pd128(h01), _mm256_extractf128_pd(h01, 1));
    __m128d y2 = _mm_add_pd(_mm256_castpd256_pd128(h2), _mm256_extractf128_pd(h2, 1));
    if (shift) {
        y01 = _mm_sub_pd(y01, _mm_loadu_pd(shift));
        y2 = _mm_sub_sd(y2, _mm_load_sd(shift + 2));
    }
    _mm_storeu_pd(y, y01);
    _mm_store_sd(y + 2, y2);
}

AVX2 void cond_bsr3_rows_avx2(const CondBsr3Rows* A, int first, int last, const double* x,
                              const double* shift, double* y)
{
    const double* B = A->value + 9 * (size_t)A->row_begin[first];
    const int* column = A->column + A->row_begin[first];
    for (int i = first; i < last; i++) {
        Sums s = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
        const int* end = A->column + A->row_begin[i + 1];
        for (; column + 4 < end; column += 4, B += 36) {
            fetch_ahead(B);
            add_inner(B, x + 3 * (size_t)column[0], &s);
            add_inner(B + 9, x + 3 * (size_t)column[1], &s);
            add_inner(B + 18, x + 3 * (size_t)column[2], &s);
            add_inner(B + 27, x + 3 * (size_t)column[3], &s);
        }
        if (column + 2 < end) {
            add_inner(B, x + 3 * (size_t)column[0], &s);
            add_inner(B + 9, x + 3 * (size_t)column[1], &s);
            column += 2;
            B += 18;
        }
        if (column + 1 < end) {
            add_inner(B, x + 3 * (size_t)column[0], &s);
            column++;
            B += 9;
        }
        if (column < end) { // the last block may end where the array does
            add_rows(B, _mm256_maskload_pd(B + 6, first_three()), x + 3 * (size_t)column[0], &s);
            column++;
            B += 9;
        }
        finish(s, shift ? shift + 3 * (size_t)i : NULL, y + 3 * (size_t)i);
    }
}
#endif
