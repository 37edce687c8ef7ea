#include "base/memory.h"
#include "base/parallel.h"
#include "linear/aggregate.h"
#include "solve/multilevel_part.h"

#include <string.h>

enum { COARSEST = 16 }; // nodes of the level that is factored

#define RESERVE(array, count)                                                                      \
    cond_reserve(&multi->context, &level->array, &level->cap_##array, count, sizeof *level->array)

// Groups of level 0: bodies do not touch.
static CondStatus group_bodies(CondMultilevel* multi)
{
    CondLevel* level = multi->level;
    int count = 0;
    if (RESERVE(group, level->n_node))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < multi->n_body; b++) {
        const CondBlock* block = multi->body[b].block;
        int n = block->n_dof / 3, *group = level->group + multi->body[b].first;
        int mine = cond_aggregate(n, block->row_begin, block->column, group);
        for (int i = 0; i < n; i++)
            group[i] += count;
        count += mine;
    }
    level->n_group = count;
    return COND_OK;
}

static CondStatus group_level(CondMultilevel* multi, CondLevel* level)
{
    if (RESERVE(group, level->n_node))
        return COND_OUT_OF_MEMORY;
    level->n_group = cond_aggregate(level->n_node, level->row_begin, level->column, level->group);
    return COND_OK;
}

static CondStatus list_members(CondMultilevel* multi, CondLevel* level)
{
    int n = level->n_node, *begin;
    if (RESERVE(member_begin, level->n_group + 2) || RESERVE(member, n) || RESERVE(slot, n) ||
        RESERVE(arm, 3 * n))
        return COND_OUT_OF_MEMORY;
    begin = level->member_begin; // one place further on until all are there
    memset(begin, 0, (size_t)(level->n_group + 2) * sizeof *begin);
    for (int i = 0; i < n; i++)
        begin[level->group[i] + 2]++;
    for (int g = 0; g < level->n_group; g++)
        begin[g + 2] += begin[g + 1];
    for (int i = 0; i < n; i++) {
        level->slot[i] = begin[level->group[i] + 1]++;
        level->member[level->slot[i]] = i;
    }
    return COND_OK;
}

// The columns of row g of the next level that node i adds, behind the `size` ones there are. Those
// of g are marked with its number.
static int add_columns(const CondLevel* fine, const int* column, int n, int first, int g, int* mark,
                       int* out, int size)
{
    for (int k = 0; k < n; k++) {
        int h = fine->group[first + column[k]];
        if (mark[h] == g)
            continue;
        mark[h] = g;
        if (out)
            out[size] = h;
        size++;
    }
    return size;
}

// Row g of the next level: its number of columns, which are written to `out` if there is one.
static int make_row(const CondMultilevel* multi, const CondLevel* fine, int g, int* mark, int* out)
{
    int size = 0, body = 0;
    for (int m = fine->member_begin[g]; m < fine->member_begin[g + 1]; m++) {
        int i = fine->member[m];
        if (fine->row_begin) {
            const int* begin = fine->row_begin + i;
            size = add_columns(fine, fine->column + begin[0], begin[1] - begin[0], 0, g, mark, out,
                               size);
            continue;
        }
        while (body + 1 < multi->n_body && multi->body[body + 1].first <= i)
            body++;
        const CondBlock* block = multi->body[body].block;
        int first = multi->body[body].first;
        const int* begin = block->row_begin + (i - first);
        size = add_columns(fine, block->column + begin[0], begin[1] - begin[0], first, g, mark, out,
                           size);
    }
    return size;
}

// The pattern of the next level: groups are neighbours where nodes of theirs are.
static CondStatus plan_coarse(CondMultilevel* multi, const CondLevel* fine, CondLevel* level)
{
    int n = fine->n_group, *mark = multi->due;
    level->n_node = n;
    if (RESERVE(row_begin, n + 1))
        return COND_OUT_OF_MEMORY;
    for (int g = 0; g < n; g++)
        mark[g] = -1;
    level->row_begin[0] = 0;
    for (int g = 0; g < n; g++) {
        int size = make_row(multi, fine, g, mark, NULL);
        level->row_begin[g + 1] = level->row_begin[g] + size;
        multi->n_row = 36 * size > multi->n_row ? 36 * size : multi->n_row;
    }
    int size = level->row_begin[n];
    if (RESERVE(column, size) || RESERVE(A, 36 * size + 2) || RESERVE(D, 36 * n + 2) ||
        RESERVE(place, 3 * n) || RESERVE(x, 8 * n) || RESERVE(r, 8 * n) || RESERVE(y, 8 * n))
        return COND_OUT_OF_MEMORY;
    for (int g = 0; g < n; g++)
        mark[g] = -1;
    for (int g = 0; g < n; g++)
        make_row(multi, fine, g, mark, level->column + level->row_begin[g]);
    return COND_OK;
}

CondStatus cond_multilevel_plan_levels(CondMultilevel* multi)
{
    multi->n_level = 1;
    multi->n_row = 0;
    for (CondLevel* level = multi->level;; level++) {
        level->n_group = 0;
        if (level->n_node <= COARSEST || multi->n_level == COND_LEVELS)
            return COND_OK;
        CondStatus status = level == multi->level ? group_bodies(multi) : group_level(multi, level);
        if (!status && level->n_group > 3 * level->n_node / 4) { // parts that do not touch
            level->n_group = 0;
            return COND_OK;
        }
        if (!status)
            status = list_members(multi, level);
        if (!status)
            status = plan_coarse(multi, level, level + 1);
        if (status)
            return status;
        multi->n_level++;
    }
}
