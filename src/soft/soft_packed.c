// The system of a Newton step in single precision, for the inner iterations alone: a step asks for
// one more digit, and what it reached is measured in double.
#include "soft/soft_packed.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "soft/tuning.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&packed->arena, packed->array, count)

// Four sums side by side, for the processor's sake.
static uint64_t mix(uint64_t key, const int* x, size_t n)
{
    const uint64_t prime = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t lane[4] = {key, key + 1, key + 2, key + 3};
    for (size_t i = 0; i < n; i++) {
        lane[i % 4] = (lane[i % 4] ^ (uint64_t)x[i]) * prime;
        lane[i % 4] ^= lane[i % 4] >> 29;
    }
    for (int k = 0; k < 4; k++)
        key = (key ^ lane[k]) * prime;
    return key ^ key >> 31;
}

// A list of numbers in shares, each with a key of its own.
typedef struct KeyLoop {
    const int* x;
    size_t n;
    int parts;
    uint64_t* key; //                                                        (COND_LOOP_PARTS)
} KeyLoop;

static void mix_shares(const void* data, int first, int last)
{
    const KeyLoop* loop = data;
    for (int part = first; part < last; part++) {
        size_t begin = loop->n * (size_t)part / (size_t)loop->parts;
        size_t end = loop->n * ((size_t)part + 1) / (size_t)loop->parts;
        loop->key[part] = mix((uint64_t)part, loop->x + begin, end - begin);
    }
}

static uint64_t mix_all(uint64_t key, const int* x, size_t n, int threads)
{
    uint64_t of[COND_LOOP_PARTS];
    KeyLoop loop = {x, n, cond_loop_parts(n), of};
    cond_parallel(loop.parts, cond_threads(n, threads), mix_shares, &loop);
    for (int part = 0; part < loop.parts; part++) {
        int halves[2];
        memcpy(halves, &of[part], sizeof halves);
        key = mix(key, halves, 2);
    }
    return key;
}

// Tells patterns of the soft bodies apart, whatever the numbers in them are.
static uint64_t find_key(const CondProblem* problem, int threads)
{
    uint64_t key = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int n = block->n_dof / 3, sizes[2] = {n, block->dof_begin};
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        key = mix(31 * key + 1, sizes, 2);
        key = mix_all(key, block->row_begin, (size_t)n + 1, threads);
        key = mix_all(key, block->column, (size_t)block->row_begin[n], threads);
    }
    return key;
}

// Nodes of a group: the inverse of the coarse matrix, which grows with the cube of their number,
// shall take no more than some products.
static int group_size(int n_node)
{
    int size = (int)(n_node / (COND_SOFT_GROUPS * cbrt(n_node)));
    return size > COND_PACKED_BLOCK ? size : COND_PACKED_BLOCK;
}

// Rows of a part in the order of their number of blocks.
static void sort_part(CondSoftPacked* packed, const int* node, int count, int* order)
{
    for (int k = 0; k < count; k++) {
        int at = k;
        for (; at > 0 && packed->length[order[at - 1]] < packed->length[node[k]]; at--)
            order[at] = order[at - 1];
        order[at] = node[k];
    }
    for (int k = count; k % 4 != 0; k++)
        order[k] = -1;
}

// Parts of neighbours, and the place of every node.
static CondStatus place_nodes(CondSoftPacked* packed, const CondProblem* problem)
{
    CondPartition* partition = &packed->partition;
    int n = 0, fours = 0;
    partition->arena.context = packed->arena.context;
    cond_partition_clear(partition);
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        for (int i = 0; i < block->n_dof / 3; i++)
            packed->length[n++] = block->row_begin[i + 1] - block->row_begin[i];
        if (cond_partition_add(partition, block->n_dof / 3, block->row_begin, block->column,
                               COND_PACKED_BLOCK, group_size(packed->n_node)))
            return COND_OUT_OF_MEMORY;
    }
    packed->n_part = partition->n_leaf;
    if (RESERVE(part_four, packed->n_part + 1) ||
        RESERVE(order, packed->n_node + 3 * packed->n_part) ||
        RESERVE(four_part, packed->n_node / 4 + packed->n_part))
        return COND_OUT_OF_MEMORY;
    for (int part = 0; part < packed->n_part; part++) {
        int first = partition->leaf_begin[part], count = partition->leaf_begin[part + 1] - first;
        packed->part_four[part] = fours;
        sort_part(packed, partition->order + first, count, packed->order + (ptrdiff_t)4 * fours);
        for (int end = fours + (count + 3) / 4; fours < end; fours++)
            packed->four_part[fours] = part;
    }
    packed->part_four[packed->n_part] = packed->n_four = fours;
    for (int place = 0; place < 4 * fours; place++)
        if (packed->order[place] >= 0)
            packed->rank[packed->order[place]] = place;
    return COND_OK;
}

static void count_blocks(CondSoftPacked* packed)
{
    packed->row_begin[0] = 0;
    for (int four = 0; four < packed->n_four; four++) // the first one is the longest
        packed->row_begin[four + 1] =
            packed->row_begin[four] + packed->length[packed->order[(ptrdiff_t)4 * four]];
}

// A block of zeros, as the k-th of the row in a place.
static float* clear_block(CondSoftPacked* packed, int place, int k)
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
    CondSoftPacked* packed;
    const CondBlock* block;
    int first;
} BodyLoop;

// Columns, and zeros where others of the four have more blocks.
static void lay_out_rows(const void* loop, int begin, int end)
{
    const BodyLoop* l = loop;
    CondSoftPacked* packed = l->packed;
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
    CondSoftPacked* packed = l->packed;
    const CondBlock* block = l->block;
    for (int i = begin; i < end; i++) {
        int rank = packed->rank[l->first + i];
        float* to = packed->value + 36 * (size_t)packed->row_begin[rank / 4] + 3 * (rank % 4);
        for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++, to += 36)
            cond_soft_packed_block(block->values + 9 * (size_t)k, to, 12);
    }
}

static void each_body(CondSoftPacked* packed, const CondProblem* problem, CondLoopBody body,
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

CondStatus cond_soft_packed_add_join(CondSoftPacked* packed, int n_row, int n_share)
{
    int n = packed->n_join, first = packed->n_share;
    if (RESERVE(join_row, n + 2) || RESERVE(join_gain, n + 2) || RESERVE(join_size, n + 1) ||
        RESERVE(share, first + n_share))
        return COND_OUT_OF_MEMORY;
    if (n == 0)
        packed->join_row[0] = packed->join_gain[0] = 0;
    packed->join_size[n] = n_row;
    packed->join_row[n + 1] = packed->join_row[n] + cond_soft_packed_wide(n_row);
    packed->join_gain[n + 1] = packed->join_gain[n] + n_row * n_row;
    if (RESERVE(gain, packed->join_gain[n + 1]))
        return COND_OUT_OF_MEMORY;
    int value = 0;
    if (first > 0) {
        const CondSoftShare* last = &packed->share[first - 1];
        value = last->value + 3 * (packed->join_row[last->join + 1] - packed->join_row[last->join]);
    }
    for (int k = 0; k < n_share; k++, value += 3 * cond_soft_packed_wide(n_row))
        packed->share[first + k] = (CondSoftShare){-1, n, value};
    if (RESERVE(share_value, value))
        return COND_OUT_OF_MEMORY;
    packed->n_share += n_share;
    packed->n_join++;
    return COND_OK;
}

// By parts, and within a part as they came.
static void sort_shares(CondSoftPacked* packed)
{
    int *begin = packed->part_cell, n = packed->n_part;
    memset(begin, 0, (size_t)(n + 1) * sizeof *begin);
    for (int k = 0; k < packed->n_share; k++)
        begin[packed->four_part[packed->share[k].node / 4] + 1]++;
    for (int part = 0; part < n; part++)
        begin[part + 1] += begin[part];
    for (int k = 0; k < packed->n_share; k++)
        packed->sorted[begin[packed->four_part[packed->share[k].node / 4]]++] = packed->share[k];
    memcpy(packed->share, packed->sorted, (size_t)packed->n_share * sizeof *packed->share);
}

CondStatus cond_soft_packed_sort_joins(CondSoftPacked* packed)
{
    int n = packed->n_share, part = 0, rows = 0;
    if (RESERVE(sorted, n) || RESERVE(cell_begin, n + 1) || RESERVE(cell_row, n + 1) ||
        RESERVE(part_cell, packed->n_part + 1))
        return COND_OUT_OF_MEMORY;
    packed->n_cell = 0;
    if (n > 0)
        sort_shares(packed);
    for (int k = 0; k < n; k++) {
        const CondSoftShare* share = &packed->share[k];
        int at = packed->four_part[share->node / 4],
            fresh = k == 0 || share->join != share[-1].join;
        if (fresh || at != packed->four_part[share[-1].node / 4]) {
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
static CondStatus plan_pattern(CondSoftPacked* packed, const CondProblem* problem, int threads)
{
    int n = packed->n_node;
    if (RESERVE(rank, n) || RESERVE(length, n) || place_nodes(packed, problem) ||
        RESERVE(row_begin, packed->n_four + 1))
        return COND_OUT_OF_MEMORY;
    count_blocks(packed);
    int n4 = packed->n_four, size = packed->row_begin[n4];
    if (RESERVE(column, 4 * size) || RESERVE(value, 36 * size + 4) || RESERVE(diagonal, 4 * n4) ||
        RESERVE(B, 48 * n4) || RESERVE(x, 16 * n4) || RESERVE(r, 16 * n4) || RESERVE(z, 16 * n4) ||
        RESERVE(q, 16 * n4) || RESERVE(product_sum, packed->n_part) ||
        RESERVE(step_sum, packed->n_part))
        return COND_OUT_OF_MEMORY;
    each_body(packed, problem, lay_out_rows, threads);
    for (int place = 0; place < 4 * n4; place++) // where the last four of a part are fewer
        for (int k = 0; packed->order[place] < 0 &&
                        k < packed->row_begin[place / 4 + 1] - packed->row_begin[place / 4];
             k++)
            clear_block(packed, place, k);
    return COND_OK;
}

// Memory of each thread. In floats side by side the 36 multiply-adds of four blocks take as long as
// eight of a plain loop.
static CondStatus plan_team(CondSoftPacked* packed, int threads)
{
    int n = cond_threads(8 * (size_t)packed->row_begin[packed->n_four], threads);
    n = n < packed->n_part || n == 1 ? n : packed->n_part;
    int most = INT_MAX / (16 * packed->n_four); // lengths of arrays are ints
    packed->n_team = n = n < most ? n : most;
    if (RESERVE(p, 16 * n * packed->n_four) || RESERVE(next, n * packed->n_part) ||
        RESERVE(n_next, n) || RESERVE(next_of, n))
        return COND_OUT_OF_MEMORY;
    memset(packed->next_of, 0, (size_t)n * sizeof *packed->next_of);
    return COND_OK;
}

void cond_soft_packed_fill(CondSoftPacked* packed, const CondProblem* problem, int threads)
{
    each_body(packed, problem, pack_rows, threads);
    memset(packed->B, 0, 48 * (size_t)packed->n_four * sizeof *packed->B);
    memset(packed->r, 0, 16 * (size_t)packed->n_four * sizeof *packed->r);
}

CondStatus cond_soft_packed_plan(CondSoftPacked* packed, const CondProblem* problem, int threads)
{
    uint64_t key = find_key(problem, threads);
    if (!packed->planned || key != packed->key) {
        packed->planned = 0;
        CondStatus status = plan_pattern(packed, problem, threads);
        if (status)
            return status;
        packed->planned = 1;
        packed->key = key;
    }
    if (!packed->bare)
        cond_soft_packed_fill(packed, problem, threads);
    packed->n_join = packed->n_share = 0;
    packed->n_plan++;
    packed->coarse.on = 0;
    return plan_team(packed, threads);
}

CondStatus cond_soft_packed_plan_interface(CondSoftPacked* packed, int n_interface, int n_attached,
                                           const int* attached)
{
    int wide = cond_soft_packed_wide(n_interface), size = 3 * n_attached * wide, k = 0;
    packed->n_interface = n_interface;
    packed->n_attached = n_attached;
    packed->n_interface_sum = 0;
    if (RESERVE(listed, packed->n_node) || RESERVE(node, n_attached) || RESERVE(slot, n_attached) ||
        RESERVE(part_begin, packed->n_part + 1) || RESERVE(part_sum, packed->n_part) ||
        RESERVE(C, size) || RESERVE(BC, size) || RESERVE(S, n_interface * n_interface))
        return COND_OUT_OF_MEMORY;
    if (n_attached == 0) { // no part has any
        memset(packed->part_begin, 0, ((size_t)packed->n_part + 1) * sizeof *packed->part_begin);
        for (int part = 0; part < packed->n_part; part++)
            packed->part_sum[part] = -1;
        return COND_OK;
    }
    for (int i = 0; i < packed->n_node; i++)
        packed->listed[i] = -1;
    for (int i = 0; i < n_attached; i++)
        packed->listed[attached[i]] = i;
    for (int part = 0; part < packed->n_part; part++) {
        packed->part_begin[part] = k;
        for (int i = 4 * packed->part_four[part]; i < 4 * packed->part_four[part + 1]; i++)
            if (packed->order[i] >= 0 && packed->listed[packed->order[i]] >= 0) {
                packed->slot[k] = packed->listed[packed->order[i]];
                packed->node[k++] = i;
            }
        packed->part_sum[part] = k > packed->part_begin[part] ? packed->n_interface_sum++ : -1;
    }
    packed->part_begin[packed->n_part] = k;
    size = packed->n_interface_sum * wide;
    return RESERVE(product_interface, size) ? COND_OUT_OF_MEMORY : RESERVE(step_interface, size);
}

void cond_soft_packed_destroy(CondSoftPacked* packed)
{
    cond_partition_destroy(&packed->partition);
    cond_arena_release(&packed->coarse.arena);
    cond_arena_release(&packed->arena);
}
