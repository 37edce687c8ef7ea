#include "collide/candidate.h"

#include "base/memory.h"

#include <math.h>

static const double FRICTION_DEFAULT = 0.5; // where neither surface says

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

CondStatus cond_candidate_add(CondCandidateList* list, const CondCandidate* candidate)
{
    if (cond_candidates_reserve(list, list->n + 1))
        return COND_OUT_OF_MEMORY;
    list->candidate[list->n++] = *candidate;
    return COND_OK;
}

void cond_candidate_surfaces(const CondSurfaceDef* a, const CondSurfaceDef* b,
                             CondCandidate* candidate)
{
    for (int i = 0; i < 2; i++) {
        double x = a->friction[i], y = b->friction[i];
        candidate->friction[i] = isnan(x) ? y : isnan(y) ? x : sqrt(x * y);
        if (isnan(candidate->friction[i]))
            candidate->friction[i] = FRICTION_DEFAULT;
    }
    candidate->restitution = fmax(a->restitution, b->restitution); // fmax passes over NaN
    if (isnan(candidate->restitution))
        candidate->restitution = 0.0;
}
