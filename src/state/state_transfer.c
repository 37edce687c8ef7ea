// A state of one model as one of another: bodies by their names.
#include "base/memory.h"
#include "model/articulation.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

typedef struct Transfer {
    const CondModel *from_model, *to_model;
    const CondState* from;
    CondState* to;
} Transfer;

// The body of the other model with the name, kind and size of body b; -1: there is none.
static int find_body(const CondModel* from, int b, const CondModel* to)
{
    const CondBody* body = &from->body[b];
    int found = cond_model_find_body(to, body->name);
    int same = found >= 0 && to->body[found].kind == body->kind &&
               to->body[found].n_q == body->n_q && to->body[found].n_dof == body->n_dof;
    return same ? found : -1;
}

static void copy(const double* from, int n, double* to)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

static void copy_body(const Transfer* t, const CondBody* from, const CondBody* to)
{
    int joints = to->arm ? to->arm->n_joint : 0;
    copy(t->from->q + from->q_begin, to->n_q, t->to->q + to->q_begin);
    copy(t->from->v + from->dof_begin, to->n_dof, t->to->v + to->dof_begin);
    copy(t->from->v_hat + from->dof_begin, to->n_dof, t->to->v_hat + to->dof_begin);
    copy(t->from->force + from->dof_begin, to->n_dof, t->to->force + to->dof_begin);
    copy(t->from->target + from->target_begin, joints, t->to->target + to->target_begin);
    copy(t->from->command + from->target_begin, joints, t->to->command + to->target_begin);
    t->to->off[to->index] = t->from->off[from->index];
    for (int j = 0; j < joints; j++)
        t->to->motor[to->target_begin + j] = t->from->motor[from->target_begin + j];
}

// A point of the old model as one of the new one; 0: its body is not there.
static int move_point(const Transfer* t, CondPoint* point)
{
    if (point->body < 0)
        return 1;
    point->body = find_body(t->from_model, point->body, t->to_model);
    return point->body >= 0;
}

// The same of a frame: its patch too must be there, and as large.
static int move_frame(const Transfer* t, CondFrame* frame)
{
    if (frame->guide > 0)
        return 0; // a trajectory of the old scene
    if (frame->patch >= 0) {
        const CondPatch* patch = &t->from_model->patch[frame->patch];
        int found = cond_model_find_patch(t->to_model, patch->name);
        if (found < 0 || t->to_model->patch[found].n_node != patch->n_node)
            return 0;
        frame->patch = found;
    }
    return move_point(t, &frame->point);
}

// The scene's attachments by their names, as they hold; those that the user made, behind them.
static CondStatus move_welds(const Transfer* t)
{
    int own = t->from->n_weld - t->from_model->n_attachment;
    if (COND_RESERVE(&t->to->arena, t->to->weld, t->to->n_weld + own))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < t->from->n_weld; i++) {
        CondWeld weld = t->from->weld[i];
        if (weld.attachment < 0) {
            if ((weld.active || weld.waits) && move_frame(t, &weld.what.end[0]) &&
                move_frame(t, &weld.what.end[1]))
                t->to->weld[t->to->n_weld++] = weld;
            continue;
        }
        for (int k = 0; k < t->to_model->n_attachment; k++) {
            CondWeld* held = &t->to->weld[k];
            if (*weld.what.name == 0 || strcmp(held->what.name, weld.what.name) != 0)
                continue;
            held->active = weld.active;
            held->waits = weld.waits;
            held->what.end_time = weld.what.end_time;
            memcpy(held->anchor, weld.anchor, sizeof held->anchor);
            memcpy(held->turn, weld.turn, sizeof held->turn);
        }
    }
    return COND_OK;
}

static CondStatus move_pushes(const Transfer* t)
{
    if (COND_RESERVE(&t->to->arena, t->to->push, t->from->n_push))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < t->from->n_push; i++) {
        CondPush push = t->from->push[i];
        if (push.point.body >= 0 && move_point(t, &push.point))
            t->to->push[t->to->n_push++] = push;
    }
    return COND_OK;
}

CondStatus cond_state_transfer(const CondModel* from_model, const CondState* from,
                               const CondModel* to_model, CondState* to, int* n_moved)
{
    CondState* made;
    CondStatus status = cond_state_create(to_model, &made, NULL);
    Transfer t = {from_model, to_model, from, made};
    int moved = 0;
    if (!status)
        status = cond_state_set_time(to_model, made, from->time);
    for (int b = 0; b < from_model->n_body && !status; b++) {
        int other = find_body(from_model, b, to_model);
        if (other >= 0)
            copy_body(&t, &from_model->body[b], &to_model->body[other]);
        moved += other >= 0;
    }
    if (!status)
        status = move_welds(&t);
    if (!status)
        status = move_pushes(&t);
    if (!status)
        status = cond_state_copy(to, made);
    if (!status && n_moved)
        *n_moved = moved;
    cond_state_destroy(made);
    return status;
}
