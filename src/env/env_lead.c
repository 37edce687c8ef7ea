// Actions that lead: targets of joints, poses by inverse kinematics, anchors of attachments.
#include "env/env.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

// The targets go on in equal parts: what is left of the way, over the steps that are left.
void cond_env_lead_joints(CondEnvWorld* world, const CondEnvAct* act, const double* action,
                          int step, int substeps)
{
    const CondBody* body = &world->model->body[act->body];
    CondState* state = world->state;
    for (int k = 0; k < act->size; k++) {
        int j = act->coordinate[k], at = body->target_begin + j;
        double change = cond_env_act_told(world, act, action, k);
        if (act->def->mode == COND_ACTION_ABSOLUTE)
            change = (change - state->target[at]) / (substeps - step);
        else
            change /= substeps;
        const CondJointCoordinate* joint = &body->arm->coordinate[j];
        state->command[at] = fmin(fmax(state->target[at] + change, joint->lower), joint->upper);
    }
}

// As a trajectory does (src/sim/control.c): one step of inverse kinematics from the present
// targets towards a frame that moves evenly from the old goal to the new one.
void cond_env_lead_pose(CondEnvWorld* world, const CondEnvAct* act, const double* action, int step,
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
    CondIkFrame frame = {.link = point->link, .orientation = {1.0, 0.0, 0.0, 0.0}};
    CondIkTarget target;
    CondIkInfo info;
    cond_env_act_wanted(world, act, action, 1.0, goal->anchor, goal->turn, to, turned);
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

// The world's end of an attachment moves, its anchor stays: what is left of the way, in equal
// parts.
void cond_env_lead_anchor(CondEnvWorld* world, const CondEnvAct* act, const double* action,
                          int step, int substeps)
{
    CondWeld* weld = &world->state->weld[act->attachment];
    double* place = weld->what.end[1].point.local;
    double now[3], to[3], turned[4], w[3], dq[4], old[4];
    int absolute = act->def->mode == COND_ACTION_ABSOLUTE;
    int parts = absolute ? substeps - step : 1; // an increment is itself told in parts
    if (!weld->active)
        return;
    for (int k = 0; k < 3; k++)
        now[k] = place[k] + weld->anchor[k];
    cond_env_act_wanted(world, act, action, 1.0 / substeps, now, weld->turn, to, turned);
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
