// A body a slides on c towards b, and the surface of b goes on that of c. As a comes near the seam,
// the normal between a and b is that of the side of b, or the middle of a fan between that side and
// its top: a face that c hides. Where a touches c along a normal m, and along the same m lies in
// front of all of b, m parts a and b as well as their own normal n does, and the motion across m
// cannot bring them into each other: what holds a on c keeps it out of b, until its edge is over b
// and the contact with b itself has the normal m. So a pair that is parted along the normal of
// another contact of either body, to within what counts as touching, has no contact along a normal
// that differs from it. A step up by more has: there b comes in front of c along m.
#include "collide/seam.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "geometry/core.h"

#include <math.h>
#include <string.h>

// Contacts first .. last - 1 are one pair; its side s has, after it, pair next[s].
struct CondSeamPair {
    int first, last;
    int next[2];
    int hidden;
};

// A solid and another one that is to be parted from it.
typedef struct Parted {
    CondCore core[2];
    double n[3];     // of their contact, towards the first
    double m[3];     // the normal that was tried last
    double touching; // [m]
    int does;        // 1: it parts them
    int tried;       // 1: there is one
} Parted;

static Parted begin_parting(const CondCollider* collider, const CondCandidate* c, int s)
{
    const double* origin = collider->pose + 7 * (size_t)c->solid[1 - s];
    Parted parted = {.core = {cond_collider_core(collider, c->solid[s], origin),
                              cond_collider_core(collider, c->solid[1 - s], origin)}};
    for (int i = 0; i < 3; i++)
        parted.n[i] = s == 0 ? c->frame[i] : -c->frame[i];
    parted.touching = COND_TOUCH * fmin(parted.core[0].size, parted.core[1].size);
    return parted;
}

// 1 where the contact touches, the first solid of the two on its side s, and its normal away from
// the other side parts the two. Contacts of one pair mostly have one normal.
static int parts(Parted* parted, const CondCandidate* touch, int s)
{
    const CondCore* core = parted->core;
    double m[3], x[3], sign = s == 0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; i++)
        m[i] = sign * touch->frame[i];
    if (!(fabs(touch->gap) <= parted->touching) || vec3_dot(m, parted->n) >= COND_ALIGNED)
        return 0;
    if (parted->tried && memcmp(m, parted->m, sizeof m) == 0)
        return parted->does;
    memcpy(parted->m, m, sizeof m);
    parted->tried = 1;
    parted->does = fabs(cond_cores_apart(&core[0], &core[1], m, x) - core[0].round -
                        core[1].round) <= parted->touching;
    return parted->does;
}

// On which side of a pair's contacts a solid is.
static int side_of(const CondCandidateList* list, const CondSeamPair* pair, int p, int solid)
{
    return list->candidate[pair[p].first].solid[0] == solid ? 0 : 1;
}

// 1 where a contact of one of the two of pair k says that no other is needed between them.
static int is_hidden(const CondCollider* collider, const CondCandidateList* list, int k)
{
    const CondSeamPair* pair = collider->seam;
    const CondCandidate* c = &list->candidate[pair[k].first];
    if (c->solid[1] < 0)
        return 0;
    for (int s = 0; s < 2; s++) {
        int at = c->solid[s];
        if (cond_solid_at(collider->model, at)->body < 0 ||
            (pair[collider->seam_of[at]].next[side_of(list, pair, collider->seam_of[at], at)] < 0))
            continue; // it touches nothing else
        Parted parted = begin_parting(collider, c, s);
        for (int p = collider->seam_of[at]; p >= 0;) {
            int side = side_of(list, pair, p, at);
            for (int i = pair[p].first; i < pair[p].last && p != k; i++)
                if (parts(&parted, &list->candidate[i], side))
                    return 1;
            p = pair[p].next[side];
        }
    }
    return 0;
}

// The runs of contacts of one pair, linked by the solids that they touch; returns how many.
static int link_pairs(CondCollider* collider, int first, const CondCandidateList* list)
{
    int n = 0;
    for (int i = 0; i < collider->n_solid; i++)
        collider->seam_of[i] = -1;
    for (int c = first, last; c < list->n; c = last) {
        const CondCandidate* candidate = &list->candidate[c];
        for (last = c + 1; last < list->n && list->candidate[last].key.pair == candidate->key.pair;)
            last++;
        CondSeamPair* pair = &collider->seam[n];
        *pair = (CondSeamPair){c, last, {-1, -1}, 0};
        for (int s = 0; s < 2 && candidate->solid[s] >= 0; s++) {
            pair->next[s] = collider->seam_of[candidate->solid[s]];
            collider->seam_of[candidate->solid[s]] = n;
        }
        n++;
    }
    return n;
}

typedef struct HiddenLoop {
    const CondCollider* collider;
    const CondCandidateList* list;
} HiddenLoop;

static void find_hidden(const void* data, int first, int last)
{
    const HiddenLoop* l = data;
    const CondModel* model = l->collider->model;
    for (int k = first; k < last; k++) {
        const CondCandidate* c = &l->list->candidate[l->collider->seam[k].first];
        l->collider->seam[k].hidden =
            c->solid[1] >= 0 && !cond_shape_is_hollow(&cond_solid_at(model, c->solid[0])->shape) &&
            !cond_shape_is_hollow(&cond_solid_at(model, c->solid[1])->shape) &&
            is_hidden(l->collider, l->list, k);
    }
}

CondStatus cond_seams_leave_out(CondCollider* collider, int first, CondCandidateList* list)
{
    if (COND_RESERVE(&collider->arena, collider->seam, list->n - first))
        return COND_OUT_OF_MEMORY;
    int n = link_pairs(collider, first, list), kept = first;
    HiddenLoop loop = {collider, list};
    cond_parallel(
        n, cond_threads(COND_CONTACT_WORK * (size_t)n, collider->model->settings.solver.threads),
        find_hidden, &loop);
    for (int k = 0; k < n; k++)
        for (int i = collider->seam[k].first; i < collider->seam[k].last; i++)
            if (!collider->seam[k].hidden)
                list->candidate[kept++] = list->candidate[i];
    list->n = kept;
    return COND_OK;
}
