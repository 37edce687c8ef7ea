// Where everything was between two states that follow each other: dense output of a step.
#include "base/error.h"
#include "body/body.h"
#include "model/state.h"

#include <math.h>

// With d the motion from one configuration to the other in a time t, and s from 0 to 1,
//     q(s) = update(q_0, s d - s (1 - s)/2 t (v_1 - v_0), 1),     v(s) = v_0 + s (v_1 - v_0)
// It goes through both ends. Where d = t (v_0 + v_1)/2, as after a step by the midpoint rule, it
// begins and ends with their velocities.
static void put_between(const CondBody* body, const CondState* from, const CondState* to, double s,
                        double t, CondState* made)
{
    const double *v_0 = from->v + body->dof_begin, *v_1 = to->v + body->dof_begin;
    double *q = made->q + body->q_begin, *v = made->v + body->dof_begin;
    cond_body_between(body, from->q + body->q_begin, to->q + body->q_begin, v);
    for (int i = 0; i < body->n_dof; i++)
        v[i] = s * v[i] - 0.5 * s * (1.0 - s) * t * (v_1[i] - v_0[i]);
    cond_body_ops(body->kind)->advance(body, v, 1.0, q);
    for (int i = 0; i < body->n_dof; i++)
        v[i] = v_0[i] + s * (v_1[i] - v_0[i]);
}

CondStatus cond_state_between(const CondModel* model, const CondState* from, const CondState* to,
                              double time, CondState* made)
{
    double t = to->time - from->time, s = (time - from->time) / t;
    if (made == from || made == to || from->n_q != model->n_q || to->n_q != model->n_q)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "three states of the model are needed, which are not the same");
    if (!(t > 0.0) || !(s >= 0.0 && s <= 1.0))
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "a time of %g s does not lie between the states, at %g s and %g s",
                              time, from->time, to->time);
    CondStatus status = cond_state_copy(made, s < 1.0 ? from : to);
    if (status || s == 0.0 || s == 1.0)
        return status;
    made->time = time;
    for (int b = 0; b < model->n_body; b++)
        put_between(&model->body[b], from, to, s, t, made);
    return COND_OK;
}
