// Connected components of a graph: partitions the items 0 .. n_item - 1 into sets by joining pairs.
// All islands of bodies and of blocks are computed by these functions.
//
//     cond_components_reserve(arena, n_item, &components)   memory for so many items or fewer
//     cond_components_begin(n_item, &components)            every item is a set of its own
//     cond_components_join(&components, i, j)               for each pair, in any order
//     cond_components_end(&components)                      numbers the sets and lists their items
//
// Sets are numbered by their lowest items and their items ascend, so that the result does not
// depend on the order of the pairs.
#ifndef COND_BASE_COMPONENTS_H
#define COND_BASE_COMPONENTS_H

#include "base/arena.h"
#include "base/disjoint.h"

typedef struct CondComponents {
    int n_item, n; // items, sets
    int* of;       // set of each item; before end, a parent with a lower index       (n_item)
    int* begin;    // first of each set among the members                              (n + 1)
    int* member;   // items, set by set, ascending in each                            (n_item)
} CondComponents;

CondStatus cond_components_reserve(CondArena* arena, int n_item, CondComponents* components);
void cond_components_begin(int n_item, CondComponents* components);
void cond_components_end(CondComponents* components);

// Joins the sets of two items; negative numbers are ignored.
static inline void cond_components_join(CondComponents* components, int i, int j)
{
    if (i >= 0 && j >= 0)
        cond_disjoint_join(components->of, i, j);
}

// Number of items of a set.
static inline int cond_components_size(const CondComponents* components, int set)
{
    return components->begin[set + 1] - components->begin[set];
}

// The lowest item of the set of an item.
static inline int cond_components_lowest(const CondComponents* components, int item)
{
    return components->member[components->begin[components->of[item]]];
}

#endif
