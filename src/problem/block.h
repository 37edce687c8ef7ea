// Fast products with the blocks of a CondProblem, by kind.
#ifndef COND_PROBLEM_BLOCK_H
#define COND_PROBLEM_BLOCK_H

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

// The same without the blocks of 3x3 blocks, whose coordinates are unchanged.
void cond_problem_multiply_others(const CondProblem* problem, const double* x, const double* shift,
                                  double* y, int threads);

// sum_j |a_ij| of each row.                                          sums (n_dof of the block)
void cond_block_row_sums(const CondBlock* block, double* sums, int threads);

// Its diagonal; those of all blocks; and that of A.        d (n_dof of the block, n_dof of the
// problem)
void cond_block_diagonal(const CondBlock* block, double* d, int threads);
void cond_problem_block_diagonals(const CondProblem* problem, double* d, int threads);
void cond_problem_diagonal_by(const CondProblem* problem, double* d, int threads);

// The columns of row i of a tridiagonal block: from *first, *count of them; returns the number of
// the row's entry at *first.
static inline int cond_block_tridiagonal_span(const CondBlock* block, int i, int* first, int* count)
{
    int begin = 6 * (i / 6) - 6, skip = begin < 0 ? -begin : 0;
    int end = begin + COND_TRIDIAGONAL_ROW;
    *first = begin + skip;
    *count = (end < block->n_dof ? end : block->n_dof) - *first;
    return skip;
}

static inline double cond_block_tridiagonal_row(const CondBlock* block, int i, const double* x)
{
    int first, count, skip = cond_block_tridiagonal_span(block, i, &first, &count);
    const double* row = block->values + (size_t)i * COND_TRIDIAGONAL_ROW + skip;
    double sum = 0.0;
    for (int k = 0; k < count; k++)
        sum += row[k] * x[first + k];
    return sum;
}

// y += J' K J x of all couplings.
void cond_problem_add_couplings(const CondProblem* problem, const double* x, double* y);

// y = A x
void cond_problem_multiply_by(const CondProblem* problem, const double* x, double* y, int threads);

#endif
