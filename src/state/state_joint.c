// Joints and whole configurations of a state, in and out.
#include "base/definition.h"
#include "base/error.h"
#include "body/body.h"
#include "model/index.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

// Where a joint with one coordinate is in q and v of the whole model.
static CondStatus find(const CondModel* model, int body, int joint, int* q, int* v)
{
    CondJointInfo info;
    CondStatus status = cond_model_joint(model, body, joint, &info);
    if (status)
        return status;
    if (info.n_coordinate != 1 || info.turn_begin >= 0)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "joint %d: '%s' follows another one, or has not one coordinate",
                              joint, info.name);
    *q = model->body[body].q_begin + info.q_begin;
    *v = model->body[body].dof_begin + info.dof_begin;
    return COND_OK;
}

CondStatus cond_state_joint(const CondModel* model, const CondState* state, int body, int joint,
                            double* position, double* velocity)
{
    int q = 0, v = 0;
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
    int q = 0, v = 0;
    CondStatus status = cond_state_refuse_joints(state, model, body);
    if (status)
        return status;
    if (find(model, body, joint, &q, &v))
        return cond_state_refuse(state,
                                 "'%.60s': joint %d is none that has one coordinate of its own",
                                 model->body[body].name, joint);
    const double given[2] = {position, velocity};
    status = cond_state_refuse_infinite(state, model->body[body].name,
                                        "(position, velocity) of a joint", given, 2);
    if (status)
        return status;
    state->q[q] = position;
    state->v[v] = state->v_hat[v] = velocity;
    return COND_OK;
}

CondStatus cond_state_set_configuration(const CondModel* model, CondState* state, int body,
                                        const double* q)
{
    CondStatus status = cond_state_refuse_unknown(state, model, body);
    if (status)
        return status;
    const CondBody* one = &model->body[body];
    status = cond_state_refuse_infinite(state, one->name, "q", q, one->n_q);
    if (status)
        return status;
    int at = cond_body_turnless(one, q);
    if (at >= 0)
        return cond_state_refuse(state,
                                 "'%.60s': q[%d..%d] is a quaternion (w, x, y, z) of the length 0; "
                                 "not turned is (1, 0, 0, 0)",
                                 one->name, at, at + 3);
    memcpy(state->q + one->q_begin, q, (size_t)one->n_q * sizeof *q);
    cond_body_normalize(one, state->q + one->q_begin);
    return COND_OK;
}

CondStatus cond_state_set_velocity(const CondModel* model, CondState* state, int body,
                                   const double* v)
{
    CondStatus status = cond_state_refuse_unknown(state, model, body);
    if (status)
        return status;
    const CondBody* one = &model->body[body];
    status = cond_state_refuse_infinite(state, one->name, "v", v, one->n_dof);
    if (status)
        return status;
    memcpy(state->v + one->dof_begin, v, (size_t)one->n_dof * sizeof *v);
    memcpy(state->v_hat + one->dof_begin, v, (size_t)one->n_dof * sizeof *v);
    return COND_OK;
}

void cond_motor_gains_default_fill(CondMotorGains* made, size_t size)
{
    const CondMotorGains defaults = {NAN, NAN, NAN, NAN};
    memcpy(made, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

// The first of a robot's coordinates among all, and how many there are; 0 for other bodies.
static int coordinates_of(const CondModel* model, int body, int* first)
{
    int n = cond_model_n_coordinate(model, body);
    *first = n > 0 ? model->body[body].target_begin : 0;
    return n;
}

static CondStatus state_set_motor_whole(const CondModel* model, CondState* state, int body,
                                        int coordinate, const CondMotorGains* gains)
{
    CondStatus status = cond_state_refuse_joints(state, model, body);
    if (status)
        return status;
    int first, n = coordinates_of(model, body, &first);
    const char* name = model->body[body].name;
    if (coordinate < -1 || coordinate >= n)
        return cond_state_refuse(state, "'%.60s' has no joint coordinate %d; it has %d", name,
                                 coordinate, n);
    if (gains->stiffness < 0.0 || isinf(gains->stiffness))
        return cond_state_refuse(state, "'%.60s': stiffness must be >= 0 and finite, not %g", name,
                                 gains->stiffness);
    if (gains->damping < 0.0 || isinf(gains->damping))
        return cond_state_refuse(state, "'%.60s': damping must be >= 0 and finite, not %g", name,
                                 gains->damping);
    if (gains->effort <= 0.0)
        return cond_state_refuse(state, "'%.60s': effort must be > 0, not %g", name, gains->effort);
    if (gains->effort_back < 0.0)
        return cond_state_refuse(state, "'%.60s': effort_back must be >= 0, not %g", name,
                                 gains->effort_back);
    for (int i = 0; i < n; i++) {
        CondMotor* motor = &state->motor[first + i];
        if (coordinate >= 0 && i != coordinate)
            continue;
        if (!isnan(gains->stiffness))
            motor->stiffness = gains->stiffness;
        if (!isnan(gains->damping))
            motor->damping = gains->damping;
        if (!isnan(gains->effort))
            motor->effort = motor->effort_back = gains->effort;
        if (!isnan(gains->effort_back))
            motor->effort_back = gains->effort_back;
    }
    return COND_OK;
}

CondStatus cond_state_set_motor_sized(const CondModel* model, CondState* state, int body,
                                      int coordinate, const CondMotorGains* gains, size_t size)
{
    COND_SIZED_IN(CondStatus, CondMotorGains, gains, size,
                  state_set_motor_whole(model, state, body, coordinate, it));
}

static CondStatus state_motor_whole(const CondModel* model, const CondState* state, int body,
                                    int coordinate, CondMotorGains* gains)
{
    CondStatus status = cond_model_check_kind(model, body, COND_BODY_ROBOT);
    int first, n = status ? 0 : coordinates_of(model, body, &first);
    if (!status)
        status = cond_index_check("coordinate", coordinate, n);
    if (status)
        return status;
    const CondMotor* motor = &state->motor[first + coordinate];
    *gains = (CondMotorGains){motor->stiffness, motor->damping, motor->effort,
                              motor->effort_back == motor->effort ? NAN : motor->effort_back};
    return COND_OK;
}

CondStatus cond_state_motor_sized(const CondModel* model, const CondState* state, int body,
                                  int coordinate, CondMotorGains* gains, size_t size)
{
    COND_SIZED(CondStatus, CondMotorGains, gains, size,
               state_motor_whole(model, state, body, coordinate, it));
}

CondStatus cond_state_set_targets(const CondModel* model, CondState* state, int body,
                                  const double* target, int moves, const double* speed,
                                  const double* torque)
{
    CondStatus status = cond_state_refuse_joints(state, model, body);
    if (status)
        return status;
    const char* name = model->body[body].name;
    int first, n = coordinates_of(model, body, &first);
    if (n == 0)
        return cond_state_refuse(state, "'%.60s' has no joint that moves", name);
    status = cond_state_refuse_infinite(state, name, "target", target, n);
    if (!status)
        status = cond_state_refuse_infinite(state, name, "speed", speed, n);
    if (!status)
        status = cond_state_refuse_infinite(state, name, "torque", torque, n);
    if (status)
        return status;
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
