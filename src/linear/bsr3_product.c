// The product with rows of a 3x3-block matrix, for the processor it runs on.
#include "linear/bsr3_product.h"

#include "base/parallel.h"

#include <stddef.h>

// The three products of a row of a block are summed over the blocks apart from each other, and the
// three sums at the end: the order in which a vector unit does it.
void cond_bsr3_rows_generic(const CondBsr3Rows* A, int first, int last, const double* x,
                            const double* shift, double* y)
{
    for (int i = first; i < last; i++) {
        double s[9] = {0.0};
        for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++) {
            const double* B = A->value + 9 * (size_t)k;
            const double* xk = x + 3 * (size_t)A->column[k];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    s[3 * r + c] += B[3 * r + c] * xk[c];
        }
        for (int r = 0; r < 3; r++) {
            double sum = s[3 * r] + s[3 * r + 1] + s[3 * r + 2];
            y[3 * i + r] = shift ? sum - shift[3 * i + r] : sum;
        }
    }
}

void cond_bsr3_rows(const CondBsr3Rows* A, int first, int last, const double* x,
                    const double* shift, double* y)
{
#ifdef COND_BSR3_AVX2
    if (__builtin_cpu_supports("avx2")) {
        cond_bsr3_rows_avx2(A, first, last, x, shift, y);
        return;
    }
#endif
    cond_bsr3_rows_generic(A, first, last, x, shift, y);
}

typedef struct ProductLoop {
    const CondBsr3Rows* A;
    const double *x, *shift;
    double* y;
} ProductLoop;

static void multiply_rows(const void* loop, int first, int last)
{
    const ProductLoop* l = loop;
    cond_bsr3_rows(l->A, first, last, l->x, l->shift, l->y);
}

void cond_bsr3_product(const CondBsr3Rows* A, int n_row, const double* x, const double* shift,
                       double* y, int threads)
{
    ProductLoop loop = {A, x, shift, y};
    size_t work = 9 * (size_t)A->row_begin[n_row];
    cond_parallel_rows(n_row, A->row_begin, cond_threads(work, threads), multiply_rows, &loop);
}
