#include "solve/multilevel.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "solve/multilevel_part.h"
#include "sparse/block6.h"
#include "sparse/cholesky.h"

#include <string.h>

enum { FEWEST = 60 }; // nodes below which there is nothing to gain

#define RESERVE(array, count)                                                                      \
    cond_reserve(&multi->context, &level->array, &level->cap_##array, count, sizeof *level->array)

static int count_nodes(const CondProblem* problem, int* blocks, int* known)
{
    int n = 0;
    *blocks = 0;
    *known = 1;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3) {
            const CondBlock* block = &problem->block[b];
            n += block->n_dof / 3;
            *blocks += block->row_begin[block->n_dof / 3];
            *known = *known && block->position;
        }
    return n;
}

// 1 where the pattern of level 0 is that of the problem already.
static int same_pattern(const CondLevel* level, const CondProblem* problem, int n)
{
    if (level->n_node != n)
        return 0;
    int first = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        int base = level->row_begin[first];
        for (int i = 0; i < block->n_dof / 3; i++) {
            if (level->row_begin[first + i + 1] - base != block->row_begin[i + 1])
                return 0;
            for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
                if (level->column[base + k] != first + block->column[k])
                    return 0;
        }
        first += block->n_dof / 3;
    }
    return 1;
}

static void take_pattern(CondLevel* level, const CondProblem* problem)
{
    int first = 0, size = 0;
    level->row_begin[0] = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        int n = block->n_dof / 3;
        for (int i = 0; i < n; i++)
            level->row_begin[first + i + 1] = size + block->row_begin[i + 1];
        for (int k = 0; k < block->row_begin[n]; k++)
            level->column[size + k] = first + block->column[k];
        first += n;
        size += block->row_begin[n];
    }
}

static void take_values(CondLevel* level, const CondProblem* problem)
{
    int first = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        int n = block->n_dof / 3;
        for (int i = 0; i < n; i++)
            level->row[first + i] = block->values + 9 * (size_t)block->row_begin[i];
        memcpy(level->place + 3 * (size_t)first, block->position,
               3 * (size_t)n * sizeof *level->place);
        first += n;
    }
}

CondStatus cond_multilevel_plan(CondMultilevel* multi, const CondProblem* problem, int threads,
                                int* fits)
{
    CondLevel* level = multi->level;
    int blocks, known, n = count_nodes(problem, &blocks, &known);
    *fits = 0;
    if (n < FEWEST || !known)
        return COND_OK;
    multi->threads = threads;
    if (multi->n_level == 0 || !same_pattern(level, problem, n)) {
        multi->n_level = 0;
        level->n_node = n;
        level->width = 3;
        if (RESERVE(row_begin, n + 1) || RESERVE(column, blocks) || RESERVE(row, n) ||
            RESERVE(D, 9 * n) || RESERVE(place, 3 * n) || RESERVE(x, 3 * n) || RESERVE(r, 3 * n) ||
            RESERVE(y, 3 * n) ||
            cond_reserve(&multi->context, &multi->mark, &multi->cap_mark, n, sizeof *multi->mark) ||
            cond_reserve(&multi->context, &multi->changed, &multi->cap_changed, n,
                         sizeof *multi->changed) ||
            cond_reserve(&multi->context, &multi->tied, &multi->cap_tied, 9 * n,
                         sizeof *multi->tied) ||
            cond_reserve(&multi->context, &multi->soft, &multi->cap_soft, 9 * n,
                         sizeof *multi->soft))
            return COND_OUT_OF_MEMORY;
        take_pattern(level, problem);
        CondStatus status = cond_multilevel_plan_levels(multi);
        if (status) {
            multi->n_level = 0;
            return status;
        }
        int last = 6 * multi->level[multi->n_level - 1].n_node;
        if (cond_reserve(&multi->context, &multi->factor, &multi->cap_factor, last * last,
                         sizeof *multi->factor)) {
            multi->n_level = 0;
            return COND_OUT_OF_MEMORY;
        }
    }
    if (multi->n_level < 2)
        return COND_OK;
    take_values(level, problem);
    multi->fresh = 1;
    *fits = 1;
    return COND_OK;
}

// One loop over the nodes of a level.
typedef struct Sweep {
    const CondLevel* level;
    const double* r; // read
    double* y;       // written
    double s;
    int add;
} Sweep;

// y = s D r, or y += s D r.
static void relax_rows(const void* loop, int first, int last)
{
    const Sweep* sweep = loop;
    for (int i = first; i < last; i++) {
        const double *D = sweep->level->D + 36 * (size_t)i, *ri = sweep->r + 6 * (size_t)i;
        double* yi = sweep->y + 6 * (size_t)i;
        for (int a = 0; a < 6; a++) {
            double sum = 0.0;
            for (int b = 0; b < 6; b++)
                sum += D[6 * a + b] * ri[b];
            yi[a] = sweep->add ? yi[a] + sweep->s * sum : sweep->s * sum;
        }
    }
}

static CondBlock6Map interpolation(const CondLevel* fine)
{
    return (CondBlock6Map){.width = fine->width,
                           .n_node = fine->n_node,
                           .node_begin = fine->p_begin,
                           .group = fine->p_column,
                           .n_group = fine->n_coarse,
                           .group_begin = fine->t_begin,
                           .node = fine->t_node,
                           .block = fine->t_entry,
                           .value = fine->P};
}

// y = r - A x on a coarse level.
static void coarse_residual(const CondMultilevel* multi, CondLevel* level)
{
    CondBlock6Rows A = {level->n_node, level->row_begin, level->column, level->A};
    cond_block6_residual(&A, level->x, level->r, level->y, multi->threads);
}

static void relax(const CondMultilevel* multi, CondLevel* level, const double* r, int add)
{
    double s = COND_MULTILEVEL_DAMPING / level->high;
    Sweep sweep = {level, r, level->x, s, add};
    size_t work = 36 * (size_t)level->n_node;
    cond_parallel(level->n_node, cond_threads(work, multi->threads), relax_rows, &sweep);
}

static void restrict_to(const CondMultilevel* multi, const CondLevel* fine, const double* r,
                        double* out)
{
    CondBlock6Map P = interpolation(fine);
    cond_block6_restrict(&P, r, out, multi->threads);
}

static void prolong(const CondMultilevel* multi, const CondLevel* fine, const double* coarse,
                    double* x)
{
    CondBlock6Map P = interpolation(fine);
    cond_block6_prolong(&P, coarse, x, multi->threads);
}

// x = about A^-1 r on level l, symmetric.
static void cycle(CondMultilevel* multi, int l)
{
    CondLevel* level = &multi->level[l];
    if (l == multi->n_level - 1) {
        memcpy(level->x, level->r, 6 * (size_t)level->n_node * sizeof *level->x);
        cond_cholesky_solve(6 * level->n_node, multi->factor, level->x);
        return;
    }
    relax(multi, level, level->r, 0);
    coarse_residual(multi, level);
    restrict_to(multi, level, level->y, level[1].r);
    cycle(multi, l + 1);
    prolong(multi, level, level[1].x, level->x);
    coarse_residual(multi, level);
    relax(multi, level, level->y, 1);
}

void cond_multilevel_correct(CondMultilevel* multi, const double* r, double* z)
{
    restrict_to(multi, multi->level, r, multi->level[1].r);
    cycle(multi, 1);
    prolong(multi, multi->level, multi->level[1].x, z);
}

void cond_multilevel_destroy(CondMultilevel* multi)
{
    for (int l = 0; l < COND_LEVELS; l++) {
        CondLevel* level = &multi->level[l];
        void* arrays[] = {level->row_begin, level->column,  (void*)level->row, level->A,
                          level->D,         level->place,   level->group,      level->p_begin,
                          level->p_column,  level->w_begin, level->w_column,   level->t_begin,
                          level->t_node,    level->t_entry, level->P,          level->x,
                          level->r,         level->y};
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
            cond_release(&multi->context, arrays[i]);
    }
    void* arrays[] = {multi->factor, multi->tied, multi->soft, multi->changed, multi->mark};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&multi->context, arrays[i]);
}
