// Diagonal and norms of the rows of A.
#include "base/lanes.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "problem/block.h"
#include "vfpi/surrogate.h"

#include <string.h>

enum { MOST_ROWS = 6 }; // of a coupling whose rows are weighed at once

// Rows of a block.
typedef struct RowLoop {
    const CondBlock* block;
    double* norm2; // of the block's coordinates
} RowLoop;

// Three rows of a soft node. What does not belong to a row stands in a lane that is left out.
static void soft_rows(const void* loop, int first, int last)
{
    const RowLoop* l = loop;
    const CondBlock* block = l->block;
    for (int i = first; i < last; i++) {
        CondLanes s0 = {0.0}, s1 = {0.0}, s2 = {0.0};
        for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++) {
            const double* B = block->values + 9 * (size_t)k;
            CondLanes a = *(const CondLanesAnywhere*)B, b = *(const CondLanesAnywhere*)(B + 3);
            CondLanes c = *(const CondLanesAnywhere*)(B + 5);
            s0 += a * a;
            s1 += b * b;
            s2 += c * c;
        }
        l->norm2[3 * i] = s0[0] + s0[1] + s0[2];
        l->norm2[3 * i + 1] = s1[0] + s1[1] + s1[2];
        l->norm2[3 * i + 2] = s2[1] + s2[2] + s2[3];
    }
}

static void other_rows(const void* loop, int first, int last)
{
    const RowLoop* l = loop;
    for (int i = first; i < last; i++) {
        int n = cond_block_row_size(l->block, i), j;
        l->norm2[i] = 0.0;
        for (int k = 0; k < n; k++) {
            double a = cond_block_entry(l->block, i, k, &j);
            l->norm2[i] += a * a;
        }
    }
}

// Of the blocks alone, all rows.
static void block_rows(CondSurrogate* W, const CondNodal* nodal, int threads)
{
    const CondProblem* problem = nodal->problem;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int n = block->n_dof, soft = block->kind == COND_BLOCK_BSR3;
        RowLoop loop = {block, W->norm2 + block->dof_begin};
        cond_parallel(soft ? n / 3 : n, cond_threads(COND_CONTACT_WORK * (size_t)n, threads),
                      soft ? soft_rows : other_rows, &loop);
    }
    if (nodal->n_dof > 0) // right where no coupling touches a coordinate
        memcpy(W->diagonal, nodal->diagonal, (size_t)nodal->n_dof * sizeof *W->diagonal);
}

// Whether one coupling and nothing else touches a row, and that of a soft body.
static int is_coupled(const CondNodal* nodal, int i)
{
    const CondIncidence* incidence = &nodal->incidence[nodal->incidence_begin[i]];
    if (i >= nodal->n_dof || nodal->incidence_begin[i + 1] - nodal->incidence_begin[i] != 1)
        return 0;
    return incidence->term < nodal->problem->n_coupling && incidence->n_row <= MOST_ROWS &&
           nodal->problem->block[cond_nodal_block(nodal->problem, i)].kind == COND_BLOCK_BSR3;
}

// a + t for row i of a block, a, and of a term, t, which is f' J with f = K J_k:
//   |a + t|^2 = |a|^2 + 2 a't + f' (J J') f;
// mark says which column of J belongs to a coordinate, from 1 on.
static void coupled_row(CondSurrogate* W, const CondNodal* nodal, const CondTerm* term, int k,
                        const double* JJ)
{
    int i = term->coordinate[k], n = term->n_row;
    const CondBlock* block = &nodal->problem->block[cond_nodal_block(nodal->problem, i)];
    double f[MOST_ROWS], across = 0.0, square = 0.0;
    for (int s = 0; s < n; s++)
        f[s] = cond_term_pressed(term, s, k);
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++)
            square += f[r] * JJ[r * n + s] * f[s];
    int row = (i - block->dof_begin) / 3, a = (i - block->dof_begin) % 3;
    for (int m = block->row_begin[row]; m < block->row_begin[row + 1]; m++)
        for (int c = 0; c < 3; c++) {
            int entry = nodal->mark[block->dof_begin + 3 * block->column[m] + c];
            for (int r = 0; r < n && entry; r++)
                across += block->values[9 * (size_t)m + (size_t)(3 * a + c)] * f[r] *
                          term->J[r * term->row + (entry - 1) * term->entry];
        }
    W->norm2[i] += 2.0 * across + square; // nodal has the diagonal with its couplings
}

// Any row.
static void term_row(CondSurrogate* W, CondNodal* nodal, int i)
{
    int count = cond_nodal_row(nodal, i, W->row, W->list, nodal->mark);
    double sum = 0.0;
    W->diagonal[i] = W->row[i];
    for (int k = 0; k < count; k++) {
        double a = W->row[W->list[k]];
        sum += a * a;
        W->row[W->list[k]] = 0.0;
    }
    W->norm2[i] = sum;
}

// All rows that are coupled by the term.
static void coupled_rows(CondSurrogate* W, CondNodal* nodal, const CondTerm* term)
{
    const double* J = term->J;
    const int* coordinate = term->coordinate;
    double JJ[MOST_ROWS * MOST_ROWS] = {0.0};
    int n = term->n_row, twice = 0; // a coordinate may have two columns
    if (n > MOST_ROWS)
        return;
    for (int k = 0; k < term->n_entry; k++) {
        twice |= nodal->mark[coordinate[k]];
        nodal->mark[coordinate[k]] = k + 1;
        for (int r = 0; r < n; r++)
            for (int s = 0; s < n; s++)
                JJ[r * n + s] +=
                    J[r * term->row + k * term->entry] * J[s * term->row + k * term->entry];
    }
    for (int k = 0; k < term->n_entry && !twice; k++)
        if (is_coupled(nodal, coordinate[k]))
            coupled_row(W, nodal, term, k, JJ);
    for (int k = 0; k < term->n_entry; k++)
        nodal->mark[coordinate[k]] = 0;
    for (int k = 0; k < term->n_entry && twice; k++)
        if (is_coupled(nodal, coordinate[k]))
            term_row(W, nodal, coordinate[k]);
}

CondStatus cond_surrogate_rows(CondSurrogate* W, CondNodal* nodal, const int* fresh, int threads)
{
    CondArena* m = &W->arena;
    int n = nodal->n;
    if (COND_RESERVE(m, W->row, n) || COND_RESERVE(m, W->list, n) ||
        COND_RESERVE(m, W->diagonal, n) || COND_RESERVE(m, W->norm2, n))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n && fresh; i++)
        if (fresh[i])
            term_row(W, nodal, i);
    if (fresh)
        return COND_OK;
    block_rows(W, nodal, threads);
    for (int t = 0; t < nodal->problem->n_coupling; t++)
        coupled_rows(W, nodal, &nodal->term[t]);
    for (int k = 0; k < nodal->n_touched; k++)
        if (!is_coupled(nodal, nodal->touched[k]))
            term_row(W, nodal, nodal->touched[k]);
    return COND_OK;
}
