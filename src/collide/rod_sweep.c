// Links of rods that met rigid shapes or points on their way.
#include "collide/rod_sweep.h"
#include "base/tuning.h"

#include "body/body.h"
#include "collide/meeting.h"
#include "collide/rod_pair.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "geometry/box.h"
#include "geometry/separation.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/entity.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

// Both ends of a link on their way, in axes in which what it may meet stands still.
typedef struct Way {
    double from[6], to[6]; // [m]
    double round;          // radius [m]
} Way;

static void ends_at(const Way* way, double time, double end[6])
{
    for (int k = 0; k < 6; k++)
        end[k] = way->from[k] + time * (way->to[k] - way->from[k]);
}

// The capsule between two ends.
static void make_core(const double end[6], double round, CondCore* core)
{
    double d[3], F[9], length;
    *core = (CondCore){.form = COND_FORM_CAPSULE, .round = round};
    for (int i = 0; i < 3; i++) {
        d[i] = end[3 + i] - end[i];
        core->p[i] = 0.5 * (end[i] + end[3 + i]);
    }
    length = fmax(vec3_norm(d), 1e-300);
    for (int i = 0; i < 3; i++)
        d[i] /= length;
    mat3_frame(d, d, F);
    for (int i = 0; i < 3; i++) {
        core->R[3 * i] = F[3 + i];
        core->R[3 * i + 1] = F[6 + i];
        core->R[3 * i + 2] = d[i];
    }
    core->half[2] = 0.5 * length;
    core->size = length + 2.0 * round;
}

// How far the segment is from the other's surface.
static double distance_at(const Way* way, double time, const CondCore* other)
{
    double end[6];
    CondCore link;
    CondSeparation apart;
    ends_at(way, time, end);
    make_core(end, 0.0, &link);
    cond_cores_separate(&link, other, INFINITY, &apart);
    return apart.apart;
}

static double speed_of(const Way* way)
{
    double d[2][3];
    for (int i = 0; i < 6; i++)
        d[i / 3][i % 3] = way->to[i] - way->from[i];
    return fmax(vec3_norm(d[0]), vec3_norm(d[1]));
}

// Conservative advancement: no point of the segment is faster than its faster end, so that it
// cannot meet the other before their distance over that speed. What is within the radius at the
// start already counts when it comes nearer by a tenth. 1 and the time where they meet.
static int meet_core(const Way* way, const CondCore* other, double tiny, double* time)
{
    double speed = speed_of(way), apart = distance_at(way, 0.0, other);
    double near = fmin(way->round, COND_SAFETY * apart);
    if (!(apart > 0.0))
        return 0; // it was inside
    tiny = fmax(tiny, COND_NEARLY * near);
    *time = 0.0;
    for (int k = 0; k < COND_SEARCH_STEPS && apart - near > tiny; k++) {
        if (!(*time * speed + apart - near < speed))
            return 0;
        *time += (apart - near) / speed;
        apart = distance_at(way, *time, other);
    }
    return apart - near <= 10.0 * tiny;
}

// The two sides of a meeting: link i, and what stands still in the axes R at `origin` of the end.
typedef struct Sides {
    CondCollider* collider;
    const CondKinematics* after;
    CondCandidateList* list;
    int i;
    const double *R, *origin;
    CondPoint point; // of the other side, its body and part; of a point all of it
    int turned;      // 1: the other side comes first
    const CondSkin* surface;
    CondContactKey key; // but for the role
} Sides;

// Adds what met at the point s along the link, along n towards the link, at the point q of the
// other side, where it is beyond it at the end.
static CondStatus add_met(const Sides* sides, const Way* way, double s, const double n[3],
                          const double q[3], uint32_t role)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondRodLinks* links = &sides->collider->links;
    const CondBody* body = &sides->after->model->body[links->body[sides->i]];
    double p[3], normal[3], world[2][3], gap = 0.0;
    for (int k = 0; k < 3; k++) {
        p[k] = (1.0 - s) * way->to[k] + s * way->to[3 + k] - way->round * n[k];
        gap += n[k] * (p[k] - q[k]);
    }
    if (!(gap < 0.0))
        return COND_OK;
    mat3_multiply(sides->R, n, normal);
    mat3_multiply(sides->R, p, world[0]);
    mat3_multiply(sides->R, q, world[1]);
    for (int k = 0; k < 3; k++) {
        world[0][k] += sides->origin[k];
        world[1][k] += sides->origin[k];
        normal[k] *= sides->turned ? -1.0 : 1.0;
    }
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = gap, .key = sides->key};
    candidate.key.role = role;
    CondPoint link =
        cond_point_at(sides->after, links->body[sides->i], links->link[sides->i], world[0]);
    CondPoint other =
        sides->turned ? sides->point
                      : cond_point_at(sides->after, sides->point.body, sides->point.link, world[1]);
    candidate.point[0] = sides->turned ? other : link;
    candidate.point[1] = sides->turned ? link : other;
    memcpy(candidate.position, world[1 - sides->turned], sizeof candidate.position);
    mat3_frame(normal, axis, candidate.frame);
    cond_candidate_surfaces(sides->turned ? sides->surface : &body->surface,
                            sides->turned ? &body->surface : sides->surface, &candidate);
    return cond_candidate_add(sides->list, &candidate);
}

// A convex shape: all points that meet when the first of them does.
static CondStatus sweep_convex(const Sides* sides, const Way* way, const CondShape* shape,
                               const CondCore* core, double tiny)
{
    CondPairWork* work = &sides->collider->pairs;
    double time, end[6], d[3], x[3];
    CondCore link;
    if (!meet_core(way, core, tiny, &time))
        return COND_OK;
    ends_at(way, time, end);
    make_core(end, way->round, &link);
    const CondShape capsule = {
        .form = COND_FORM_CAPSULE, .radius = way->round, .half = {0.0, 0.0, link.half[2]}};
    CondStatus status = cond_shapes_meet(work, &capsule, &link, shape, core,
                                         COND_LEEWAY * (COND_NEARLY * way->round + tiny));
    for (int k = 0; k < work->manifold.n && !status; k++) {
        const CondManifoldPoint* meeting = &work->manifold.meeting[k];
        for (int i = 0; i < 3; i++) {
            d[i] = end[3 + i] - end[i];
            x[i] = meeting->point[0][i] + way->round * meeting->normal[i] - end[i];
        }
        double s = fmin(fmax(vec3_dot(x, d) / vec3_dot(d, d), 0.0), 1.0);
        status = add_met(sides, way, s, meeting->normal, meeting->point[1], meeting->role);
    }
    return status;
}

// Any other mesh: its edges. Its faces are met by the ends of links.
static CondStatus sweep_edges(const Sides* sides, const Way* way, const CondSolid* solid)
{
    CondStatus status = COND_OK;
    for (int k = solid->edge_begin; k < solid->edge_begin + solid->n_edge && !status; k++) {
        const CondEdge* edge = &sides->after->model->edge[k];
        double q[3];
        CondMotion motion;
        CondMeeting met;
        for (int end = 0; end < 2; end++) {
            memcpy(motion.from[end], way->from + 3 * end, sizeof motion.from[end]);
            memcpy(motion.to[end], way->to + 3 * end, sizeof motion.to[end]);
            memcpy(motion.from[2 + end], edge->end[end], sizeof edge->end[end]);
            memcpy(motion.to[2 + end], edge->end[end], sizeof edge->end[end]);
        }
        if (!cond_meeting_find(COND_MEETING_SEGMENTS, way->round, &motion, &met))
            continue;
        for (int i = 0; i < 3; i++)
            q[i] = met.weight[2] * edge->end[0][i] + met.weight[3] * edge->end[1][i];
        status =
            add_met(sides, way, met.weight[1], met.normal, q, (uint32_t)(k - solid->edge_begin));
    }
    return status;
}

// x in the axes of a pose.
static void into_axes(const double R[9], const double pose[7], const double x[3], double local[3])
{
    const double d[3] = {x[0] - pose[0], x[1] - pose[1], x[2] - pose[2]};
    mat3_multiply_transposed(R, d, local);
}

CondStatus cond_rod_sweep_solid(CondCollider* collider, const CondKinematics* after, int b, int i,
                                CondCandidateList* list)
{
    static const double identity[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    const CondRodLinks* links = &collider->links;
    const CondSolid* solid = cond_solid_at(collider->model, i);
    const double *before = collider->sweep.pose + 7 * (size_t)i,
                 *now = collider->pose + 7 * (size_t)i;
    int sharp = cond_shape_is_hollow(&solid->shape);
    double R[2][9], tiny = COND_SINGLE_PRECISION * collider->sweep.thickness[i];
    CondCore core;
    CondStatus status = COND_OK;
    quat_matrix(before + 3, R[0]);
    quat_matrix(now + 3, R[1]);
    cond_core_make(&solid->shape, identity, identity, &core);
    Sides sides = {
        collider, after,           list, 0, R[1], now, {.body = solid->body, .link = solid->part},
        0,        &solid->surface, {0}};
    if (solid->fixed)
        sides.point.body = -1;
    for (int k = links->first[b]; k < links->first[b + 1] && !status; k++) {
        Way way = {.round = after->model->body[b].rod->radius};
        if (cond_boxes_apart(links->box + 6 * (size_t)k, collider->sweep.box + 6 * (size_t)i, 0.0))
            continue;
        for (int end = 0; end < 6; end += 3) {
            into_axes(R[0], before, links->from + 6 * (size_t)k + end, way.from + end);
            into_axes(R[1], now, links->end + 6 * (size_t)k + end, way.to + end);
        }
        sides.i = k;
        sides.key = cond_rod_key(collider, k, i, 0);
        status = sharp ? sweep_edges(&sides, &way, solid)
                       : sweep_convex(&sides, &way, &solid->shape, &core, tiny);
    }
    return status;
}

// One point against the links whose swept boxes its own overlaps.
static CondStatus sweep_point(CondCollider* collider, const CondKinematics* after, int i_feature,
                              CondCandidateList* list)
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const CondModel* model = after->model;
    const CondFeature* feature = &model->feature[i_feature];
    CondRodLinks* links = &collider->links;
    const double* from = collider->sweep.place + 3 * (size_t)i_feature;
    const double* to = collider->place + 3 * (size_t)i_feature;
    const CondShape ball = {.form = COND_FORM_SPHERE, .radius = feature->radius};
    const CondCore core = {.form = COND_FORM_SPHERE,
                           .R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                           .round = feature->radius,
                           .size = 2.0 * feature->radius};
    double box[6];
    for (int k = 0; k < 3; k++) {
        box[k] = fmin(from[k], to[k]) - feature->radius;
        box[3 + k] = fmax(from[k], to[k]) + feature->radius;
    }
    CondStatus status = cond_tree_query(&links->tree, box, &links->hits);
    for (int h = 0; h < links->hits.n && !status; h++) {
        int i = links->hits.primitive[h];
        if (!cond_feature_meets(model, feature, model->body[links->body[i]].entity))
            continue;
        Way way = {.round = model->body[links->body[i]].rod->radius};
        for (int k = 0; k < 6; k++) {
            way.from[k] = links->from[6 * (size_t)i + (size_t)k] - from[k % 3];
            way.to[k] = links->end[6 * (size_t)i + (size_t)k] - to[k % 3];
        }
        const Sides sides = {collider,
                             after,
                             list,
                             i,
                             unit,
                             to,
                             feature->point,
                             1,
                             feature->surface,
                             cond_bead_key(collider, i_feature, i)};
        status = sweep_convex(&sides, &way, &ball, &core, COND_SINGLE_PRECISION * way.round);
    }
    return status;
}

CondStatus cond_rod_sweep_points(CondCollider* collider, const CondKinematics* after,
                                 CondCandidateList* list)
{
    const CondModel* model = after->model;
    double rods = 0.0, thin = INFINITY;
    CondStatus status = COND_OK;
    for (int b = 0; b < model->n_body; b++) {
        if (model->body[b].kind != COND_BODY_ROD)
            continue;
        rods = fmax(rods, collider->sweep.body[b].travel);
        thin = fmin(thin, 2.0 * model->body[b].rod->radius);
    }
    for (int b = 0; b < model->n_body && collider->links.n > 0; b++) {
        const CondBody* body = &model->body[b];
        if (collider->sweep.body[b].travel + rods < COND_FAST * thin)
            continue;
        for (int k = body->feature_begin; k < body->feature_begin + body->n_feature && !status; k++)
            if (!model->feature[k].shaped)
                status = sweep_point(collider, after, k, list);
    }
    return status;
}
