// Joints and whole configurations of a state, in and out.
#include "body/body.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

// Where a joint with one coordinate is in q and v of the whole model.
static CondStatus find(const CondModel* model, int body, int joint, int* q, int* v)
{
    CondJointInfo info;
    CondStatus status = cond_model_joint(model, body, joint, &info);
    if (status || info.n_coordinate != 1 || info.turn_begin >= 0)
        return COND_BAD_ARGUMENT;
    *q = model->body[body].q_begin + info.q_begin;
    *v = model->body[body].dof_begin + info.dof_begin;
    return COND_OK;
}

CondStatus cond_state_joint(const CondModel* model, const CondState* state, int body, int joint,
                            double* position, double* velocity)
{
    int q, v;
    CondStatus status = find(model, body, joint, &q, &v);
    if (status)
        return status;
    if (position)
        *position = state->q[q];
    if (velocity)
        *velocity = state->v[v];
    return COND_OK;
}

CondStatus cond_state_set_joint(const CondModel* model, CondState* state, int body, int joint,
                                double position, double velocity)
{
    int q, v;
    CondStatus status = find(model, body, joint, &q, &v);
    if (status || !isfinite(position) || !isfinite(velocity))
        return COND_BAD_ARGUMENT;
    state->q[q] = position;
    state->v[v] = state->v_hat[v] = velocity;
    return COND_OK;
}

static int are_finite(const double* x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

CondStatus cond_state_set_configuration(const CondModel* model, CondState* state, int body,
                                        const double* q)
{
    if (body < 0 || body >= model->n_body || !are_finite(q, model->body[body].n_q))
        return COND_BAD_ARGUMENT;
    const CondBody* one = &model->body[body];
    memcpy(state->q + one->q_begin, q, (size_t)one->n_q * sizeof *q);
    cond_body_normalize(one, state->q + one->q_begin);
    return COND_OK;
}

CondStatus cond_state_set_velocity(const CondModel* model, CondState* state, int body,
                                   const double* v)
{
    if (body < 0 || body >= model->n_body || !are_finite(v, model->body[body].n_dof))
        return COND_BAD_ARGUMENT;
    const CondBody* one = &model->body[body];
    memcpy(state->v + one->dof_begin, v, (size_t)one->n_dof * sizeof *v);
    memcpy(state->v_hat + one->dof_begin, v, (size_t)one->n_dof * sizeof *v);
    return COND_OK;
}
