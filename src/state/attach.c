// Attachments that are made and released while a simulation runs. Changes the state alone.
#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "math/quat.h"
#include "potential/attachment.h"
#include "potential/trajectory.h"
#include "scene/compile.h"

#include <math.h>
#include <string.h>

// A place for one more attachment: one that was released, or a new one at the end; -1: no memory.
static int find_place(CondState* state)
{
    for (int i = 0; i < state->n_weld; i++)
        if (state->weld[i].attachment < 0 && !state->weld[i].active && !state->weld[i].waits)
            return i;
    if (COND_RESERVE(&state->arena, state->weld, state->n_weld + 1))
        return -1;
    return state->n_weld;
}

CondStatus cond_state_hold(CondState* state, const CondWeld* weld, int* index)
{
    int place = find_place(state);
    if (place < 0)
        return COND_OUT_OF_MEMORY;
    CondWeld* made = &state->weld[place];
    *made = *weld;
    made->waits = cond_weld_is_off(state, weld);
    made->active = !made->waits;
    if (place == state->n_weld)
        state->n_weld++;
    *index = place;
    return COND_OK;
}

CondStatus cond_state_attach(const CondModel* model, CondState* state, const CondAttachmentDef* def,
                             int* index, CondError* error)
{
    CondWeld weld = {.attachment = -1};
    CondKinematics kinematics;
    *index = -1;
    if (model->n_body != state->n_body || model->n_dof != state->n_dof || model->n_q != state->n_q)
        return cond_error_set(error, COND_BAD_ARGUMENT, "the state is not one of this model");
    CondStatus status = cond_attachment_resolve(model, def, &weld.what, error);
    if (status)
        return status;
    memset(&kinematics, 0, sizeof kinematics);
    status = cond_kinematics_create(model, &kinematics);
    if (!status) {
        cond_kinematics_set(&kinematics, state->q);
        cond_trajectory_guide(&kinematics, state->time);
        cond_weld_make(&kinematics, &weld);
        status = cond_state_hold(state, &weld, index);
    }
    cond_kinematics_destroy(&kinematics);
    return status ? cond_error_set(error, status, "out of memory") : COND_OK;
}

CondStatus cond_state_move_attachment(const CondModel* model, CondState* state, int index,
                                      const double position[3], const double orientation[4])
{
    double square = 0.0;
    if (model->n_body != state->n_body)
        return cond_state_refuse(state, "the state is of another model");
    if (index < 0 || index >= state->n_weld)
        return cond_state_refuse(state, "there is no attachment %d; the state has %d", index,
                                 state->n_weld);
    if (cond_state_refuse_infinite(state, "attachment", "position", position, 3) ||
        cond_state_refuse_infinite(state, "attachment", "orientation", orientation, 4))
        return COND_BAD_ARGUMENT;
    CondWeld* weld = &state->weld[index];
    int end = weld->what.end[1].point.body < 0 ? 1 : 0; // that in the world
    CondFrame* frame = &weld->what.end[end];
    for (int i = 0; i < 4 && orientation; i++)
        square += orientation[i] * orientation[i];
    if (frame->point.body >= 0 || frame->guide > 0)
        return cond_state_refuse(state, "attachment %d has no end that stands in the world", index);
    if (orientation && !(square > COND_INPUT_ROUNDING * COND_INPUT_ROUNDING && isfinite(square)))
        return cond_state_refuse(state,
                                 "attachment %d: orientation is a quaternion (w, x, y, z) of the "
                                 "length %g; not turned is (1, 0, 0, 0)",
                                 index, sqrt(square));
    // p0 = p1 + R1 anchor and R0 = R1 turn, R of the end in the world being 1.
    memcpy(frame->point.local, position, 3 * sizeof *position);
    memset(weld->anchor, 0, sizeof weld->anchor);
    weld->what.placed = 1;
    memset(weld->what.position, 0, sizeof weld->what.position);
    if (orientation) {
        weld->what.oriented = 1;
        memcpy(weld->what.orientation, orientation, sizeof weld->what.orientation);
        quat_normalize(weld->what.orientation);
        for (int i = 1; i < 4 && end == 0; i++)
            weld->what.orientation[i] = -weld->what.orientation[i];
        memcpy(weld->turn, weld->what.orientation, sizeof weld->turn);
    }
    return COND_OK;
}

CondStatus cond_state_release(CondState* state, int index)
{
    if (index < 0 || index >= state->n_weld)
        return cond_state_refuse(state, "there is no attachment %d; the state has %d", index,
                                 state->n_weld);
    CondWeld* weld = &state->weld[index];
    weld->active = weld->waits = 0;
    if (weld->attachment >= 0)
        weld->what.end_time = -INFINITY; // its time is over
    return COND_OK;
}

int cond_state_n_attachment(const CondState* state)
{
    return state->n_weld;
}

int cond_state_attachment_holds(const CondState* state, int index)
{
    return index >= 0 && index < state->n_weld && state->weld[index].active;
}
