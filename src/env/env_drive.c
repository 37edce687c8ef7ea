// Actions by speeds and torques of joints, and by the impedance of a link.
#include "env/env.h"

#include "cond/mechanics.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// The targets move so fast, which the motors' dampers are told; without stiffness these alone act.
void cond_env_drive_velocities(CondEnvWorld* world, const CondEnvAct* act, const double* action)
{
    const CondBody* body = &world->model->body[act->body];
    double t = world->model->settings.time_step;
    for (int k = 0; k < act->size; k++) {
        const CondJointCoordinate* joint = &body->arm->coordinate[act->coordinate[k]];
        int at = body->target_begin + act->coordinate[k];
        double to = world->state->target[at] + t * cond_env_act_told(world, act, action, k);
        world->state->command[at] = fmin(fmax(to, joint->lower), joint->upper);
    }
}

// world->f = what holds the weight of a robot, or 0.
static void start_forces(CondEnvWorld* world, const CondEnvAct* act)
{
    const CondBody* body = &world->model->body[act->body];
    memset(world->f, 0, (size_t)body->n_dof * sizeof *world->f);
    if (!world->mechanics)
        return;
    cond_mechanics_set(world->mechanics, world->state);
    if (!act->def->compensate)
        return;
    cond_mechanics_weight(world->mechanics, act->body, world->f);
    for (int i = 0; i < body->n_dof; i++)
        world->f[i] = -world->f[i];
}

void cond_env_drive_torques(CondEnvWorld* world, const CondEnvAct* act, const double* action)
{
    const CondBody* body = &world->model->body[act->body];
    start_forces(world, act);
    for (int k = 0; k < act->size; k++) {
        int j = act->coordinate[k];
        world->state->motor[body->target_begin + j].torque =
            world->f[cond_body_joint_v(body) + j] + cond_env_act_told(world, act, action, k);
    }
}

// Torques J' (K e - D twist) towards a frame that moves evenly from the old goal to the new one,
// whose velocity counts.
void cond_env_drive_impedance(CondEnvWorld* world, const CondEnvAct* act, const double* action,
                              int step, int substeps)
{
    const CondBody* body = &world->model->body[act->body];
    const CondActionDef* def = act->def;
    const CondWeld* goal = &act->goal;
    const CondPoint* point = &goal->what.end[0].point;
    const double K[6] = {def->stiffness,          def->stiffness,          def->stiffness,
                         def->rotation_stiffness, def->rotation_stiffness, def->rotation_stiffness};
    const double D[6] = {def->damping,          def->damping,          def->damping,
                         def->rotation_damping, def->rotation_damping, def->rotation_damping};
    CondPlace place = {.body = act->body, .part = point->link};
    CondPose target = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    double t = world->model->settings.time_step * substeps, share = (step + 1.0) / substeps;
    double to[3], turned[4], w[3], part[3], dq[4];
    cond_env_act_wanted(world, act, action, 1.0, goal->anchor, goal->turn, to, turned);
    quat_between(goal->turn, turned, w);
    for (int k = 0; k < 3; k++) {
        place.point[k] = point->local[k];
        target.position[k] = goal->anchor[k] + share * (to[k] - goal->anchor[k]);
        target.velocity[k] = (to[k] - goal->anchor[k]) / t;
        target.angular_velocity[k] = w[k] / t;
        part[k] = share * w[k];
    }
    quat_exp(part, dq);
    quat_product(dq, goal->turn, target.orientation);
    start_forces(world, act);
    cond_mechanics_impedance(world->mechanics, &place, &target, K, D, world->f);
    for (int j = 0; j < body->arm->n_joint; j++)
        world->state->motor[body->target_begin + j].torque = world->f[cond_body_joint_v(body) + j];
}
