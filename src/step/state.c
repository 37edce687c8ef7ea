#include "step/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "body/body.h"

#include <math.h>
#include <string.h>

// The scene's attachments, none of them made yet.
static CondStatus start_holds(const CondModel* model, CondState* state)
{
    if (cond_reserve(&state->context, &state->hold, &state->cap_hold, model->n_attachment,
                     sizeof *state->hold))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < model->n_attachment; i++)
        state->hold[i] = (CondHold){.attachment = i, .what = model->attachment[i]};
    state->n_hold = model->n_attachment;
    return COND_OK;
}

CondStatus cond_state_create(const CondModel* model, CondState** state, CondError* error)
{
    *state = NULL;
    const CondContext* m = &model->context;
    CondState* made = cond_allocate(m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = *m;
    made->n_body = model->n_body;
    made->n_dof = model->n_dof;
    made->n_q = model->n_q;
    made->q = cond_allocate(m, (size_t)model->n_q, sizeof(double));
    made->v = cond_allocate(m, (size_t)model->n_dof, sizeof(double));
    made->v_hat = cond_allocate(m, (size_t)model->n_dof, sizeof(double));
    made->n_target = model->n_target;
    made->target = cond_allocate(m, (size_t)model->n_target, sizeof(double));
    if (!made->q || !made->v || !made->v_hat || !made->target || start_holds(model, made)) {
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
        } else {
            cond_state_set_pose(model, made, b, &body->initial);
        }
    }
    *state = made;
    return COND_OK;
}

void cond_state_destroy(CondState* state)
{
    if (!state)
        return;
    CondContext m = state->context;
    cond_release(&m, state->q);
    cond_release(&m, state->v);
    cond_release(&m, state->v_hat);
    cond_release(&m, state->target);
    cond_release(&m, state->hold);
    cond_release(&m, state->memory);
    cond_release(&m, state);
}

CondStatus cond_state_copy(CondState* to, const CondState* from)
{
    if (to->n_body != from->n_body || to->n_dof != from->n_dof || to->n_q != from->n_q)
        return COND_BAD_ARGUMENT;
    if (cond_reserve(&to->context, &to->memory, &to->cap_memory, from->n_memory,
                     sizeof *to->memory) ||
        cond_reserve(&to->context, &to->hold, &to->cap_hold, from->n_hold, sizeof *to->hold))
        return COND_OUT_OF_MEMORY;
    to->time = from->time;
    to->step = from->step;
    memcpy(to->q, from->q, (size_t)from->n_q * sizeof(double));
    memcpy(to->v, from->v, (size_t)from->n_dof * sizeof(double));
    memcpy(to->v_hat, from->v_hat, (size_t)from->n_dof * sizeof(double));
    memcpy(to->target, from->target, (size_t)from->n_target * sizeof(double));
    if (from->n_hold > 0)
        memcpy(to->hold, from->hold, (size_t)from->n_hold * sizeof *to->hold);
    to->n_hold = from->n_hold;
    if (from->n_memory > 0)
        memcpy(to->memory, from->memory, (size_t)from->n_memory * sizeof *to->memory);
    to->n_memory = from->n_memory;
    return COND_OK;
}

// FNV-1a, 64 bits.
static uint64_t hash_bytes(uint64_t hash, const void* data, size_t bytes)
{
    const unsigned char* p = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

// All of an attachment but its name; field by field, for there may be padding.
static uint64_t hash_hold(uint64_t hash, const CondHold* hold)
{
    const CondAttachment* what = &hold->what;
    int numbers[] = {hold->attachment, hold->active, what->turns};
    double values[] = {what->stiffness[0], what->stiffness[1], what->damping[0],
                       what->damping[1],   what->start,        what->end_time};
    hash = hash_bytes(hash, numbers, sizeof numbers);
    hash = hash_bytes(hash, values, sizeof values);
    for (int end = 0; end < 2; end++) {
        const CondFrame* frame = &what->end[end];
        int at[] = {frame->point.body, frame->point.part, frame->patch};
        hash = hash_bytes(hash, at, sizeof at);
        hash = hash_bytes(hash, frame->point.local, sizeof frame->point.local);
    }
    hash = hash_bytes(hash, hold->anchor, sizeof hold->anchor);
    return hash_bytes(hash, hold->turn, sizeof hold->turn);
}

uint64_t cond_state_hash(const CondState* state)
{
    uint64_t hash = 14695981039346656037u;
    size_t n_dof = (size_t)state->n_dof;
    hash = hash_bytes(hash, &state->time, sizeof state->time);
    hash = hash_bytes(hash, &state->step, sizeof state->step);
    hash = hash_bytes(hash, state->q, (size_t)state->n_q * sizeof(double));
    hash = hash_bytes(hash, state->v, n_dof * sizeof(double));
    hash = hash_bytes(hash, state->v_hat, n_dof * sizeof(double));
    hash = hash_bytes(hash, state->target, (size_t)state->n_target * sizeof(double));
    for (int i = 0; i < state->n_hold; i++)
        hash = hash_hold(hash, &state->hold[i]);
    for (int i = 0; i < state->n_memory; i++) {
        hash = hash_bytes(hash, &state->memory[i].key, sizeof state->memory[i].key);
        hash = hash_bytes(hash, state->memory[i].lambda, sizeof state->memory[i].lambda);
        hash = hash_bytes(hash, &state->memory[i].triangle, sizeof state->memory[i].triangle);
    }
    return hash;
}

double cond_state_time(const CondState* state)
{
    return state->time;
}

const double* cond_state_velocity(const CondState* state)
{
    return state->v;
}

CondPose cond_state_pose(const CondModel* model, const CondState* state, int body)
{
    CondPose pose = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    if (body < 0 || body >= model->n_body)
        return pose;
    const CondBody* b = &model->body[body];
    return cond_body_ops(b->kind)->pose(b, state->q + b->q_begin, state->v + b->dof_begin);
}

CondStatus cond_state_set_pose(const CondModel* model, CondState* state, int body,
                               const CondPose* pose)
{
    if (body < 0 || body >= model->n_body)
        return COND_BAD_ARGUMENT;
    double norm2 = 0.0, finite = 0.0; // NaN and infinity survive a sum of products with 0
    for (int i = 0; i < 4; i++)
        norm2 += pose->orientation[i] * pose->orientation[i];
    for (int i = 0; i < 3; i++)
        finite +=
            0.0 * pose->position[i] + 0.0 * pose->velocity[i] + 0.0 * pose->angular_velocity[i];
    if (!(norm2 > 0.0) || !isfinite(norm2) || finite != 0.0)
        return COND_BAD_ARGUMENT;
    const CondBody* b = &model->body[body];
    double* v = state->v + b->dof_begin;
    if (cond_body_ops(b->kind)->set_pose(b, pose, state->q + b->q_begin, v))
        return COND_BAD_ARGUMENT;
    memcpy(state->v_hat + b->dof_begin, v, (size_t)b->n_dof * sizeof *v);
    return COND_OK;
}

CondStatus cond_state_set_joint_target(const CondModel* model, CondState* state, int body,
                                       const char* joint, double target)
{
    if (cond_model_body_kind(model, body) != COND_BODY_ROBOT || body < 0 || !isfinite(target))
        return COND_BAD_ARGUMENT;
    const CondArticulation* arm = model->body[body].arm;
    int link = cond_articulation_find_joint(arm, joint);
    if (link < 0 || arm->link[link].coordinate < 0 ||
        arm->coordinate[arm->link[link].coordinate].link != link)
        return COND_BAD_ARGUMENT;
    state->target[model->body[body].target_begin + arm->link[link].coordinate] = target;
    return COND_OK;
}

const double* cond_state_configuration(const CondModel* model, const CondState* state, int body,
                                       int* n)
{
    if (body < 0 || body >= model->n_body)
        return NULL;
    *n = model->body[body].n_q;
    return state->q + model->body[body].q_begin;
}
