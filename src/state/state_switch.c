// Bodies that are switched off for a while: they stay where they are, for the others they are not
// there, and what they were attached to is free until they are back.
#include "model/state.h"

#include <string.h>

static int ends_on(const CondWeld* weld, int body)
{
    return weld->what.end[0].point.body == body || weld->what.end[1].point.body == body;
}

CondStatus cond_state_set_on(const CondModel* model, CondState* state, int body, int on)
{
    if (model->n_body != state->n_body || model->n_dof != state->n_dof)
        return cond_state_refuse(state, "the state is of another model");
    if (cond_state_refuse_unknown(state, model, body))
        return COND_BAD_ARGUMENT;
    if (model->settings.method != COND_STEP_VELOCITY) {
        cond_state_refuse(state, "bodies can be switched only where the step's method is velocity");
        return cond_last_error_set(COND_NOT_SUPPORTED, cond_state_message(state));
    }
    const CondBody* what = &model->body[body];
    state->off[body] = !on;
    for (int i = what->dof_begin; !on && i < what->dof_begin + what->n_dof; i++)
        state->v[i] = state->v_hat[i] = 0.0;
    for (int i = 0; i < state->n_weld; i++) {
        CondWeld* weld = &state->weld[i];
        if (!ends_on(weld, body) || !(weld->active || weld->waits))
            continue;
        weld->waits = cond_weld_is_off(state, weld);
        weld->active = !weld->waits;
    }
    return COND_OK;
}

int cond_state_is_on(const CondState* state, int body)
{
    return body >= 0 && body < state->n_body && !state->off[body];
}
