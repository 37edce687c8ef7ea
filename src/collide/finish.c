// The end of collision detection: contacts that attachments hold or nothing moves are left out, the
// others sorted, and their frames turned.
#include "collide/finish.h"

#include "base/parallel.h"
#include "base/tuning.h"
#include "collide/rod_contact.h"
#include "collide/shell_side.h"
#include "model/articulation.h"
#include <math.h>

// 1 when the point lies on nodes of the patch.
static int is_on_patch(const CondPatch* patch, const CondPoint* point)
{
    if (patch->body != point->body)
        return 0;
    for (int k = 0; k < patch->n_node; k++)
        for (int i = 0; i < point->n_node; i++)
            if (patch->node[k] == point->node[i] && point->local[i] > 0.0)
                return 1;
    return 0;
}

// 1 when the point is on an end of an attachment: on its body, or of a robot on a link that moves
// with its link.
static int is_on_end(const CondModel* model, const CondPoint* end, const CondPoint* point)
{
    if (end->body < 0 || end->body != point->body)
        return 0;
    const CondBody* body = &model->body[end->body];
    return body->kind != COND_BODY_ROBOT ||
           body->arm->link[end->link].part == body->arm->link[point->link].part;
}

// 1 when an attachment keeps the two sides of the contact from touching each other anywhere.
static int is_kept_apart(const CondModel* model, const CondAttachment* what,
                         const CondCandidate* candidate)
{
    for (int side = 0; side < 2 && !what->contact; side++)
        if (is_on_end(model, &what->end[0].point, &candidate->point[side]) &&
            is_on_end(model, &what->end[1].point, &candidate->point[1 - side]))
            return 1;
    return 0;
}

// 1 when the contact is between the two ends of an attachment that is being held, at the held
// nodes: they are where the attachment puts them.
static int is_held(const CondModel* model, const CondState* state, const CondCandidate* candidate)
{
    if (candidate->point[0].body < 0 || candidate->point[1].body < 0)
        return 0;
    for (int h = 0; h < state->n_weld; h++) {
        const CondWeld* weld = &state->weld[h];
        if (weld->active && is_kept_apart(model, &weld->what, candidate))
            return 1;
        for (int k = 0; k < 4 && weld->active; k++) {
            int end = k & 1, side = k >> 1;
            int patch = weld->what.end[end].patch, other = weld->what.end[1 - end].point.body;
            if (side == 0 && cond_rod_is_held(model, &weld->what, end, candidate))
                return 1;
            if (patch >= 0 && other >= 0 && candidate->point[1 - side].body == other &&
                is_on_patch(&model->patch[patch], &candidate->point[side]))
                return 1;
        }
    }
    return 0;
}

// 1 when no motion moves the contact: both points are static or lie on the axis of a robot's joint
// that alone could move them.
static int is_idle(const CondKinematics* kinematics, const CondCandidate* candidate)
{
    double moved = 0.0, world[3];
    for (int s = 0; s < 2; s++) {
        int b = candidate->point[s].body;
        if (b < 0)
            continue;
        if (kinematics->model->body[b].kind != COND_BODY_ROBOT)
            return 0;
        int n = cond_kinematics_point(kinematics, &candidate->point[s], world, NULL,
                                      kinematics->columns);
        for (int k = 0; k < 3 * n; k++)
            moved += kinematics->columns[k] * kinematics->columns[k];
    }
    return moved < COND_ROUNDING; // a micrometre for a radian
}

// What all contacts are asked for, by parts of the list.
typedef struct FinishLoop {
    const CondModel* model;
    const CondState* state;
    CondCandidateList* list;
    int n_part;
    int* stays; // 1: nothing of the part is left out, and it is sorted        (n_part)
    int* skins; // 1: some are of shells                                       (n_part)
} FinishLoop;

static int moves(const CondModel* model, const CondCandidate* candidate)
{
    for (int s = 0; s < 2; s++)
        if (candidate->point[s].body >= 0 &&
            model->body[candidate->point[s].body].kind != COND_BODY_ROBOT)
            return 1;
    return 0;
}

static void look(const void* data, int first, int last)
{
    const FinishLoop* l = data;
    const CondCandidate* candidate = l->list->candidate;
    for (int part = first; part < last; part++) {
        int end = cond_team_first(l->list->n, part + 1, l->n_part), stays = 1, skins = 0;
        for (int c = cond_team_first(l->list->n, part, l->n_part); c < end; c++) {
            stays &= moves(l->model, &candidate[c]) &&
                     !is_held(l->model, l->state, &candidate[c]) &&
                     (c == 0 || !cond_key_less(candidate[c].key, candidate[c - 1].key));
            skins |= candidate[c].skin[0] != NULL;
        }
        l->stays[part] = stays;
        l->skins[part] = skins;
    }
}

// Leaves out what attachments hold or nothing moves. Returns 1 where the list is sorted; *shells: 1
// where contacts are of shells.
static int leave_out(const CondKinematics* kinematics, const CondState* state,
                     CondCandidateList* list, int n_thread, int* shells)
{
    int stays[COND_LOOP_PARTS], skins[COND_LOOP_PARTS], all = 1, kept = 0;
    FinishLoop loop = {.model = kinematics->model,
                       .state = state,
                       .list = list,
                       .n_part = cond_loop_parts(COND_COORDINATE_WORK * (size_t)list->n),
                       .stays = stays,
                       .skins = skins};
    cond_parallel(loop.n_part, n_thread, look, &loop);
    *shells = 0;
    for (int part = 0; part < loop.n_part; part++) {
        all &= stays[part];
        *shells |= skins[part];
    }
    if (all)
        return 1;
    for (int c = 0; c < list->n; c++)
        if (!is_held(kinematics->model, state, &list->candidate[c]) &&
            !is_idle(kinematics, &list->candidate[c])) {
            if (kept < c)
                list->candidate[kept] = list->candidate[c];
            kept++;
        }
    list->n = kept;
    return 0;
}

// Turns the tangents of a contact that persists as little as its normal allows. A fixed rule for
// the tangents would jump somewhere, whatever the rule: no field of tangents on a sphere is
// continuous. Planes, and surfaces that slip more easily along one of two directions, keep theirs.
static void follow_frames(const void* data, int first, int last)
{
    const FinishLoop* l = data;
    const CondState* state = l->state;
    int k = cond_state_memory_from(state, l->list->candidate[first].key);
    for (int c = first; c < last; c++) { // both lists ascend with the key
        CondCandidate* candidate = &l->list->candidate[c];
        while (k < state->n_memory && cond_key_less(state->memory[k].key, candidate->key))
            k++;
        if (k == state->n_memory)
            return;
        double normal[3] = {candidate->frame[0], candidate->frame[1], candidate->frame[2]};
        if (cond_key_equal(state->memory[k].key, candidate->key) && candidate->plane < 0 &&
            candidate->friction[0] == candidate->friction[1])
            mat3_frame(normal, state->memory[k].tangent, candidate->frame);
    }
}

CondStatus cond_collide_finish(const CondCollider* collider, const CondKinematics* kinematics,
                               const CondState* state, CondCandidateList* list)
{
    const CondModel* model = collider->model;
    int n_thread =
        cond_threads(2 * COND_COORDINATE_WORK * (size_t)list->n, model->settings.solver.threads);
    int shells, sorted = leave_out(kinematics, state, list, n_thread, &shells);
    if (shells)
        cond_shell_sides(collider, list);
    for (int c = 0; c < list->n && model->settings.friction_scale != 1.0; c++)
        for (int i = 0; i < 2; i++)
            list->candidate[c].friction[i] *= model->settings.friction_scale;
    CondStatus status = sorted ? COND_OK : cond_candidates_sort(list);
    FinishLoop loop = {.model = model, .state = state, .list = list};
    if (!status)
        cond_parallel(list->n, n_thread, follow_frames, &loop);
    return status;
}
