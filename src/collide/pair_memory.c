// Results about pairs of solids from earlier searches.
#include "collide/pair_memory.h"
#include "base/tuning.h"
#include "collide/tuning.h"

#include <math.h>

CondStatus cond_pair_memory_create(const CondContext* context, int n_solid, CondPairMemory* memory)
{
    cond_arena_begin(context, &memory->arena);
    memory->moved = cond_arena_allocate(&memory->arena, (size_t)n_solid, sizeof *memory->moved);
    return memory->moved ? COND_OK : COND_OUT_OF_MEMORY;
}

void cond_pair_memory_destroy(CondPairMemory* memory)
{
    cond_arena_release(&memory->arena);
}

void cond_pair_memory_forget(CondPairMemory* memory)
{
    memory->n = 0;
}

static int comes_before(const int a[2], const int b[2])
{
    return a[1] < b[1] || (a[1] == b[1] && a[0] < b[0]);
}

// Appends the pairs before `pair` that are not in this search, all where it is NULL; returns how
// many there are then.
static int keep_missed(const CondPairMemory* memory, const int* pair, int* at, int n)
{
    for (; *at < memory->n && (!pair || comes_before(memory->known[*at].pair, pair)); ++*at)
        if (memory->known[*at].missed < COND_PAIR_KEPT) {
            memory->next[n] = memory->known[*at];
            memory->next[n++].missed++;
        }
    return n;
}

CondStatus cond_pair_memory_begin(CondPairMemory* memory, const CondTreePairs* pairs)
{
    CondArena* m = &memory->arena;
    int n = 0, at = 0;
    if (COND_RESERVE(m, memory->next, memory->n + pairs->n) ||
        COND_RESERVE(m, memory->place, pairs->n))
        return COND_OUT_OF_MEMORY;
    for (int k = 0; k < pairs->n; k++) {
        const int* pair = pairs->pair[k];
        n = keep_missed(memory, pair, &at, n);
        int known = at < memory->n && !comes_before(pair, memory->known[at].pair);
        memory->next[n] = known ? memory->known[at++] : (CondPairKnown){.pair = {pair[0], pair[1]}};
        memory->next[n].missed = 0;
        memory->place[k] = n++;
    }
    CondPairKnown* made = memory->next;
    memory->n = keep_missed(memory, NULL, &at, n);
    memory->next = memory->known;
    memory->known = made;
    memory->search++;
    return COND_OK;
}

// 1 where neither has moved since the search that found how far they are apart.
static int is_still_so(const CondPairMemory* memory, const CondPairKnown* known)
{
    return known->search > 0 && memory->moved[known->pair[0]] <= known->search &&
           memory->moved[known->pair[1]] <= known->search;
}

// How far two are apart does not depend on how far one looks, but that a search ends where it sees
// them farther: one that looks as far would find the same, and one that looks less far too where
// that is clear beyond rounding. Of those that have moved the old normal may show as clearly that
// they are too far.
int cond_pair_separate(const CondPairMemory* memory, CondPairKnown* known, const CondCore* a,
                       const CondCore* b, double far)
{
    CondSeparation* apart = &known->apart;
    double x[3], slack = COND_SINGLE_PRECISION * fmin(a->size, b->size);
    if (is_still_so(memory, known) && (far >= known->far || fabs(apart->apart - far) > slack))
        return apart->apart <= far;
    if (cond_cores_apart(a, b, apart->normal, x) - (a->round + b->round) > far + slack)
        return 0;
    int near = cond_cores_separate(a, b, far, apart);
    known->far = far;
    known->search = isfinite(apart->apart) ? memory->search : 0;
    return near;
}
