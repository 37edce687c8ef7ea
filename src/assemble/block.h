// Products with the blocks of a CondProblem, by kind: the code in a hurry.
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

// y = B x - shift for the block's own coordinates, shift NULL for zero; x, shift and y begin at the
// block's first coordinate. The same bits for any number of threads.
void cond_block_multiply(const CondBlock* block, const double* x, const double* shift, double* y,
                         int threads);

// y = A x - shift of all blocks, couplings left out; whole vectors.                  (n_dof)
void cond_problem_multiply_blocks(const CondProblem* problem, const double* x, const double* shift,
                                  double* y, int threads);

#endif
