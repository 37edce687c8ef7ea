// Which things are meant to touch, as the documents say: docs/collision.md, docs/rods.md and
// docs/attachments.md.
#include "audit/audit.h"
#include "model/rod.h"

#include <math.h>

static const double APART = 4.0; // radii along a rod within which it does not touch itself
static const double HELD = 8.0;  // and within which it does not touch what it is held to

int cond_audit_may_touch(const CondThing* a, const CondThing* b)
{
    if (!a->moves && !b->moves)
        return 0;
    if (a->body >= 0 && a->body == b->body)
        return 0; // shapes of one body, links of one robot
    if (a->hollow && b->hollow)
        return 0; // points have no volume
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
    for (int h = 0; h < state->n_weld; h++) {
        const CondWeld* weld = &state->weld[h];
        for (int end = 0; end < 2 && weld->active; end++) {
            const CondPoint* mine = &weld->what.end[end].point;
            const CondPoint* its = &weld->what.end[1 - end].point;
            // A clamp in the world holds half of its link, whatever is there.
            if (mine->body == rod && its->body < 0 && !other->moves && mine->part == link)
                return 1;
            if (other->body < 0 || mine->body != rod || its->body != other->body)
                continue;
            if (!weld->what.contact && (other->part < 0 || other->part == its->part))
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
    for (int h = 0; h < state->n_weld; h++) {
        const CondWeld* weld = &state->weld[h];
        for (int end = 0; end < 2 && weld->active && other >= 0; end++) {
            int patch = weld->what.end[end].patch;
            if (patch < 0 || model->patch[patch].body != soft ||
                weld->what.end[1 - end].point.body != other)
                continue;
            for (int k = 0; k < model->patch[patch].n_node; k++)
                surface->held[model->patch[patch].node[k]] = 1;
        }
    }
}
