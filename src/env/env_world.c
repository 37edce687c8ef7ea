// The world of an environment: scene, model, state and workspace of a seed, made once and then
// changed in place by the next seeds as far as these change numbers alone.
#include "env/env.h"

#include "base/error.h"
#include "base/memory.h"
#include "cond/mechanics.h"
#include "scene/compile.h"

#include <string.h>

// All but scene and model, which are forgotten.
static void release(CondEnvWorld* world)
{
    for (int b = 0; world->ik && b < world->model->n_body; b++)
        if (world->ik[b])
            cond_ik_destroy(world->ik[b]);
    cond_kinematics_destroy(&world->kinematics);
    cond_mechanics_destroy(world->mechanics);
    cond_arena_release(&world->arena);
    cond_sim_destroy(world->sim);
    cond_state_destroy(world->before);
    cond_state_destroy(world->state);
    memset(world, 0, sizeof *world);
}

void cond_env_world_destroy(CondEnvWorld* world)
{
    CondScene* scene = world->scene;
    CondModel* model = world->model;
    release(world);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

void cond_env_spare_destroy(CondEnv* env)
{
    cond_model_destroy(env->spare.model);
    cond_scene_destroy(env->spare.scene);
    cond_release(&env->context, env->spare.touched);
    memset(&env->spare, 0, sizeof env->spare);
}

// What the scene asks for, at the start of an episode.
static CondStatus dress(CondEnvWorld* world, const CondContext* m, CondError* error)
{
    world->n_act = world->n_action = world->n_term = world->n_sight = world->held = 0;
    CondStatus status = cond_env_act_create(world, m, error);
    if (!status)
        status = cond_env_term_create(world, error);
    if (!status)
        status = cond_env_sight_create(world, error);
    if (status)
        return status;
    world->n_observation = cond_env_observe_count(world);
    if (COND_RESERVE(&world->arena, world->observation, world->n_observation) ||
        COND_RESERVE(&world->arena, world->undo, world->n_act))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_env_observe(world, 0.0);
    return COND_OK;
}

// Workspaces on a compiled model, and the rest.
static CondStatus furnish(CondEnvWorld* world, const CondContext* m, CondError* error)
{
    CondStatus status = cond_state_create(world->model, &world->state, error);
    if (!status)
        status = cond_state_create(world->model, &world->before, error);
    if (!status)
        status = cond_sim_create(world->model, &world->sim, error);
    if (!status && (status = cond_kinematics_create(world->model, &world->kinematics)))
        cond_error_set(error, status, "out of memory");
    return status ? status : dress(world, m, error);
}

// What an action leads follows no trajectory.
static void drop_trajectories(CondScene* scene)
{
    for (int i = scene->n_trajectory - 1; i >= 0; i--) {
        int led = 0;
        for (int k = 0; k < scene->n_action; k++)
            led |= scene->action[k].kind != COND_ACTION_ANCHOR &&
                   scene->action[k].kind != COND_ACTION_PICK &&
                   scene->action[k].kind != COND_ACTION_GRIP &&
                   strcmp(scene->action[k].body, scene->trajectory[i].body) == 0;
        if (led) // no attachment refers to it: it has a body
            (void)cond_scene_remove(scene, COND_SCENE_TRAJECTORY, i, NULL);
    }
}

// The scene as the source has it, as environments need it.
static CondStatus read_scene(const CondEnv* env, CondScene** scene, CondError* error)
{
    CondStatus status = cond_scene_source_read(&env->source, scene, error);
    if (status)
        return status;
    // Threads belong to the batch: each environment has one.
    cond_scene_settings(*scene)->solver.threads = 1;
    drop_trajectories(*scene);
    // Observations hold the certificate of whole problems, which sleepers have no part in.
    cond_scene_settings(*scene)->sleeping = 0;
    return COND_OK;
}

// A world on a scene and a model, which it owns in any case.
static CondStatus make_world(const CondEnv* env, uint64_t seed, CondScene* scene, CondModel* model,
                             CondEnvWorld* world, CondError* error)
{
    CondError why = {.message = ""};
    memset(world, 0, sizeof *world);
    cond_arena_begin(&env->context, &world->arena);
    world->seed = seed;
    world->scene = scene;
    world->model = model;
    CondStatus status = furnish(world, &env->context, &why);
    if (!status)
        return COND_OK;
    cond_error_set(error, status, "%.1000s: %.900s", env->source.file, why.message);
    cond_env_world_destroy(world);
    return status;
}

CondStatus cond_env_world_create(CondEnv* env, uint64_t seed, CondEnvWorld* world, CondError* error)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    memset(world, 0, sizeof *world);
    CondStatus status = cond_scene_source_draw(&env->source, env->plain, seed, error);
    if (!status)
        status = read_scene(env, &scene, error);
    if (!status)
        status = cond_scene_compile(scene, &model, error);
    if (status) {
        cond_scene_destroy(scene);
        return status;
    }
    return make_world(env, seed, scene, model, world, error);
}

// The spare scene of a seed; it has been read once, or is read now.
static CondStatus draw_scene(CondEnv* env, uint64_t seed, CondError* error)
{
    CondStatus status = cond_scene_source_draw(&env->source, env->plain, seed, error);
    if (status)
        return status;
    if (env->spare.scene)
        return cond_scene_source_reread(&env->source, env->spare.scene, error);
    status = read_scene(env, &env->spare.scene, error);
    if (status)
        return status;
    const CondScene* scene = env->spare.scene;
    size_t n = (size_t)scene->n_body + (size_t)scene->n_obstacle;
    cond_release(&env->context, env->spare.touched);
    env->spare.touched = cond_allocate(&env->context, n, 1);
    if (!env->spare.touched) {
        cond_env_spare_destroy(env);
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    }
    cond_scene_source_mark(&env->source, scene, env->spare.touched,
                           env->spare.touched + scene->n_body);
    return COND_OK;
}

// The spare model of the spare scene, and a state at its start.
static CondStatus draw_model(CondEnv* env, CondState** start, CondError* error)
{
    const CondScene* scene = env->spare.scene;
    CondModel* donor = env->spare.model;
    CondCompiledAgain again = {donor, env->spare.touched, env->spare.touched + scene->n_body};
    CondError why = {.message = ""};
    env->spare.model = NULL;
    CondStatus status = donor ? cond_scene_compile_again(scene, &again, &env->spare.model, error)
                              : cond_scene_compile(scene, &env->spare.model, error);
    if (status)
        return status;
    status = cond_env_points_check(env->spare.model, scene, &why);
    if (!status)
        status = cond_state_create(env->spare.model, start, &why);
    return status ? cond_error_set(error, status, "%.1000s: %.900s", env->source.file, why.message)
                  : COND_OK;
}

// 1 where the workspaces of one model serve another.
static int has_same_counts(const CondModel* a, const CondModel* b)
{
    return a->n_dof == b->n_dof && a->n_q == b->n_q && a->n_body == b->n_body &&
           a->n_target == b->n_target && a->max_point_dof == b->max_point_dof &&
           a->n_feature == b->n_feature && a->n_solid == b->n_solid &&
           a->n_obstacle == b->n_obstacle && a->n_edge == b->n_edge && a->n_plane == b->n_plane &&
           a->n_force == b->n_force && a->n_spring == b->n_spring && a->n_patch == b->n_patch &&
           a->n_attachment == b->n_attachment && a->n_trajectory == b->n_trajectory &&
           a->n_sensor == b->n_sensor && a->n_entity == b->n_entity;
}

// 1 where the world's workspaces can go on with the spare model.
static int can_go_on(const CondEnv* env)
{
    const CondModel* model = env->spare.model;
    for (int b = 0; b < model->n_body; b++)
        if (env->spare.touched[b] && model->body[b].kind == COND_BODY_SOFT)
            return 0;
    return has_same_counts(env->world.model, model) && cond_sim_can_renew(env->world.sim);
}

// World and spare exchange scene and model. The model stays where it is in memory, so that all who
// point to it see the new one.
static CondStatus go_on(CondEnv* env, uint64_t seed, const CondState* start, CondError* error)
{
    CondEnvWorld* world = &env->world;
    CondScene* scene = world->scene;
    CondModel model = *world->model;
    *world->model = *env->spare.model;
    *env->spare.model = model;
    world->scene = env->spare.scene;
    env->spare.scene = scene;
    world->seed = seed;
    cond_sim_renew(world->sim);
    for (int b = 0; b < world->model->n_body; b++)
        if (world->ik[b])
            cond_ik_rebind(world->ik[b], world->model->body[b].arm);
    CondStatus status = cond_state_copy(world->state, start);
    return status ? status : dress(world, &env->context, error);
}

// A new world with the spare scene and model, which the old ones replace.
static CondStatus begin_anew(CondEnv* env, uint64_t seed, CondError* error)
{
    CondEnvWorld world;
    CondStatus status = make_world(env, seed, env->spare.scene, env->spare.model, &world, error);
    env->spare.scene = status ? NULL : env->world.scene;
    env->spare.model = status ? NULL : env->world.model;
    if (status)
        return status;
    release(&env->world);
    env->world = world;
    return COND_OK;
}

CondStatus cond_env_world_redraw(CondEnv* env, uint64_t seed, CondError* error)
{
    CondState* start = NULL;
    int dropped = env->world.scene && env->plain->n_trajectory != env->world.scene->n_trajectory;
    if (!env->world.model || !cond_scene_source_is_quick(&env->source) ||
        (dropped && cond_scene_source_changes(&env->source, "trajectories"))) {
        CondEnvWorld world;
        CondStatus status = cond_env_world_create(env, seed, &world, error);
        if (status)
            return status;
        cond_env_world_destroy(&env->world);
        env->world = world;
        return COND_OK;
    }
    CondStatus status = draw_scene(env, seed, error);
    if (!status)
        status = draw_model(env, &start, error);
    if (!status)
        status = can_go_on(env) ? go_on(env, seed, start, error) : begin_anew(env, seed, error);
    cond_state_destroy(start);
    return status;
}
