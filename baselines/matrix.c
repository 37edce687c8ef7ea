// Assembles A of a problem by columns and keeps its pattern between steps (matrix.h).
#include "matrix.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>

// Takes one contribution; of the two mirror images only the lower one.
static void add(CondMatrix* a, int row, int column, double value)
{
    if (row < column)
        return;
    int k = a->n_entry++;
    if (a->row[k] != row || a->column[k] != column)
        a->changed = 1;
    a->row[k] = row;
    a->column[k] = column;
    a->value[k] = value;
}

// One function per kind of block: the most contributions it makes, and making them.

static size_t count_dense(const CondBlock* block)
{
    return (size_t)block->n_dof * ((size_t)block->n_dof + 1) / 2;
}

static void add_dense(CondMatrix* a, const CondBlock* block)
{
    int n = block->n_dof, d = block->dof_begin;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            add(a, d + i, d + j, block->values[(size_t)i * n + j]);
}

static size_t count_sparse(const CondBlock* block)
{
    return (size_t)block->row_begin[block->n_dof];
}

static void add_sparse(CondMatrix* a, const CondBlock* block)
{
    int d = block->dof_begin;
    for (int i = 0; i < block->n_dof; i++)
        for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
            add(a, d + i, d + block->column[k], block->values[k]);
}

static size_t count_bsr3(const CondBlock* block)
{
    return 9 * (size_t)block->row_begin[block->n_dof / 3];
}

static void add_bsr3(CondMatrix* a, const CondBlock* block)
{
    int d = block->dof_begin;
    for (int i = 0; i < block->n_dof / 3; i++)
        for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
            for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++)
                    add(a, d + 3 * i + r, d + 3 * block->column[k] + s,
                        block->values[9 * (size_t)k + 3 * (size_t)r + (size_t)s]);
}

static size_t count_tridiagonal(const CondBlock* block)
{
    size_t size = 0;
    for (int i = 0; i < block->n_dof; i++)
        size += (size_t)cond_block_row_size(block, i);
    return size;
}

static void add_tridiagonal(CondMatrix* a, const CondBlock* block)
{
    int d = block->dof_begin, j;
    for (int i = 0; i < block->n_dof; i++)
        for (int k = 0; k < cond_block_row_size(block, i); k++) {
            double value = cond_block_entry(block, i, k, &j);
            add(a, d + i, d + j, value);
        }
}

typedef struct BlockOps {
    CondBlockKind kind;
    size_t (*count)(const CondBlock* block);
    void (*add)(CondMatrix* a, const CondBlock* block);
} BlockOps;

static const BlockOps block_table[] = {
    {COND_BLOCK_DENSE, count_dense, add_dense},
    {COND_BLOCK_SPARSE, count_sparse, add_sparse},
    {COND_BLOCK_BSR3, count_bsr3, add_bsr3},
    {COND_BLOCK_TRIDIAGONAL, count_tridiagonal, add_tridiagonal},
};

static const BlockOps* block_ops(CondBlockKind kind)
{
    for (size_t i = 0; i < sizeof block_table / sizeof block_table[0]; i++)
        if (block_table[i].kind == kind)
            return &block_table[i];
    return NULL;
}

// J' K J
static void add_coupling(CondMatrix* a, const CondCoupling* coupling)
{
    int m = coupling->n_row, n = coupling->n_coordinate;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            if (coupling->coordinate[k] < coupling->coordinate[l])
                continue;
            double sum = 0.0;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    sum += coupling->jacobian[i * n + k] * coupling->gain[i * m + j] *
                           coupling->jacobian[j * n + l];
            add(a, coupling->coordinate[k], coupling->coordinate[l], sum);
        }
}

// weight Jc_c' Jc_c; a coordinate that both sides name meets itself in every combination.
static void add_contact(CondMatrix* a, const CondJacobian* Jc, int c, double weight)
{
    for (int k = Jc->begin[c]; k < Jc->begin[c + 1]; k++)
        for (int l = Jc->begin[c]; l < Jc->begin[c + 1]; l++) {
            const double *gk = Jc->value + 3 * k, *gl = Jc->value + 3 * l;
            add(a, Jc->coordinate[k], Jc->coordinate[l],
                weight * (gk[0] * gl[0] + gk[1] * gl[1] + gk[2] * gl[2]));
        }
}

static CondStatus reserve(CondMatrix* a, const CondProblem* problem, const CondJacobian* Jc,
                          const double* weight)
{
    const CondContext* m = &a->context;
    size_t most = 0;
    for (int i = 0; i < problem->n_block; i++) {
        const BlockOps* ops = block_ops(problem->block[i].kind);
        if (!ops)
            return COND_NOT_SUPPORTED;
        most += ops->count(&problem->block[i]);
    }
    for (int i = 0; i < problem->n_coupling; i++) {
        size_t n = (size_t)problem->coupling[i].n_coordinate;
        most += n * n;
    }
    for (int c = 0; weight && c < problem->n_contact; c++) {
        size_t n = (size_t)(Jc->begin[c + 1] - Jc->begin[c]);
        most += n * n;
    }
    if (most > INT_MAX / 4)
        return COND_NOT_SUPPORTED;
    int n = (int)most;
    if (cond_reserve(m, &a->row, &a->cap_row, n, sizeof *a->row) ||
        cond_reserve(m, &a->column, &a->cap_column, n, sizeof *a->column) ||
        cond_reserve(m, &a->value, &a->cap_value, n, sizeof *a->value) ||
        cond_reserve(m, &a->place, &a->cap_place, n, sizeof *a->place) ||
        cond_reserve(m, &a->order, &a->cap_order, 2 * n, sizeof *a->order) ||
        cond_reserve(m, &a->col_begin, &a->cap_col_begin, problem->n_dof + 1,
                     sizeof *a->col_begin) ||
        cond_reserve(m, &a->count, &a->cap_count, problem->n_dof + 1, sizeof *a->count))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

// to = from, stably sorted by key[from]; keys are 0 .. n - 1.
static void sort_by(CondMatrix* a, const int* key, const int* from, int* to)
{
    memset(a->count, 0, ((size_t)a->n + 1) * sizeof *a->count);
    for (int k = 0; k < a->n_entry; k++)
        a->count[key[k] + 1]++;
    for (int i = 0; i < a->n; i++)
        a->count[i + 1] += a->count[i];
    for (int k = 0; k < a->n_entry; k++)
        to[a->count[key[from[k]]]++] = from[k];
}

// Finds the columns and the place of every contribution: sorted by row, then by column, with equal
// ones in the same place.
static CondStatus find_places(CondMatrix* a)
{
    int *first = a->order, *second = a->order + a->n_entry;
    for (int k = 0; k < a->n_entry; k++)
        second[k] = k;
    sort_by(a, a->row, second, first);
    sort_by(a, a->column, first, second);
    int n_place = 0;
    for (int k = 0; k < a->n_entry; k++) {
        int e = second[k], last = k > 0 ? second[k - 1] : -1;
        if (k == 0 || a->row[e] != a->row[last] || a->column[e] != a->column[last])
            n_place++;
        a->place[e] = n_place - 1;
    }
    const CondContext* m = &a->context;
    if (cond_reserve(m, &a->row_index, &a->cap_row_index, n_place, sizeof *a->row_index) ||
        cond_reserve(m, &a->x, &a->cap_x, n_place, sizeof *a->x))
        return COND_OUT_OF_MEMORY;
    memset(a->col_begin, 0, ((size_t)a->n + 1) * sizeof *a->col_begin);
    for (int k = 0; k < a->n_entry; k++) {
        int e = second[k];
        if (k == 0 || a->place[e] != a->place[second[k - 1]])
            a->col_begin[a->column[e] + 1]++;
        a->row_index[a->place[e]] = a->row[e];
    }
    for (int i = 0; i < a->n; i++)
        a->col_begin[i + 1] += a->col_begin[i];
    return COND_OK;
}

CondStatus cond_matrix_build(CondMatrix* a, const CondProblem* problem, const CondJacobian* Jc,
                             const double* weight)
{
    CondStatus status = reserve(a, problem, Jc, weight);
    if (status)
        return status;
    a->changed = !a->known || a->n != problem->n_dof;
    a->n = problem->n_dof;
    a->n_entry = 0;
    a->known = 0; // until this build has come to its end
    for (int i = 0; i < problem->n_block; i++)
        block_ops(problem->block[i].kind)->add(a, &problem->block[i]);
    for (int i = 0; i < problem->n_coupling; i++)
        add_coupling(a, &problem->coupling[i]);
    for (int c = 0; weight && c < problem->n_contact; c++)
        add_contact(a, Jc, c, weight[c]);
    if (a->n_entry != a->kept_entries)
        a->changed = 1;
    a->kept_entries = a->n_entry;
    if (a->changed) {
        status = find_places(a);
        if (status)
            return status;
    }
    memset(a->x, 0, (size_t)a->col_begin[a->n] * sizeof *a->x);
    for (int k = 0; k < a->n_entry; k++)
        a->x[a->place[k]] += a->value[k];
    a->known = 1;
    return COND_OK;
}

void cond_matrix_destroy(CondMatrix* a)
{
    void* arrays[] = {a->row,       a->column, a->value, a->place, a->col_begin,
                      a->row_index, a->x,      a->order, a->count};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&a->context, arrays[i]);
}
