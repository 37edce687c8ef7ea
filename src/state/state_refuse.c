// Why a state does not take what it is given, for people.
#include "model/state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char* cond_state_message(const CondState* state)
{
    return state->message;
}

CondStatus cond_state_refuse(CondState* state, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->message, sizeof state->message, format, arguments);
    va_end(arguments);
    return cond_last_error_set(COND_BAD_ARGUMENT, state->message);
}

CondStatus cond_state_refuse_infinite(CondState* state, const char* of, const char* what,
                                      const double* x, int n)
{
    for (int i = 0; x && i < n; i++)
        if (!isfinite(x[i]))
            return cond_state_refuse(state, "'%.60s': %.60s[%d] is %g, expected a finite number",
                                     of, what, i, x[i]);
    return COND_OK;
}

CondStatus cond_state_refuse_unknown(CondState* state, const CondModel* model, int body)
{
    if (body >= 0 && body < model->n_body)
        return COND_OK;
    return cond_state_refuse(state, "there is no body %d; the model has %d", body, model->n_body);
}

CondStatus cond_state_refuse_joints(CondState* state, const CondModel* model, int body)
{
    CondStatus status = cond_state_refuse_unknown(state, model, body);
    if (status)
        return status;
    const CondBody* one = &model->body[body];
    if (one->kind != COND_BODY_ROBOT)
        return cond_state_refuse(state, "'%.60s' is of the kind %s; only robots have joints",
                                 one->name, cond_body_kind_name(one->kind));
    return COND_OK;
}

CondStatus cond_state_refuse_place(CondState* state, const CondModel* model, const CondPlace* place)
{
    CondPoint point;
    CondStatus status = cond_state_refuse_unknown(state, model, place->body);
    if (status || !cond_place_point(model, place, &point))
        return status;
    const CondBody* one = &model->body[place->body];
    status = cond_state_refuse_infinite(state, one->name, "point", place->point, 3);
    return status ? status
                  : cond_state_refuse(state, "'%.60s' has no %s %d", one->name,
                                      one->kind == COND_BODY_SOFT ? "node" : "link", place->part);
}
