// Matrices of 3x3 blocks with numbers of their own, for tests.
#include "bsr3_matrix.h"

#include "base/memory.h"
#include "linear/bsr3_product.h"

#include <string.h>

CondStatus bsr3_matrix_create(const CondContext* context, const CondBsr3Pattern* pattern,
                              CondBsr3* A)
{
    memset(A, 0, sizeof *A);
    size_t n_block = (size_t)pattern->row_begin[pattern->n_row];
    A->value = cond_allocate(context, n_block, 9 * sizeof *A->value);
    if (!A->value)
        return COND_OUT_OF_MEMORY;
    A->pattern = pattern;
    return COND_OK;
}

void bsr3_matrix_destroy(const CondContext* context, CondBsr3* A)
{
    cond_release(context, A->value);
    memset(A, 0, sizeof *A);
}

void bsr3_matrix_set_zero(CondBsr3* A)
{
    memset(A->value, 0, (size_t)A->pattern->row_begin[A->pattern->n_row] * 9 * sizeof *A->value);
}

void bsr3_matrix_multiply(const CondBsr3* A, const double* x, double* y, int threads)
{
    const CondBsr3Pattern* pattern = A->pattern;
    CondBsr3Rows rows = {pattern->row_begin, pattern->column, A->value};
    cond_bsr3_product(&rows, pattern->n_row, x, NULL, y, threads);
}

void bsr3_matrix_diagonal(const CondBsr3* A, double* d)
{
    for (int i = 0; i < A->pattern->n_row; i++)
        for (int k = 0; k < 3; k++)
            d[3 * (size_t)i + k] = A->value[9 * (size_t)A->pattern->diagonal[i] + 4 * k];
}
