#include "solve/tie_packed.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

#define RESERVE(array, count)                                                                      \
    cond_reserve(&packed->context, &packed->array, &packed->cap_##array, count,                    \
                 sizeof *packed->array)

enum { WINDOW = 512 }; // nodes among which the order is free

// Nodes in the order of their number of blocks, within windows.
static void sort_nodes(CondTiePacked* packed, const CondProblem* problem)
{
    int n = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind == COND_BLOCK_BSR3)
            for (int i = 0; i < block->n_dof / 3; i++)
                packed->length[n++] = block->row_begin[i + 1] - block->row_begin[i];
    }
    for (int first = 0; first < n; first += WINDOW) {
        int last = first + WINDOW < n ? first + WINDOW : n, longest = 0, at = first;
        for (int i = first; i < last; i++)
            longest = packed->length[i] > longest ? packed->length[i] : longest;
        for (int size = longest; size >= 0 && at < last; size--)
            for (int i = first; i < last; i++)
                if (packed->length[i] == size)
                    packed->order[at++] = i;
    }
    for (int k = 0; k < n; k++)
        packed->rank[packed->order[k]] = k;
}

static void count_blocks(CondTiePacked* packed)
{
    packed->row_begin[0] = 0;
    for (int pair = 0; pair < packed->n_pair; pair++) {
        int most = packed->length[packed->order[2 * pair]];
        if (2 * pair + 1 < packed->n_node && packed->length[packed->order[2 * pair + 1]] > most)
            most = packed->length[packed->order[2 * pair + 1]];
        packed->row_begin[pair + 1] = packed->row_begin[pair] + most;
    }
}

// Nodes of one body, the first of which is the system's node `first`.
typedef struct BodyLoop {
    CondTiePacked* packed;
    const CondBlock* block;
    int first;
} BodyLoop;

static void pack_rows(const void* loop, int begin, int end)
{
    const BodyLoop* l = loop;
    CondTiePacked* packed = l->packed;
    const CondBlock* block = l->block;
    for (int i = begin; i < end; i++) {
        int rank = packed->rank[l->first + i], half = rank % 2,
            count = packed->length[l->first + i];
        int at = packed->row_begin[rank / 2], room = packed->row_begin[rank / 2 + 1] - at;
        for (int k = 0; k < room; k++) {
            int from = block->row_begin[i] + k;
            float* to = packed->value + cond_tie_packed_place(2 * (at + k) + half);
            int* column = &packed->column[2 * (at + k) + half];
            *column = 4 * rank;
            for (int r = 0; r < 3; r++)
                memset(to + (ptrdiff_t)8 * r, 0, 4 * sizeof *to);
            if (k >= count)
                continue; // zeros, for the other of the pair has more
            *column = 4 * packed->rank[l->first + block->column[from]];
            cond_tie_packed_block(block->values + 9 * (size_t)from, to);
            if (block->column[from] == i)
                packed->diagonal[rank] = (int)(to - packed->value);
        }
    }
}

// The second of the last pair, where there is none.
static void fill_last(CondTiePacked* packed)
{
    if (packed->n_node % 2 == 0)
        return;
    for (int k = packed->row_begin[packed->n_pair - 1]; k < packed->row_begin[packed->n_pair];
         k++) {
        float* to = packed->value + cond_tie_packed_place(2 * k + 1);
        packed->column[2 * k + 1] = 4 * (packed->n_node - 1);
        for (int r = 0; r < 3; r++)
            memset(to + (ptrdiff_t)8 * r, 0, 4 * sizeof *to);
    }
}

CondStatus cond_tie_packed_add_join(CondTiePacked* packed, int n_row, int n_share)
{
    int n = packed->n_join, first = packed->n_share;
    if (RESERVE(join_row, n + 2) || RESERVE(join_gain, n + 2) || RESERVE(share, first + n_share))
        return COND_OUT_OF_MEMORY;
    if (n == 0)
        packed->join_row[0] = packed->join_gain[0] = 0;
    packed->join_row[n + 1] = packed->join_row[n] + n_row;
    packed->join_gain[n + 1] = packed->join_gain[n] + n_row * n_row;
    if (RESERVE(gain, packed->join_gain[n + 1]))
        return COND_OUT_OF_MEMORY;
    int value = 0;
    if (first > 0) {
        const CondTieShare* last = &packed->share[first - 1];
        value = last->value + 3 * (packed->join_row[last->join + 1] - packed->join_row[last->join]);
    }
    for (int k = 0; k < n_share; k++, value += 3 * n_row)
        packed->share[first + k] = (CondTieShare){-1, n, value};
    if (RESERVE(share_value, value))
        return COND_OUT_OF_MEMORY;
    packed->n_share += n_share;
    packed->n_join++;
    return COND_OK;
}

// By parts, and within a part as they came.
static void sort_shares(CondTiePacked* packed)
{
    int *begin = packed->part_cell, n = packed->n_part;
    memset(begin, 0, (size_t)(n + 1) * sizeof *begin);
    for (int k = 0; k < packed->n_share; k++)
        begin[packed->share[k].node / (2 * COND_PACKED_PART) + 1]++;
    for (int part = 0; part < n; part++)
        begin[part + 1] += begin[part];
    for (int k = 0; k < packed->n_share; k++)
        packed->sorted[begin[packed->share[k].node / (2 * COND_PACKED_PART)]++] = packed->share[k];
    memcpy(packed->share, packed->sorted, (size_t)packed->n_share * sizeof *packed->share);
}

CondStatus cond_tie_packed_sort_joins(CondTiePacked* packed)
{
    int n = packed->n_share, part = 0, rows = 0;
    if (RESERVE(sorted, n) || RESERVE(cell_begin, n + 1) || RESERVE(cell_row, n + 1) ||
        RESERVE(part_cell, packed->n_part + 1))
        return COND_OUT_OF_MEMORY;
    packed->n_cell = 0;
    if (n > 0)
        sort_shares(packed);
    for (int k = 0; k < n; k++) {
        const CondTieShare* share = &packed->share[k];
        int at = share->node / (2 * COND_PACKED_PART),
            fresh = k == 0 || share->join != share[-1].join;
        if (fresh || at != share[-1].node / (2 * COND_PACKED_PART)) {
            for (; part <= at; part++)
                packed->part_cell[part] = packed->n_cell;
            packed->cell_begin[packed->n_cell] = k;
            packed->cell_row[packed->n_cell++] = rows;
            rows += packed->join_row[share->join + 1] - packed->join_row[share->join];
        }
    }
    for (; part <= packed->n_part; part++)
        packed->part_cell[part] = packed->n_cell;
    packed->cell_begin[packed->n_cell] = n;
    packed->cell_row[packed->n_cell] = rows;
    int most = packed->n_join > 0 ? 2 * packed->n_team * packed->join_row[packed->n_join] : 0;
    return RESERVE(cell_sum, rows) ? COND_OUT_OF_MEMORY : RESERVE(force, most);
}

CondStatus cond_tie_packed_plan(CondTiePacked* packed, const CondProblem* problem, int threads)
{
    int n = packed->n_node, np = (n + 1) / 2, row = 0;
    packed->n_pair = np;
    packed->n_part = (np + COND_PACKED_PART - 1) / COND_PACKED_PART;
    if (RESERVE(order, n) || RESERVE(rank, n) || RESERVE(length, n) || RESERVE(row_begin, np + 1))
        return COND_OUT_OF_MEMORY;
    sort_nodes(packed, problem);
    count_blocks(packed);
    int size = packed->row_begin[np];
    if (RESERVE(column, 2 * size) || RESERVE(value, 24 * size) || RESERVE(diagonal, n) ||
        RESERVE(B, 24 * np) || RESERVE(x, 8 * np) || RESERVE(r, 8 * np) || RESERVE(z, 8 * np) ||
        RESERVE(p, 8 * np) || RESERVE(q, 8 * np) || RESERVE(product_sum, packed->n_part) ||
        RESERVE(step_sum, packed->n_part))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        BodyLoop loop = {packed, block, row};
        int rows = block->n_dof / 3;
        cond_parallel(rows, cond_threads(9 * (size_t)block->row_begin[rows], threads), pack_rows,
                      &loop);
        row += rows;
    }
    fill_last(packed);
    memset(packed->B, 0, 24 * (size_t)np * sizeof *packed->B);
    memset(packed->r, 0, 8 * (size_t)np * sizeof *packed->r);
    packed->n_join = packed->n_share = 0;
    packed->n_team = cond_threads(24 * (size_t)size, threads);
    return COND_OK;
}

CondStatus cond_tie_packed_plan_border(CondTiePacked* packed, int n_border, int n_bordered,
                                       const int* bordered)
{
    int size = 3 * n_bordered * n_border, k = 0;
    packed->n_border = n_border;
    packed->n_bordered = n_bordered;
    packed->n_border_sum = 0;
    if (RESERVE(node, n_bordered) || RESERVE(slot, n_bordered) ||
        RESERVE(part_begin, packed->n_part + 1) || RESERVE(part_sum, packed->n_part) ||
        RESERVE(C, size) || RESERVE(BC, size) || RESERVE(S, n_border * n_border))
        return COND_OUT_OF_MEMORY;
    // By their places; the lengths have served.
    for (int i = 0; i < packed->n_node; i++)
        packed->length[i] = -1;
    for (int i = 0; i < n_bordered; i++)
        packed->length[packed->rank[bordered[i]]] = i;
    for (int part = 0; part < packed->n_part; part++) {
        int end = 2 * (part + 1) * COND_PACKED_PART;
        packed->part_begin[part] = k;
        for (int i = end - 2 * COND_PACKED_PART; i < end && i < packed->n_node; i++)
            if (packed->length[i] >= 0) {
                packed->slot[k] = packed->length[i];
                packed->node[k++] = i;
            }
        packed->part_sum[part] = k > packed->part_begin[part] ? packed->n_border_sum++ : -1;
    }
    packed->part_begin[packed->n_part] = k;
    size = packed->n_border_sum * n_border;
    return RESERVE(product_border, size) ? COND_OUT_OF_MEMORY : RESERVE(step_border, size);
}

void cond_tie_packed_destroy(CondTiePacked* packed)
{
    void* arrays[] = {packed->order,       packed->rank,
                      packed->length,      packed->row_begin,
                      packed->slot,        packed->column,
                      packed->value,       packed->diagonal,
                      packed->join_row,    packed->join_gain,
                      packed->gain,        packed->share,
                      packed->share_value, packed->sorted,
                      packed->cell_begin,  packed->cell_row,
                      packed->part_cell,   packed->cell_sum,
                      packed->force,       packed->B,
                      packed->node,        packed->part_begin,
                      packed->part_sum,    packed->C,
                      packed->BC,          packed->S,
                      packed->x,           packed->r,
                      packed->z,           packed->p,
                      packed->q,           packed->product_sum,
                      packed->step_sum,    packed->product_border,
                      packed->step_border};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&packed->context, arrays[i]);
}
