// States: creation, copies, and the functions that read and set time, velocities and poses.
#include "model/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "body/body.h"
#include "model/index.h"
#include "model/rod.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The scene's attachments, none of them made yet.
static CondStatus start_holds(const CondModel* model, CondState* state)
{
    if (COND_RESERVE(&state->arena, state->weld, model->n_attachment))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < model->n_attachment; i++)
        state->weld[i] = (CondWeld){.attachment = i, .what = model->attachment[i]};
    state->n_weld = model->n_attachment;
    return COND_OK;
}

CondStatus cond_state_create(const CondModel* model, CondState** state, CondError* error)
{
    *state = NULL;
    const CondContext* m = &model->arena.context;
    CondState* made = cond_allocate(m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_arena_begin(m, &made->arena);
    made->n_body = model->n_body;
    made->n_dof = model->n_dof;
    made->n_q = model->n_q;
    made->n_target = model->n_target;
    CondArena* arena = &made->arena;
    if (COND_RESERVE(arena, made->q, model->n_q) || COND_RESERVE(arena, made->v, model->n_dof) ||
        COND_RESERVE(arena, made->v_hat, model->n_dof) ||
        COND_RESERVE(arena, made->force, model->n_dof) ||
        COND_RESERVE(arena, made->off, model->n_body) ||
        COND_RESERVE(arena, made->target, model->n_target) ||
        COND_RESERVE(arena, made->command, model->n_target) ||
        COND_RESERVE(arena, made->motor, model->n_target) || start_holds(model, made)) {
        cond_state_destroy(made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        size_t n_q = (size_t)body->n_q, n_dof = (size_t)body->n_dof;
        if (body->start) {
            memcpy(made->q + body->q_begin, body->start, n_q * sizeof(double));
            memcpy(made->v + body->dof_begin, body->start_v, n_dof * sizeof(double));
            memcpy(made->v_hat + body->dof_begin, body->start_v, n_dof * sizeof(double));
            if (body->arm) // joints come last in q
                memcpy(made->target + body->target_begin,
                       body->start + body->n_q - body->arm->n_joint,
                       (size_t)body->arm->n_joint * sizeof(double));
            for (int j = 0; body->arm && j < body->arm->n_joint; j++)
                made->target[body->target_begin + j] += body->motor[j].lead;
        } else {
            cond_state_set_pose(model, made, b, &body->initial);
        }
    }
    memcpy(made->command, made->target, (size_t)model->n_target * sizeof(double));
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].arm && model->body[b].arm->n_joint > 0)
            memcpy(made->motor + model->body[b].target_begin, model->body[b].motor,
                   (size_t)model->body[b].arm->n_joint * sizeof *made->motor);
    *state = made;
    return COND_OK;
}

void cond_state_destroy(CondState* state)
{
    if (!state)
        return;
    CondContext m = state->arena.context;
    cond_arena_release(&state->arena);
    cond_release(&m, state);
}

typedef struct MemoryLoop {
    const CondContactMemory* from;
    CondContactMemory* to;
} MemoryLoop;

static void copy_memories(const void* data, int first, int last)
{
    const MemoryLoop* loop = data;
    memcpy(loop->to + first, loop->from + first, (size_t)(last - first) * sizeof *loop->to);
}

CondStatus cond_state_copy_by(CondState* to, const CondState* from, int threads)
{
    if (to->n_body != from->n_body || to->n_dof != from->n_dof || to->n_q != from->n_q)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "the states are of different models: %d bodies with %d coordinates, "
                              "and %d with %d",
                              to->n_body, to->n_dof, from->n_body, from->n_dof);
    if (COND_RESERVE(&to->arena, to->memory, from->n_memory) ||
        COND_RESERVE(&to->arena, to->weld, from->n_weld) ||
        COND_RESERVE(&to->arena, to->push, from->n_push) ||
        COND_RESERVE(&to->arena, to->touch, from->n_touch))
        return cond_error_set(NULL, COND_OUT_OF_MEMORY, "out of memory");
    to->time = from->time;
    to->step = from->step;
    to->account = from->account;
    to->pace = from->pace;
    cond_parallel_copy(from->n_q, from->q, to->q, threads);
    cond_parallel_copy(from->n_dof, from->v, to->v, threads);
    cond_parallel_copy(from->n_dof, from->v_hat, to->v_hat, threads);
    memcpy(to->target, from->target, (size_t)from->n_target * sizeof(double));
    memcpy(to->command, from->command, (size_t)from->n_target * sizeof(double));
    if (from->n_target > 0)
        memcpy(to->motor, from->motor, (size_t)from->n_target * sizeof *to->motor);
    cond_parallel_copy(from->n_dof, from->force, to->force, threads);
    if (from->n_body > 0)
        memcpy(to->off, from->off, (size_t)from->n_body * sizeof *to->off);
    if (from->n_push > 0)
        memcpy(to->push, from->push, (size_t)from->n_push * sizeof *to->push);
    to->n_push = from->n_push;
    if (from->n_weld > 0)
        memcpy(to->weld, from->weld, (size_t)from->n_weld * sizeof *to->weld);
    to->n_weld = from->n_weld;
    MemoryLoop memories = {from->memory, to->memory};
    cond_parallel(
        from->n_memory,
        cond_threads((size_t)from->n_memory * sizeof *to->memory / sizeof(double), threads),
        copy_memories, &memories);
    to->n_memory = from->n_memory;
    if (from->n_touch > 0)
        memcpy(to->touch, from->touch, (size_t)from->n_touch * sizeof *to->touch);
    to->n_touch = from->n_touch;
    return COND_OK;
}

CondStatus cond_state_copy(CondState* to, const CondState* from)
{
    return cond_state_copy_by(to, from, 1);
}

double cond_state_time(const CondState* state)
{
    return state->time;
}

CondStatus cond_state_set_time(const CondModel* model, CondState* state, double time)
{
    double step = round(time / model->settings.time_step);
    if (!(fabs(step) < 1.0 / DBL_EPSILON)) // beyond, a double does not count steps one by one
        return cond_state_refuse(state, "a time of %g s cannot be counted in steps of %g s", time,
                                 model->settings.time_step);
    state->step = (int64_t)step;
    state->time = step * model->settings.time_step;
    return COND_OK;
}

const double* cond_state_velocity(const CondState* state)
{
    return state->v;
}

CondPose cond_state_pose(const CondModel* model, const CondState* state, int body)
{
    CondPose pose = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    if (cond_model_check_body(model, body))
        return pose;
    const CondBody* b = &model->body[body];
    return cond_body_ops(b->kind)->pose(b, state->q + b->q_begin, state->v + b->dof_begin);
}

void cond_pose_default_fill(CondPose* made, size_t size)
{
    const CondPose defaults = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    memcpy(made, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

static CondStatus check_pose(CondState* state, const char* name, const CondPose* pose)
{
    double norm2 = 0.0;
    CondStatus status = cond_state_refuse_infinite(state, name, "position", pose->position, 3);
    if (!status)
        status = cond_state_refuse_infinite(state, name, "orientation", pose->orientation, 4);
    if (!status)
        status = cond_state_refuse_infinite(state, name, "velocity", pose->velocity, 3);
    if (!status)
        status =
            cond_state_refuse_infinite(state, name, "angular_velocity", pose->angular_velocity, 3);
    for (int i = 0; i < 4; i++)
        norm2 += pose->orientation[i] * pose->orientation[i];
    if (!status && (!(norm2 > 0.0) || !isfinite(norm2)))
        return cond_state_refuse(state,
                                 "'%.60s': orientation is a quaternion (w, x, y, z) of the length "
                                 "%g; not turned is (1, 0, 0, 0)",
                                 name, sqrt(norm2));
    return status;
}

CondStatus cond_state_set_pose(const CondModel* model, CondState* state, int body,
                               const CondPose* pose)
{
    CondStatus status = cond_state_refuse_unknown(state, model, body);
    if (!status)
        status = check_pose(state, model->body[body].name, pose);
    if (status)
        return status;
    const CondBody* b = &model->body[body];
    double* v = state->v + b->dof_begin;
    if (cond_body_ops(b->kind)->set_pose(b, pose, state->q + b->q_begin, v))
        return cond_state_refuse(state, "'%.60s' is fixed to the world and cannot be put elsewhere",
                                 b->name);
    memcpy(state->v_hat + b->dof_begin, v, (size_t)b->n_dof * sizeof *v);
    return COND_OK;
}

// Where a joint's target is among all of them.
static CondStatus find_target(const CondModel* model, CondState* state, int body, const char* joint,
                              double target, int* at)
{
    CondStatus status = cond_state_refuse_joints(state, model, body);
    if (status)
        return status;
    const CondBody* robot = &model->body[body];
    int found = cond_model_find_coordinate(model, body, joint);
    if (found < 0)
        return cond_state_refuse(state, "%.190s", cond_last_error()->message);
    *at = robot->target_begin + found;
    return cond_state_refuse_infinite(state, robot->name, "target", &target, 1);
}

CondStatus cond_state_set_joint_target(const CondModel* model, CondState* state, int body,
                                       const char* joint, double target)
{
    int at = 0;
    CondStatus status = find_target(model, state, body, joint, target, &at);
    if (status)
        return status;
    state->target[at] = state->command[at] = target;
    return COND_OK;
}

CondStatus cond_state_move_joint_target(const CondModel* model, CondState* state, int body,
                                        const char* joint, double target)
{
    int at = 0;
    CondStatus status = find_target(model, state, body, joint, target, &at);
    if (status)
        return status;
    state->command[at] = target;
    return COND_OK;
}

const double* cond_state_configuration(const CondModel* model, const CondState* state, int body,
                                       int* n)
{
    return cond_state_body_configuration(model, state, body, n);
}

// 1 when all are finite: infinity and NaN survive a product with 0.
static int are_finite(const double* x, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += 0.0 * x[k];
    return sum == 0.0;
}

int cond_state_not_finite(const CondModel* model, const CondState* state)
{
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        if (!are_finite(state->q + body->q_begin, body->n_q) ||
            !are_finite(state->v + body->dof_begin, body->n_dof))
            return b;
    }
    return -1;
}
