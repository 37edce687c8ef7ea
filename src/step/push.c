// Forces from outside that the user gives a state.
#include "base/memory.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

// The vector or 0; COND_BAD_ARGUMENT where it is not finite.
static CondStatus take(const double given[3], double kept[3])
{
    for (int k = 0; k < 3; k++) {
        kept[k] = given ? given[k] : 0.0;
        if (!isfinite(kept[k]))
            return COND_BAD_ARGUMENT;
    }
    return COND_OK;
}

CondStatus cond_state_push(const CondModel* model, CondState* state, const CondPlace* place,
                           const double force[3], const double torque[3], int* index)
{
    CondPush push;
    int at = 0;
    *index = -1;
    if (cond_place_point(model, place, &push.point) || take(force, push.force) ||
        take(torque, push.torque))
        return COND_BAD_ARGUMENT;
    while (at < state->n_push && state->push[at].point.body >= 0)
        at++;
    if (at == state->n_push && COND_RESERVE(&state->arena, state->push, at + 1))
        return COND_OUT_OF_MEMORY;
    state->n_push += at == state->n_push;
    state->push[at] = push;
    *index = at;
    return COND_OK;
}

static int is_known(const CondState* state, int index)
{
    return index >= 0 && index < state->n_push && state->push[index].point.body >= 0;
}

CondStatus cond_state_set_push(CondState* state, int index, const double force[3],
                               const double torque[3])
{
    double kept[6];
    if (!is_known(state, index) || take(force, kept) || take(torque, kept + 3))
        return COND_BAD_ARGUMENT;
    memcpy(state->push[index].force, kept, sizeof state->push[index].force);
    memcpy(state->push[index].torque, kept + 3, sizeof state->push[index].torque);
    return COND_OK;
}

CondStatus cond_state_end_push(CondState* state, int index)
{
    if (!is_known(state, index))
        return COND_BAD_ARGUMENT;
    memset(&state->push[index], 0, sizeof state->push[index]);
    state->push[index].point.body = -1;
    while (state->n_push > 0 && state->push[state->n_push - 1].point.body < 0)
        state->n_push--;
    return COND_OK;
}

void cond_state_end_pushes(CondState* state)
{
    state->n_push = 0;
}

CondStatus cond_state_set_force(const CondModel* model, CondState* state, int body, const double* f)
{
    if (body < 0 || body >= model->n_body)
        return COND_BAD_ARGUMENT;
    int n = model->body[body].n_dof;
    double* own = state->force + model->body[body].dof_begin;
    for (int i = 0; f && i < n; i++)
        if (!isfinite(f[i]))
            return COND_BAD_ARGUMENT;
    for (int i = 0; i < n; i++)
        own[i] = f ? f[i] : 0.0;
    return COND_OK;
}
