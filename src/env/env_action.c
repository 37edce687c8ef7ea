// Actions: what an environment is told becomes joint targets and anchors, spread over the time
// steps of the action.
#include "env/env.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/quat.h"
#include "potential/attachment.h"
#include "scene/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A pose as it is told: position, and where it turns a rotation vector (increment) or a quaternion.
static int pose_size(const CondActionDef* def)
{
    return !def->turns ? 3 : def->mode == COND_ACTION_ABSOLUTE ? 7 : 6;
}

static const CondArticulation* arm_of(const CondEnvWorld* world, const CondEnvAct* act)
{
    return world->model->body[act->body].arm;
}

static CondStatus resolve_pose(CondEnvWorld* world, const CondContext* m, CondEnvAct* act,
                               CondError* error)
{
    const CondBody* body = &world->model->body[act->body];
    CondPoint* point = &act->goal.what.end[0].point;
    act->goal.what.turns = 1;
    act->goal.what.end[0].patch = act->goal.what.end[1].patch = -1;
    act->goal.what.end[1].point.body = -1;
    point->body = act->body;
    point->part = cond_articulation_find_link(body->arm, act->def->link);
    memcpy(point->local, act->def->point, sizeof act->def->point);
    if (point->part < 0)
        return cond_error_set(error, COND_BAD_INPUT, "action %s: robot %s has no link '%s'",
                              act->def->name, body->name, act->def->link);
    cond_weld_make(&world->kinematics, &act->goal);
    if (world->ik[act->body])
        return COND_OK;
    return cond_ik_create(m, body->arm, &world->ik[act->body], error);
}

// An attachment that is led must hold before the first step, as the step itself would make it.
static CondStatus resolve_anchor(CondEnvWorld* world, CondEnvAct* act)
{
    const CondModel* model = world->model;
    for (int i = 0; i < model->n_attachment; i++)
        if (strcmp(model->attachment[i].name, act->def->attachment) == 0)
            act->attachment = i;
    CondWeld* weld = &world->state->weld[act->attachment];
    if (!weld->active && weld->what.start <= 0.0 && weld->what.end_time > 0.0)
        cond_weld_make(&world->kinematics, weld);
    return COND_OK;
}

CondStatus cond_env_act_create(CondEnvWorld* world, const CondContext* m, CondError* error)
{
    const CondModel* model = world->model;
    int n = world->scene->n_action, most = 0;
    for (int b = 0; b < model->n_body; b++)
        most = model->body[b].n_q > most ? model->body[b].n_q : most;
    world->act = cond_allocate(m, (size_t)n, sizeof *world->act);
    world->ik = cond_allocate(m, (size_t)model->n_body, sizeof *world->ik);
    world->q = cond_allocate(m, (size_t)most, sizeof *world->q);
    if (!world->act || !world->ik || !world->q)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    cond_kinematics_set(&world->kinematics, world->state->q);
    for (int i = 0; i < n; i++) {
        CondEnvAct* act = &world->act[i];
        CondStatus status = COND_OK;
        *act = (CondEnvAct){.def = &world->scene->action[i], .begin = world->n_action};
        act->body = cond_model_find_body(model, act->def->body);
        if (act->def->kind == COND_ACTION_JOINTS)
            act->size = arm_of(world, act)->n_joint;
        else
            act->size = pose_size(act->def);
        if (act->def->kind == COND_ACTION_POSE)
            status = resolve_pose(world, m, act, error);
        else if (act->def->kind == COND_ACTION_ANCHOR)
            status = resolve_anchor(world, act);
        if (status)
            return status;
        world->n_action += act->size;
        world->n_act++;
    }
    return COND_OK;
}

static int slides(const CondArticulation* arm, int joint)
{
    return arm->coordinate[joint].slides;
}

// Bounds of value k of an action.
static void bounds(const CondEnvWorld* world, const CondEnvAct* act, int k, double* low,
                   double* high)
{
    const CondActionDef* def = act->def;
    int linear = k < 3;
    if (def->kind == COND_ACTION_JOINTS) {
        const CondArticulation* arm = arm_of(world, act);
        linear = slides(arm, k);
        *low = arm->coordinate[k].lower;
        *high = arm->coordinate[k].upper;
    } else {
        *low = -INFINITY;
        *high = INFINITY;
    }
    if (def->mode == COND_ACTION_INCREMENT) {
        *high = linear ? def->linear : def->angular;
        *low = -*high;
    }
}

int cond_env_act_sound(const CondEnvWorld* world, const double* action)
{
    for (int i = 0; i < world->n_act; i++) {
        const CondEnvAct* act = &world->act[i];
        double norm2 = 0.0;
        for (int k = 0; k < act->size; k++) {
            double value = action ? action[act->begin + k] : NAN;
            if (!isfinite(value))
                return 0;
            norm2 += k >= 3 ? value * value : 0.0;
        }
        // An orientation must have a length that can be divided by.
        if (act->def->kind != COND_ACTION_JOINTS && act->size == 7 && !(norm2 > 1e-12))
            return 0;
    }
    return 1;
}

static double told(const CondEnvWorld* world, const CondEnvAct* act, const double* action, int k)
{
    double low, high;
    bounds(world, act, k, &low, &high);
    return fmin(fmax(action[act->begin + k], low), high);
}

// Where a pose shall be at the end of the action.
static void wanted_pose(const CondEnvWorld* world, const CondEnvAct* act, const double* action,
                        const double position[3], const double orientation[4], double to[3],
                        double turned[4])
{
    int absolute = act->def->mode == COND_ACTION_ABSOLUTE;
    memcpy(turned, orientation, 4 * sizeof *turned);
    for (int k = 0; k < 3; k++)
        to[k] = told(world, act, action, k) + (absolute ? 0.0 : position[k]);
    if (act->size == 7) {
        memcpy(turned, action + act->begin + 3, 4 * sizeof *turned);
        quat_normalize(turned);
    } else if (act->size == 6) {
        double w[3], dq[4];
        for (int k = 0; k < 3; k++)
            w[k] = told(world, act, action, 3 + k);
        quat_exp(w, dq);
        quat_product(dq, orientation, turned);
        quat_normalize(turned);
    }
}

// The targets go on in equal parts: what is left of the way, over the steps that are left.
static void lead_joints(CondEnvWorld* world, const CondEnvAct* act, const double* action, int step,
                        int substeps)
{
    const CondBody* body = &world->model->body[act->body];
    CondState* state = world->state;
    for (int k = 0; k < act->size; k++) {
        int at = body->target_begin + k;
        double change = told(world, act, action, k);
        if (act->def->mode == COND_ACTION_ABSOLUTE)
            change = (change - state->target[at]) / (substeps - step);
        else
            change /= substeps;
        const CondJointCoordinate* joint = &body->arm->coordinate[k];
        state->command[at] = fmin(fmax(state->target[at] + change, joint->lower), joint->upper);
    }
}

// As a trajectory does (src/step/control.c): one step of inverse kinematics from the present
// targets towards a frame that moves evenly from the old goal to the new one.
static void lead_pose(CondEnvWorld* world, const CondEnvAct* act, const double* action, int step,
                      int substeps)
{
    const CondBody* body = &world->model->body[act->body];
    const CondArticulation* arm = body->arm;
    CondState* state = world->state;
    const CondWeld* goal = &act->goal;
    double t = world->model->settings.time_step, share = (double)step / substeps;
    double to[3], turned[4], w[3], part[3], dq[4];
    size_t base = (size_t)(arm->n_q - arm->n_joint), joints = (size_t)arm->n_joint;
    const CondPoint* point = &goal->what.end[0].point;
    CondIkSettings settings = cond_ik_settings_default();
    CondIkFrame frame = {.link = point->part, .orientation = {1.0, 0.0, 0.0, 0.0}};
    CondIkTarget target;
    CondIkInfo info;
    wanted_pose(world, act, action, goal->anchor, goal->turn, to, turned);
    quat_between(goal->turn, turned, w);
    for (int k = 0; k < 3; k++) {
        frame.position[k] = point->local[k];
        target.velocity[k] = (to[k] - goal->anchor[k]) / (substeps * t);
        target.angular[k] = w[k] / (substeps * t);
        target.position[k] = goal->anchor[k] + share * (to[k] - goal->anchor[k]);
        part[k] = share * w[k];
    }
    quat_exp(part, dq);
    quat_product(dq, goal->turn, target.orientation);
    memcpy(world->q, state->q + body->q_begin, base * sizeof *world->q);
    memcpy(world->q + base, state->target + body->target_begin, joints * sizeof *world->q);
    cond_ik_step(world->ik[act->body], &settings, &frame, &target, t, world->q, NULL, &info);
    memcpy(state->command + body->target_begin, world->q + base, joints * sizeof *world->q);
}

void cond_env_act_finish(CondEnvWorld* world, const double* action)
{
    for (int i = 0; i < world->n_act; i++) {
        CondEnvAct* act = &world->act[i];
        double to[3], turned[4];
        if (act->def->kind != COND_ACTION_POSE)
            continue;
        wanted_pose(world, act, action, act->goal.anchor, act->goal.turn, to, turned);
        memcpy(act->goal.anchor, to, sizeof to);
        memcpy(act->goal.turn, turned, sizeof turned);
    }
}

// The world's end of an attachment moves, its anchor stays: what is left of the way, in equal
// parts.
static void lead_anchor(CondEnvWorld* world, const CondEnvAct* act, const double* action, int step,
                        int substeps)
{
    CondWeld* weld = &world->state->weld[act->attachment];
    double* place = weld->what.end[1].point.local;
    double now[3], to[3], turned[4], w[3], dq[4], old[4];
    int absolute = act->def->mode == COND_ACTION_ABSOLUTE;
    int parts = absolute ? substeps - step : substeps; // an increment counts from here every time
    if (!weld->active)
        return;
    for (int k = 0; k < 3; k++)
        now[k] = place[k] + weld->anchor[k];
    wanted_pose(world, act, action, now, weld->turn, to, turned);
    for (int k = 0; k < 3; k++)
        place[k] += (to[k] - now[k]) / parts;
    if (!act->def->turns)
        return;
    quat_between(weld->turn, turned, w);
    for (int k = 0; k < 3; k++)
        w[k] /= parts;
    quat_exp(w, dq);
    memcpy(old, weld->turn, sizeof old);
    quat_product(dq, old, weld->turn);
    quat_normalize(weld->turn);
}

void cond_env_act_apply(CondEnvWorld* world, const double* action, int step, int substeps)
{
    for (int i = 0; i < world->n_act; i++) {
        const CondEnvAct* act = &world->act[i];
        if (act->def->kind == COND_ACTION_JOINTS)
            lead_joints(world, act, action, step, substeps);
        else if (act->def->kind == COND_ACTION_POSE)
            lead_pose(world, act, action, step, substeps);
        else
            lead_anchor(world, act, action, step, substeps);
    }
}

int cond_env_n_action(const CondEnv* env)
{
    return env->world.n_action;
}

void cond_env_action_bounds(const CondEnv* env, double* low, double* high)
{
    const CondEnvWorld* world = &env->world;
    for (int i = 0; i < world->n_act; i++)
        for (int k = 0; k < world->act[i].size; k++)
            bounds(world, &world->act[i], k, &low[world->act[i].begin + k],
                   &high[world->act[i].begin + k]);
}

// Value k of the action that leads nowhere.
static double still_value(const CondEnvWorld* world, const CondEnvAct* act, int k)
{
    if (act->def->mode == COND_ACTION_INCREMENT)
        return 0.0;
    if (act->def->kind == COND_ACTION_JOINTS)
        return world->state->target[world->model->body[act->body].target_begin + k];
    const CondWeld* goal =
        act->def->kind == COND_ACTION_POSE ? &act->goal : &world->state->weld[act->attachment];
    if (k >= 3)
        return goal->turn[k - 3];
    return goal->what.end[1].point.local[k] + goal->anchor[k];
}

void cond_env_action_still(const CondEnv* env, double* action)
{
    const CondEnvWorld* world = &env->world;
    for (int i = 0; i < world->n_act; i++)
        for (int k = 0; k < world->act[i].size; k++)
            action[world->act[i].begin + k] = still_value(world, &world->act[i], k);
}

void cond_env_action_draw(const CondEnv* env, uint64_t seed, double* action)
{
    const CondEnvWorld* world = &env->world;
    CondRandom random = {seed};
    cond_env_action_still(env, action);
    for (int i = 0; i < world->n_act; i++) {
        const CondEnvAct* act = &world->act[i];
        for (int k = 0; k < act->size; k++) {
            double low, high, u = cond_random_uniform(&random);
            bounds(world, act, k, &low, &high);
            if (isfinite(low) && isfinite(high))
                action[act->begin + k] = low + (high - low) * u;
        }
    }
}

// A joint is a slot of its own; a pose is two.
int cond_env_action_slot(const CondEnv* env, int slot, CondEnvSlot* out)
{
    const CondEnvWorld* world = &env->world;
    for (int i = 0; i < world->n_act; i++) {
        const CondEnvAct* act = &world->act[i];
        const CondActionDef* def = act->def;
        int joints = def->kind == COND_ACTION_JOINTS;
        int n = joints ? act->size : act->size > 3 ? 2 : 1;
        if (slot >= n) {
            slot -= n;
            continue;
        }
        if (slot < 0)
            return 0;
        memset(out, 0, sizeof *out);
        if (joints) {
            const CondArticulation* arm = arm_of(world, act);
            snprintf(out->name, sizeof out->name, "%s.%s", def->name, arm->coordinate[slot].name);
            out->unit = slides(arm, slot) ? "m" : "rad";
            out->begin = act->begin + slot;
            out->size = 1;
            return 1;
        }
        snprintf(out->name, sizeof out->name, "%s.%s", def->name,
                 slot == 0        ? "position"
                 : act->size == 7 ? "orientation"
                                  : "rotation");
        out->unit = slot == 0 ? "m" : act->size == 7 ? "" : "rad";
        out->begin = act->begin + 3 * slot;
        out->size = slot == 0 ? 3 : act->size - 3;
        return 1;
    }
    return 0;
}
