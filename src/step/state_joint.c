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

// The first of a robot's coordinates among all, and how many there are; 0 for other bodies.
static int coordinates_of(const CondModel* model, int body, int* first)
{
    int n = cond_model_n_coordinate(model, body);
    *first = n > 0 ? model->body[body].target_begin : 0;
    return n;
}

CondStatus cond_state_set_motor(const CondModel* model, CondState* state, int body, int coordinate,
                                const CondMotorGains* gains)
{
    int first, n = coordinates_of(model, body, &first);
    if (coordinate < -1 || coordinate >= n || !(gains->stiffness >= 0.0) ||
        !(gains->damping >= 0.0) || !(gains->effort > 0.0) || isinf(gains->stiffness) ||
        isinf(gains->damping))
        return COND_BAD_ARGUMENT;
    for (int i = 0; i < n; i++) {
        CondMotor* motor = &state->motor[first + i];
        if (coordinate >= 0 && i != coordinate)
            continue;
        motor->stiffness = gains->stiffness;
        motor->damping = gains->damping;
        motor->effort = motor->effort_back = gains->effort;
    }
    return COND_OK;
}

CondStatus cond_state_motor(const CondModel* model, const CondState* state, int body,
                            int coordinate, CondMotorGains* gains)
{
    int first, n = coordinates_of(model, body, &first);
    if (coordinate < 0 || coordinate >= n)
        return COND_BAD_ARGUMENT;
    const CondMotor* motor = &state->motor[first + coordinate];
    *gains = (CondMotorGains){motor->stiffness, motor->damping, motor->effort};
    return COND_OK;
}

CondStatus cond_state_set_targets(const CondModel* model, CondState* state, int body,
                                  const double* target, int moves, const double* speed,
                                  const double* torque)
{
    int first, n = coordinates_of(model, body, &first);
    if (n == 0 || (target && !are_finite(target, n)) || (speed && !are_finite(speed, n)) ||
        (torque && !are_finite(torque, n)))
        return COND_BAD_ARGUMENT;
    for (int i = 0; i < n; i++) {
        CondMotor* motor = &state->motor[first + i];
        if (target)
            state->command[first + i] = target[i];
        if (target && !moves)
            state->target[first + i] = target[i];
        if (speed)
            motor->speed = speed[i];
        if (torque)
            motor->torque = torque[i];
    }
    return COND_OK;
}
