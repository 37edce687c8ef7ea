// Minimum degree by Amestoy, Davis and Duff. Eliminating node p makes an element: the clique of all
// nodes next to p, which is row p of the factor. Elements next to p lie inside the new one and are
// absorbed. The degree of a node i of the new element Lp is bounded by
//     d_i <= |Ai| + |Lp \ i| + sum over its other elements of |Le \ Lp|,
// where |Le \ Lp| is found for all elements at once by one pass over the lists of Lp's nodes.
#include "linear/block_order.h"

#include "base/memory.h"
#include "linear/tuning.h"

#include <stdlib.h>
#include <string.h>

void cond_block_order_begin(CondBlockOrder* order, int n_node, const int* size)
{
    order->n_node = n_node;
    order->n_edge = 0;
    order->size = size;
}

CondStatus cond_block_order_join(CondBlockOrder* order, int i, int j)
{
    if (i == j)
        return COND_OK;
    if (COND_RESERVE(&order->arena, order->edge, 2 * order->n_edge + 2))
        return COND_OUT_OF_MEMORY;
    order->edge[2 * order->n_edge] = i;
    order->edge[2 * order->n_edge + 1] = j;
    order->n_edge++;
    return COND_OK;
}

void cond_block_order_destroy(CondBlockOrder* order)
{
    cond_arena_release(&order->arena);
}

static CondStatus reserve(CondBlockOrder* o, int most_degree)
{
    int n = o->n_node;
#define RESERVE(array, count) COND_RESERVE(&o->arena, o->array, count)
    // Beside its neighbours a node has at most as many elements as it had neighbours.
    if (RESERVE(node, n) || RESERVE(place, n) || RESERVE(begin, n + 1) || RESERVE(at, n + 1) ||
        RESERVE(n, n) || RESERVE(e_at, n) || RESERVE(m, n) || RESERVE(degree, n) ||
        RESERVE(outside, n) || RESERVE(mark, n) || RESERVE(seen, n) || RESERVE(weight, n) ||
        RESERVE(next, n) || RESERVE(last, n) || RESERVE(top, most_degree + 1) ||
        RESERVE(list, 4 * o->n_edge + 1))
        return COND_OUT_OF_MEMORY;
#undef RESERVE
    return COND_OK;
}

// Lists of neighbours without repeats, each with as much room behind it for elements.
static void make_lists(CondBlockOrder* o)
{
    int n = o->n_node;
    memset(o->n, 0, (size_t)n * sizeof *o->n);
    for (int e = 0; e < 2 * o->n_edge; e++)
        o->n[o->edge[e]]++;
    for (int i = 0, at = 0; i < n; i++) {
        o->at[i] = at;
        o->e_at[i] = at + o->n[i];
        at += 2 * o->n[i];
        o->n[i] = o->m[i] = 0;
        o->mark[i] = -1;
    }
    for (int e = 0; e < 2 * o->n_edge; e++) {
        int i = o->edge[e], j = o->edge[e ^ 1];
        o->list[o->at[i] + o->n[i]++] = j;
    }
    for (int i = 0; i < n; i++) {
        int* list = o->list + o->at[i];
        int kept = 0;
        o->degree[i] = 0;
        for (int k = 0; k < o->n[i]; k++)
            if (o->mark[list[k]] != i) {
                o->mark[list[k]] = i;
                o->degree[i] += o->size[list[k]];
                list[kept++] = list[k];
            }
        o->n[i] = kept;
    }
}

static void insert(CondBlockOrder* o, int i)
{
    int d = o->degree[i], head = o->top[d];
    o->next[i] = head;
    o->last[i] = -1;
    if (head >= 0)
        o->last[head] = i;
    o->top[d] = i;
}

static void take_out(CondBlockOrder* o, int i)
{
    if (o->last[i] >= 0)
        o->next[o->last[i]] = o->next[i];
    else
        o->top[o->degree[i]] = o->next[i];
    if (o->next[i] >= 0)
        o->last[o->next[i]] = o->last[i];
}

// Adds nodes that are not yet in the element of p to it.
static void gather(CondBlockOrder* o, int p, int n, const int* item, int* end)
{
    for (int k = 0; k < n; k++)
        if (o->place[item[k]] < 0 && o->mark[item[k]] != p) {
            o->mark[item[k]] = p;
            o->weight[p] += o->size[item[k]];
            o->later[(*end)++] = item[k];
        }
}

// Lp, at the end of `later`: all nodes next to p. Elements of p are absorbed.
static CondStatus make_element(CondBlockOrder* o, int p, int k)
{
    int most = o->n[p], end = o->begin[k];
    const int* element = o->list + o->e_at[p];
    for (int e = 0; e < o->m[p]; e++)
        most += o->begin[o->place[element[e]] + 1] - o->begin[o->place[element[e]]];
    if (COND_RESERVE(&o->arena, o->later, end + most))
        return COND_OUT_OF_MEMORY;
    o->mark[p] = p;
    o->weight[p] = 0;
    gather(o, p, o->n[p], o->list + o->at[p], &end);
    for (int e = 0; e < o->m[p]; e++) {
        int row = o->place[element[e]];
        gather(o, p, o->begin[row + 1] - o->begin[row], o->later + o->begin[row], &end);
        o->weight[element[e]] = -1; // absorbed
    }
    o->begin[k + 1] = end;
    return COND_OK;
}

// outside[e] = |Le \ Lp| for every element next to a node of Lp.
static void count_outside(CondBlockOrder* o, int p, int k, int* seen)
{
    for (int a = o->begin[k]; a < o->begin[k + 1]; a++) {
        int i = o->later[a];
        for (int b = 0; b < o->m[i]; b++) {
            int e = o->list[o->e_at[i] + b];
            if (o->weight[e] < 0)
                continue;
            if (seen[e] != p) {
                seen[e] = p;
                o->outside[e] = o->weight[e];
            }
            o->outside[e] -= o->size[i];
        }
    }
}

// What p leaves behind at node i of its element: p among the elements, neighbours inside Lp gone.
static void update(CondBlockOrder* o, int p, int i, int left)
{
    int *list = o->list + o->at[i], *element = o->list + o->e_at[i], n = 0, m = 0, d;
    take_out(o, i);
    d = o->weight[p] - o->size[i];
    for (int b = 0; b < o->m[i]; b++) {
        int e = element[b];
        if (o->weight[e] < 0)
            continue;
        if (o->outside[e] == 0) { // inside the new element: absorbed as well
            continue;
        }
        d += o->outside[e];
        element[m++] = e;
    }
    for (int b = 0; b < o->n[i]; b++) {
        int j = list[b];
        if (o->place[j] >= 0 || o->mark[j] == p)
            continue;
        d += o->size[j];
        list[n++] = j;
    }
    o->n[i] = n;
    element[m++] = p;
    o->m[i] = m;
    left -= o->size[i];
    o->degree[i] = d < left ? d : left;
    insert(o, i);
}

static int ascending(const void* a, const void* b)
{
    return (*(const int*)a > *(const int*)b) - (*(const int*)a < *(const int*)b);
}

// Rows of the factor in the places of the order, ascending.
static void finish(CondBlockOrder* o)
{
    for (int k = 0; k < o->n_node; k++) {
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++)
            o->later[a] = o->place[o->later[a]];
        qsort(o->later + o->begin[k], (size_t)(o->begin[k + 1] - o->begin[k]), sizeof *o->later,
              ascending);
    }
}

// Small patterns of large nodes, bodies that meet each other: counting fill takes less than a
// factorisation. Chains and trees have next to none, in either order.
static int counts_fill(const CondBlockOrder* o, int coordinates)
{
    return o->n_node <= COND_FILL_NODES && coordinates >= 5 * o->n_node &&
           2 * o->n_edge >= 3 * o->n_node;
}

static CondStatus make_by_fill(CondBlockOrder* o)
{
    CondArena* arena = &o->arena;
    int n = o->n_node;
    if (COND_RESERVE(arena, o->node, n) || COND_RESERVE(arena, o->place, n) ||
        COND_RESERVE(arena, o->begin, n + 1) ||
        cond_block_fill_begin(&o->fill, arena, n, o->n_edge, o->edge))
        return COND_OUT_OF_MEMORY;
    o->begin[0] = 0;
    for (int k = 0; k < n; k++) {
        int p = cond_block_fill_next(&o->fill);
        if (COND_RESERVE(arena, o->later, o->begin[k] + o->fill.degree[p]))
            return COND_OUT_OF_MEMORY;
        o->begin[k + 1] =
            o->begin[k] + cond_block_fill_eliminate(&o->fill, p, o->later + o->begin[k]);
        o->node[k] = p;
        o->place[p] = k;
    }
    finish(o);
    return COND_OK;
}

CondStatus cond_block_order_make(CondBlockOrder* o)
{
    int n = o->n_node, left = 0, low = 0;
    for (int i = 0; i < n; i++)
        left += o->size[i];
    if (counts_fill(o, left))
        return make_by_fill(o);
    if (reserve(o, left))
        return COND_OUT_OF_MEMORY;
    make_lists(o);
    for (int d = 0; d <= left; d++)
        o->top[d] = -1;
    for (int i = n - 1; i >= 0; i--) {
        o->place[i] = -1;
        o->mark[i] = -1;
        o->seen[i] = -1;
        insert(o, i);
    }
    o->begin[0] = 0;
    for (int k = 0; k < n; k++) {
        while (o->top[low] < 0)
            low++;
        int p = o->top[low];
        take_out(o, p);
        if (make_element(o, p, k))
            return COND_OUT_OF_MEMORY;
        o->place[p] = k;
        left -= o->size[p];
        count_outside(o, p, k, o->seen);
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++) {
            update(o, p, o->later[a], left);
            int d = o->degree[o->later[a]];
            low = d < low ? d : low;
        }
        o->node[k] = p;
    }
    finish(o);
    return COND_OK;
}
