// Observations: slots of named values, in one list that gives their layout and their contents.
#include "env/env.h"

#include "base/definition.h"
#include "base/error.h"
#include "math/vec3.h"

#include <stdio.h>
#include <string.h>

// All slots pass by: one of them is looked for, or all are filled.
typedef struct Pass {
    int index;        // of the next slot
    int begin;        // of its values
    int wanted;       // slot to describe in out; -1: none
    CondEnvSlot* out; //
    double* values;   // where the values go; NULL: nowhere                  (n_observation)
} Pass;

// Passes a slot; returns where its values go, or NULL.
static double* slot(Pass* pass, const char* owner, const char* what, const char* unit, int size)
{
    double* to = pass->values ? pass->values + pass->begin : NULL;
    if (pass->index++ == pass->wanted) {
        memset(pass->out, 0, sizeof *pass->out);
        snprintf(pass->out->name, sizeof pass->out->name, "%s%s%s", owner, *owner ? "." : "", what);
        pass->out->unit = unit;
        pass->out->begin = pass->begin;
        pass->out->size = size;
    }
    pass->begin += size;
    return to;
}

static void put(double* to, const double* from, int n)
{
    if (to)
        memcpy(to, from, (size_t)n * sizeof *to);
}

static void pass_body(const CondEnvWorld* world, const CondBody* body, Pass* pass)
{
    const CondState* state = world->state;
    int robot = body->kind == COND_BODY_ROBOT;
    if (!robot || body->arm->floating) {
        CondPose pose = cond_state_pose(world->model, state, body->index);
        put(slot(pass, body->name, "position", "m", 3), pose.position, 3);
        if (body->kind != COND_BODY_PARTICLE)
            put(slot(pass, body->name, "orientation", "", 4), pose.orientation, 4);
        put(slot(pass, body->name, "velocity", "m/s", 3), pose.velocity, 3);
        if (body->kind != COND_BODY_PARTICLE)
            put(slot(pass, body->name, "angular_velocity", "rad/s", 3), pose.angular_velocity, 3);
    }
    if (!robot)
        return;
    for (int k = 0; k < body->arm->n_ball; k++) {
        const CondArticulation* arm = body->arm;
        char what[COND_NAME_SIZE + 20];
        snprintf(what, sizeof what, "%s.orientation", arm->link[arm->ball[k]].joint);
        put(slot(pass, body->name, what, "", 4),
            state->q + body->q_begin + cond_articulation_ball_q(arm) + 4 * k, 4);
        snprintf(what, sizeof what, "%s.angular_velocity", arm->link[arm->ball[k]].joint);
        put(slot(pass, body->name, what, "rad/s", 3),
            state->v + body->dof_begin + cond_articulation_ball_v(arm) + 3 * k, 3);
    }
    int n = body->arm->n_joint; // joints come last in q and v
    put(slot(pass, body->name, "joints", "rad or m", n), state->q + body->q_begin + body->n_q - n,
        n);
    put(slot(pass, body->name, "rates", "rad/s or m/s", n),
        state->v + body->dof_begin + body->n_dof - n, n);
}

// What an action has led to so far.
static void pass_goal(const CondEnvWorld* world, const CondEnvAct* act, Pass* pass)
{
    CondActionKind kind = act->def->kind;
    double holds = act->attachment >= 0;
    const CondState* state = world->state;
    const char* name = act->def->name;
    if (kind == COND_ACTION_JOINTS || kind == COND_ACTION_VELOCITIES) {
        double* to = slot(pass, name, "target", "rad or m", act->size);
        for (int k = 0; k < act->size && to; k++)
            to[k] = state->target[world->model->body[act->body].target_begin + act->coordinate[k]];
        return;
    }
    if (kind == COND_ACTION_PICK)
        put(slot(pass, name, "place", "m", 3), act->goal.anchor, 3);
    if (kind == COND_ACTION_PICK || kind == COND_ACTION_GRIP)
        put(slot(pass, name, "holds", "", 1), &holds, 1);
    if (!cond_env_act_is_pose(kind))
        return;
    const CondWeld* goal = &act->goal;
    double position[3];
    if (kind == COND_ACTION_ANCHOR)
        goal = &state->weld[act->attachment];
    for (int i = 0; i < 3; i++)
        position[i] = goal->what.end[1].point.local[i] + goal->anchor[i];
    put(slot(pass, name, "goal_position", "m", 3), position, 3);
    put(slot(pass, name, "goal_orientation", "", 4), goal->turn, 4);
}

static void pass_contacts(const CondEnvWorld* world, Pass* pass)
{
    const CondModel* model = world->model;
    double count = 0.0, deepest = 0.0;
    for (int c = 0; c < cond_sim_n_contact(world->sim); c++) {
        CondContactInfo contact = cond_sim_contact(world->sim, c);
        count += contact.gap <= 0.0 || contact.force[0] > 0.0;
        deepest = contact.gap < -deepest ? -contact.gap : deepest;
    }
    put(slot(pass, "contacts", "count", "", 1), &count, 1);
    put(slot(pass, "contacts", "penetration", "m", 1), &deepest, 1);
    for (int b = 0; b < model->n_body; b++) {
        double force[3], torque[3];
        cond_sim_body_force(world->sim, b, force, torque);
        put(slot(pass, model->body[b].name, "contact_force", "N", 3), force, 3);
        put(slot(pass, model->body[b].name, "contact_torque", "N m", 3), torque, 3);
    }
}

static void pass_desired(const CondEnvTerm* term, Pass* pass)
{
    const CondRewardDef* def = term->def;
    if (def->desired && def->kind == COND_REWARD_DISTANCE)
        put(slot(pass, def->name, "desired", "m", 3), def->goal, 3);
    else if (def->desired)
        put(slot(pass, def->name, "desired", "rad", 1), &def->target, 1);
}

static void pass_sight(const CondEnvWorld* world, const CondEnvSight* sight, Pass* pass)
{
    const CondObservationDef* def = sight->def;
    int vector = def->kind == COND_OBSERVE_POINT || def->kind == COND_OBSERVE_VECTOR;
    int size = def->kind == COND_OBSERVE_POINTS   ? 3 * def->count
               : def->kind == COND_OBSERVE_ACTION ? world->n_action
               : vector                           ? 3
                                                  : 1;
    double* to = slot(pass, "", def->name, def->kind == COND_OBSERVE_ACTION ? "" : "m", size);
    double place[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (!to)
        return;
    if (def->kind == COND_OBSERVE_ACTION) {
        put(to, world->told, size);
        return;
    }
    for (int k = 0; k < def->count && def->kind == COND_OBSERVE_POINTS; k++)
        cond_kinematics_point(&world->kinematics, &sight->many[k], to + 3 * k, NULL, NULL);
    if (def->kind == COND_OBSERVE_POINTS)
        return;
    cond_env_point_place(world, &sight->point, place[0]);
    if (def->kind != COND_OBSERVE_POINT)
        cond_env_point_place(world, &sight->other, place[1]);
    for (int k = 0; k < 3; k++) // of a point: from the world's origin to it
        place[0][k] = def->kind == COND_OBSERVE_POINT ? place[0][k] : place[1][k] - place[0][k];
    if (vector)
        put(to, place[0], 3);
    else
        *to = vec3_norm(place[0]);
}

CondStatus cond_env_sight_create(CondEnvWorld* world, CondError* error)
{
    int n = world->scene->n_observation, many = 0;
    for (int i = 0; i < n; i++)
        many += world->scene->observation[i].count;
    if (COND_RESERVE(&world->arena, world->sight, n) ||
        COND_RESERVE(&world->arena, world->many, many))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    many = 0;
    for (int i = 0; i < n; i++) {
        CondEnvSight* sight = &world->sight[i];
        const CondObservationDef* def = &world->scene->observation[i];
        char owner[COND_NAME_SIZE + 16];
        CondStatus status = COND_OK;
        *sight = (CondEnvSight){.def = def};
        snprintf(owner, sizeof owner, "observation %s", def->name);
        sight->body = cond_model_find_body(world->model, def->at.body);
        if (def->kind == COND_OBSERVE_POINTS) {
            sight->many = world->many + many;
            many += def->count;
            status = cond_env_points_spread(world, sight->body,
                                            cond_model_find_patch(world->model, def->at.patch),
                                            def->count, sight->many);
            if (status)
                cond_error_set(error, status, "%s: there are no such points", owner);
        } else if (def->kind != COND_OBSERVE_ACTION) {
            status = cond_env_point_resolve(world->model, &def->at, owner, &sight->point, error);
            if (!status)
                status =
                    cond_env_point_resolve(world->model, &def->to, owner, &sight->other, error);
        }
        if (status)
            return status;
        world->n_sight++;
    }
    return COND_OK;
}

static void pass_all(const CondEnvWorld* world, double certificate, Pass* pass)
{
    const CondModel* model = world->model;
    const CondEnvironmentSettings* settings = &model->settings.environment;
    const CondState* state = world->state;
    if (settings->observe_time)
        put(slot(pass, "", "time", "s", 1), &state->time, 1);
    for (int b = 0; b < model->n_body && settings->observe_poses; b++)
        pass_body(world, &model->body[b], pass);
    for (int i = 0; i < world->n_act && settings->observe_goals; i++)
        pass_goal(world, &world->act[i], pass);
    for (int i = 0; i < model->n_attachment && settings->observe_wrenches; i++) {
        double wrench[6] = {0.0}; // none before the first step
        cond_sim_attachment_wrench(world->sim, i, wrench);
        put(slot(pass, model->attachment[i].name, "wrench", "N, N m", 6), wrench, 6);
    }
    for (int i = 0; i < cond_model_n_sensor(model) && settings->observe_wrenches; i++) {
        CondSensorReading reading = {.force = {0.0, 0.0, 0.0}};
        cond_sim_sensor(world->sim, i, &reading);
        const char* name = cond_model_sensor_name(model, i);
        double seen = fmin(reading.distance, model->sensor[i].range); // an observation is finite
        switch (cond_model_sensor_kind(model, i)) {
        case COND_SENSOR_IMU:
            put(slot(pass, name, "acceleration", "m/s2", 3), reading.acceleration, 3);
            put(slot(pass, name, "angular_velocity", "rad/s", 3), reading.angular_velocity, 3);
            break;
        case COND_SENSOR_RANGE:
            put(slot(pass, name, "distance", "m", 1), &seen, 1);
            break;
        default:
            put(slot(pass, name, "force", "N", 3), reading.force, 3);
            put(slot(pass, name, "torque", "N m", 3), reading.torque, 3);
        }
    }
    if (settings->observe_contacts)
        pass_contacts(world, pass);
    if (settings->observe_certificate)
        put(slot(pass, "", "certificate", "", 1), &certificate, 1);
    for (int i = 0; i < world->scene->n_variation; i++)
        if (world->scene->variation[i].observe) {
            double drawn = cond_scene_draw(world->scene, i, world->seed);
            put(slot(pass, "", world->scene->variation[i].name, "", 1), &drawn, 1);
        }
    for (int i = 0; i < world->n_term; i++)
        pass_desired(&world->term[i], pass);
    for (int i = 0; i < world->n_sight; i++)
        pass_sight(world, &world->sight[i], pass);
    if (settings->observe_configuration) {
        put(slot(pass, "", "q", "", model->n_q), state->q, model->n_q);
        put(slot(pass, "", "v", "", model->n_dof), state->v, model->n_dof);
    }
}

int cond_env_observe_count(const CondEnvWorld* world)
{
    Pass pass = {.wanted = -1};
    pass_all(world, 0.0, &pass);
    return pass.begin;
}

void cond_env_observe(CondEnvWorld* world, double certificate)
{
    Pass pass = {.wanted = -1, .values = world->observation};
    if (world->n_sight > 0)
        cond_kinematics_set(&world->kinematics, world->state->q);
    pass_all(world, certificate, &pass);
}

int cond_env_n_observation(const CondEnv* env)
{
    return env->world.n_observation;
}

static int env_observation_slot_whole(const CondEnv* env, int index, CondEnvSlot* out)
{
    Pass pass = {.wanted = index, .out = out};
    pass_all(&env->world, 0.0, &pass);
    return index >= 0 && index < pass.index;
}

int cond_env_observation_slot_sized(const CondEnv* env, int index, CondEnvSlot* out, size_t size)
{
    COND_SIZED(int, CondEnvSlot, out, size, env_observation_slot_whole(env, index, it));
}

const double* cond_env_observation(const CondEnv* env)
{
    return env->world.observation;
}
