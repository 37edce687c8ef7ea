#include "base/memory.h"
#include "solve/multilevel_part.h"
#include "sparse/aggregate.h"

#include <string.h>

enum { COARSEST = 16 }; // nodes of the level that is factored

#define RESERVE(array, count)                                                                      \
    cond_reserve(&multi->context, &level->array, &level->cap_##array, count, sizeof *level->array)

// P: the groups of a node's neighbours.
static CondStatus plan_p(CondMultilevel* multi, CondLevel* level, int* mark)
{
    int n = level->n_node, size = 0;
    if (RESERVE(p_begin, n + 1))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < level->n_coarse; i++)
        mark[i] = -1;
    for (int i = 0; i < n; i++) {
        level->p_begin[i] = size;
        for (int k = level->row_begin[i]; k < level->row_begin[i + 1]; k++) {
            int g = level->group[level->column[k]];
            if (mark[g] == i)
                continue;
            mark[g] = i;
            if (RESERVE(p_column, size + 1))
                return COND_OUT_OF_MEMORY;
            level->p_column[size++] = g;
        }
    }
    level->p_begin[n] = size;
    if (RESERVE(P, size * 6 * level->width) || RESERVE(t_begin, level->n_coarse + 1) ||
        RESERVE(t_node, size) || RESERVE(t_entry, size))
        return COND_OUT_OF_MEMORY;
    memset(level->t_begin, 0, (size_t)(level->n_coarse + 1) * sizeof *level->t_begin);
    for (int k = 0; k < size; k++)
        level->t_begin[level->p_column[k] + 1]++;
    for (int g = 0; g < level->n_coarse; g++)
        level->t_begin[g + 1] += level->t_begin[g];
    for (int g = 0; g < level->n_coarse; g++)
        mark[g] = level->t_begin[g];
    for (int i = 0; i < n; i++)
        for (int k = level->p_begin[i]; k < level->p_begin[i + 1]; k++) {
            int at = mark[level->p_column[k]]++;
            level->t_node[at] = i;
            level->t_entry[at] = k;
        }
    return COND_OK;
}

// W = A P: the groups of the neighbours' rows of P.
static CondStatus plan_w(CondMultilevel* multi, CondLevel* level, int* mark)
{
    int n = level->n_node, size = 0;
    if (RESERVE(w_begin, n + 1))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < level->n_coarse; i++)
        mark[i] = -1;
    for (int i = 0; i < n; i++) {
        level->w_begin[i] = size;
        for (int k = level->row_begin[i]; k < level->row_begin[i + 1]; k++) {
            int j = level->column[k];
            for (int l = level->p_begin[j]; l < level->p_begin[j + 1]; l++) {
                int g = level->p_column[l];
                if (mark[g] == i)
                    continue;
                mark[g] = i;
                if (RESERVE(w_column, size + 1))
                    return COND_OUT_OF_MEMORY;
                level->w_column[size++] = g;
            }
        }
    }
    level->w_begin[n] = size;
    return COND_OK;
}

// P' W, the pattern of the next level.
static CondStatus plan_coarse(CondMultilevel* multi, const CondLevel* fine, CondLevel* level,
                              int* mark)
{
    int n = fine->n_coarse, size = 0;
    level->n_node = n;
    level->width = 6;
    if (RESERVE(row_begin, n + 1))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++)
        mark[i] = -1;
    for (int g = 0; g < n; g++) {
        level->row_begin[g] = size;
        for (int t = fine->t_begin[g]; t < fine->t_begin[g + 1]; t++) {
            int i = fine->t_node[t];
            for (int k = fine->w_begin[i]; k < fine->w_begin[i + 1]; k++) {
                int h = fine->w_column[k];
                if (mark[h] == g)
                    continue;
                mark[h] = g;
                if (RESERVE(column, size + 1))
                    return COND_OUT_OF_MEMORY;
                level->column[size++] = h;
            }
        }
    }
    level->row_begin[n] = size;
    if (RESERVE(A, size * 36) || RESERVE(D, n * 36) || RESERVE(place, n * 3) || RESERVE(row, n) ||
        RESERVE(x, n * 6) || RESERVE(r, n * 6) || RESERVE(y, n * 6))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++)
        level->row[i] = level->A + 36 * (size_t)level->row_begin[i];
    return COND_OK;
}

CondStatus cond_multilevel_plan_levels(CondMultilevel* multi)
{
    int* mark = multi->mark;
    multi->n_level = 1;
    for (CondLevel* level = multi->level;; level++) {
        level->n_coarse = 0;
        if (level->n_node <= COARSEST || multi->n_level == COND_LEVELS)
            break;
        if (RESERVE(group, level->n_node))
            return COND_OUT_OF_MEMORY;
        level->n_coarse =
            cond_aggregate(level->n_node, level->row_begin, level->column, level->group);
        if (level->n_coarse > 3 * level->n_node / 4) { // nothing joins: parts that do not touch
            level->n_coarse = 0;
            break;
        }
        CondStatus status = plan_p(multi, level, mark);
        if (!status)
            status = plan_w(multi, level, mark);
        if (!status)
            status = plan_coarse(multi, level, level + 1, mark);
        if (status)
            return status;
        multi->n_level++;
    }
    return COND_OK;
}
