// The work of a factorisation in two: whole subtrees of the elimination tree for each of two
// workers, and what is above them, which one makes when both are through.
#include "linear/block_schedule.h"

#include <string.h>

// Subtrees of at most that much work to whoever has less to do, what is below their roots to the
// same. Returns what two threads need, with what is above.
static double share(CondBlockSchedule* s, int n, const int* parent, const double* work,
                    double limit)
{
    double load[COND_WORKERS] = {0.0}, top = 0.0;
    for (int k = 0; k < n; k++) {
        s->worker[k] = s->subtree[k] > limit ? COND_TOP : 0;
        if (s->worker[k] == COND_TOP)
            top += work[k];
        else if (parent[k] == n || s->subtree[parent[k]] > limit)
            load[s->worker[k] = load[1] < load[0]] += s->subtree[k];
    }
    for (int k = n - 1; k >= 0; k--)
        if (parent[k] < n && s->subtree[parent[k]] <= limit)
            s->worker[k] = s->worker[parent[k]];
    return (load[0] > load[1] ? load[0] : load[1]) + top;
}

CondStatus cond_block_schedule_make(CondBlockSchedule* s, CondArena* arena, int n,
                                    const int* parent, const double* work)
{
    static const double limits[] = {0.5, 0.35, 0.25, 0.17, 0.12, 0.08}; // of the whole
    double total = 0.0, best = 0.0, limit = 0.0;
    if (COND_RESERVE(arena, s->worker, n) || COND_RESERVE(arena, s->subtree, n))
        return COND_OUT_OF_MEMORY;
    memcpy(s->subtree, work, (size_t)n * sizeof *work);
    for (int k = 0; k < n; k++) {
        total += work[k];
        if (parent[k] < n)
            s->subtree[parent[k]] += s->subtree[k];
    }
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        double time = share(s, n, parent, work, limits[l] * total);
        if (l > 0 && time >= best)
            continue;
        best = time;
        limit = limits[l] * total;
    }
    share(s, n, parent, work, limit);
    s->gain = total > 0.0 ? 1.0 - best / total : 0.0;
    return COND_OK;
}
