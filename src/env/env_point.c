// Points of the scene that are observed and rewarded.
#include "base/tuning.h"
#include "env/env.h"

#include "math/vec3.h"
#include "model/rod.h"
#include "scene/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_env_point_resolve(const CondModel* model, const CondEndDef* end, const char* owner,
                                  CondEnvPoint* point, CondError* error)
{
    int body = cond_model_find_body(model, end->body);
    CondBodyKind kind = body < 0 ? COND_BODY_RIGID : model->body[body].kind;
    memset(point, 0, sizeof *point);
    if ((kind == COND_BODY_SOFT && !end->patch[0]) || (kind == COND_BODY_ROD && isnan(end->at))) {
        point->centre = 1 + body;
        return COND_OK;
    }
    CondStatus status = cond_end_resolve(model, end, 0, owner, &point->frame, error);
    return status == COND_BAD_ARGUMENT ? COND_BAD_INPUT : status;
}

CondStatus cond_env_points_check(const CondModel* model, const CondScene* scene, CondError* error)
{
    CondEnvPoint point;
    char owner[COND_NAME_SIZE + 16];
    CondStatus status = COND_OK;
    for (int i = 0; i < scene->n_reward && !status; i++) {
        const CondRewardDef* def = &scene->reward[i];
        int placed = def->kind == COND_REWARD_DISTANCE || def->kind == COND_REWARD_HEIGHT;
        snprintf(owner, sizeof owner, "reward %s", def->name);
        status = placed ? cond_env_point_resolve(model, &def->at, owner, &point, error) : COND_OK;
        if (!status)
            status = cond_env_point_resolve(model, &def->to, owner, &point, error);
    }
    for (int i = 0; i < scene->n_observation && !status; i++) {
        const CondObservationDef* def = &scene->observation[i];
        int placed = def->kind != COND_OBSERVE_POINTS && def->kind != COND_OBSERVE_ACTION;
        snprintf(owner, sizeof owner, "observation %s", def->name);
        status = placed ? cond_env_point_resolve(model, &def->at, owner, &point, error) : COND_OK;
        if (!status && placed)
            status = cond_env_point_resolve(model, &def->to, owner, &point, error);
    }
    return status;
}

void cond_env_point_place(const CondEnvWorld* world, const CondEnvPoint* point, double place[3])
{
    double R[9];
    if (point->centre == 0) {
        cond_kinematics_frame(&world->kinematics, &point->frame, place, R, NULL, NULL);
        return;
    }
    CondPose pose = cond_state_pose(world->model, world->state, point->centre - 1);
    memcpy(place, pose.position, sizeof pose.position);
}

// Of an even spread along a rod, both ends among them; of one point: the middle.
static void spread_along(const CondBody* body, int n, CondPoint* point)
{
    const CondRod* rod = body->rod;
    for (int i = 0; i < n; i++) {
        double s = n > 1 ? (double)i / (n - 1) : 0.5, along;
        point[i] = (CondPoint){.body = body->index};
        point[i].link = cond_rod_link_at(rod, s * rod->arc[rod->n_link], &along);
        point[i].local[2] = along;
    }
}

// Number `k` of the nodes to choose from; -1 past the last.
static int node_at(const CondModel* model, const CondBody* body, int patch, int k)
{
    if (patch >= 0)
        return k < model->patch[patch].n_node ? model->patch[patch].node[k] : -1;
    return k < body->n_feature ? model->feature[body->feature_begin + k].point.node[0] : -1;
}

// The first node, and then each time the one that is farthest from those chosen. What is as far to
// rounding goes by the order of the nodes, so that a body in another place has the same ones.
static void spread_over(const CondModel* model, const CondBody* body, int patch, int n,
                        CondPoint* point)
{
    const double nearly = 1.0 + COND_INPUT_ROUNDING;
    for (int i = 0; i < n; i++) {
        int best = node_at(model, body, patch, 0), node;
        double far = -1.0;
        for (int k = 0; i > 0 && (node = node_at(model, body, patch, k)) >= 0; k++) {
            double least = INFINITY;
            for (int j = 0; j < i; j++) {
                double d[3];
                for (int c = 0; c < 3; c++)
                    d[c] = body->start[3 * node + c] - body->start[3 * point[j].node[0] + c];
                least = fmin(least, vec3_norm(d));
            }
            if (least > far * nearly) {
                far = least;
                best = node;
            }
        }
        point[i] =
            (CondPoint){.body = body->index, .n_node = 1, .node = {best}, .local = {1.0, 0.0, 0.0}};
    }
}

CondStatus cond_env_points_spread(const CondEnvWorld* world, int body, int patch, int n,
                                  CondPoint* point)
{
    const CondBody* owner = &world->model->body[body];
    if (owner->kind == COND_BODY_ROD)
        spread_along(owner, n, point);
    else if (node_at(world->model, owner, patch, 0) < 0)
        return COND_BAD_INPUT;
    else
        spread_over(world->model, owner, patch, n, point);
    return COND_OK;
}
