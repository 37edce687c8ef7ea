// Products with the blocks of a CondProblem, by their kind.
#include "problem/block.h"

#include "linear/dense_rows.h"

#include "base/parallel.h"
#include "base/tuning.h"
#include "linear/bsr3_product.h"

#include <math.h>
#include <string.h>

// y = B x - shift
typedef struct BlockLoop {
    const CondBlock* block;
    const double *x, *shift;
    double* y;
} BlockLoop;

static void multiply_dense(const void* loop, int first, int last)
{
    const BlockLoop* l = loop;
    int n = l->block->n_dof;
    cond_rows_multiply(last - first, n, l->block->values + (ptrdiff_t)first * n, l->x,
                       l->y + first);
    for (int i = first; i < last && l->shift; i++)
        l->y[i] -= l->shift[i];
}

// The same of a rigid body: rows side by side, each sum in the order of its columns.
static void multiply_six(const double* A, const double* x, const double* shift, double* y)
{
    enum { SIX = 6 };
    double sum[SIX] = {0.0};
    for (int j = 0; j < SIX; j++)
        for (int i = 0; i < SIX; i++)
            sum[i] += A[SIX * i + j] * x[j];
    for (int i = 0; i < SIX; i++)
        y[i] = sum[i] - (shift ? shift[i] : 0.0);
}

static void multiply_sparse(const void* loop, int first, int last)
{
    const BlockLoop* l = loop;
    for (int i = first; i < last; i++)
        l->y[i] = cond_block_sparse_row(l->block, i, l->x) - (l->shift ? l->shift[i] : 0.0);
}

static void multiply_tridiagonal(const void* loop, int first, int last)
{
    const BlockLoop* l = loop;
    for (int i = first; i < last; i++)
        l->y[i] = cond_block_tridiagonal_row(l->block, i, l->x) - (l->shift ? l->shift[i] : 0.0);
}

// Numbers stored in a block.
static size_t entries(const CondBlock* block)
{
    size_t n = (size_t)block->n_dof;
    switch (block->kind) {
    case COND_BLOCK_DENSE:
        return n * n;
    case COND_BLOCK_SPARSE:
        return (size_t)block->row_begin[n];
    case COND_BLOCK_TRIDIAGONAL:
        return n * COND_TRIDIAGONAL_ROW;
    case COND_BLOCK_BSR3:
        break;
    }
    return 9 * (size_t)block->row_begin[n / 3];
}

void cond_block_multiply(const CondBlock* block, const double* x, const double* shift, double* y,
                         int threads)
{
    if (block->kind == COND_BLOCK_BSR3) {
        CondBsr3Rows rows = {block->row_begin, block->column, block->values};
        cond_bsr3_product(&rows, block->n_dof / 3, x, shift, y, threads);
        return;
    }
    BlockLoop loop = {block, x, shift, y};
    CondLoopBody body = block->kind == COND_BLOCK_DENSE    ? multiply_dense
                        : block->kind == COND_BLOCK_SPARSE ? multiply_sparse
                                                           : multiply_tridiagonal;
    cond_parallel(block->n_dof, cond_threads(entries(block), threads), body, &loop);
}

// The blocks of a problem that are not worth several threads.
typedef struct SmallLoop {
    const CondProblem* problem;
    const double *x, *shift;
    double* y;
    int others; // 1: but for those of 3x3 blocks
} SmallLoop;

static int is_small(const CondBlock* block, int others)
{
    return entries(block) < COND_PARALLEL_FROM && !(others && block->kind == COND_BLOCK_BSR3);
}

static void multiply_small(const void* loop, int first, int last)
{
    const SmallLoop* l = loop;
    for (int b = first; b < last; b++) {
        const CondBlock* block = &l->problem->block[b];
        int i = block->dof_begin;
        if (block->kind == COND_BLOCK_DENSE && block->n_dof == 6)
            multiply_six(block->values, l->x + i, l->shift ? l->shift + i : NULL, l->y + i);
        else if (is_small(block, l->others))
            cond_block_multiply(block, l->x + i, l->shift ? l->shift + i : NULL, l->y + i, 1);
    }
}

// A problem may have very many small blocks (rigid bodies), so threads share those out whole; a
// block that is worth several threads of its own has them all.
static void multiply(const CondProblem* problem, const double* x, const double* shift, double* y,
                     int others, int threads)
{
    SmallLoop loop = {problem, x, shift, y, others};
    size_t small = 0, n_block = (size_t)problem->n_block;
    for (size_t b = 0; b < n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int i = block->dof_begin;
        if (is_small(block, others))
            small += entries(block);
        else if (!(others && block->kind == COND_BLOCK_BSR3))
            cond_block_multiply(block, x + i, shift ? shift + i : NULL, y + i, threads);
    }
    if (small > 0)
        cond_parallel(problem->n_block, cond_threads(small, threads), multiply_small, &loop);
}

void cond_problem_multiply_blocks(const CondProblem* problem, const double* x, const double* shift,
                                  double* y, int threads)
{
    multiply(problem, x, shift, y, 0, threads);
}

void cond_problem_multiply_others(const CondProblem* problem, const double* x, const double* shift,
                                  double* y, int threads)
{
    multiply(problem, x, shift, y, 1, threads);
}

// Rows, or rows of 3x3 blocks, and what is found in each.
typedef struct RowLoop {
    const CondBlock* block;
    double* out;
} RowLoop;

static void each_row(const CondBlock* block, CondLoopBody nodes, CondLoopBody rows, double* out,
                     int threads)
{
    RowLoop loop = {block, out};
    int team = cond_threads(entries(block), threads);
    if (block->kind == COND_BLOCK_BSR3)
        cond_parallel_rows(block->n_dof / 3, block->row_begin, team, nodes, &loop);
    else
        cond_parallel(block->n_dof, team, rows, &loop);
}

static void sum_node_rows(const void* loop, int first, int last)
{
    const RowLoop* l = loop;
    for (int i = first; i < last; i++) {
        double total[3] = {0.0, 0.0, 0.0};
        for (int k = l->block->row_begin[i]; k < l->block->row_begin[i + 1]; k++) {
            const double* a = l->block->values + 9 * (size_t)k;
            for (int r = 0; r < 3; r++)
                total[r] += fabs(a[3 * r]) + fabs(a[3 * r + 1]) + fabs(a[3 * r + 2]);
        }
        memcpy(l->out + 3 * (size_t)i, total, sizeof total);
    }
}

// The numbers of row i, which follow each other in all blocks but those of nodes.
static const double* row_of(const CondBlock* block, int i, int* n)
{
    int first;
    *n = cond_block_row_size(block, i);
    if (block->kind == COND_BLOCK_DENSE)
        return block->values + (size_t)i * (size_t)block->n_dof;
    if (block->kind == COND_BLOCK_SPARSE)
        return block->values + block->row_begin[i];
    return block->values + (size_t)i * COND_TRIDIAGONAL_ROW +
           cond_block_tridiagonal_span(block, i, &first, n);
}

static void sum_rows(const void* loop, int first, int last)
{
    const RowLoop* l = loop;
    for (int i = first; i < last; i++) {
        int n;
        const double* row = row_of(l->block, i, &n);
        double sum = 0.0;
        for (int k = 0; k < n; k++)
            sum += fabs(row[k]);
        l->out[i] = sum;
    }
}

void cond_block_row_sums(const CondBlock* block, double* sums, int threads)
{
    each_row(block, sum_node_rows, sum_rows, sums, threads);
}

static void take_node_diagonal(const void* loop, int first, int last)
{
    const RowLoop* l = loop;
    for (int i = first; i < last; i++)
        for (int k = l->block->row_begin[i]; k < l->block->row_begin[i + 1]; k++)
            for (int r = 0; r < 3 && l->block->column[k] == i; r++)
                l->out[3 * i + r] = l->block->values[9 * (size_t)k + 4 * (size_t)r];
}

static void take_diagonal(const void* loop, int first, int last)
{
    const RowLoop* l = loop;
    const CondBlock* block = l->block;
    int dense = block->kind == COND_BLOCK_DENSE, sparse = block->kind == COND_BLOCK_SPARSE;
    for (int i = first; i < last; i++) {
        int n, k = dense ? i : 0;
        const double* row = row_of(block, i, &n);
        while (sparse && k < n && block->column[block->row_begin[i] + k] != i)
            k++;
        if (!dense && !sparse)
            k = i % 6 + (i < 6 ? 0 : 6); // the first link has none before it
        l->out[i] = k < n ? row[k] : 0.0;
    }
}

void cond_block_diagonal(const CondBlock* block, double* d, int threads)
{
    each_row(block, take_node_diagonal, take_diagonal, d, threads);
}

// Blocks that are not worth several threads are shared out whole.
typedef struct DiagonalLoop {
    const CondProblem* problem;
    double* d;
} DiagonalLoop;

static void take_diagonals(const void* loop, int first, int last)
{
    const DiagonalLoop* l = loop;
    for (int b = first; b < last; b++) {
        const CondBlock* block = &l->problem->block[b];
        if (is_small(block, 0))
            cond_block_diagonal(block, l->d + block->dof_begin, 1);
    }
}

void cond_problem_block_diagonals(const CondProblem* problem, double* d, int threads)
{
    DiagonalLoop loop = {problem, d};
    size_t small = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (is_small(block, 0))
            small += (size_t)block->n_dof;
        else
            cond_block_diagonal(block, d + block->dof_begin, threads);
    }
    if (small > 0)
        cond_parallel(problem->n_block, cond_threads(COND_COORDINATE_WORK * small / 2, threads),
                      take_diagonals, &loop);
}
