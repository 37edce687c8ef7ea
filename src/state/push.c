// Forces from outside that the user gives a state.
#include "base/memory.h"
#include "model/state.h"

#include <string.h>

// The vector or 0, where it is finite.
static CondStatus take(CondState* state, const CondModel* model, int body, const char* what,
                       const double given[3], double kept[3])
{
    const char* of = model ? model->body[body].name : "push";
    for (int k = 0; k < 3; k++)
        kept[k] = given ? given[k] : 0.0;
    return cond_state_refuse_infinite(state, of, what, kept, 3);
}

CondStatus cond_state_push(const CondModel* model, CondState* state, const CondPlace* place,
                           const double force[3], const double torque[3], int* index)
{
    CondPush push;
    int at = 0;
    *index = -1;
    if (cond_state_refuse_place(state, model, place) ||
        cond_place_point(model, place, &push.point) ||
        take(state, model, place->body, "force", force, push.force) ||
        take(state, model, place->body, "torque", torque, push.torque))
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

static CondStatus find(CondState* state, int index)
{
    if (index >= 0 && index < state->n_push && state->push[index].point.body >= 0)
        return COND_OK;
    return cond_state_refuse(state, "there is no push %d, or it was let go", index);
}

CondStatus cond_state_set_push(CondState* state, int index, const double force[3],
                               const double torque[3])
{
    double kept[6];
    if (find(state, index) || take(state, NULL, 0, "force", force, kept) ||
        take(state, NULL, 0, "torque", torque, kept + 3))
        return COND_BAD_ARGUMENT;
    memcpy(state->push[index].force, kept, sizeof state->push[index].force);
    memcpy(state->push[index].torque, kept + 3, sizeof state->push[index].torque);
    return COND_OK;
}

CondStatus cond_state_end_push(CondState* state, int index)
{
    if (find(state, index))
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
    CondStatus status = cond_state_refuse_unknown(state, model, body);
    if (status)
        return status;
    int n = model->body[body].n_dof;
    double* own = state->force + model->body[body].dof_begin;
    status = cond_state_refuse_infinite(state, model->body[body].name, "force", f, n);
    if (status)
        return status;
    for (int i = 0; i < n; i++)
        own[i] = f ? f[i] : 0.0;
    return COND_OK;
}
