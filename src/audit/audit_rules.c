// Which things are meant to touch, as the documents say: docs/collision.md, docs/rods.md and
// docs/attachments.md.
#include "audit/audit.h"
#include "model/rod.h"

#include <math.h>

static const double APART = 4.0; // radii along a rod within which it does not touch itself
static const double HELD = 8.0;  // and within which it does not touch what it is held to

static CondBodyKind kind_of(const CondAudit* audit, const CondThing* thing)
{
    return audit->model->body[thing->body].kind;
}

int cond_audit_may_touch(const CondAudit* audit, const CondThing* a, const CondThing* b)
{
    if (!a->moves && !b->moves)
        return 0;
    if (a->body >= 0 && a->body == b->body)
        return 0; // shapes of one body, links of one robot
    if (a->hollow && b->hollow)
        return 0; // points have no volume
    // A point has no room in a rod, which touches solids with balls along its links.
    if ((a->hollow && b->body >= 0 && kind_of(audit, b) == COND_BODY_ROD) ||
        (b->hollow && a->body >= 0 && kind_of(audit, a) == COND_BODY_ROD))
        return 0;
    return 1;
}

int cond_audit_are_neighbours(const CondRod* rod, int i, int j)
{
    int low = i < j ? i : j, high = i < j ? j : i;
    return rod->arc[high] - rod->arc[low + 1] <= APART * rod->radius;
}

int cond_audit_is_held(const CondModel* model, const CondState* state, int rod, int link,
                       const CondThing* other)
{
    const CondRod* body = model->body[rod].rod;
    for (int h = 0; h < state->n_hold; h++) {
        const CondHold* hold = &state->hold[h];
        for (int end = 0; end < 2 && hold->active && other->body >= 0; end++) {
            const CondPoint* mine = &hold->what.end[end].point;
            const CondPoint* its = &hold->what.end[1 - end].point;
            if (mine->body != rod || its->body != other->body)
                continue;
            if (!hold->what.contact && (other->part < 0 || other->part == its->part))
                return 1;
            if (fabs(body->arc[link] - body->arc[mine->part]) <= HELD * body->radius)
                return 1;
        }
    }
    return 0;
}

void cond_audit_mark_held(const CondModel* model, const CondState* state, int soft, int other,
                          CondSurface* surface)
{
    for (int v = 0; v < surface->n_vertex; v++)
        surface->held[v] = 0;
    for (int h = 0; h < state->n_hold; h++) {
        const CondHold* hold = &state->hold[h];
        for (int end = 0; end < 2 && hold->active && other >= 0; end++) {
            int patch = hold->what.end[end].patch;
            if (patch < 0 || model->patch[patch].body != soft ||
                hold->what.end[1 - end].point.body != other)
                continue;
            for (int k = 0; k < model->patch[patch].n_node; k++)
                surface->held[model->patch[patch].node[k]] = 1;
        }
    }
}
