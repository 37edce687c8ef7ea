// Environments: creation, reset, step.
#include "env/env.h"

#include "base/definition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "cond/mechanics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cond_env_def_default_fill(CondEnvDef* made, size_t size)
{
    const CondEnvDef defaults = {0};
    cond_definition_fill(made, size, &defaults, sizeof defaults, offsetof(CondEnvDef, struct_size));
}

// The def's overrides in memory of the environment's own.
static CondStatus copy_overrides(CondEnv* env, const CondEnvDef* def)
{
    const CondContext* m = &env->context;
    size_t size = 1, at = 0;
    for (int i = 0; i < def->n_override; i++)
        size += strlen(def->override[i]) + 1;
    env->text = cond_allocate(m, size, 1);
    env->line = cond_allocate(m, (size_t)def->n_override, sizeof *env->line);
    if (!env->text || !env->line)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < def->n_override; i++) {
        size_t length = strlen(def->override[i]) + 1;
        memcpy(env->text + at, def->override[i], length);
        env->line[i] = env->text + at;
        at += length;
    }
    return COND_OK;
}

// The scene's tree, and the scene that it says.
static CondStatus open_source(CondEnv* env, CondError* error)
{
    CondEnvDef* def = &env->def;
    CondSceneOrigin origin = {.path = def->scene,
                              .text = def->text,
                              .folder = def->folder,
                              .scene = def->made,
                              .n_override = def->n_override,
                              .override = env->line};
    CondStatus status = cond_scene_source_open(&env->context, &origin, &env->source, error);
    def->scene = def->text = def->folder = NULL; // the caller's
    def->made = NULL;
    def->override = env->line;
    return status ? status : cond_scene_source_read(&env->source, &env->plain, error);
}

CondStatus cond_env_create(const CondContext* context, const CondEnvDef* def, CondEnv** env,
                           CondError* error)
{
    return cond_env_create_seeded(context, def, 0, env, error);
}

CondStatus cond_env_create_seeded(const CondContext* context, const CondEnvDef* def, uint64_t seed,
                                  CondEnv** env, CondError* error)
{
    *env = NULL;
    CondEnvDef own = cond_env_def_default();
    CondStatus status = cond_definition_take(
        def, &own, sizeof own, offsetof(CondEnvDef, struct_size), "cond_env_def_default", error);
    if (status)
        return status;
    if (own.n_override < 0)
        return cond_error_set(error, COND_BAD_ARGUMENT, "n_override is negative");
    CondContext m = cond_context_or_default(context);
    CondEnv* made = cond_allocate(&m, 1, sizeof *made);
    if (!made)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    made->context = m;
    made->def = own;
    made->source.context = m;
    status = copy_overrides(made, &own);
    if (status)
        cond_error_set(error, status, "out of memory");
    else
        status = open_source(made, error);
    if (!status)
        status = cond_env_reset(made, seed, error);
    if (status) {
        cond_env_destroy(made);
        return status;
    }
    *env = made;
    return COND_OK;
}

void cond_env_destroy(CondEnv* env)
{
    if (!env)
        return;
    CondContext m = env->context;
    cond_env_world_destroy(&env->world);
    cond_env_spare_destroy(env);
    cond_scene_destroy(env->plain);
    cond_scene_source_close(&env->source);
    cond_release(&m, env->line);
    cond_release(&m, env->text);
    cond_release(&m, env);
}

// Begins episode `episode` of a root seed.
static CondStatus begin(CondEnv* env, uint64_t root, uint64_t episode, CondError* error)
{
    uint64_t seed = cond_env_episode_seed(root, episode);
    CondStatus status = cond_env_world_redraw(env, seed, error);
    if (status)
        return status;
    env->root = root;
    env->episode = episode;
    env->seed = seed;
    env->n_step = env->done = env->cut = 0;
    return COND_OK;
}

CondStatus cond_env_reset(CondEnv* env, uint64_t seed, CondError* error)
{
    return begin(env, seed, 0, error);
}

CondStatus cond_env_reset_next(CondEnv* env, CondError* error)
{
    return begin(env, env->root, env->episode + 1, error);
}

uint64_t cond_env_episode_seed(uint64_t seed, uint64_t episode)
{
    // SplitMix64 adds a constant to its state each time: number k needs no loop.
    CondRandom random = {seed + (episode - 1) * UINT64_C(0x9e3779b97f4a7c15)};
    return episode == 0 ? seed : cond_random_bits(&random);
}

uint64_t cond_env_seed(const CondEnv* env)
{
    return env->seed;
}

uint64_t cond_env_episode(const CondEnv* env)
{
    return env->episode;
}

double cond_env_drawn(const CondEnv* env, int index)
{
    return cond_scene_draw(env->world.scene, index, env->seed);
}

// The time steps of one action, into result.
static CondStatus simulate(CondEnvWorld* world, const double* action, CondEnvResult* result)
{
    int substeps = world->model->settings.environment.substeps;
    for (int k = 0; k < substeps; k++) {
        CondStepInfo info;
        CondStatus status = cond_env_act_apply(world, action, k, substeps);
        if (!status)
            status = cond_sim_step(world->sim, world->state, &info);
        if (status < 0)
            return status;
        result->missed += status > 0;
        result->status = status > result->status ? status : result->status;
        result->certificate =
            fmax(result->certificate, cond_certificate_residual(&info.solve.certificate));
    }
    cond_env_act_finish(world, action);
    return COND_OK;
}

const char* cond_env_message(const CondEnv* env)
{
    return env->message;
}

int cond_env_refuse(CondEnv* env, const double* action)
{
    CondEnvSlot slot;
    int bad, k = 0;
    env->message[0] = '\0';
    if (env->done || env->cut) {
        snprintf(env->message, sizeof env->message, "the episode is over: reset is the next call");
        return 1;
    }
    bad = cond_env_act_unsound(&env->world, action);
    if (bad < 0)
        return 0;
    while (cond_env_action_slot(env, k, &slot) && bad >= slot.begin + slot.size)
        k++;
    double value = action ? action[bad] : NAN;
    snprintf(env->message, sizeof env->message,
             isfinite(value) ? "action[%d] (%.60s): %g begins a quaternion of the length 0"
                             : "action[%d] (%.60s) is %g, expected a finite number",
             bad, slot.name, value);
    return 1;
}

static CondStatus env_step_whole(CondEnv* env, const double* action, CondEnvResult* result)
{
    CondEnvWorld* world = &env->world;
    CondEnvResult own;
    CondEnvResult* out = result ? result : &own;
    memset(out, 0, sizeof *out);
    out->done = env->done;
    out->cut = env->cut;
    if (cond_env_refuse(env, action))
        return out->status = COND_BAD_ARGUMENT;
    CondStatus status = cond_state_copy(world->before, world->state);
    if (status)
        return out->status = status;
    if (world->n_act > 0)
        memcpy(world->undo, world->act, (size_t)world->n_act * sizeof *world->undo);
    status = simulate(world, action, out);
    if (status == COND_DIVERGED) { // the last finite state is kept
        out->status = status;
        out->done = env->done = 1;
    } else if (status < 0) {
        cond_state_copy(world->state, world->before); // it had room for as much before
        if (world->n_act > 0)
            memcpy(world->act, world->undo, (size_t)world->n_act * sizeof *world->act);
        snprintf(env->message, sizeof env->message, "%s", cond_sim_message(world->sim));
        return out->status = status;
    }
    env->n_step++;
    int reached = 0;
    out->reward = cond_env_term_evaluate(world, &out->done, &reached);
    out->goal_reward = cond_env_term_goal(world);
    world->held = reached && status != COND_DIVERGED ? world->held + 1 : 0;
    out->success = world->held >= world->model->settings.environment.success_steps;
    out->done |= out->success && world->model->settings.environment.success_ends;
    cond_env_observe(world, out->certificate);
    env->cut = out->cut = env->n_step >= world->model->settings.environment.steps;
    if (env->def.reward)
        out->reward += env->def.reward(env, env->def.user, &out->done);
    env->done = out->done = out->done != 0;
    return out->status;
}

// A failure with the environment's message as the last of the thread.
static CondStatus pass(const CondEnv* env, CondStatus status)
{
    return status < 0 && *env->message ? cond_last_error_set(status, env->message)
                                       : cond_error_pass(status, "cond_env_step");
}

CondStatus cond_env_step_sized(CondEnv* env, const double* action, CondEnvResult* result,
                               size_t size)
{
    COND_SIZED(CondStatus, CondEnvResult, result, size, pass(env, env_step_whole(env, action, it)));
}

int cond_env_n_step(const CondEnv* env)
{
    return env->n_step;
}

int cond_env_is_over(const CondEnv* env)
{
    return env->done || env->cut;
}

int cond_env_n_reward(const CondEnv* env)
{
    return env->world.n_term;
}

double cond_env_reward_value(const CondEnv* env, int reward, const char** name)
{
    if (reward < 0 || reward >= env->world.n_term)
        return NAN;
    if (name)
        *name = env->world.term[reward].def->name;
    return env->world.term[reward].value;
}

const CondModel* cond_env_model(const CondEnv* env)
{
    return env->world.model;
}

const CondState* cond_env_state(const CondEnv* env)
{
    return env->world.state;
}

const CondSim* cond_env_sim(const CondEnv* env)
{
    return env->world.sim;
}
