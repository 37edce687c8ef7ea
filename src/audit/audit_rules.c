// Which things are meant to touch, as the documents say: docs/collision.md, docs/rods.md and
// docs/attachments.md.
#include "audit/audit.h"
#include "model/articulation.h"
#include "model/entity.h"
#include "model/rod.h"
#include "model/tuning.h"

#include <math.h>

// 1 when the thing is the body at an end of an attachment, or a link that moves with its link.
static int is_end(const CondModel* model, const CondPoint* end, const CondThing* thing)
{
    const CondArticulation* arm = end->body >= 0 ? model->body[end->body].arm : NULL;
    return end->body >= 0 && end->body == thing->body &&
           (!arm || arm->link[end->link].part == arm->link[thing->part].part);
}

int cond_audit_may_touch(const CondModel* model, const CondState* state, const CondThing* a,
                         const CondThing* b)
{
    if (!a->moves && !b->moves)
        return 0;
    if (a->hollow && b->hollow)
        return 0; // points have no volume
    if (cond_state_is_off(state, a->body) || cond_state_is_off(state, b->body))
        return 0;
    for (int h = 0; h < state->n_weld; h++) {
        const CondAttachment* what = &state->weld[h].what;
        if (state->weld[h].active && !what->contact &&
            ((is_end(model, &what->end[0].point, a) && is_end(model, &what->end[1].point, b)) ||
             (is_end(model, &what->end[0].point, b) && is_end(model, &what->end[1].point, a))))
            return 0;
    }
    return cond_entities_touch(model, a->entity, b->entity);
}

int cond_audit_are_neighbours(const CondRod* rod, int i, int j)
{
    return cond_rod_between(rod, i, j) <= COND_ROD_NEIGHBOURS * rod->radius;
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
            if (mine->body == rod && its->body < 0 && !other->moves && mine->link == link)
                return 1;
            if (other->body < 0 || mine->body != rod || its->body != other->body)
                continue;
            if (fabs(body->arc[link] - body->arc[mine->link]) <=
                2.0 * COND_ROD_NEIGHBOURS * body->radius)
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
