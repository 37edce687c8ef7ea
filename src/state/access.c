// What a state holds, addressed by index: coordinates of joints, and q and v of bodies and of all.
#include "base/error.h"
#include "body/body.h"
#include "model/articulation.h"
#include "model/index.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

// Where a joint coordinate of a robot is in q, v and among the targets.
typedef struct Slot {
    int q, v, target;
} Slot;

static CondStatus find_slot(const CondModel* model, int body, int coordinate, Slot* slot)
{
    CondStatus status = cond_model_check_kind(model, body, COND_BODY_ROBOT);
    if (!status)
        status = cond_index_check("coordinate", coordinate, cond_model_n_coordinate(model, body));
    if (status)
        return status;
    const CondBody* robot = &model->body[body];
    *slot = (Slot){cond_body_joint_q(robot) + coordinate, cond_body_joint_v(robot) + coordinate,
                   robot->target_begin + coordinate};
    return COND_OK;
}

CondStatus cond_state_coordinate(const CondModel* model, const CondState* state, int body,
                                 int coordinate, double* position, double* velocity)
{
    Slot slot;
    CondStatus status = find_slot(model, body, coordinate, &slot);
    if (status)
        return status;
    if (position)
        *position = state->q[slot.q];
    if (velocity)
        *velocity = state->v[slot.v];
    return COND_OK;
}

CondStatus cond_state_set_coordinate(const CondModel* model, CondState* state, int body,
                                     int coordinate, double position, double velocity)
{
    Slot slot;
    CondStatus status = find_slot(model, body, coordinate, &slot);
    if (status)
        return status;
    const char* name = model->body[body].name;
    status = cond_state_refuse_infinite(state, name, "position", &position, 1);
    if (!status)
        status = cond_state_refuse_infinite(state, name, "velocity", &velocity, 1);
    if (status)
        return status;
    state->q[slot.q] = position;
    state->v[slot.v] = state->v_hat[slot.v] = velocity;
    return COND_OK;
}

static CondStatus set_target(const CondModel* model, CondState* state, int body, int coordinate,
                             double target, int moves)
{
    Slot slot;
    CondStatus status = find_slot(model, body, coordinate, &slot);
    if (!status)
        status = cond_state_refuse_infinite(state, model->body[body].name, "target", &target, 1);
    if (status)
        return status;
    state->command[slot.target] = target;
    if (!moves)
        state->target[slot.target] = target;
    return COND_OK;
}

CondStatus cond_state_set_target(const CondModel* model, CondState* state, int body, int coordinate,
                                 double target)
{
    return set_target(model, state, body, coordinate, target, 0);
}

CondStatus cond_state_move_target(const CondModel* model, CondState* state, int body,
                                  int coordinate, double target)
{
    return set_target(model, state, body, coordinate, target, 1);
}

const double* cond_state_body_configuration(const CondModel* model, const CondState* state,
                                            int body, int* n)
{
    int known = !cond_model_check_body(model, body);
    if (n)
        *n = known ? model->body[body].n_q : 0;
    return known ? state->q + model->body[body].q_begin : NULL;
}

const double* cond_state_body_velocity(const CondModel* model, const CondState* state, int body,
                                       int* n)
{
    int known = !cond_model_check_body(model, body);
    if (n)
        *n = known ? model->body[body].n_dof : 0;
    return known ? state->v + model->body[body].dof_begin : NULL;
}

const double* cond_state_whole_configuration(const CondState* state, int* n)
{
    if (n)
        *n = state->n_q;
    return state->q;
}

const double* cond_state_whole_velocity(const CondState* state, int* n)
{
    if (n)
        *n = state->n_dof;
    return state->v;
}
