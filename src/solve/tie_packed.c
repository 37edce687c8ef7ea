#include "solve/tie_packed.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "sparse/bsr3_part.h"

#include <string.h>

#define RESERVE(array, count)                                                                      \
    cond_reserve(&packed->context, &packed->array, &packed->cap_##array, count,                    \
                 sizeof *packed->array)

enum { WINDOW = 128 }; // nodes among which the order is free

// Tells patterns of the soft bodies apart.
static uint64_t find_key(const CondProblem* problem)
{
    uint64_t key = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        CondBsr3Part part = {
            {block->row_begin, block->column, block->values}, block->n_dof / 3, block->dof_begin};
        if (block->kind == COND_BLOCK_BSR3)
            key = 31 * key + cond_bsr3_parts_key(1, &part);
    }
    return key;
}

static void count_lengths(CondTiePacked* packed, const CondProblem* problem)
{
    int n = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind == COND_BLOCK_BSR3)
            for (int i = 0; i < block->n_dof / 3; i++)
                packed->length[n++] = block->row_begin[i + 1] - block->row_begin[i];
    }
}

// The nodes of a body, the first of which is the system's node `first`, breadth first: neighbours
// come close to each other, and threads read little of what others write.
static void walk_body(CondTiePacked* packed, const CondBlock* block, int first)
{
    int *order = packed->order + first, *seen = packed->rank + first, n = block->n_dof / 3;
    int next = 0, end = 0;
    for (int i = 0; i < n; i++)
        seen[i] = 0;
    for (int seed = 0; seed < n; seed++) {
        if (!seen[seed]) {
            seen[seed] = 1;
            order[end++] = first + seed;
        }
        for (; next < end; next++) {
            int i = order[next] - first;
            for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
                if (!seen[block->column[k]]) {
                    seen[block->column[k]] = 1;
                    order[end++] = first + block->column[k];
                }
        }
    }
}

// Then in the order of their number of blocks, within windows.
static void sort_nodes(CondTiePacked* packed, const CondProblem* problem)
{
    int n = 0, *walked = packed->rank;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3) {
            walk_body(packed, &problem->block[b], n);
            n += problem->block[b].n_dof / 3;
        }
    if (n > 0)
        memcpy(walked, packed->order, (size_t)n * sizeof *walked);
    for (int first = 0; first < n; first += WINDOW) {
        int last = first + WINDOW < n ? first + WINDOW : n, longest = 0, at = first;
        for (int k = first; k < last; k++)
            longest = packed->length[walked[k]] > longest ? packed->length[walked[k]] : longest;
        for (int size = longest; size >= 0 && at < last; size--)
            for (int k = first; k < last; k++)
                if (packed->length[walked[k]] == size)
                    packed->order[at++] = walked[k];
    }
    for (int k = 0; k < n; k++)
        packed->rank[packed->order[k]] = k;
}

static void count_blocks(CondTiePacked* packed)
{
    packed->row_begin[0] = 0;
    for (int four = 0; four < packed->n_four; four++) {
        int most = 0;
        for (int k = 4 * four; k < 4 * four + 4 && k < packed->n_node; k++)
            if (packed->length[packed->order[k]] > most)
                most = packed->length[packed->order[k]];
        packed->row_begin[four + 1] = packed->row_begin[four] + most;
    }
}

// A block of zeros, as the k-th of the row in a place.
static float* clear_block(CondTiePacked* packed, int place, int k)
{
    size_t at = (size_t)packed->row_begin[place / 4] + (size_t)k, lane = (size_t)(place % 4);
    float* to = packed->value + 36 * at + 3 * lane;
    packed->column[4 * at + lane] = 0;
    for (size_t r = 0; r < 3; r++)
        memset(to + 12 * r, 0, 3 * sizeof *to);
    return to;
}

// Nodes of one body, the first of which is the system's node `first`.
typedef struct BodyLoop {
    CondTiePacked* packed;
    const CondBlock* block;
    int first;
} BodyLoop;

// Columns, and zeros where others of the four have more blocks.
static void lay_out_rows(const void* loop, int begin, int end)
{
    const BodyLoop* l = loop;
    CondTiePacked* packed = l->packed;
    const CondBlock* block = l->block;
    for (int i = begin; i < end; i++) {
        int rank = packed->rank[l->first + i], from = block->row_begin[i];
        int at = packed->row_begin[rank / 4], room = packed->row_begin[rank / 4 + 1] - at;
        for (int k = 0; k < room; k++) {
            float* to = clear_block(packed, rank, k);
            if (from + k >= block->row_begin[i + 1])
                continue;
            packed->column[4 * (at + k) + rank % 4] =
                4 * packed->rank[l->first + block->column[from + k]];
            if (block->column[from + k] == i)
                packed->diagonal[rank] = (int)(to - packed->value);
        }
    }
}

static void pack_rows(const void* loop, int begin, int end)
{
    const BodyLoop* l = loop;
    CondTiePacked* packed = l->packed;
    const CondBlock* block = l->block;
    for (int i = begin; i < end; i++) {
        int rank = packed->rank[l->first + i];
        float* to = packed->value + 36 * (size_t)packed->row_begin[rank / 4] + 3 * (rank % 4);
        for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++, to += 36)
            cond_tie_packed_block(block->values + 9 * (size_t)k, to, 12);
    }
}

static void each_body(CondTiePacked* packed, const CondProblem* problem, CondLoopBody body,
                      int threads)
{
    for (int b = 0, row = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        BodyLoop loop = {packed, block, row};
        int rows = block->n_dof / 3;
        cond_parallel(rows, cond_threads(9 * (size_t)block->row_begin[rows], threads), body, &loop);
        row += rows;
    }
}

CondStatus cond_tie_packed_deepen(CondTiePacked* packed)
{
    int size = 16 * packed->n_four;
    return RESERVE(outer_x, size) || RESERVE(outer_r, size) || RESERVE(outer_p, size)
               ? COND_OUT_OF_MEMORY
               : COND_OK;
}

CondStatus cond_tie_packed_add_join(CondTiePacked* packed, int n_row, int n_share)
{
    int n = packed->n_join, first = packed->n_share;
    if (RESERVE(join_row, n + 2) || RESERVE(join_gain, n + 2) || RESERVE(join_size, n + 1) ||
        RESERVE(share, first + n_share))
        return COND_OUT_OF_MEMORY;
    if (n == 0)
        packed->join_row[0] = packed->join_gain[0] = 0;
    packed->join_size[n] = n_row;
    packed->join_row[n + 1] = packed->join_row[n] + cond_tie_packed_wide(n_row);
    packed->join_gain[n + 1] = packed->join_gain[n] + n_row * n_row;
    if (RESERVE(gain, packed->join_gain[n + 1]))
        return COND_OUT_OF_MEMORY;
    int value = 0;
    if (first > 0) {
        const CondTieShare* last = &packed->share[first - 1];
        value = last->value + 3 * (packed->join_row[last->join + 1] - packed->join_row[last->join]);
    }
    for (int k = 0; k < n_share; k++, value += 3 * cond_tie_packed_wide(n_row))
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
        begin[packed->share[k].node / (4 * COND_PACKED_PART) + 1]++;
    for (int part = 0; part < n; part++)
        begin[part + 1] += begin[part];
    for (int k = 0; k < packed->n_share; k++)
        packed->sorted[begin[packed->share[k].node / (4 * COND_PACKED_PART)]++] = packed->share[k];
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
        int at = share->node / (4 * COND_PACKED_PART),
            fresh = k == 0 || share->join != share[-1].join;
        if (fresh || at != share[-1].node / (4 * COND_PACKED_PART)) {
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
    int most = packed->n_join > 0 ? packed->n_team * packed->join_row[packed->n_join] : 0;
    return RESERVE(cell_sum, rows) || RESERVE(velocity, most) || RESERVE(force, most)
               ? COND_OUT_OF_MEMORY
               : COND_OK;
}

// Order and layout, for a pattern that is not the last one's.
static CondStatus plan_pattern(CondTiePacked* packed, const CondProblem* problem, int threads)
{
    int n = packed->n_node, n4 = (n + 3) / 4;
    packed->n_four = n4;
    packed->n_part = (n4 + COND_PACKED_PART - 1) / COND_PACKED_PART;
    if (RESERVE(order, n) || RESERVE(rank, n) || RESERVE(length, n) || RESERVE(row_begin, n4 + 1))
        return COND_OUT_OF_MEMORY;
    count_lengths(packed, problem);
    sort_nodes(packed, problem);
    count_blocks(packed);
    int size = packed->row_begin[n4];
    if (RESERVE(column, 4 * size) || RESERVE(value, 36 * size + 4) || RESERVE(diagonal, n) ||
        RESERVE(B, 48 * n4) || RESERVE(x, 16 * n4) || RESERVE(r, 16 * n4) || RESERVE(z, 16 * n4) ||
        RESERVE(p, 16 * n4) || RESERVE(q, 16 * n4) || RESERVE(product_sum, packed->n_part) ||
        RESERVE(step_sum, packed->n_part))
        return COND_OUT_OF_MEMORY;
    each_body(packed, problem, lay_out_rows, threads);
    for (int place = n; place < 4 * n4; place++) // where the last four are fewer
        for (int k = 0; k < packed->row_begin[n4] - packed->row_begin[n4 - 1]; k++)
            clear_block(packed, place, k);
    return COND_OK;
}

CondStatus cond_tie_packed_plan(CondTiePacked* packed, const CondProblem* problem, int threads)
{
    uint64_t key = find_key(problem);
    if (!packed->planned || key != packed->key) {
        packed->planned = 0;
        CondStatus status = plan_pattern(packed, problem, threads);
        if (status)
            return status;
        packed->planned = 1;
        packed->key = key;
    }
    each_body(packed, problem, pack_rows, threads);
    memset(packed->B, 0, 48 * (size_t)packed->n_four * sizeof *packed->B);
    memset(packed->r, 0, 16 * (size_t)packed->n_four * sizeof *packed->r);
    packed->n_join = packed->n_share = 0;
    packed->n_team = cond_threads(36 * (size_t)packed->row_begin[packed->n_four], threads);
    return COND_OK;
}

CondStatus cond_tie_packed_plan_border(CondTiePacked* packed, int n_border, int n_bordered,
                                       const int* bordered)
{
    int wide = cond_tie_packed_wide(n_border), size = 3 * n_bordered * wide, k = 0;
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
        int end = 4 * (part + 1) * COND_PACKED_PART;
        packed->part_begin[part] = k;
        for (int i = end - 4 * COND_PACKED_PART; i < end && i < packed->n_node; i++)
            if (packed->length[i] >= 0) {
                packed->slot[k] = packed->length[i];
                packed->node[k++] = i;
            }
        packed->part_sum[part] = k > packed->part_begin[part] ? packed->n_border_sum++ : -1;
    }
    packed->part_begin[packed->n_part] = k;
    size = packed->n_border_sum * wide;
    return RESERVE(product_border, size) ? COND_OUT_OF_MEMORY : RESERVE(step_border, size);
}

void cond_tie_packed_destroy(CondTiePacked* packed)
{
    void* arrays[] = {packed->outer_x,     packed->outer_r,    packed->outer_p,
                      packed->order,       packed->rank,       packed->length,
                      packed->row_begin,   packed->slot,       packed->column,
                      packed->value,       packed->diagonal,   packed->join_row,
                      packed->join_gain,   packed->join_size,  packed->velocity,
                      packed->gain,        packed->share,      packed->share_value,
                      packed->sorted,      packed->cell_begin, packed->cell_row,
                      packed->part_cell,   packed->cell_sum,   packed->force,
                      packed->B,           packed->node,       packed->part_begin,
                      packed->part_sum,    packed->C,          packed->BC,
                      packed->S,           packed->x,          packed->r,
                      packed->z,           packed->p,          packed->q,
                      packed->product_sum, packed->step_sum,   packed->product_border,
                      packed->step_border};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&packed->context, arrays[i]);
}
