// A contact as collision detection finds it.
#include "collide/candidate.h"

#include "base/memory.h"
#include "collide/tuning.h"

#include <math.h>

void cond_candidates_begin(const CondContext* context, CondCandidateList* list)
{
    cond_arena_begin(context, &list->arena);
}

void cond_candidates_end(CondCandidateList* list)
{
    cond_arena_release(&list->arena);
}

CondStatus cond_candidates_reserve(CondCandidateList* list, int n)
{
    return COND_RESERVE(&list->arena, list->candidate, n);
}

// A key and where it is.
typedef struct CondCandidateOrder {
    CondContactKey key;
    int at;
} CondCandidateOrder;

static int is_sorted(const CondCandidateList* list)
{
    int sorted = 1;
    for (int i = 1; i < list->n && sorted; i++)
        sorted = !cond_key_less(list->candidate[i].key, list->candidate[i - 1].key);
    return sorted;
}

// Runs of `length` that ascend, two by two into runs of twice that.
static void merge_runs(int n, int length, const CondCandidateOrder* from, CondCandidateOrder* to)
{
    for (int first = 0; first < n; first += 2 * length) {
        int middle = first + length < n ? first + length : n;
        int end = middle + length < n ? middle + length : n;
        for (int k = first, i = first, j = middle; k < end; k++) {
            int left = j == end || (i < middle && !cond_key_less(from[j].key, from[i].key));
            to[k] = left ? from[i++] : from[j++];
        }
    }
}

// Candidates are large: their keys are sorted, and then each candidate is moved once.
CondStatus cond_candidates_sort(CondCandidateList* list)
{
    int n = list->n;
    if (is_sorted(list)) // planes and soft bodies alone come so
        return COND_OK;
    if (COND_RESERVE(&list->arena, list->order, 2 * n))
        return COND_OUT_OF_MEMORY;
    CondCandidateOrder *order = list->order, *other = order + n;
    for (int i = 0; i < n; i++)
        order[i] = (CondCandidateOrder){list->candidate[i].key, i};
    for (int length = 1; length < n; length *= 2) {
        CondCandidateOrder* merged = other;
        merge_runs(n, length, order, merged);
        other = order;
        order = merged;
    }
    for (int i = 0; i < n; i++) { // round each cycle of the permutation
        if (order[i].at < 0)
            continue;
        CondCandidate first = list->candidate[i];
        int to = i;
        for (int from; (from = order[to].at) != i; to = from) {
            list->candidate[to] = list->candidate[from];
            order[to].at = -1;
        }
        list->candidate[to] = first;
        order[to].at = -1;
    }
    return COND_OK;
}

// Index of the first candidate whose key is not less.
static int find_place(const CondCandidateList* list, CondContactKey key)
{
    int low = 0, high = list->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (cond_key_less(list->candidate[middle].key, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int cond_candidates_find(const CondCandidateList* list, CondContactKey key)
{
    int at = find_place(list, key);
    return at < list->n && cond_key_equal(list->candidate[at].key, key) ? at : -1;
}

int cond_candidates_find_pair(const CondCandidateList* list, CondContactKey key)
{
    key.role = 0;
    int at = find_place(list, key);
    return at < list->n && list->candidate[at].key.pair == key.pair ? at : -1;
}

CondStatus cond_candidate_add(CondCandidateList* list, const CondCandidate* candidate)
{
    if (cond_candidates_reserve(list, list->n + 1))
        return COND_OUT_OF_MEMORY;
    list->candidate[list->n++] = *candidate;
    return COND_OK;
}

// The friction of two surfaces along tangent i where both give one.
static double combine(const CondSkin* a, const CondSkin* b, int i)
{
    double x = a->own.friction[i], y = b->own.friction[i];
    if (a->rubbing.priority != b->rubbing.priority)
        return a->rubbing.priority > b->rubbing.priority ? x : y;
    int larger = a->rubbing.rule == COND_FRICTION_LARGER || b->rubbing.rule == COND_FRICTION_LARGER;
    return larger ? fmax(x, y) : sqrt(x * y);
}

static int is_frictionless(const CondSkin* a, const CondSkin* b)
{
    int more = a->rubbing.priority - b->rubbing.priority;
    return (a->rubbing.frictionless || more < 0) && (b->rubbing.frictionless || more > 0);
}

void cond_candidate_surfaces(const CondSkin* a, const CondSkin* b, CondCandidate* candidate)
{
    candidate->skin[0] = a->two_sided || b->two_sided ? a : NULL;
    candidate->skin[1] = candidate->skin[0] ? b : NULL;
    for (int i = 0; i < 2; i++) {
        double x = a->own.friction[i], y = b->own.friction[i];
        candidate->friction[i] = isnan(x) ? y : isnan(y) ? x : combine(a, b, i);
        if (isnan(candidate->friction[i]))
            candidate->friction[i] = COND_FRICTION_DEFAULT;
        if (is_frictionless(a, b))
            candidate->friction[i] = 0.0;
    }
    candidate->restitution = fmax(a->own.restitution, b->own.restitution); // NaN is passed over
    if (isnan(candidate->restitution))
        candidate->restitution = 0.0;
}
