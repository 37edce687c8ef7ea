// Products with one block of a CondProblem, by kind: the code in a hurry.
#ifndef COND_ASSEMBLE_BLOCK_H
#define COND_ASSEMBLE_BLOCK_H

#include "cond/problem.h"

#include <stddef.h>

// Row i of a dense block times x, which begins at the block's first coordinate.
static inline double cond_block_dense_row(const CondBlock* block, int i, const double* x)
{
    const double* row = block->values + (size_t)i * (size_t)block->n_dof;
    double sum = 0.0;
    for (int j = 0; j < block->n_dof; j++)
        sum += row[j] * x[j];
    return sum;
}

static inline double cond_block_sparse_row(const CondBlock* block, int i, const double* x)
{
    double sum = 0.0;
    for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
        sum += block->values[k] * x[block->column[k]];
    return sum;
}

// Rows 3 i .. 3 i + 2 at once: y = sum over the blocks of the row of B x_column.
static inline void cond_block_bsr3_rows(const CondBlock* block, int i, const double* x, double* y)
{
    double y0 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++) {
        const double* B = block->values + 9 * (size_t)k;
        const double* xk = x + 3 * block->column[k];
        y0 += B[0] * xk[0] + B[1] * xk[1] + B[2] * xk[2];
        y1 += B[3] * xk[0] + B[4] * xk[1] + B[5] * xk[2];
        y2 += B[6] * xk[0] + B[7] * xk[1] + B[8] * xk[2];
    }
    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
}

#endif
