// Actions of environments: values become targets, torques and attachments, spread over the time
// steps of the action.
#include "base/definition.h"
#include "base/tuning.h"
#include "env/env.h"

#include "base/error.h"
#include "base/random.h"
#include "cond/mechanics.h"
#include "math/quat.h"
#include "potential/attachment.h"
#include "scene/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int cond_env_act_is_joints(CondActionKind kind)
{
    return kind == COND_ACTION_JOINTS || kind == COND_ACTION_VELOCITIES ||
           kind == COND_ACTION_TORQUES;
}

int cond_env_act_is_pose(CondActionKind kind)
{
    return kind == COND_ACTION_POSE || kind == COND_ACTION_ANCHOR || kind == COND_ACTION_IMPEDANCE;
}

// How many values an action has but for joints. A pose as it is told: position, and where it turns
// a rotation vector (increment) or a quaternion.
static int size_of(const CondActionDef* def)
{
    if (def->kind == COND_ACTION_PICK)
        return 4;
    if (def->kind == COND_ACTION_GRIP)
        return 1;
    return !def->turns ? 3 : def->mode == COND_ACTION_ABSOLUTE ? 7 : 6;
}

static const CondArticulation* arm_of(const CondEnvWorld* world, const CondEnvAct* act)
{
    return world->model->body[act->body].arm;
}

// The coordinates that a list of names stands for, or all of them.
static CondStatus resolve_joints(CondEnvWorld* world, CondEnvAct* act, CondError* error)
{
    const CondArticulation* arm = arm_of(world, act);
    char owner[COND_NAME_SIZE + 8], name[COND_NAME_SIZE];
    snprintf(owner, sizeof owner, "action %s", act->def->name);
    for (const char* at = act->def->joints; *at;) {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ", ");
        if (length == 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        int found = cond_robot_find_joint(world->model, act->body, owner, name, error);
        if (found < 0)
            return COND_BAD_INPUT;
        for (int k = 0; k < act->size; k++)
            if (act->coordinate[k] == found)
                return cond_error_set(error, COND_BAD_INPUT, "%s: joint %s is named twice", owner,
                                      name);
        act->coordinate[act->size++] = found;
    }
    for (int j = 0; j < arm->n_joint && !act->def->joints[0]; j++)
        act->coordinate[act->size++] = j;
    return COND_OK;
}

// The frame of a robot's link that an action is about, and where it is.
static CondStatus resolve_link(CondEnvWorld* world, CondEnvAct* act, CondError* error)
{
    const CondBody* body = &world->model->body[act->body];
    CondPoint* point = &act->goal.what.end[0].point;
    act->goal.what.turns = 1;
    act->goal.what.end[0].patch = act->goal.what.end[1].patch = -1;
    act->goal.what.end[1].point.body = -1;
    point->body = act->body;
    point->link = cond_articulation_find_link(body->arm, act->def->link);
    memcpy(point->local, act->def->point, sizeof act->def->point);
    if (point->link < 0)
        return cond_error_set(error, COND_BAD_INPUT, "action %s: robot %s has no link '%s'",
                              act->def->name, body->name, act->def->link);
    cond_weld_make(&world->kinematics, &act->goal);
    return COND_OK;
}

// An attachment that is led must hold before the first step, as the step itself would make it.
static void resolve_anchor(CondEnvWorld* world, CondEnvAct* act)
{
    const CondModel* model = world->model;
    for (int i = 0; i < model->n_attachment; i++)
        if (strcmp(model->attachment[i].name, act->def->attachment) == 0)
            act->attachment = i;
    CondWeld* weld = &world->state->weld[act->attachment];
    if (!weld->active && weld->what.start <= 0.0 && weld->what.end_time > 0.0)
        cond_weld_make(&world->kinematics, weld);
}

static CondStatus resolve(CondEnvWorld* world, const CondContext* m, CondEnvAct* act,
                          CondError* error)
{
    CondActionKind kind = act->def->kind;
    CondStatus status = COND_OK;
    if (cond_env_act_is_joints(kind))
        return resolve_joints(world, act, error);
    act->size = size_of(act->def);
    if (kind == COND_ACTION_ANCHOR)
        resolve_anchor(world, act);
    else if (kind == COND_ACTION_PICK)
        memcpy(act->goal.anchor, act->def->point, sizeof act->def->point);
    else
        status = resolve_link(world, act, error);
    if (!status && kind == COND_ACTION_POSE && !world->ik[act->body])
        status = cond_ik_create(m, arm_of(world, act), &world->ik[act->body], error);
    return status;
}

static int needs_mechanics(const CondActionDef* def)
{
    return def->kind == COND_ACTION_IMPEDANCE ||
           (def->kind == COND_ACTION_TORQUES && def->compensate);
}

// Room for all actions of the scene.
static CondStatus reserve(CondEnvWorld* world, CondError* error)
{
    const CondModel* model = world->model;
    int n_q = 0, n_dof = 0, n_joint = 0, mechanics = 0;
    for (int b = 0; b < model->n_body; b++) {
        n_q = model->body[b].n_q > n_q ? model->body[b].n_q : n_q;
        n_dof = model->body[b].n_dof > n_dof ? model->body[b].n_dof : n_dof;
    }
    for (int i = 0; i < world->scene->n_action; i++)
        mechanics |= needs_mechanics(&world->scene->action[i]);
    n_joint = model->n_target * world->scene->n_action;
    if (COND_RESERVE(&world->arena, world->act, world->scene->n_action) ||
        COND_RESERVE(&world->arena, world->ik, model->n_body) ||
        COND_RESERVE(&world->arena, world->coordinate, n_joint) ||
        COND_RESERVE(&world->arena, world->q, n_q) || COND_RESERVE(&world->arena, world->f, n_dof))
        return cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    return mechanics && !world->mechanics ? cond_mechanics_create(model, &world->mechanics, error)
                                          : COND_OK;
}

CondStatus cond_env_act_create(CondEnvWorld* world, const CondContext* m, CondError* error)
{
    CondStatus status = reserve(world, error);
    cond_kinematics_set(&world->kinematics, world->state->q);
    for (int i = 0; i < world->scene->n_action && !status; i++) {
        CondEnvAct* act = &world->act[i];
        *act = (CondEnvAct){
            .def = &world->scene->action[i], .begin = world->n_action, .attachment = -1};
        act->body = cond_model_find_body(world->model, act->def->body);
        act->taken = cond_model_find_body(world->model, act->def->takes);
        act->coordinate = world->coordinate + (ptrdiff_t)i * world->model->n_target;
        status = resolve(world, m, act, error);
        world->n_action += act->size;
        world->n_act++;
    }
    if (!status && COND_RESERVE(&world->arena, world->told, world->n_action))
        status = cond_error_set(error, COND_OUT_OF_MEMORY, "out of memory");
    if (!status)
        memset(world->told, 0, (size_t)world->n_action * sizeof *world->told);
    return status;
}

static void joint_bounds(const CondEnvWorld* world, const CondEnvAct* act, int k, double* low,
                         double* high)
{
    const CondActionDef* def = act->def;
    const CondBody* body = &world->model->body[act->body];
    const CondJointCoordinate* joint = &body->arm->coordinate[act->coordinate[k]];
    *low = joint->lower;
    *high = joint->upper;
    if (def->kind == COND_ACTION_JOINTS && def->mode == COND_ACTION_ABSOLUTE)
        return;
    *high = joint->slides ? def->linear : def->angular;
    *low = -*high;
    if (def->kind == COND_ACTION_TORQUES) {
        const CondMotor* motor = &world->state->motor[body->target_begin + act->coordinate[k]];
        *high = fmin(def->effort, motor->effort);
        *low = -fmin(def->effort, motor->effort_back);
    }
}

void cond_env_act_bounds(const CondEnvWorld* world, const CondEnvAct* act, int k, double* low,
                         double* high)
{
    const CondActionDef* def = act->def;
    if (cond_env_act_is_joints(def->kind)) {
        joint_bounds(world, act, k, low, high);
    } else if (def->kind == COND_ACTION_GRIP || (def->kind == COND_ACTION_PICK && k == 3)) {
        *low = 0.0;
        *high = 1.0;
    } else if (def->mode == COND_ACTION_INCREMENT) {
        *high = k < 3 ? def->linear : def->angular;
        *low = -*high;
    } else {
        *low = k < 3 && !isnan(def->low[k]) ? def->low[k] : -INFINITY;
        *high = k < 3 && !isnan(def->high[k]) ? def->high[k] : INFINITY;
    }
}

int cond_env_act_unsound(const CondEnvWorld* world, const double* action)
{
    for (int i = 0; i < world->n_act; i++) {
        const CondEnvAct* act = &world->act[i];
        double norm2 = 0.0;
        for (int k = 0; k < act->size; k++) {
            double value = action ? action[act->begin + k] : NAN;
            if (!isfinite(value))
                return act->begin + k;
            norm2 += k >= 3 ? value * value : 0.0;
        }
        if (cond_env_act_is_pose(act->def->kind) && act->size == 7 &&
            !(norm2 > COND_INPUT_ROUNDING * COND_INPUT_ROUNDING))
            return act->begin + 3;
    }
    return -1;
}

double cond_env_act_told(const CondEnvWorld* world, const CondEnvAct* act, const double* action,
                         int k)
{
    double low, high;
    cond_env_act_bounds(world, act, k, &low, &high);
    return fmin(fmax(action[act->begin + k], low), high);
}

// Coordinate k of a place, within the box of the action.
static double cut(const CondActionDef* def, int k, double place)
{
    return isnan(def->low[k]) ? place : fmin(fmax(place, def->low[k]), def->high[k]);
}

void cond_env_act_wanted(const CondEnvWorld* world, const CondEnvAct* act, const double* action,
                         double share, const double position[3], const double orientation[4],
                         double to[3], double turned[4])
{
    const CondActionDef* def = act->def;
    memcpy(turned, orientation, 4 * sizeof *turned);
    for (int k = 0; k < 3; k++) {
        double told = cond_env_act_told(world, act, action, k);
        to[k] = def->mode == COND_ACTION_ABSOLUTE ? told : cut(def, k, position[k] + share * told);
    }
    if (act->size == 7) {
        memcpy(turned, action + act->begin + 3, 4 * sizeof *turned);
        quat_normalize(turned);
    } else if (act->size == 6) {
        double w[3], dq[4];
        for (int k = 0; k < 3; k++)
            w[k] = share * cond_env_act_told(world, act, action, 3 + k);
        quat_exp(w, dq);
        quat_product(dq, orientation, turned);
        quat_normalize(turned);
    }
}

void cond_env_act_finish(CondEnvWorld* world, const double* action)
{
    for (int i = 0; i < world->n_act; i++) {
        CondEnvAct* act = &world->act[i];
        CondActionKind kind = act->def->kind;
        double to[3], turned[4];
        for (int k = 0; k < act->size; k++)
            world->told[act->begin + k] = cond_env_act_told(world, act, action, k);
        if (kind != COND_ACTION_POSE && kind != COND_ACTION_IMPEDANCE)
            continue;
        cond_env_act_wanted(world, act, action, 1.0, act->goal.anchor, act->goal.turn, to, turned);
        memcpy(act->goal.anchor, to, sizeof to);
        memcpy(act->goal.turn, turned, sizeof turned);
    }
}

static CondStatus apply(CondEnvWorld* world, CondEnvAct* act, const double* action, int step,
                        int substeps)
{
    switch (act->def->kind) {
    case COND_ACTION_JOINTS:
        cond_env_lead_joints(world, act, action, step, substeps);
        break;
    case COND_ACTION_POSE:
        cond_env_lead_pose(world, act, action, step, substeps);
        break;
    case COND_ACTION_ANCHOR:
        cond_env_lead_anchor(world, act, action, step, substeps);
        break;
    case COND_ACTION_VELOCITIES:
        cond_env_drive_velocities(world, act, action);
        break;
    case COND_ACTION_TORQUES:
        cond_env_drive_torques(world, act, action);
        break;
    case COND_ACTION_IMPEDANCE:
        cond_env_drive_impedance(world, act, action, step, substeps);
        break;
    default:
        return cond_env_take(world, act, action, step, substeps);
    }
    return COND_OK;
}

// Poses first: they tell all joints of their robot, of which others may then lead some.
CondStatus cond_env_act_apply(CondEnvWorld* world, const double* action, int step, int substeps)
{
    CondStatus status = COND_OK;
    for (int last = 0; last < 2; last++)
        for (int i = 0; i < world->n_act && !status; i++)
            if (cond_env_act_is_pose(world->act[i].def->kind) != last)
                status = apply(world, &world->act[i], action, step, substeps);
    return status;
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
            cond_env_act_bounds(world, &world->act[i], k, &low[world->act[i].begin + k],
                                &high[world->act[i].begin + k]);
}

// Value k of the action that leads nowhere.
static double still_value(const CondEnvWorld* world, const CondEnvAct* act, int k)
{
    CondActionKind kind = act->def->kind;
    if (kind == COND_ACTION_GRIP || (kind == COND_ACTION_PICK && k == 3))
        return act->attachment >= 0 ? 1.0 : 0.0;
    if (act->def->mode == COND_ACTION_INCREMENT || kind == COND_ACTION_VELOCITIES ||
        kind == COND_ACTION_TORQUES)
        return 0.0;
    if (kind == COND_ACTION_JOINTS)
        return world->state
            ->target[world->model->body[act->body].target_begin + act->coordinate[k]];
    const CondWeld* goal =
        kind == COND_ACTION_ANCHOR ? &world->state->weld[act->attachment] : &act->goal;
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
            cond_env_act_bounds(world, act, k, &low, &high);
            if (isfinite(low) && isfinite(high))
                action[act->begin + k] = low + (high - low) * u;
        }
    }
}

static const char* joint_unit(CondActionKind kind, int slides)
{
    if (kind == COND_ACTION_TORQUES)
        return slides ? "N" : "N m";
    if (kind == COND_ACTION_VELOCITIES)
        return slides ? "m/s" : "rad/s";
    return slides ? "m" : "rad";
}

static int slots_of(const CondEnvAct* act)
{
    if (cond_env_act_is_joints(act->def->kind))
        return act->size;
    return act->size > 3 ? 2 : 1;
}

// A joint is a slot of its own; a pose and a pick are two.
static void describe(const CondEnvWorld* world, const CondEnvAct* act, int slot, CondEnvSlot* out)
{
    const CondActionDef* def = act->def;
    const char* what = slot == 0 ? "position" : act->size == 7 ? "orientation" : "rotation";
    memset(out, 0, sizeof *out);
    out->unit = slot == 0 ? "m" : act->size == 7 ? "" : "rad";
    out->begin = act->begin + 3 * slot;
    out->size = slot == 0 ? 3 : act->size - 3;
    if (cond_env_act_is_joints(def->kind)) {
        const CondJointCoordinate* joint = &arm_of(world, act)->coordinate[act->coordinate[slot]];
        what = joint->name;
        out->unit = joint_unit(def->kind, joint->slides);
        out->begin = act->begin + slot;
        out->size = 1;
    } else if (def->kind == COND_ACTION_GRIP || (def->kind == COND_ACTION_PICK && slot == 1)) {
        what = "hold";
        out->unit = "";
        out->size = 1;
    }
    snprintf(out->name, sizeof out->name, "%s.%s", def->name, what);
}

static int env_action_slot_whole(const CondEnv* env, int slot, CondEnvSlot* out)
{
    const CondEnvWorld* world = &env->world;
    for (int i = 0; i < world->n_act && slot >= 0; i++) {
        int n = slots_of(&world->act[i]);
        if (slot < n) {
            describe(world, &world->act[i], slot, out);
            return 1;
        }
        slot -= n;
    }
    return 0;
}

int cond_env_action_slot_sized(const CondEnv* env, int slot, CondEnvSlot* out, size_t size)
{
    COND_SIZED(int, CondEnvSlot, out, size, env_action_slot_whole(env, slot, it));
}
