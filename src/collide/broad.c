// The broad phase: which solids come near a box, and which near each other.
#include "collide/broad.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "collide/tuning.h"
#include "geometry/box.h"

#include <string.h>

CondStatus cond_broad_create(const CondContext* context, int n, CondBroad* broad)
{
    cond_tree_begin(context, &broad->tree);
    cond_tree_hits_begin(context, &broad->hits);
    cond_tree_pairs_begin(context, &broad->pairs);
    CondContext own = cond_context_or_default(context);
    cond_shared_context_begin(&own, &broad->shared);
    CondContext shared = cond_shared_context(&broad->shared);
    for (int k = 0; k < COND_TREE_STARTS; k++)
        cond_tree_pairs_begin(&shared, &broad->from[k]);
    broad->threads = 1;
    broad->box = cond_allocate(&broad->tree.arena.context, (size_t)n, 6 * sizeof(double));
    return broad->box ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_broad_destroy(CondBroad* broad)
{
    cond_release(&broad->tree.arena.context, broad->box);
    cond_tree_end(&broad->tree);
    cond_tree_hits_end(&broad->hits);
    cond_tree_pairs_end(&broad->pairs);
    for (int k = 0; k < COND_TREE_STARTS; k++)
        cond_tree_pairs_end(&broad->from[k]);
    cond_shared_context_end(&broad->shared);
}

CondStatus cond_broad_build(CondBroad* broad, int n, const double* box, const double* far)
{
    for (int i = 0; i < n; i++)
        cond_box_widen(box + 6 * (size_t)i, far ? far[i] : 0.0, broad->box + 6 * (size_t)i);
    if (broad->tree.n == n && n > 0 && !broad->stale) {
        cond_tree_refit(&broad->tree, broad->box);
        return COND_OK;
    }
    broad->work = -1; // by the next search for pairs
    broad->stale = 0;
    broad->builds++;
    return cond_tree_build(&broad->tree, n, broad->box);
}

CondStatus cond_broad_query(CondBroad* broad, const double box[6], double far)
{
    double wide[6];
    cond_box_widen(box, far, wide);
    return cond_tree_query(&broad->tree, wide, &broad->hits);
}

// Sorts pairs by one of their numbers, and leaves those that have the same as they are.
static void sort_pairs(CondBroad* broad, int which, int (*from)[2], int (*to)[2])
{
    int n = broad->tree.n, *begin = broad->begin;
    memset(begin, 0, ((size_t)n + 1) * sizeof *begin);
    for (int k = 0; k < broad->pairs.n; k++)
        begin[from[k][which] + 1]++;
    for (int i = 0; i < n; i++)
        begin[i + 1] += begin[i];
    for (int k = 0; k < broad->pairs.n; k++)
        memcpy(to[begin[from[k][which]]++], from[k], sizeof *to);
}

static void walk_from(const void* loop, int first, int last)
{
    CondBroad* broad = *(CondBroad* const*)loop;
    for (int k = first; k < last; k++) {
        broad->from[k].n = 0;
        broad->status[k] =
            cond_tree_self_pairs_from(&broad->tree, broad->start[k], &broad->from[k]);
    }
}

// By several threads, in any order.
static CondStatus find_pairs(CondBroad* broad, int n_thread)
{
    CondTreePairs* pairs = &broad->pairs;
    int n = 0, n_start = cond_tree_self_starts(&broad->tree, broad->start, &pairs->visited);
    for (int k = 0; k < n_start; k++)
        broad->from[k].visited = 0;
    cond_parallel(n_start, n_thread, walk_from, &broad);
    for (int k = 0; k < n_start; k++) {
        if (broad->status[k])
            return broad->status[k];
        pairs->visited += broad->from[k].visited;
        n += broad->from[k].n;
    }
    if (cond_reserve(&pairs->context, &pairs->pair, &pairs->cap, n, sizeof *pairs->pair))
        return COND_OUT_OF_MEMORY;
    pairs->n = 0;
    for (int k = 0; k < n_start; pairs->n += broad->from[k++].n)
        if (broad->from[k].n > 0)
            memcpy(pairs->pair[pairs->n], broad->from[k].pair,
                   (size_t)broad->from[k].n * sizeof *pairs->pair);
    return COND_OK;
}

CondStatus cond_broad_pairs(CondBroad* broad)
{
    long before = broad->pairs.visited;
    size_t work = COND_COORDINATE_WORK * COND_CONTACT_WORK * (size_t)broad->tree.n;
    int n_thread = cond_threads(work, broad->threads);
    CondStatus status = n_thread > 1 ? find_pairs(broad, n_thread)
                                     : cond_tree_self_pairs(&broad->tree, &broad->pairs);
    long visited = broad->pairs.visited - before;
    if (broad->work < 0)
        broad->work = visited;
    broad->stale = (double)visited > COND_BROAD_WORN * (double)broad->work;
    if (status || COND_RESERVE(&broad->tree.arena, broad->sorted, broad->pairs.n) ||
        COND_RESERVE(&broad->tree.arena, broad->begin, broad->tree.n + 1))
        return status ? status : COND_OUT_OF_MEMORY;
    sort_pairs(broad, 0, broad->pairs.pair, broad->sorted);
    sort_pairs(broad, 1, broad->sorted, broad->pairs.pair);
    return COND_OK;
}
