// Shares of a factorisation, level by level from the top on. A share of one level is divided among
// two of the next: subtrees of at most so much work to the one that has less to do, and what is
// above these stays. Of several limits the one is taken with which two threads need least time.
#include "linear/block_schedule.h"

#include <math.h>
#include <string.h>

static const double limits[] = {0.5, 0.35, 0.25, 0.17, 0.12, 0.08}; // of the whole
enum { N_LIMIT = sizeof limits / sizeof limits[0] };

// A share that is divided.
typedef struct Part {
    double total;         // its work
    double limit;         // of a subtree that goes
    double load[2];       // work of the two below
    double top;           // work that stays
    double best, best_at; // least time so far, and its limit
} Part;

// 1 for the root of a subtree that goes, from the share of its number.
static int goes(const CondBlockSchedule* s, int k, int n, const int* parent, double limit)
{
    int p = parent[k];
    return s->subtree[k] <= limit &&
           (p == n || s->share[p] != s->share[k] || s->subtree[p] > limit);
}

// The less loaded of the two below a part takes a subtree.
static int deal(Part* part, double work)
{
    int to = part->load[1] < part->load[0];
    part->load[to] += work;
    return to;
}

// What the parts of a level would do with their limits.
static void try_limits(const CondBlockSchedule* s, int n, const int* parent, const double* work,
                       int first, int count, Part* part)
{
    for (int w = 0; w < count; w++)
        part[w].load[0] = part[w].load[1] = part[w].top = 0.0;
    for (int k = 0; k < n; k++) {
        int w = s->share[k] - first;
        if (w < 0 || w >= count)
            continue;
        if (s->subtree[k] > part[w].limit)
            part[w].top += work[k];
        else if (goes(s, k, n, parent, part[w].limit))
            deal(&part[w], s->subtree[k]);
    }
    for (int w = 0; w < count; w++) {
        double time = fmax(part[w].load[0], part[w].load[1]) + part[w].top;
        if (time < part[w].best) {
            part[w].best = time;
            part[w].best_at = part[w].limit;
        }
    }
}

// Hands the subtrees over. Parents come after their children.
static void divide(CondBlockSchedule* s, int n, const int* parent, int level, Part* part)
{
    int first = cond_block_level_first(level), below = cond_block_level_first(level + 1);
    for (int w = 0; w < 1 << level; w++)
        part[w].load[0] = part[w].load[1] = 0.0;
    for (int k = 0; k < n; k++) { // roots are marked, so that those below can be told from them
        int w = s->share[k] - first;
        if (w >= 0 && w < 1 << level && goes(s, k, n, parent, part[w].best_at))
            s->share[k] = -1 - (below + 2 * w + deal(&part[w], s->subtree[k]));
    }
    for (int k = n - 1; k >= 0; k--) {
        int w = s->share[k] - first;
        if (s->share[k] < 0)
            s->share[k] = -1 - s->share[k];
        else if (w >= 0 && w < 1 << level && s->subtree[k] <= part[w].best_at)
            s->share[k] = s->share[parent[k]];
    }
}

CondStatus cond_block_schedule_make(CondBlockSchedule* s, CondArena* arena, int n,
                                    const int* parent, const double* work)
{
    if (COND_RESERVE(arena, s->share, n) || COND_RESERVE(arena, s->subtree, n))
        return COND_OUT_OF_MEMORY;
    memcpy(s->subtree, work, (size_t)n * sizeof *work);
    for (int k = 0; k < n; k++) {
        s->share[k] = COND_TOP;
        if (parent[k] < n)
            s->subtree[parent[k]] += s->subtree[k];
    }
    for (int level = 0; level < COND_SHARE_LEVELS; level++) {
        Part part[COND_WORKERS] = {{0}};
        int first = cond_block_level_first(level), count = 1 << level;
        for (int k = 0; k < n; k++)
            if (s->share[k] >= first && s->share[k] < first + count)
                part[s->share[k] - first].total += work[k];
        for (int w = 0; w < count; w++)
            part[w].best = INFINITY;
        for (int l = 0; l < N_LIMIT; l++) {
            for (int w = 0; w < count; w++)
                part[w].limit = limits[l] * part[w].total;
            try_limits(s, n, parent, work, first, count, part);
        }
        divide(s, n, parent, level, part);
        if (level == 0)
            s->gain = part[0].total > 0.0 ? 1.0 - part[0].best / part[0].total : 0.0;
    }
    return COND_OK;
}
