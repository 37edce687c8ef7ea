// Observations: slots of named values, in one list that gives their layout and their contents.
#include "env/env.h"

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

static void pass_goal(const CondEnvWorld* world, const CondEnvAct* act, Pass* pass)
{
    const CondState* state = world->state;
    const char* name = act->def->name;
    if (act->def->kind == COND_ACTION_JOINTS) {
        put(slot(pass, name, "target", "rad or m", act->size),
            state->target + world->model->body[act->body].target_begin, act->size);
        return;
    }
    const CondWeld* goal = &act->goal;
    double position[3];
    if (act->def->kind == COND_ACTION_ANCHOR)
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
    pass_all(world, certificate, &pass);
}

int cond_env_n_observation(const CondEnv* env)
{
    return env->world.n_observation;
}

int cond_env_observation_slot(const CondEnv* env, int index, CondEnvSlot* out)
{
    Pass pass = {.wanted = index, .out = out};
    pass_all(&env->world, 0.0, &pass);
    return index >= 0 && index < pass.index;
}

const double* cond_env_observation(const CondEnv* env)
{
    return env->world.observation;
}
