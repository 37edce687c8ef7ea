// Continuous detection. The contacts of a step are found at its start, and what it violates at its
// end; what passed through in between is neither. Here every corner is taken along a straight line
// from where it was to where it is, and pairs of features that met on the way are listed with the
// normal that they had when they met (collide/meeting.h). Only what is fast against the thickness
// of what it may meet can do that: all else is seen at the end of the step.
#include "collide/sweep.h"

#include "base/memory.h"
#include "body/body.h"
#include "collide/meeting.h"
#include "collide/rod_sweep.h"
#include "collide/solid.h"
#include "geometry/box.h"
#include "math/quat.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

static const double FAST = 0.25; // of the thickness of a solid: slower points are seen at the end
static const double SLOW = 0.01; // the same for edges and corners on soft surfaces
enum { ADVANCES = 64 };

static const double IDENTITY[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};

CondStatus cond_sweep_create(const CondModel* model, CondSweep* sweep)
{
    const CondContext* m = &model->arena.context;
    size_t n_solid = (size_t)(model->n_obstacle + model->n_solid);
    sweep->place = cond_allocate(m, (size_t)model->n_feature, 3 * sizeof(double));
    sweep->pose = cond_allocate(m, n_solid, 7 * sizeof(double));
    sweep->box = cond_allocate(m, n_solid, 6 * sizeof(double));
    sweep->thickness = cond_allocate(m, n_solid, sizeof(double));
    sweep->travel = cond_allocate(m, n_solid, sizeof(double));
    sweep->body = cond_allocate(m, (size_t)model->n_body, sizeof *sweep->body);
    if (!sweep->place || !sweep->pose || !sweep->box || !sweep->thickness || !sweep->travel ||
        !sweep->body)
        return COND_OUT_OF_MEMORY;
    for (size_t i = 0; i < n_solid; i++) {
        double box[6];
        cond_shape_bound(&cond_solid_at(model, (int)i)->shape, IDENTITY, box);
        sweep->thickness[i] = fmin(box[3] - box[0], fmin(box[4] - box[1], box[5] - box[2]));
    }
    return COND_OK;
}

void cond_sweep_destroy(const CondContext* context, CondSweep* sweep)
{
    void* arrays[] = {sweep->place,     sweep->pose,   sweep->box,
                      sweep->thickness, sweep->travel, sweep->body};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(context, arrays[i]);
}

// The pass over one pair of kinematics.
typedef struct Pass {
    CondCollider* collider;
    const CondModel* model;
    const CondKinematics *before, *after;
    CondCandidateList* list;
} Pass;

static void stretch(double box[6], const double x[3])
{
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(box[i], x[i]);
        box[3 + i] = fmax(box[3 + i], x[i]);
    }
}

static void empty(double box[6])
{
    for (int i = 0; i < 3; i++) {
        box[i] = INFINITY;
        box[3 + i] = -INFINITY;
    }
}

static void wide(double box[6], double by)
{
    for (int i = 0; i < 3; i++) {
        box[i] -= by;
        box[3 + i] += by;
    }
}

// Where the features of the bodies were, the box that each body has swept, and how far it went.
static void sweep_bodies(Pass* pass)
{
    const CondModel* model = pass->model;
    CondSweep* sweep = &pass->collider->sweep;
    // Those of obstacles stay where they are.
    memcpy(sweep->place, pass->collider->place, 3 * (size_t)model->n_feature * sizeof(double));
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        CondSweptBody* swept = &sweep->body[b];
        double square = 0.0, move[3];
        empty(swept->box);
        memset(swept->move, 0, sizeof swept->move);
        for (int k = body->feature_begin; k < body->feature_begin + body->n_feature; k++) {
            const double* to = pass->collider->place + 3 * (size_t)k;
            double *from = sweep->place + 3 * (size_t)k, radius = model->feature[k].radius;
            cond_kinematics_point(pass->before, &model->feature[k].point, from, NULL, NULL);
            for (int i = 0; i < 3; i++) {
                move[i] = to[i] - from[i];
                swept->box[i] = fmin(swept->box[i], fmin(from[i], to[i]) - radius);
                swept->box[3 + i] = fmax(swept->box[3 + i], fmax(from[i], to[i]) + radius);
                swept->move[i] = fmin(swept->move[i], move[i]);
                swept->move[3 + i] = fmax(swept->move[3 + i], move[i]);
            }
            square = fmax(square, vec3_dot(move, move));
        }
        swept->travel = sqrt(square);
    }
    for (int k = 0; k < model->n_feature; k++) // those of obstacles stay where they are
        if (model->feature[k].obstacle > 0)
            memcpy(sweep->place + 3 * (size_t)k, pass->collider->place + 3 * (size_t)k,
                   3 * sizeof(double));
}

static void sweep_solids(Pass* pass)
{
    const CondModel* model = pass->model;
    CondCollider* collider = pass->collider;
    CondSweep* sweep = &collider->sweep;
    for (int i = 0; i < collider->n_solid; i++) {
        const CondSolid* solid = cond_solid_at(model, i);
        double *pose = sweep->pose + 7 * (size_t)i, *box = sweep->box + 6 * (size_t)i;
        const double* now = collider->box + 6 * (size_t)i;
        cond_solid_pose(pass->before, solid, pose);
        cond_shape_bound(&solid->shape, pose, box);
        for (int k = 0; k < 3; k++) {
            box[k] = fmin(box[k], now[k]);
            box[3 + k] = fmax(box[3 + k], now[3 + k]);
        }
        sweep->travel[i] = solid->body >= 0 ? sweep->body[solid->body].travel : 0.0;
    }
}

static void into_axes(const double pose[7], const double world[3], double local[3])
{
    double R[9], d[3];
    quat_matrix(pose + 3, R);
    for (int i = 0; i < 3; i++)
        d[i] = world[i] - pose[i];
    mat3_multiply_transposed(R, d, local);
}

// A point or ball that goes straight from one place to another in the axes of a shape: 1 where it
// meets it and is then beyond its surface, with the probe where they met and the gap at the end.
static int meet_shape(const CondShape* shape, const double from[3], const double to[3],
                      double radius, double tiny, CondProbe* probe, double* gap)
{
    double way[3], x[3], time = 0.0;
    for (int i = 0; i < 3; i++)
        way[i] = to[i] - from[i];
    double length = vec3_norm(way);
    cond_shape_probe(shape, IDENTITY, from, probe);
    double near = radius > 0.0 ? fmin(radius, 0.9 * probe->gap) : 0.0;
    if (!(probe->gap > 0.0))
        return 0; // it was inside
    tiny = fmax(tiny, 1e-3 * near);
    for (int k = 0; k < ADVANCES && probe->gap - near > tiny; k++) {
        if (!(time * length + probe->gap - near < length))
            return 0;
        time += (probe->gap - near) / length;
        for (int i = 0; i < 3; i++)
            x[i] = from[i] + time * way[i];
        cond_shape_probe(shape, IDENTITY, x, probe);
    }
    *gap = -radius;
    for (int i = 0; i < 3; i++)
        *gap += probe->normal[i] * (to[i] - probe->point[i]);
    return probe->gap - near <= 10.0 * tiny && *gap < 0.0;
}

static CondStatus add_candidate(Pass* pass, CondCandidate* candidate, const CondSurfaceDef* a,
                                const CondSurfaceDef* b)
{
    cond_candidate_surfaces(a, b, candidate);
    return cond_candidate_add(pass->list, candidate);
}

static CondStatus sweep_feature(Pass* pass, int i_feature, int i_solid)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondCollider* collider = pass->collider;
    const CondSolid* solid = cond_solid_at(pass->model, i_solid);
    const CondFeature* feature = &pass->model->feature[i_feature];
    const double* pose = collider->pose + 7 * (size_t)i_solid;
    const double* x = collider->place + 3 * (size_t)i_feature;
    double from[3], to[3], R[9], normal[3], p[3], gap;
    CondProbe probe;
    into_axes(collider->sweep.pose + 7 * (size_t)i_solid,
              collider->sweep.place + 3 * (size_t)i_feature, from);
    into_axes(pose, x, to);
    if (!meet_shape(&solid->shape, from, to, feature->radius,
                    1e-6 * collider->sweep.thickness[i_solid], &probe, &gap))
        return COND_OK;
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = gap};
    quat_matrix(pose + 3, R);
    mat3_multiply(R, probe.normal, normal);
    mat3_multiply(R, probe.point, candidate.position);
    for (int i = 0; i < 3; i++) {
        candidate.position[i] += pose[i];
        p[i] = x[i] - feature->radius * normal[i];
    }
    candidate.point[0] = feature->radius > 0.0 ? cond_point_at(pass->after, feature->point.body,
                                                               feature->point.part, p)
                                               : feature->point;
    candidate.point[1] = cond_point_at(pass->after, solid->fixed ? -1 : solid->body, solid->part,
                                       candidate.position);
    mat3_frame(normal, axis, candidate.frame);
    candidate.key = cond_key_solid(pass->model, i_feature, i_solid);
    return add_candidate(pass, &candidate, &pass->model->body[feature->point.body].surface,
                         &solid->surface);
}

// Points and balls of body b against solid i.
static CondStatus sweep_body_on(Pass* pass, int b, int i)
{
    const CondModel* model = pass->model;
    const CondBody* body = &model->body[b];
    CondSweep* sweep = &pass->collider->sweep;
    CondStatus status = COND_OK;
    for (int k = body->feature_begin; k < body->feature_begin + body->n_feature && !status; k++) {
        double way[6];
        empty(way);
        stretch(way, sweep->place + 3 * (size_t)k);
        stretch(way, pass->collider->place + 3 * (size_t)k);
        if (!cond_boxes_apart(way, sweep->box + 6 * (size_t)i, model->feature[k].radius))
            status = sweep_feature(pass, k, i);
    }
    return status;
}

// 1 where a body can be fast against some solid: a step in which none is costs no tree.
static int is_any_fast(const Pass* pass)
{
    const CondSweep* sweep = &pass->collider->sweep;
    double most = 0.0, least = INFINITY;
    for (int b = 0; b < pass->model->n_body; b++)
        most = fmax(most, sweep->body[b].travel);
    for (int i = 0; i < pass->collider->n_solid; i++)
        least = fmin(least, FAST * sweep->thickness[i] - sweep->travel[i]);
    return most >= least;
}

// Points and balls of bodies against solids.
static CondStatus sweep_points(Pass* pass)
{
    const CondModel* model = pass->model;
    CondSweep* sweep = &pass->collider->sweep;
    CondBroad* broad = &pass->collider->broad;
    if (!is_any_fast(pass))
        return COND_OK;
    CondStatus status = cond_broad_build(broad, pass->collider->n_solid, sweep->box, NULL);
    for (int b = 0; b < model->n_body && !status; b++) {
        const CondSweptBody* swept = &sweep->body[b];
        broad->hits.n = 0;
        if (model->body[b].n_feature > 0)
            status = cond_broad_query(broad, swept->box, 0.0);
        for (int h = 0; h < broad->hits.n && !status; h++) {
            int i = broad->hits.primitive[h];
            if (b == cond_solid_at(model, i)->body ||
                swept->travel + sweep->travel[i] < FAST * sweep->thickness[i])
                continue;
            int rod = model->body[b].kind == COND_BODY_ROD;
            if (!rod || cond_shape_is_hollow(&cond_solid_at(model, i)->shape))
                status = sweep_body_on(pass, b, i);
            if (rod && !status)
                status = cond_rod_sweep_solid(pass->collider, pass->after, b, i, pass->list);
        }
    }
    return status;
}

// One side of a meeting: corners that move, and what they belong to.
typedef struct Side {
    int body;          // -1: static
    int part;          // link of a robot or rod
    int n;             // corners: 1 point, 2 segment, 3 triangle
    int node[3];       // of a soft body; -1: the corners are points in space
    double from[3][3]; //
    double to[3][3];   //
    double radius;     // [m]
    double travel;     // of the fastest corner of its body [m]
    const CondSurfaceDef* surface;
} Side;

static void side_box(const Side* side, double box[6])
{
    empty(box);
    for (int k = 0; k < side->n; k++) {
        stretch(box, side->from[k]);
        stretch(box, side->to[k]);
    }
    wide(box, side->radius);
}

static void soft_side(const Pass* pass, int b, int n, const int* node, Side* side)
{
    const CondBody* body = &pass->model->body[b];
    *side = (Side){.body = b, .n = n, .surface = &body->surface};
    side->travel = pass->collider->sweep.body[b].travel;
    for (int k = 0; k < n; k++) {
        size_t at = (size_t)body->q_begin + 3 * (size_t)node[k];
        side->node[k] = node[k];
        memcpy(side->from[k], pass->before->q + at, 3 * sizeof(double));
        memcpy(side->to[k], pass->after->q + at, 3 * sizeof(double));
    }
}

static void feature_side(const Pass* pass, int i_feature, Side* side)
{
    const CondModel* model = pass->model;
    const CondFeature* feature = &model->feature[i_feature];
    int b = feature->point.body;
    *side = (Side){.body = b, .part = feature->point.part, .n = 1, .node = {-1, -1, -1}};
    side->radius = feature->radius;
    side->travel = b >= 0 ? pass->collider->sweep.body[b].travel : 0.0;
    side->surface = feature->obstacle > 0 ? &model->obstacle[feature->obstacle - 1].surface
                                          : &model->body[b].surface;
    memcpy(side->from[0], pass->collider->sweep.place + 3 * (size_t)i_feature,
           sizeof side->from[0]);
    memcpy(side->to[0], pass->collider->place + 3 * (size_t)i_feature, sizeof side->to[0]);
}

static void edge_side(const Pass* pass, int i_solid, const double R[9], int i_edge, Side* side)
{
    const CondSolid* solid = cond_solid_at(pass->model, i_solid);
    const CondEdge* to = &pass->collider->edge[i_edge];
    CondEdge from;
    cond_edge_place(&pass->model->edge[i_edge], R, pass->collider->sweep.pose + 7 * (size_t)i_solid,
                    &from);
    *side = (Side){.body = solid->fixed ? -1 : solid->body,
                   .part = solid->part,
                   .n = 2,
                   .node = {-1, -1, -1},
                   .radius = to->radius,
                   .travel = pass->collider->sweep.travel[i_solid],
                   .surface = &solid->surface};
    memcpy(side->from, from.end, sizeof from.end);
    memcpy(side->to, to->end, sizeof to->end);
}

static void link_side(const Pass* pass, int b, int link, Side* side)
{
    const CondBody* body = &pass->model->body[b];
    *side = (Side){.body = b,
                   .part = link,
                   .n = 2,
                   .node = {-1, -1, -1},
                   .radius = body->rod->radius,
                   .travel = pass->collider->sweep.body[b].travel,
                   .surface = &body->surface};
    double end[2][6];
    cond_rod_link_ends(pass->before, b, link, end[0]);
    cond_rod_link_ends(pass->after, b, link, end[1]);
    memcpy(side->from, end[0], sizeof end[0]);
    memcpy(side->to, end[1], sizeof end[1]);
}

// The point of a side at its weights, moved along the normal by its radius, at the end.
static CondPoint side_point(const Pass* pass, const Side* side, const double* weight,
                            const double normal[3], double sign, double world[3])
{
    for (int i = 0; i < 3; i++) {
        world[i] = sign * side->radius * normal[i];
        for (int k = 0; k < side->n; k++)
            world[i] += weight[k] * side->to[k][i];
    }
    if (side->node[0] < 0)
        return cond_point_at(pass->after, side->body, side->part, world);
    CondPoint point = {.body = side->body, .part = side->n};
    for (int k = 0; k < side->n; k++) {
        point.node[k] = side->node[k];
        point.local[k] = weight[k];
    }
    return point;
}

// Adds the pair where it met. a is side 0: a point and a triangle in this order, or two segments.
// turned: the touch has b as its side 0.
static CondStatus meet(Pass* pass, const Side* a, const Side* b, CondContactKey key, int triangle,
                       int turned)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    double box[2][6], normal[3], world[2][3];
    CondMotion motion;
    CondMeeting met;
    side_box(a, box[0]);
    side_box(b, box[1]);
    if (cond_boxes_apart(box[0], box[1], 0.0))
        return COND_OK;
    for (int k = 0; k < 4; k++) {
        const Side* side = k < a->n ? a : b;
        int at = k < a->n ? k : k - a->n;
        memcpy(motion.from[k], side->from[at], sizeof motion.from[k]);
        memcpy(motion.to[k], side->to[at], sizeof motion.to[k]);
    }
    if (!cond_meeting_find((CondMeetingKind)a->n, a->radius + b->radius, &motion, &met))
        return COND_OK;
    CondCandidate candidate = {.plane = -1, .triangle = triangle, .gap = met.gap, .key = key};
    CondPoint point[2] = {side_point(pass, a, met.weight, met.normal, -1.0, world[0]),
                          side_point(pass, b, met.weight + a->n, met.normal, 1.0, world[1])};
    for (int i = 0; i < 3; i++)
        normal[i] = turned ? -met.normal[i] : met.normal[i];
    candidate.point[0] = point[turned];
    candidate.point[1] = point[1 - turned];
    memcpy(candidate.position, world[1], sizeof candidate.position);
    mat3_frame(normal, axis, candidate.frame);
    return turned ? add_candidate(pass, &candidate, b->surface, a->surface)
                  : add_candidate(pass, &candidate, a->surface, b->surface);
}

// Triangles of a soft body whose swept boxes may overlap a box: the body's moves are taken back.
static CondStatus triangles_swept(Pass* pass, int b, const double box[6])
{
    const CondSweptBody* swept = &pass->collider->sweep.body[b];
    double query[6];
    for (int i = 0; i < 6; i++)
        query[i] = box[i] + swept->move[i];
    return cond_volume_triangles_in(pass->collider->volume[b], query, &pass->collider->found.hits);
}

// Key of thing i of a kind with the first edge of all soft bodies.
static CondContactKey key_on_soft(const Pass* pass, uint64_t kind, int i)
{
    return (CondContactKey){.pair = kind + (uint64_t)i * (uint64_t)pass->collider->n_soft_edge};
}

// A point against the triangles of soft body b.
static CondStatus sweep_point(Pass* pass, const Side* point, int b, CondContactKey key,
                              int per_triangle, int turned)
{
    const CondVolume* volume = pass->collider->volume[b];
    double box[6];
    side_box(point, box);
    CondStatus status = triangles_swept(pass, b, box);
    for (int h = 0; h < pass->collider->found.hits.n && !status; h++) {
        int t = pass->collider->found.hits.primitive[h];
        Side triangle;
        soft_side(pass, b, 3, volume->triangle + 3 * (size_t)t, &triangle);
        CondContactKey own = key;
        own.pair += per_triangle ? (uint64_t)(pass->collider->soft_edge_begin[b] + t) : 0;
        status = meet(pass, point, &triangle, own, t, turned);
    }
    return status;
}

// A segment against the edges of soft body b, which are side 0.
static CondStatus sweep_segment(Pass* pass, const Side* segment, int b, CondContactKey key)
{
    const CondVolume* volume = pass->collider->volume[b];
    double box[6];
    side_box(segment, box);
    CondStatus status = triangles_swept(pass, b, box);
    for (int h = 0; h < 3 * pass->collider->found.hits.n && !status; h++) {
        int t = pass->collider->found.hits.primitive[h / 3];
        int e = volume->triangle_edge[3 * (size_t)t + h % 3];
        if (e < 0 || volume->edge[4 * (size_t)e + 2] != t)
            continue; // its first triangle reports it
        Side edge;
        soft_side(pass, b, 2, volume->edge + 4 * (size_t)e, &edge);
        CondContactKey own = key;
        own.pair += (uint64_t)(pass->collider->soft_edge_begin[b] + e);
        status = meet(pass, &edge, segment, own, -1, 0);
    }
    return status;
}

// 1 where nothing of the two can have passed through the other unseen.
static int is_slow(double travel_a, double travel_b, double thickness_a, double thickness_b)
{
    return travel_a + travel_b < SLOW * fmin(thickness_a, thickness_b);
}

// Edges and corners of solids against soft body b.
static CondStatus sweep_solids_on(Pass* pass, int b)
{
    const CondModel* model = pass->model;
    CondCollider* collider = pass->collider;
    CondSweep* sweep = &collider->sweep;
    CondStatus status = COND_OK;
    for (int i = 0; i < collider->n_solid && !status; i++) {
        const CondSolid* solid = cond_solid_at(model, i);
        if (is_slow(sweep->body[b].travel, sweep->travel[i], collider->volume[b]->thickness,
                    sweep->thickness[i]) ||
            cond_boxes_apart(sweep->body[b].box, sweep->box + 6 * (size_t)i, 0.0))
            continue;
        double R[9];
        quat_matrix(sweep->pose + 7 * (size_t)i + 3, R);
        for (int k = solid->edge_begin; k < solid->edge_begin + solid->n_edge && !status; k++) {
            Side side;
            edge_side(pass, i, R, k, &side);
            status = sweep_segment(pass, &side, b, key_on_soft(pass, COND_KEY_EDGE_ON_SOFT, k));
        }
    }
    return status;
}

// Corners, points and balls of everything that is not soft against soft body b.
static CondStatus sweep_features_on(Pass* pass, int b)
{
    const CondModel* model = pass->model;
    CondCollider* collider = pass->collider;
    CondSweep* sweep = &collider->sweep;
    const CondSweptBody* swept = &sweep->body[b];
    CondStatus status = COND_OK;
    for (int k = 0; k < model->n_feature && !status; k++) {
        int a = model->feature[k].point.body;
        if (a >= 0 && (model->body[a].kind == COND_BODY_SOFT ||
                       cond_boxes_apart(sweep->body[a].box, swept->box, 0.0))) {
            k = model->body[a].feature_begin + model->body[a].n_feature - 1;
            continue;
        }
        Side side;
        feature_side(pass, k, &side);
        if (!is_slow(swept->travel, side.travel, collider->volume[b]->thickness, INFINITY))
            status = sweep_point(pass, &side, b, key_on_soft(pass, COND_KEY_BALL, k), 1, 1);
    }
    return status;
}

// Links of rods against the edges of soft body b.
static CondStatus sweep_rods_on(Pass* pass, int b)
{
    const CondModel* model = pass->model;
    CondCollider* collider = pass->collider;
    CondSweep* sweep = &collider->sweep;
    CondStatus status = COND_OK;
    for (int a = 0; a < model->n_body; a++) {
        const CondBody* body = &model->body[a];
        if (body->kind != COND_BODY_ROD ||
            cond_boxes_apart(sweep->body[a].box, sweep->body[b].box, body->rod->radius) ||
            is_slow(sweep->body[a].travel, sweep->body[b].travel, 2.0 * body->rod->radius,
                    collider->volume[b]->thickness))
            continue;
        for (int k = 0; k < body->rod->n_link && !status; k++) {
            Side side;
            link_side(pass, a, k, &side);
            status = sweep_segment(pass, &side, b,
                                   key_on_soft(pass, COND_KEY_THREAD, body->dof_begin + k));
        }
    }
    return status;
}

// Vertices of soft body a against the triangles of b, and edges against edges, these once.
static CondStatus sweep_soft_on(Pass* pass, int a, int b)
{
    CondCollider* collider = pass->collider;
    const CondVolume* volume = collider->volume[a];
    CondSweep* sweep = &collider->sweep;
    CondStatus status = COND_OK;
    if (a == b || !volume || cond_boxes_apart(sweep->body[a].box, sweep->body[b].box, 0.0) ||
        is_slow(sweep->body[a].travel, sweep->body[b].travel, volume->thickness,
                collider->volume[b]->thickness))
        return COND_OK;
    for (int k = 0; k < volume->n_surface && !status; k++) {
        Side side;
        soft_side(pass, a, 1, &volume->surface[k], &side);
        status = sweep_point(
            pass, &side, b,
            cond_key_soft(pass->model, &pass->model->body[a], volume->surface[k], b, 15), 0, 0);
    }
    for (int e = 0; e < volume->n_edge && a < b && !status; e++) {
        Side side;
        soft_side(pass, a, 2, volume->edge + 4 * (size_t)e, &side);
        status =
            sweep_segment(pass, &side, b,
                          cond_key_soft_crossing(collider, a, e, b, -collider->soft_edge_begin[b]));
    }
    return status;
}

CondStatus cond_collide_sweep(CondCollider* collider, const CondKinematics* before,
                              const CondKinematics* after, CondCandidateList* list)
{
    Pass pass = {collider, collider->model, before, after, list};
    sweep_bodies(&pass);
    sweep_solids(&pass);
    cond_rod_links_sweep(&collider->links, before);
    CondStatus status = sweep_points(&pass);
    for (int b = 0; b < pass.model->n_body && !status; b++) {
        if (!collider->volume[b])
            continue;
        status = sweep_solids_on(&pass, b);
        if (!status)
            status = sweep_features_on(&pass, b);
        if (!status)
            status = sweep_rods_on(&pass, b);
        for (int a = 0; a < pass.model->n_body && !status; a++)
            status = sweep_soft_on(&pass, a, b);
    }
    if (!status)
        status = cond_rod_sweep_points(collider, after, list);
    return status ? status : cond_rods_sweep(&collider->links, after, list);
}
