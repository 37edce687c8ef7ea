// A column of a block is the first six of eight numbers read at once; what the last two lanes hold
// is cut off at the end. Columns are summed in three registers, which do not wait for each other.
#include "linear/block6.h"

#include "base/processor.h"

#include <stddef.h>

typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
#define INLINE static inline __attribute__((always_inline))

// The first six numbers of a vector, and zeros.
INLINE void cut(Eight* y)
{
    Eight zero = {0.0F};
    *y = __builtin_shufflevector(*y, zero, 0, 1, 2, 3, 4, 5, 8, 9);
}

// sum += B x
INLINE void add_block(const float* B, const float* x, Eight sum[3])
{
    for (int c = 0; c < 6; c++)
        sum[c % 3] += *(const Eight*)(B + (ptrdiff_t)6 * c) * x[c];
}

INLINE void residual_rows(const CondBlock6Rows* A, const float* x, const float* r, float* y,
                          int first, int last)
{
    for (int i = first; i < last; i++) {
        Eight sum[3] = {{0.0F}, {0.0F}, {0.0F}}, out = {0.0F};
        for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++)
            add_block(A->value + (ptrdiff_t)36 * k, x + (ptrdiff_t)8 * A->column[k], sum);
        if (r)
            out = *(const Eight*)(r + (ptrdiff_t)8 * i);
        out -= (sum[0] + sum[1]) + sum[2];
        cut(&out);
        *(Eight*)(y + (ptrdiff_t)8 * i) = out;
    }
}

INLINE void relax_rows(const float* D, const float* x, const float* r, float s, float* y, int first,
                       int last)
{
    for (int i = first; i < last; i++) {
        Eight sum[3] = {{0.0F}, {0.0F}, {0.0F}}, out = {0.0F};
        add_block(D + (ptrdiff_t)36 * i, r + (ptrdiff_t)8 * i, sum);
        if (x)
            out = *(const Eight*)(x + (ptrdiff_t)8 * i);
        out += s * ((sum[0] + sum[1]) + sum[2]);
        cut(&out);
        *(Eight*)(y + (ptrdiff_t)8 * i) = out;
    }
}

#define KERNELS(name, target)                                                                      \
    target static void residual_##name(const CondBlock6Rows* A, const float* x, const float* r,    \
                                       float* y, int first, int last)                              \
    {                                                                                              \
        residual_rows(A, x, r, y, first, last);                                                    \
    }                                                                                              \
    target static void relax_##name(const float* D, const float* x, const float* r, float s,       \
                                    float* y, int first, int last)                                 \
    {                                                                                              \
        relax_rows(D, x, r, s, y, first, last);                                                    \
    }                                                                                              \
    static const CondBlock6Kernel name = {residual_##name, relax_##name};

KERNELS(generic, )
KERNELS(avx2, COND_AVX2)

const CondBlock6Kernel* cond_block6_kernel(void)
{
    return COND_HAS_AVX2 ? &avx2 : &generic;
}
