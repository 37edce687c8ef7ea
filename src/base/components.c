// Connected components of a graph, by joining sets; islands of bodies and of blocks are made here.
#include "base/components.h"

#include <string.h>

CondStatus cond_components_reserve(CondArena* arena, int n_item, CondComponents* components)
{
    int failed = COND_RESERVE(arena, components->of, n_item) ||
                 COND_RESERVE(arena, components->begin, n_item + 1) ||
                 COND_RESERVE(arena, components->member, n_item);
    return failed ? COND_OUT_OF_MEMORY : COND_OK;
}

void cond_components_begin(int n_item, CondComponents* components)
{
    components->n_item = n_item;
    components->n = 0;
    for (int i = 0; i < n_item; i++)
        components->of[i] = i;
}

void cond_components_end(CondComponents* components)
{
    int *of = components->of, *begin = components->begin;
    for (int i = 0; i < components->n_item; i++) // what stands for a set is its lowest item,
        of[i] = cond_disjoint_find(of, i);
    for (int i = 0; i < components->n_item; i++) // which is numbered before the others
        of[i] = of[i] == i ? components->n++ : of[of[i]];
    memset(begin, 0, ((size_t)components->n + 1) * sizeof *begin);
    for (int i = 0; i < components->n_item; i++)
        begin[of[i] + 1]++;
    for (int k = 0; k < components->n; k++)
        begin[k + 1] += begin[k];
    for (int i = 0; i < components->n_item; i++)
        components->member[begin[of[i]]++] = i;
    for (int k = components->n; k > 0; k--) // each has moved to where the next begins
        begin[k] = begin[k - 1];
    begin[0] = 0;
}
