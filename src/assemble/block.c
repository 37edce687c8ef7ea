#include "assemble/block.h"

#include "base/sum.h"
#include "sparse/bsr3_product.h"

static void multiply_dense(const CondBlock* block, const double* x, const double* shift, double* y,
                           int threads)
{
    int n = block->n_dof, n_thread = cond_threads(n, threads);
    (void)n_thread;
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1)
    for (int i = 0; i < n; i++)
        y[i] = cond_block_dense_row(block, i, x) - (shift ? shift[i] : 0.0);
}

static void multiply_sparse(const CondBlock* block, const double* x, const double* shift, double* y,
                            int threads)
{
    int n = block->n_dof, n_thread = cond_threads(n, threads);
    (void)n_thread;
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1)
    for (int i = 0; i < n; i++)
        y[i] = cond_block_sparse_row(block, i, x) - (shift ? shift[i] : 0.0);
}

static void multiply_tridiagonal(const CondBlock* block, const double* x, const double* shift,
                                 double* y, int threads)
{
    int n = block->n_dof, n_thread = cond_threads(n, threads);
    (void)n_thread;
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1)
    for (int i = 0; i < n; i++)
        y[i] = cond_block_tridiagonal_row(block, i, x) - (shift ? shift[i] : 0.0);
}

void cond_block_multiply(const CondBlock* block, const double* x, const double* shift, double* y,
                         int threads)
{
    switch (block->kind) {
    case COND_BLOCK_DENSE:
        multiply_dense(block, x, shift, y, threads);
        break;
    case COND_BLOCK_SPARSE:
        multiply_sparse(block, x, shift, y, threads);
        break;
    case COND_BLOCK_TRIDIAGONAL:
        multiply_tridiagonal(block, x, shift, y, threads);
        break;
    case COND_BLOCK_BSR3: {
        CondBsr3Rows rows = {block->row_begin, block->column, block->values};
        cond_bsr3_product(&rows, block->n_dof / 3, x, shift, y, threads);
        break;
    }
    }
}

// A problem may have very many small blocks (rigid bodies), so threads share those out whole; a
// block that is worth several threads of its own has them all.
void cond_problem_multiply_blocks(const CondProblem* problem, const double* x, const double* shift,
                                  double* y, int threads)
{
    int n_thread = problem->n_block > 1 ? cond_threads(problem->n_dof, threads) : 1;
    (void)n_thread;
#pragma omp parallel for schedule(static) num_threads(n_thread) if (n_thread > 1)
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int i = block->dof_begin;
        if (block->n_dof < COND_PARALLEL_FROM)
            cond_block_multiply(block, x + i, shift ? shift + i : NULL, y + i, 1);
    }
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int i = block->dof_begin;
        if (block->n_dof >= COND_PARALLEL_FROM)
            cond_block_multiply(block, x + i, shift ? shift + i : NULL, y + i, threads);
    }
}
