// Rods against planes, rigid shapes and points: every link is a capsule.
#include "collide/rod_pair.h"

#include "body/body.h"
#include "collide/solid.h"
#include "geometry/box.h"
#include "geometry/segment.h"
#include "math/vec3.h"
#include "model/entity.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

// One walk along the rods. Every link has contacts of its own, also at a joint, where two of them
// end: they are two points, held together by springs. A contact that one of them were given for
// both would leave the other end to these springs, and one that went to whichever is deeper would
// wander between the two.
typedef struct Walk {
    CondCollider* collider;
    const CondKinematics* kinematics;
    const double* reach;
    CondCandidateList* list;
} Walk;

CondContactKey cond_rod_key(const CondCollider* collider, int i, int other, uint64_t role)
{
    int n = collider->n_solid + collider->model->n_plane;
    return (CondContactKey){.pair = COND_KEY_LINK + (uint64_t)i * (uint64_t)n + (uint64_t)other,
                            .role = role};
}

CondContactKey cond_bead_key(const CondCollider* collider, int i_feature, int i)
{
    return (CondContactKey){
        .pair = COND_KEY_BEAD + (uint64_t)i_feature * (uint64_t)collider->links.n + (uint64_t)i};
}

// ---- planes

static CondStatus meet_plane(const Walk* walk, int i, int i_plane)
{
    const CondModel* model = walk->kinematics->model;
    const CondRodLinks* links = &walk->collider->links;
    const CondPlane* plane = &model->plane[i_plane];
    int b = links->body[i];
    const CondBody* body = &model->body[b];
    CondStatus status = COND_OK;
    for (int end = 0; end < 2 && !status; end++) {
        const double* ends = links->end + 6 * (size_t)i;
        double x[3], p[3], half = links->clamped[i] == 1 + end ? 0.5 : 0.0;
        for (int k = 0; k < 3; k++)
            x[k] = (1.0 - half) * ends[3 * end + k] + half * ends[3 - 3 * end + k];
        CondCandidate candidate = {.plane = i_plane, .triangle = -1};
        candidate.gap = vec3_dot(plane->frame, x) - plane->offset - body->rod->radius;
        if (!(candidate.gap <= walk->reach[b]))
            continue;
        for (int k = 0; k < 3; k++) {
            p[k] = x[k] - body->rod->radius * plane->frame[k];
            candidate.position[k] = p[k];
        }
        candidate.point[0] = cond_point_at(walk->kinematics, b, links->link[i], p);
        candidate.point[1].body = -1;
        memcpy(candidate.frame, plane->frame, sizeof candidate.frame);
        candidate.key =
            cond_rod_key(walk->collider, i, walk->collider->n_solid + i_plane, (uint64_t)end);
        cond_candidate_surfaces(&plane->surface, &body->surface, &candidate);
        status = cond_candidate_add(walk->list, &candidate);
    }
    return status;
}

// ---- rigid shapes

static CondStatus add_meeting(const Walk* walk, int i, int i_solid,
                              const CondManifoldPoint* meeting)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    CondCollider* collider = walk->collider;
    const CondRodLinks* links = &collider->links;
    const CondSolid* solid = cond_solid_at(collider->model, i_solid);
    const double* origin = collider->pose + 7 * (size_t)i_solid;
    const CondBody* body = &collider->model->body[links->body[i]];
    double p[3];
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = meeting->gap};
    for (int k = 0; k < 3; k++) {
        p[k] = meeting->point[0][k] + origin[k];
        candidate.position[k] = meeting->point[1][k] + origin[k];
    }
    candidate.point[0] = cond_point_at(walk->kinematics, links->body[i], links->link[i], p);
    candidate.point[1] = cond_point_at(walk->kinematics, solid->fixed ? -1 : solid->body,
                                       solid->part, candidate.position);
    mat3_frame(meeting->normal, axis, candidate.frame);
    candidate.key = cond_rod_key(collider, i, i_solid, meeting->role);
    cond_candidate_surfaces(&body->surface, &solid->surface, &candidate);
    return cond_candidate_add(walk->list, &candidate);
}

// 1 when the ball around a link is farther than `far` from a shape whose distance costs little.
static int is_beyond(const CondShape* shape, const double pose[7], const CondCore* link, double far)
{
    double x[3];
    CondProbe probe;
    if (shape->mesh_surface)
        return 0;
    for (int k = 0; k < 3; k++)
        x[k] = link->p[k] + pose[k];
    cond_shape_probe(shape, pose, x, &probe);
    return probe.gap > far + link->round + link->half[2];
}

static CondStatus meet_solid(const Walk* walk, int i, int i_solid)
{
    CondCollider* collider = walk->collider;
    const CondRodLinks* links = &collider->links;
    const CondSolid* solid = cond_solid_at(collider->model, i_solid);
    const double* pose = collider->pose + 7 * (size_t)i_solid;
    CondPairWork* work = &collider->pairs;
    CondCore link, core;
    double far = walk->reach[links->body[i]] + collider->far[i_solid];
    cond_rod_link_core(links, walk->kinematics, i, solid->body < 0 || solid->fixed, pose, &link);
    if (is_beyond(&solid->shape, pose, &link, far))
        return COND_OK;
    cond_core_make(&solid->shape, pose, pose, &core);
    const CondShape capsule = {
        .form = COND_FORM_CAPSULE, .radius = link.round, .half = {0.0, 0.0, link.half[2]}};
    CondStatus status = cond_shapes_meet(work, &capsule, &link, &solid->shape, &core, far);
    for (int k = 0; k < work->manifold.n && !status; k++)
        status = add_meeting(walk, i, i_solid, &work->manifold.meeting[k]);
    return status;
}

// ---- points

static CondStatus add_bead(const Walk* walk, int i_feature, int i)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondModel* model = walk->kinematics->model;
    const CondRodLinks* links = &walk->collider->links;
    const CondFeature* feature = &model->feature[i_feature];
    const double *x = walk->collider->place + 3 * (size_t)i_feature,
                 *p = links->end + 6 * (size_t)i;
    const CondBody* rod = &model->body[links->body[i]];
    double d[3] = {p[3] - p[0], p[4] - p[1], p[5] - p[2]}, s, F[9], unit[3], normal[3], q[3];
    double distance = cond_segment_point(p, d, x, &s);
    for (int k = 0; k < 3; k++)
        unit[k] = d[k] / rod->rod->length[links->link[i]];
    mat3_frame(unit, unit, F);
    for (int k = 0; k < 3; k++) // a point on the axis leaves across it
        normal[k] = distance > 0.0 ? (x[k] - p[k] - s * d[k]) / distance : F[3 + k];
    CondCandidate candidate = {.plane = -1, .triangle = -1, .point = {feature->point}};
    candidate.gap = distance - rod->rod->radius - feature->radius;
    for (int k = 0; k < 3; k++) {
        q[k] = x[k] - feature->radius * normal[k];
        candidate.position[k] = p[k] + s * d[k] + rod->rod->radius * normal[k];
    }
    if (feature->radius > 0.0)
        candidate.point[0] =
            cond_point_at(walk->kinematics, feature->point.body, feature->point.link, q);
    candidate.point[1] =
        cond_point_at(walk->kinematics, links->body[i], links->link[i], candidate.position);
    mat3_frame(normal, axis, candidate.frame);
    candidate.key = cond_bead_key(walk->collider, i_feature, i);
    cond_candidate_surfaces(feature->surface, &rod->surface, &candidate);
    return cond_candidate_add(walk->list, &candidate);
}

static double point_distance(const CondRodLinks* links, int i, const double x[3], double* s)
{
    const double* p = links->end + 6 * (size_t)i;
    const double d[3] = {p[3] - p[0], p[4] - p[1], p[5] - p[2]};
    return cond_segment_point(p, d, x, s);
}

// 1 when no neighbour of link i is nearer to x, or only at the joint that is nearest for both.
static int is_best_of_row(const CondRodLinks* links, int i, const double x[3], double distance,
                          double s)
{
    for (int step = -1; step <= 1; step += 2) {
        double t, joint = step < 0 ? 0.0 : 1.0;
        if (cond_rod_links_joined(links, i, i + step) &&
            point_distance(links, i + step, x, &t) < distance && !(s == joint && t == 1.0 - joint))
            return 0;
    }
    return 1;
}

// Where a point is near to a rod.
static CondStatus meet_point(const Walk* walk, int i_feature)
{
    CondRodLinks* links = &walk->collider->links;
    const CondFeature* feature = &walk->kinematics->model->feature[i_feature];
    const double* x = walk->collider->place + 3 * (size_t)i_feature;
    double box[6], s, far = walk->reach[feature->point.body] + feature->radius;
    for (int k = 0; k < 6; k++)
        box[k] = x[k % 3] + (k < 3 ? -far : far);
    CondStatus status = cond_tree_query(&links->tree, box, &links->hits);
    for (int h = 0; h < links->hits.n && !status; h++) {
        int i = links->hits.primitive[h];
        double radius = walk->kinematics->model->body[links->body[i]].rod->radius;
        double distance = point_distance(links, i, x, &s);
        if (distance - radius <= far + walk->reach[links->body[i]] &&
            cond_feature_meets(walk->kinematics->model, feature,
                               walk->kinematics->model->body[links->body[i]].entity) &&
            is_best_of_row(links, i, x, distance, s))
            status = add_bead(walk, i_feature, i);
    }
    return status;
}

static CondStatus meet_points(const Walk* walk)
{
    const CondModel* model = walk->kinematics->model;
    CondStatus status = COND_OK;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const CondVolume* soft = walk->collider->volume[b];
        if (soft &&
            cond_boxes_apart(soft->bound, walk->collider->links.tree.node->box, walk->reach[b]))
            continue;
        for (int k = body->feature_begin; k < body->feature_begin + body->n_feature && !status; k++)
            if (!model->feature[k].shaped)
                status = meet_point(walk, k);
    }
    return status;
}

CondStatus cond_collide_rod_pairs(CondCollider* collider, const CondKinematics* kinematics,
                                  const double* reach, CondCandidateList* list)
{
    CondRodLinks* links = &collider->links;
    const Walk walk = {collider, kinematics, reach, list};
    CondStatus status = COND_OK;
    for (int i = 0; i < links->n && !status; i++) {
        const CondBody* rod = &collider->model->body[links->body[i]];
        for (int p = 0; p < collider->model->n_plane && !status; p++)
            if (cond_entities_touch(collider->model, rod->entity, collider->model->plane[p].entity))
                status = meet_plane(&walk, i, p);
        if (!status)
            status = cond_broad_query(&collider->broad, links->box + 6 * (size_t)i, 0.0);
        for (int h = 0; h < collider->broad.hits.n && !status; h++) {
            int s = collider->broad.hits.primitive[h];
            if (cond_solid_touches(collider->model, cond_solid_at(collider->model, s), rod->entity))
                status = meet_solid(&walk, i, s);
        }
    }
    if (links->n > 0 && !status)
        status = meet_points(&walk);
    return status;
}
