// Features of bodies against rigid shapes: static obstacles, rigid bodies, links of robots.
#include "collide/solid.h"
#include "base/tuning.h"

#include "base/memory.h"
#include "body/body.h"
#include "collide/collide.h"
#include "collide/tuning.h"
#include "geometry/tuning.h"
#include "math/quat.h"
#include "model/entity.h"

#include <math.h>
#include <string.h>

void cond_solid_pose(const CondKinematics* kinematics, const CondSolid* solid, double pose[7])
{
    if (solid->body < 0) {
        memcpy(pose, solid->position, sizeof solid->position);
        memcpy(pose + 3, solid->orientation, sizeof solid->orientation);
        return;
    }
    const CondBody* body = &kinematics->model->body[solid->body];
    const double *p, *q;
    double R[9], turned[3];
    if (body->kind == COND_BODY_ROBOT) {
        p = kinematics->arm[solid->body].work->position + 3 * solid->part;
        q = kinematics->arm[solid->body].work->orientation + 4 * solid->part;
    } else {
        p = kinematics->q + body->q_begin;
        q = p + 3;
    }
    quat_matrix(q, R);
    mat3_multiply(R, solid->position, turned);
    for (int i = 0; i < 3; i++)
        pose[i] = p[i] + turned[i];
    quat_product(q, solid->orientation, pose + 3);
}

CondPoint cond_point_at(const CondKinematics* kinematics, int body, int part, const double world[3])
{
    CondPoint point = {.body = body, .link = part};
    memcpy(point.local, world, 3 * sizeof *world);
    if (body < 0)
        return point;
    double R[9], d[3], p[3];
    cond_kinematics_axes(kinematics, body, part, p, R);
    for (int i = 0; i < 3; i++)
        d[i] = world[i] - p[i];
    mat3_multiply_transposed(R, d, point.local);
    return point;
}

CondPoint cond_feature_point(const CondKinematics* kinematics, const CondFeature* feature,
                             const double world[3])
{
    int b = feature->point.body;
    if (feature->radius == 0.0 || (b >= 0 && kinematics->model->body[b].kind == COND_BODY_SOFT))
        return feature->point;
    return cond_point_at(kinematics, b, feature->point.link, world);
}

// 1 when a soft node looks against the normal, more or less; `user` is its own normal.
static int is_facing(void* user, const double normal[3])
{
    return !(vec3_dot(user, normal) > COND_STEEP);
}

static CondStatus probe_feature(const CondKinematics* kinematics, CondVolume* const* volume,
                                const CondSolid* solid, int i_solid, const double pose[7],
                                int i_feature, const double x[3], double reach,
                                CondCandidateList* list)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondModel* model = kinematics->model;
    const CondFeature* feature = &model->feature[i_feature];
    CondProbe probe;
    cond_shape_probe(&solid->shape, pose, x, &probe);
    if (!(probe.gap - feature->radius <= reach))
        return COND_OK;
    const CondVolume* soft = volume[feature->point.body];
    double looks[3];
    if (soft) { // one that looks away from the solid may be pushed all the same: the body is soft
        cond_volume_vertex_normal(soft, feature->point.node[0], looks);
        CondProbe other = probe;
        // Not through the whole shape, though, where it has just come in.
        if (!is_facing(looks, probe.normal) &&
            cond_shape_probe_allowed(&solid->shape, pose, x, is_facing, looks, &other) &&
            other.gap >= probe.gap / COND_KEPT_COST - COND_NEARLY * soft->size)
            probe = other;
    }
    if (!(probe.gap - feature->radius <= reach))
        return COND_OK;
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = probe.gap - feature->radius};
    candidate.point[0] = feature->point;
    if (feature->radius > 0.0) { // the ball's point towards the solid
        double p[3];
        for (int i = 0; i < 3; i++)
            p[i] = x[i] - feature->radius * probe.normal[i];
        candidate.point[0] = cond_feature_point(kinematics, feature, p);
    }
    candidate.point[1] =
        cond_point_at(kinematics, solid->fixed ? -1 : solid->body, solid->part, probe.point);
    memcpy(candidate.position, probe.point, sizeof candidate.position);
    mat3_frame(probe.normal, axis, candidate.frame);
    candidate.key = cond_key_solid(model, i_feature, i_solid);
    cond_candidate_surfaces(feature->surface, &solid->surface, &candidate);
    return cond_candidate_add(list, &candidate);
}

// One feature against the solids near it.
static CondStatus collide_feature(CondCollider* collider, const CondKinematics* kinematics,
                                  int i_feature, const double* reach, CondCandidateList* list)
{
    const CondModel* model = collider->model;
    const CondFeature* feature = &model->feature[i_feature];
    const double* x = collider->place + 3 * (size_t)i_feature;
    double box[6] = {x[0], x[1], x[2], x[0], x[1], x[2]};
    int b = feature->point.body;
    CondStatus status = cond_broad_query(&collider->broad, box, reach[b] + feature->radius);
    for (int h = 0; h < collider->broad.hits.n && !status; h++) {
        int i = collider->broad.hits.primitive[h];
        const CondSolid* solid = cond_solid_at(model, i);
        double far = reach[b] + (solid->body >= 0 ? reach[solid->body] : 0.0);
        if (cond_feature_touches(model, feature, solid))
            status = probe_feature(kinematics, collider->volume, solid, i,
                                   collider->pose + 7 * (size_t)i, i_feature, x, far, list);
    }
    return status;
}

CondStatus cond_collide_solids(CondCollider* collider, const CondKinematics* kinematics,
                               const double* reach, CondCandidateList* list)
{
    const CondModel* model = collider->model;
    CondStatus status = COND_OK;
    for (int b = 0; b < model->n_body && !status; b++) {
        const CondBody* body = &model->body[b];
        if (cond_cancelled(&model->arena.context))
            return COND_CANCELLED;
        if (collider->volume[b]) { // the nodes of a soft body are points
            status = cond_broad_query(&collider->broad, collider->volume[b]->bound, reach[b]);
            if (collider->broad.hits.n == 0)
                continue;
        }
        for (int k = body->feature_begin; k < body->feature_begin + body->n_feature && !status; k++)
            if (!model->feature[k].shaped)
                status = collide_feature(collider, kinematics, k, reach, list);
    }
    return status;
}
