// The broad phase: which solids come near a box, and which near each other.
#include "collide/broad.h"

#include "base/memory.h"
#include "collide/tuning.h"
#include "geometry/box.h"

#include <string.h>

CondStatus cond_broad_create(const CondContext* context, int n, CondBroad* broad)
{
    cond_tree_begin(context, &broad->tree);
    cond_tree_hits_begin(context, &broad->hits);
    cond_tree_pairs_begin(context, &broad->pairs);
    broad->box = cond_allocate(&broad->tree.arena.context, (size_t)n, 6 * sizeof(double));
    return broad->box ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_broad_destroy(CondBroad* broad)
{
    cond_release(&broad->tree.arena.context, broad->box);
    cond_tree_end(&broad->tree);
    cond_tree_hits_end(&broad->hits);
    cond_tree_pairs_end(&broad->pairs);
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

CondStatus cond_broad_pairs(CondBroad* broad)
{
    long before = broad->pairs.visited;
    CondStatus status = cond_tree_self_pairs(&broad->tree, &broad->pairs);
    long work = broad->pairs.visited - before;
    if (broad->work < 0)
        broad->work = work;
    broad->stale = (double)work > COND_BROAD_WORN * (double)broad->work;
    if (status || COND_RESERVE(&broad->tree.arena, broad->sorted, broad->pairs.n) ||
        COND_RESERVE(&broad->tree.arena, broad->begin, broad->tree.n + 1))
        return status ? status : COND_OUT_OF_MEMORY;
    sort_pairs(broad, 0, broad->pairs.pair, broad->sorted);
    sort_pairs(broad, 1, broad->sorted, broad->pairs.pair);
    return COND_OK;
}
