// A row of a block fills three of the four lanes; the fourth is left zero by masked loads of x, and
// what stands there in A, the first number of the next row, does no harm. Sums over lanes are made
// once per row.
#include "sparse/bsr3_product.h"

#ifdef COND_BSR3_AVX2
#include <immintrin.h>
#include <stddef.h>

__attribute__((target("avx2"))) void cond_bsr3_rows_avx2(const CondBsr3Rows* A, int first, int last,
                                                         const double* x, const double* shift,
                                                         double* y)
{
    const __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
    for (int i = first; i < last; i++) {
        __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0;
        const double* B = A->value + 9 * (size_t)A->row_begin[i];
        for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++, B += 9) {
            __m256d xk = _mm256_maskload_pd(x + 3 * (size_t)A->column[k], three);
            s0 = _mm256_add_pd(s0, _mm256_mul_pd(_mm256_loadu_pd(B), xk));
            s1 = _mm256_add_pd(s1, _mm256_mul_pd(_mm256_loadu_pd(B + 3), xk));
            // The last block ends where the array does.
            s2 = _mm256_add_pd(s2, _mm256_mul_pd(_mm256_maskload_pd(B + 6, three), xk));
        }
        __m256d h01 = _mm256_hadd_pd(s0, s1), h2 = _mm256_hadd_pd(s2, s2);
        __m128d y01 = _mm_add_pd(_mm256_castpd256_pd128(h01), _mm256_extractf128_pd(h01, 1));
        __m128d y2 = _mm_add_pd(_mm256_castpd256_pd128(h2), _mm256_extractf128_pd(h2, 1));
        if (shift) {
            y01 = _mm_sub_pd(y01, _mm_loadu_pd(shift + 3 * (size_t)i));
            y2 = _mm_sub_sd(y2, _mm_load_sd(shift + 3 * (size_t)i + 2));
        }
        _mm_storeu_pd(y + 3 * (size_t)i, y01);
        _mm_store_sd(y + 3 * (size_t)i + 2, y2);
    }
}
#endif
