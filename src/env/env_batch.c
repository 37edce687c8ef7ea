// Many environments, stepped by threads. Each has a model, a state and a workspace of its own
// and is used by one thread at a time, so results do not depend on the number of threads.
#include "env/env.h"

#include "base/definition.h"
#include "base/enum_name.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "render/render.h"

#include <stdint.h>
#include <string.h>

COND_ENUM_TABLE(CondAutoreset, cond_autoreset, {COND_AUTORESET_NEXT_STEP, "next-step"},
                {COND_AUTORESET_SAME_STEP, "same-step"}, {COND_AUTORESET_DISABLED, "disabled"})

struct CondEnvBatch {
    CondContext context;
    int n, threads;
    CondEnv** env;           //                                                   (n)
    CondStatus* status;      // of the last call, by environment                  (n)
    CondError* error;        //                                                   (n)
    const CondModel** model; // for pictures                                 (n)
    const CondState** state; //                                              (n)
};

static int team(const CondEnvBatch* batch)
{
    int threads = cond_threads(SIZE_MAX, batch->threads);
    return threads < batch->n ? threads : batch->n;
}

// What a call does to all environments, each the next free thread's: what one asks for is known
// only when it is through.
typedef struct Round {
    CondEnvBatch* batch;
    void (*one)(struct Round* round, int i);
    const void *first, *second; // arguments of the call
    CondEnvResult* result;
    size_t size; // of one of them, in the program
    CondAutoreset autoreset;
    _Atomic int next;
} Round;

static void serve(void* data, int rank)
{
    Round* round = data;
    (void)rank;
    for (int i; (i = round->next++) < round->batch->n;)
        round->one(round, i);
}

static void go_round(Round* round)
{
    cond_parallel_serve(team(round->batch), serve, round, __func__);
}

// The status to report: the first failure, else the worst warning.
static CondStatus gather(const CondEnvBatch* batch, CondError* error)
{
    CondStatus worst = COND_OK;
    for (int i = 0; i < batch->n; i++) {
        if (batch->status[i] < 0) {
            if (error)
                *error = batch->error[i];
            return batch->status[i];
        }
        worst = batch->status[i] > worst ? batch->status[i] : worst;
    }
    return worst;
}

static void create_one(Round* round, int i)
{
    CondEnvBatch* batch = round->batch;
    batch->status[i] = cond_env_create_seeded(&batch->context, round->first, (uint64_t)i,
                                              &batch->env[i], &batch->error[i]);
}

CondStatus cond_env_batch_create(const CondContext* context, const CondEnvDef* def, int n,
                                 int threads, CondEnvBatch** batch, CondError* error)
{
    *batch = NULL;
    if (n < 1 || threads < 0 || threads > COND_MAX_THREADS)
        return cond_error_set(error, COND_BAD_ARGUMENT, "a batch of %d environments and %d threads",
                              n, threads);
    CondContext m = cond_context_or_default(context);
    CondEnvBatch* made = cond_allocate(&m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = m;
    made->n = n;
    made->threads = threads;
    made->env = cond_allocate(&m, (size_t)n, sizeof *made->env);
    made->status = cond_allocate(&m, (size_t)n, sizeof *made->status);
    made->error = cond_allocate(&m, (size_t)n, sizeof *made->error);
    made->model = cond_allocate(&m, (size_t)n, sizeof *made->model);
    made->state = cond_allocate(&m, (size_t)n, sizeof *made->state);
    CondStatus status = COND_OK;
    if (!made->env || !made->status || !made->error || !made->model || !made->state) {
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    } else {
        Round round = {.batch = made, .one = create_one, .first = def};
        go_round(&round);
        status = gather(made, error);
    }
    if (status) {
        cond_env_batch_destroy(made);
        return status;
    }
    *batch = made;
    return COND_OK;
}

void cond_env_batch_destroy(CondEnvBatch* batch)
{
    if (!batch)
        return;
    CondContext m = batch->context;
    for (int i = 0; i < batch->n && batch->env; i++)
        cond_env_destroy(batch->env[i]);
    cond_release(&m, batch->env);
    cond_release(&m, batch->status);
    cond_release(&m, batch->error);
    cond_release(&m, (void*)batch->model);
    cond_release(&m, (void*)batch->state);
    cond_release(&m, batch);
}

int cond_env_batch_size(const CondEnvBatch* batch)
{
    return batch->n;
}

CondEnv* cond_env_batch_env(CondEnvBatch* batch, int index)
{
    return index >= 0 && index < batch->n ? batch->env[index] : NULL;
}

static void reset_one(Round* round, int i)
{
    CondEnvBatch* batch = round->batch;
    const uint64_t* seed = round->first;
    const int* which = round->second;
    batch->status[i] = COND_OK;
    if (!which || which[i])
        batch->status[i] = cond_env_reset(batch->env[i], seed[i], &batch->error[i]);
}

CondStatus cond_env_batch_reset(CondEnvBatch* batch, const uint64_t* seed, const int* which,
                                CondError* error)
{
    Round round = {.batch = batch, .one = reset_one, .first = seed, .second = which};
    go_round(&round);
    return gather(batch, error);
}

// Refuses before anything is stepped, so that no environment is ahead of the others.
static CondStatus check_actions(CondEnvBatch* batch, const double* action, CondError* error)
{
    size_t n_action = (size_t)batch->env[0]->world.n_action;
    for (int i = 0; i < batch->n; i++) {
        CondEnv* env = batch->env[i];
        const double* own = action ? action + (size_t)i * n_action : NULL;
        if (!cond_env_is_over(env) && cond_env_refuse(env, own))
            return cond_error_set(error, COND_BAD_ARGUMENT, "environment %d: %s", i,
                                  cond_env_message(env));
    }
    return COND_OK;
}

static void step_one(Round* round, int i)
{
    CondEnvBatch* batch = round->batch;
    CondEnv* env = batch->env[i];
    const double* action = round->first;
    const double* own = action ? action + (size_t)i * (size_t)env->world.n_action : NULL;
    CondEnvResult* result = (CondEnvResult*)((char*)round->result + (size_t)i * round->size);
    if (cond_env_is_over(env)) {
        const CondEnvResult over = {.done = env->done, .cut = env->cut};
        cond_struct_give(result, round->size, &over, sizeof over);
        batch->status[i] = COND_OK;
    } else {
        batch->status[i] = cond_env_step_sized(env, own, result, round->size);
    }
}

CondStatus cond_env_batch_step_sized(CondEnvBatch* batch, const double* action,
                                     CondEnvResult* result, size_t size)
{
    CondStatus refused = check_actions(batch, action, NULL);
    if (refused)
        return cond_error_pass(refused, "cond_env_batch_step");
    Round round = {
        .batch = batch, .one = step_one, .first = action, .result = result, .size = size};
    go_round(&round);
    return cond_error_pass(gather(batch, NULL), "cond_env_batch_step");
}

void cond_env_arrays_default_fill(CondEnvArrays* made, size_t size)
{
    const CondEnvArrays defaults = {0};
    cond_definition_fill(made, size, &defaults, sizeof defaults,
                         offsetof(CondEnvArrays, struct_size));
}

static void copy_observation(const CondEnv* env, int i, double* observation)
{
    size_t n = (size_t)env->world.n_observation;
    if (observation)
        memcpy(observation + (size_t)i * n, env->world.observation, n * sizeof *observation);
}

static void copy_goals(const CondEnv* env, int i, double* achieved, double* desired)
{
    size_t at = (size_t)i * (size_t)cond_env_n_goal(env);
    if (achieved || desired)
        cond_env_goal(env, achieved ? achieved + at : NULL, desired ? desired + at : NULL);
}

// What one call did to one environment.
typedef struct Outcome {
    CondEnvResult result;
    int began, ended;
} Outcome;

static void put_outcome(const CondEnv* env, int i, const Outcome* outcome,
                        const CondEnvArrays* arrays)
{
    const CondEnvResult* result = &outcome->result;
    copy_observation(env, i, arrays->observation);
    copy_goals(env, i, arrays->achieved_goal, arrays->desired_goal);
    if (arrays->success)
        arrays->success[i] = result->success != 0;
    if (arrays->reward)
        arrays->reward[i] = result->reward;
    if (arrays->goal_reward)
        arrays->goal_reward[i] = result->goal_reward;
    if (arrays->done)
        arrays->done[i] = result->done != 0;
    if (arrays->cut)
        arrays->cut[i] = result->cut != 0;
    if (arrays->began)
        arrays->began[i] = outcome->began != 0;
    if (arrays->ended)
        arrays->ended[i] = outcome->ended != 0;
    if (arrays->certificate)
        arrays->certificate[i] = result->certificate;
    if (arrays->missed)
        arrays->missed[i] = result->missed;
    if (arrays->status)
        arrays->status[i] = result->status;
}

// One environment of cond_env_batch_advance.
static CondStatus advance(CondEnv* env, int i, const double* action, CondAutoreset autoreset,
                          const CondEnvArrays* arrays, CondError* error)
{
    Outcome outcome = {.began = 0};
    CondEnvResult* result = &outcome.result;
    CondStatus status;
    if (cond_env_is_over(env) && autoreset == COND_AUTORESET_DISABLED) {
        *result = (CondEnvResult){.done = env->done, .cut = env->cut};
    } else if (cond_env_is_over(env)) {
        result->status = cond_env_reset_next(env, error);
        outcome.began = !result->status;
    } else {
        status = cond_env_step(env, action, result);
        if (status < 0 && status != COND_DIVERGED)
            cond_error_set(error, status, "environment %d: %s: %.1000s", i,
                           cond_status_name(status), cond_env_message(env));
        outcome.ended = cond_env_is_over(env);
    }
    status = result->status;
    if (outcome.ended && autoreset == COND_AUTORESET_SAME_STEP) {
        copy_observation(env, i, arrays->final_observation);
        copy_goals(env, i, arrays->final_achieved_goal, arrays->final_desired_goal);
        CondStatus reset = cond_env_reset_next(env, error);
        outcome.began = !reset;
        status = reset ? reset : status;
    }
    put_outcome(env, i, &outcome, arrays);
    return status == COND_DIVERGED ? COND_OK : status;
}

static void advance_one(Round* round, int i)
{
    CondEnvBatch* batch = round->batch;
    const double* action = round->first;
    size_t n_action = (size_t)batch->env[i]->world.n_action;
    batch->status[i] = advance(batch->env[i], i, action ? action + (size_t)i * n_action : NULL,
                               round->autoreset, round->second, &batch->error[i]);
}

CondStatus cond_env_batch_advance(CondEnvBatch* batch, const double* action,
                                  CondAutoreset autoreset, const CondEnvArrays* arrays,
                                  CondError* error)
{
    CondEnvArrays own = cond_env_arrays_default();
    CondStatus status =
        cond_definition_take(arrays, &own, sizeof own, offsetof(CondEnvArrays, struct_size),
                             "cond_env_arrays_default", error);
    if (!status)
        status = check_actions(batch, action, error);
    if (status)
        return status;
    Round round = {.batch = batch,
                   .one = advance_one,
                   .first = action,
                   .second = &own,
                   .autoreset = autoreset};
    go_round(&round);
    return gather(batch, error);
}

void cond_env_batch_observe(const CondEnvBatch* batch, double* observation)
{
    for (int i = 0; i < batch->n; i++)
        copy_observation(batch->env[i], i, observation);
}

CondStatus cond_env_renderer_create(const CondEnv* env, const CondRendererDef* def,
                                    CondRenderer** renderer, CondError* error)
{
    CondModel* model = NULL;
    *renderer = NULL;
    CondStatus status = cond_scene_compile(env->world.scene, &model, error);
    if (!status)
        status = cond_renderer_create(&env->context, model, def, renderer, error);
    if (status)
        cond_model_destroy(model);
    else
        cond_renderer_own(*renderer, model);
    return status;
}

CondStatus cond_env_batch_draw(CondEnvBatch* batch, CondRenderer* renderer,
                               const CondRendererArrays* arrays, CondError* error)
{
    for (int i = 0; i < batch->n; i++) {
        batch->model[i] = batch->env[i]->world.model;
        batch->state[i] = batch->env[i]->world.state;
    }
    return cond_renderer_draw(renderer, batch->n, batch->model, batch->state, arrays, error);
}
