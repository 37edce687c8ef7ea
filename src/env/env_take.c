// Actions that pick up and release: an attachment between a nearby body and a point of the world
// (pick) or of a robot's link (grip).
#include "env/env.h"

#include "math/vec3.h"
#include "model/rod.h"
#include "potential/attachment.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// The nearest point of some bodies so far.
typedef struct Nearest {
    const double* place;
    double distance;
    CondPoint point;
} Nearest;

static void look_at(Nearest* nearest, const double x[3], const CondPoint* point)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = x[k] - nearest->place[k];
    double distance = vec3_norm(d);
    if (distance >= nearest->distance)
        return;
    nearest->distance = distance;
    nearest->point = *point;
}

// The nearest point of each link's centreline.
static void look_along(const CondEnvWorld* world, const CondBody* body, Nearest* nearest)
{
    const CondRod* rod = body->rod;
    for (int i = 0; i < rod->n_link; i++) {
        double origin[3], R[9], half = 0.5 * rod->length[i], along = 0.0, x[3];
        CondPoint point = {.body = body->index, .link = i};
        cond_kinematics_axes(&world->kinematics, body->index, i, origin, R);
        for (int k = 0; k < 3; k++)
            along += R[3 * k + 2] * (nearest->place[k] - origin[k]);
        along = fmin(fmax(along, -half), half);
        for (int k = 0; k < 3; k++)
            x[k] = origin[k] + along * R[3 * k + 2];
        point.local[2] = along;
        look_at(nearest, x, &point);
    }
}

static void look_for(const CondEnvWorld* world, const CondBody* body, Nearest* nearest)
{
    const double* q = world->state->q + body->q_begin;
    if (body->kind == COND_BODY_ROD) {
        look_along(world, body, nearest);
    } else if (body->kind == COND_BODY_SOFT) {
        for (int k = 0; k < body->n_feature; k++) {
            const CondPoint* node = &world->model->feature[body->feature_begin + k].point;
            look_at(nearest, q + 3 * (size_t)node->node[0], node);
        }
    } else if (body->kind != COND_BODY_ROBOT) {
        look_at(nearest, q, &(CondPoint){.body = body->index});
    }
}

// A weld between the nearest point within reach and the far end; 0: there is none.
static int find(const CondEnvWorld* world, const CondEnvAct* act, const double place[3],
                CondWeld* weld)
{
    const CondActionDef* def = act->def;
    Nearest nearest = {.place = place, .distance = def->reach};
    for (int b = 0; b < world->model->n_body; b++)
        if (act->taken < 0 || act->taken == b)
            look_for(world, &world->model->body[b], &nearest);
    if (!(nearest.distance < def->reach))
        return 0;
    CondBodyKind kind = world->model->body[nearest.point.body].kind;
    int turns = def->kind == COND_ACTION_GRIP && def->turns && def->rotation_stiffness > 0.0 &&
                kind != COND_BODY_SOFT && kind != COND_BODY_PARTICLE;
    *weld = (CondWeld){.attachment = -1};
    CondAttachment* what = &weld->what;
    what->end[0] = (CondFrame){.point = nearest.point, .patch = -1};
    what->end[1].patch = -1;
    what->end[1].point.body = -1;
    what->turns = turns;
    what->contact = 1;
    what->stiffness[0] = def->stiffness;
    what->damping[0] = def->damping;
    what->stiffness[1] = turns ? def->rotation_stiffness : 0.0;
    what->damping[1] = turns ? def->rotation_damping : 0.0;
    what->end_time = INFINITY;
    if (def->kind == COND_ACTION_GRIP)
        what->end[1].point = act->goal.what.end[0].point;
    else
        memcpy(what->end[1].point.local, place, 3 * sizeof *place);
    cond_weld_make(&world->kinematics, weld);
    return 1;
}

static CondStatus take(CondEnvWorld* world, CondEnvAct* act)
{
    CondWeld weld;
    double place[3], R[9];
    cond_kinematics_set(&world->kinematics, world->state->q);
    memcpy(place, act->goal.anchor, sizeof place);
    if (act->def->kind == COND_ACTION_GRIP)
        cond_kinematics_frame(&world->kinematics, &act->goal.what.end[0], place, R, NULL, NULL);
    if (!find(world, act, place, &weld))
        return COND_OK;
    return cond_state_hold(world->state, &weld, &act->attachment);
}

// A pick leads its place, and what it holds, in equal parts.
static void lead(CondEnvWorld* world, CondEnvAct* act, const double* action, int step, int substeps)
{
    double to[3], turned[4];
    int parts = act->def->mode == COND_ACTION_ABSOLUTE ? substeps - step : 1;
    cond_env_act_wanted(world, act, action, 1.0 / substeps, act->goal.anchor, act->goal.turn, to,
                        turned);
    for (int k = 0; k < 3; k++) {
        double way = (to[k] - act->goal.anchor[k]) / parts;
        act->goal.anchor[k] += way;
        if (act->attachment >= 0)
            world->state->weld[act->attachment].what.end[1].point.local[k] += way;
    }
}

CondStatus cond_env_take(CondEnvWorld* world, CondEnvAct* act, const double* action, int step,
                         int substeps)
{
    int holds = cond_env_act_told(world, act, action, act->size - 1) > 0.5;
    CondStatus status = COND_OK;
    if (!holds && act->attachment >= 0) {
        cond_state_release(world->state, act->attachment);
        act->attachment = -1;
    } else if (holds && act->attachment < 0) {
        status = take(world, act);
    }
    if (!status && act->def->kind == COND_ACTION_PICK)
        lead(world, act, action, step, substeps);
    return status;
}
