// In the order's elimination tree the parent of a place is the first of its later places, and all
// its later places but the parent are later places of the parent. So a supernode may swallow any
// child: its columns come first, and they get zeros where the parent meets more than the child.
#include "linear/block_super.h"

#include "base/memory.h"
#include "linear/tuning.h"

#include <stdlib.h>
#include <string.h>

// What a supernode of s coordinates that meets w later ones costs, in multiply-adds: those it
// makes; the numbers behind that it changes, which are read and written; and what each row of
// blocks and the whole takes whatever their size.
static double cost(int size, int width)
{
    const double touch = 4.0, strip = 12.0;
    double s = size, w = width;
    return s * (s * s / 3.0 + s * w + w * w) + touch * w * w + strip * w + COND_SUPERNODE_WORK;
}

// Which places join their parent: head[k] is the last place of k's supernode.
static void merge(CondBlockSuper* super, const CondBlockOrder* o)
{
    int n = o->n_node;
    for (int k = 0; k < n; k++) {
        super->head[k] = k;
        super->size[k] = o->size[o->node[k]];
        super->width[k] = 0;
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++)
            super->width[k] += o->size[o->node[o->later[a]]];
    }
    for (int k = 0; k < n; k++) {
        if (o->begin[k] == o->begin[k + 1])
            continue;
        int p = o->later[o->begin[k]], size = super->size[k] + super->size[p];
        if (size <= COND_SUPERNODE_BLOCK &&
            cost(size, super->width[p]) <=
                cost(super->size[k], super->width[k]) + cost(super->size[p], super->width[p])) {
            super->head[k] = p;
            super->size[p] = size;
        }
    }
    for (int k = n - 1; k >= 0; k--)
        super->head[k] = super->head[super->head[k]];
}

// What a supernode costs when those before are taken out of it in its turn: its own square and
// panels, what it takes to fill, and the products of those before. `size` has the number of a
// supernode, at its last place, as it comes.
static void count_work(CondBlockSuper* super, const CondBlockOrder* o, const int* height)
{
    for (int s = 0; s < super->n; s++)
        super->work[s] = 0.0;
    for (int k = 0; k < o->n_node; k++) {
        int s = super->size[k], at = 0;
        if (super->head[k] != k)
            continue;
        double h = height[k], w = super->width[k];
        super->work[s] += h * h * (h / 3.0 + w) + COND_SUPERNODE_WORK;
        super->parent[s] = super->n;
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++) {
            int to = super->size[super->head[o->later[a]]], z = o->size[o->node[o->later[a]]];
            super->work[to] += h * z * (2.0 * (w - at) - z);
            super->parent[s] = a == o->begin[k] ? to : super->parent[s];
            at += z;
        }
    }
}

// Shares out the supernodes and numbers them: whatever is below one comes before it.
static CondStatus share_out(CondBlockSuper* super, CondBlockOrder* o)
{
    int n = o->n_node, *height = super->first; // for now
    super->n = 0;
    for (int k = 0; k < n; k++) {
        height[k] = super->size[k];
        if (super->head[k] == k)
            super->size[k] = super->n++;
    }
    count_work(super, o, height);
    CondBlockSchedule* schedule = &super->schedule;
    if (COND_RESERVE(&o->arena, schedule->share, n) ||
        COND_RESERVE(&o->arena, schedule->subtree, n) ||
        cond_block_schedule_make(schedule, &o->arena, super->n, super->parent, super->work))
        return COND_OUT_OF_MEMORY;
    int at = 0;
    for (int share = 0; share <= COND_TOP; share++) {
        super->share[share] = at;
        for (int s = 0; s < super->n; s++)
            if (super->schedule.share[s] == share)
                super->number[s] = at++;
    }
    super->share[COND_TOP + 1] = at;
    for (int k = 0; k < n; k++)
        if (super->head[k] == k)
            super->size[k] = super->number[super->size[k]];
    return COND_OK;
}

// Places of the nodes, supernode after supernode.
static void number(CondBlockSuper* super, const CondBlockOrder* o)
{
    int n = o->n_node;
    memset(super->first, 0, (size_t)(n + 1) * sizeof *super->first);
    for (int k = 0; k < n; k++)
        super->first[super->size[super->head[k]] + 1]++;
    for (int s = 0; s < super->n; s++)
        super->first[s + 1] += super->first[s];
    for (int k = 0; k < n; k++) {
        int s = super->size[super->head[k]], at = super->first[s]++;
        super->node[at] = o->node[k];
        super->place[o->node[k]] = at;
        super->owner[at] = s;
    }
    for (int s = super->n; s > 0; s--)
        super->first[s] = super->first[s - 1];
    super->first[0] = 0;
}

static int ascending(const void* a, const void* b)
{
    return (*(const int*)a > *(const int*)b) - (*(const int*)a < *(const int*)b);
}

// A supernode meets what its last place meets.
static void list_later(CondBlockSuper* super, const CondBlockOrder* o)
{
    int at = 0;
    for (int s = 0; s < super->n; s++) {
        int last = super->first[s + 1] - 1, begin = at, k = o->place[super->node[last]];
        super->begin[s] = begin;
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++)
            super->later[at++] = super->place[o->node[o->later[a]]];
        qsort(super->later + begin, (size_t)(at - begin), sizeof *super->later, ascending);
        super->parent[s] = at > begin ? super->owner[super->later[begin]] : super->n;
    }
    super->begin[super->n] = at;
}

CondStatus cond_block_super_make(CondBlockSuper* super, CondBlockOrder* o)
{
    int n = o->n_node;
#define RESERVE(array, count) COND_RESERVE(&o->arena, super->array, count)
    if (RESERVE(node, n) || RESERVE(place, n) || RESERVE(first, n + 1) || RESERVE(owner, n) ||
        RESERVE(begin, n + 1) || RESERVE(later, o->begin[n]) || RESERVE(parent, n) ||
        RESERVE(head, n) || RESERVE(size, n) || RESERVE(width, n) || RESERVE(work, n) ||
        RESERVE(number, n))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    merge(super, o);
    if (share_out(super, o))
        return COND_OUT_OF_MEMORY;
    number(super, o);
    list_later(super, o);
    return COND_OK;
}
