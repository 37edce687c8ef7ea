// The plan of a hierarchy of aggregates (aggregation.h): groups of nodes, levels, and the layout of
// their matrices.
#include "linear/aggregate.h"
#include "soft/aggregation.h"
#include "soft/soft_packed.h"
#include "soft/tuning.h"

#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&coarse->arena, coarse->array, count)

// The groups as unions of parts, and which group a node is in.
static CondStatus plan_groups(CondSoftPacked* packed)
{
    CondAggregation* coarse = &packed->coarse;
    coarse->n_group = coarse->deep ? packed->n_part : packed->partition.n_group;
    int ng = coarse->n_group, places = 4 * packed->n_four;
    if (RESERVE(part_group, packed->n_part) || RESERVE(group_begin, ng + 1) ||
        RESERVE(group_body, ng) || RESERVE(group_node, ng) || RESERVE(due, ng) ||
        RESERVE(product, ng) || RESERVE(node_group, packed->n_node) || RESERVE(frame, 8 * places) ||
        RESERVE(skew, places) || RESERVE(n_skew, packed->n_part) || RESERVE(rows, 24 * places) ||
        RESERVE(sum, 8 * packed->n_part) || RESERVE(left, packed->n_part) ||
        RESERVE(held, places) || RESERVE(held_then, places) || RESERVE(changed, places))
        return COND_OUT_OF_MEMORY;
    for (int part = packed->n_part - 1; part >= 0; part--) {
        coarse->part_group[part] = coarse->deep ? part : packed->partition.leaf_group[part];
        coarse->group_begin[coarse->part_group[part]] = part;
    }
    coarse->group_begin[ng] = packed->n_part;
    for (int place = 0; place < places; place++)
        if (packed->order[place] >= 0)
            coarse->node_group[packed->order[place]] =
                coarse->part_group[packed->four_part[place / 4]];
    return COND_OK;
}

// The body of each group.
static void find_bodies(CondSoftPacked* packed, const CondProblem* problem)
{
    CondAggregation* coarse = &packed->coarse;
    for (int b = 0, g = 0, first = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        int end = first + block->n_dof / 3;
        for (; g < coarse->n_group &&
               packed->order[4 * packed->part_four[coarse->group_begin[g]]] < end;
             g++) {
            coarse->group_body[g] = b;
            coarse->group_node[g] = first;
        }
        first = end;
    }
}

// The columns of row g that a node adds which is next to `column`, behind the `size` ones there
// are. Those of g are marked with its number.
static int add_columns(const int* group, const int* column, int n, int g, int* mark, int* out,
                       int size)
{
    for (int k = 0; k < n; k++) {
        int h = group[column[k]];
        if (mark[h] == g)
            continue;
        mark[h] = g;
        if (out)
            out[size] = h;
        size++;
    }
    return size;
}

// Row g of the first level: groups are neighbours where nodes of theirs are. Returns its number of
// columns, which are written to `out` if there is one.
static int list_node_row(const CondSoftPacked* packed, const CondProblem* problem, int g, int* out)
{
    const CondAggregation* coarse = &packed->coarse;
    const CondBlock* block = &problem->block[coarse->group_body[g]];
    int first = coarse->group_node[g], size = 0;
    for (int place = 4 * packed->part_four[coarse->group_begin[g]];
         place < 4 * packed->part_four[coarse->group_begin[g + 1]]; place++) {
        if (packed->order[place] < 0)
            continue;
        const int* begin = block->row_begin + (packed->order[place] - first);
        size = add_columns(coarse->node_group + first, block->column + begin[0],
                           begin[1] - begin[0], g, coarse->due, out, size);
    }
    return size;
}

// The same of a level above.
static int list_level_row(const CondAggregation* coarse, const CondLevel* fine, int g, int* out)
{
    int size = 0;
    for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
        const int* begin = fine->row_begin + fine->member[m];
        size = add_columns(fine->group, fine->column + begin[0], begin[1] - begin[0], g,
                           coarse->due, out, size);
    }
    return size;
}

static int list_row(const CondSoftPacked* packed, const CondProblem* problem, int l, int g,
                    int* out)
{
    const CondAggregation* coarse = &packed->coarse;
    return l == 0 ? list_node_row(packed, problem, g, out)
                  : list_level_row(coarse, &coarse->level[l - 1], g, out);
}

#define RESERVE_LEVEL(array, count) COND_RESERVE(&coarse->arena, level->array, count)

// Pattern and room of level l, which has n nodes.
static CondStatus plan_level(CondSoftPacked* packed, const CondProblem* problem, int l, int n)
{
    CondAggregation* coarse = &packed->coarse;
    CondLevel* level = &coarse->level[l];
    level->n_node = n;
    level->n_group = 0;
    if (RESERVE_LEVEL(row_begin, n + 1))
        return COND_OUT_OF_MEMORY;
    for (int g = 0; g < n; g++)
        coarse->due[g] = -1; // no row has this mark
    level->row_begin[0] = 0;
    for (int g = 0; g < n; g++) {
        int size = list_row(packed, problem, l, g, NULL);
        level->row_begin[g + 1] = level->row_begin[g] + size;
        coarse->n_row = 48 * size > coarse->n_row ? 48 * size : coarse->n_row;
    }
    if (RESERVE_LEVEL(column, level->row_begin[n]) || RESERVE_LEVEL(place, 3 * n) ||
        RESERVE_LEVEL(r, 8 * n) || RESERVE_LEVEL(y, 8 * n + COND_COARSE_WIDE))
        return COND_OUT_OF_MEMORY;
    for (int g = 0; g < n; g++)
        coarse->due[g] = -1;
    for (int g = 0; g < n; g++)
        list_row(packed, problem, l, g, level->column + level->row_begin[g]);
    return COND_OK;
}

// The nodes of a level form groups.
static CondStatus group_level(CondAggregation* coarse, CondLevel* level)
{
    int n = level->n_node, size = level->row_begin[n], *begin;
    if (RESERVE_LEVEL(group, n))
        return COND_OUT_OF_MEMORY;
    int count = cond_aggregate(n, level->row_begin, level->column, level->group);
    if (count > 3 * n / 4) // nodes that do not touch
        return COND_OK;
    if (RESERVE_LEVEL(member_begin, count + 2) || RESERVE_LEVEL(member, n) ||
        RESERVE_LEVEL(arm, 3 * n + 1) || RESERVE_LEVEL(A, 36 * size + 2) ||
        RESERVE_LEVEL(D, 36 * n + 2) || RESERVE_LEVEL(x, 8 * n))
        return COND_OUT_OF_MEMORY;
    level->n_group = count;
    begin = level->member_begin; // one place further on until all are there
    memset(begin, 0, (size_t)(count + 2) * sizeof *begin);
    for (int i = 0; i < n; i++)
        begin[level->group[i] + 2]++;
    for (int g = 0; g < count; g++)
        begin[g + 2] += begin[g + 1];
    for (int i = 0; i < n; i++)
        level->member[begin[level->group[i] + 1]++] = i;
    return COND_OK;
}

static CondStatus plan_levels(CondSoftPacked* packed, const CondProblem* problem)
{
    CondAggregation* coarse = &packed->coarse;
    int n = coarse->n_group;
    coarse->n_level = coarse->n_row = 0;
    for (int l = 0;; l++) {
        CondLevel* level = &coarse->level[l];
        CondStatus status = plan_level(packed, problem, l, n);
        if (status)
            return status;
        coarse->n_level++;
        if (n > COND_SOFT_COARSEST && coarse->deep && l + 1 < COND_LEVELS)
            status = group_level(coarse, level);
        if (status || level->n_group == 0)
            return status;
        n = level->n_group;
    }
}

static CondStatus plan_coarsest(CondSoftPacked* packed)
{
    CondAggregation* coarse = &packed->coarse;
    int nodes = coarse->level[coarse->n_level - 1].n_node;
    coarse->n = 6 * nodes;
    coarse->stride = (coarse->n + 2 + COND_COARSE_WIDE - 1) / COND_COARSE_WIDE * COND_COARSE_WIDE;
    coarse->wide = (8 * nodes + COND_COARSE_WIDE - 1) / COND_COARSE_WIDE * COND_COARSE_WIDE;
    int size = coarse->n * coarse->stride;
    return RESERVE(matrix, size) || RESERVE(work, size) ||
                   RESERVE(inverse, coarse->n * coarse->wide)
               ? COND_OUT_OF_MEMORY
               : COND_OK;
}

static int serves(const CondSoftPacked* packed, const CondProblem* problem)
{
    const CondAggregation* coarse = &packed->coarse;
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3 && !problem->block[b].position)
            return 0;
    return coarse->deep ? packed->n_node >= COND_SOFT_LEVELS_LEAST
                        : packed->partition.n_group <= COND_SOFT_SMALL;
}

CondStatus cond_aggregation_plan(CondSoftPacked* packed, const CondProblem* problem, int deep,
                                 int* fits)
{
    CondAggregation* coarse = &packed->coarse;
    int known = coarse->planned && coarse->key == packed->key && coarse->deep == deep;
    coarse->arena.context = packed->arena.context;
    coarse->deep = deep;
    coarse->made = coarse->planned = *fits = 0;
    if (!serves(packed, problem))
        return COND_OK;
    CondStatus status = known ? COND_OK : plan_groups(packed);
    if (!status)
        find_bodies(packed, problem);
    if (!status && !known)
        status = plan_levels(packed, problem);
    if (!status && coarse->level[coarse->n_level - 1].n_node > COND_SOFT_SMALL)
        return COND_OK;
    if (!status)
        status = plan_coarsest(packed);
    if (!status && (RESERVE(vectors, 2 * packed->n_team * coarse->wide) ||
                    RESERVE(row, packed->n_team * coarse->n_row) ||
                    RESERVE(square, coarse->level[0].n_node / 8 + 2)))
        status = COND_OUT_OF_MEMORY;
    coarse->n_plan += !known;
    coarse->key = packed->key;
    coarse->planned = *fits = !status;
    return status;
}
