#include "step/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

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
    made->position = cond_allocate(m, 3 * (size_t)model->n_body, sizeof(double));
    made->orientation = cond_allocate(m, 4 * (size_t)model->n_body, sizeof(double));
    made->v = cond_allocate(m, (size_t)model->n_dof, sizeof(double));
    made->v_hat = cond_allocate(m, (size_t)model->n_dof, sizeof(double));
    if (!made->position || !made->orientation || !made->v || !made->v_hat) {
        cond_state_destroy(made);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    for (int b = 0; b < model->n_body; b++)
        cond_state_set_pose(model, made, b, &model->body[b].initial);
    *state = made;
    return COND_OK;
}

void cond_state_destroy(CondState* state)
{
    if (!state)
        return;
    CondContext m = state->context;
    cond_release(&m, state->position);
    cond_release(&m, state->orientation);
    cond_release(&m, state->v);
    cond_release(&m, state->v_hat);
    cond_release(&m, state->memory);
    cond_release(&m, state);
}

CondStatus cond_state_copy(CondState* to, const CondState* from)
{
    if (to->n_body != from->n_body || to->n_dof != from->n_dof)
        return COND_BAD_ARGUMENT;
    if (cond_reserve(&to->context, &to->memory, &to->cap_memory, from->n_memory,
                     sizeof *to->memory))
        return COND_OUT_OF_MEMORY;
    to->time = from->time;
    to->step = from->step;
    memcpy(to->position, from->position, 3 * (size_t)from->n_body * sizeof(double));
    memcpy(to->orientation, from->orientation, 4 * (size_t)from->n_body * sizeof(double));
    memcpy(to->v, from->v, (size_t)from->n_dof * sizeof(double));
    memcpy(to->v_hat, from->v_hat, (size_t)from->n_dof * sizeof(double));
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

uint64_t cond_state_hash(const CondState* state)
{
    uint64_t hash = 14695981039346656037u;
    size_t n_body = (size_t)state->n_body, n_dof = (size_t)state->n_dof;
    hash = hash_bytes(hash, &state->time, sizeof state->time);
    hash = hash_bytes(hash, &state->step, sizeof state->step);
    hash = hash_bytes(hash, state->position, 3 * n_body * sizeof(double));
    hash = hash_bytes(hash, state->orientation, 4 * n_body * sizeof(double));
    hash = hash_bytes(hash, state->v, n_dof * sizeof(double));
    hash = hash_bytes(hash, state->v_hat, n_dof * sizeof(double));
    for (int i = 0; i < state->n_memory; i++) {
        hash = hash_bytes(hash, &state->memory[i].key, sizeof state->memory[i].key);
        hash = hash_bytes(hash, state->memory[i].lambda, sizeof state->memory[i].lambda);
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
    const double* v = state->v + model->body[body].dof_begin;
    memcpy(pose.position, state->position + 3 * body, sizeof pose.position);
    memcpy(pose.orientation, state->orientation + 4 * body, sizeof pose.orientation);
    memcpy(pose.velocity, v, sizeof pose.velocity);
    if (model->body[body].n_dof == 6) {
        double R[9];
        quat_matrix(pose.orientation, R);
        mat3_multiply(R, v + 3, pose.angular_velocity);
    }
    return pose;
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
    double* v = state->v + model->body[body].dof_begin;
    double* q = state->orientation + 4 * body;
    memcpy(state->position + 3 * body, pose->position, sizeof pose->position);
    memcpy(q, pose->orientation, sizeof pose->orientation);
    quat_normalize(q);
    memcpy(v, pose->velocity, sizeof pose->velocity);
    if (model->body[body].n_dof == 6) {
        double R[9];
        quat_matrix(q, R);
        mat3_multiply_transposed(R, pose->angular_velocity, v + 3);
    }
    memcpy(state->v_hat + model->body[body].dof_begin, v,
           (size_t)model->body[body].n_dof * sizeof *v);
    return COND_OK;
}
