// Points and balls of bodies, and links of rods, that met solids on their way.
#include "collide/point_sweep.h"

#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "collide/rod_sweep.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "geometry/box.h"
#include "math/quat.h"
#include "model/entity.h"

#include <math.h>

static const double IDENTITY[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};

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
    double near = radius > 0.0 ? fmin(radius, COND_SAFETY * probe->gap) : 0.0;
    if (!(probe->gap > 0.0))
        return 0; // it was inside
    tiny = fmax(tiny, COND_NEARLY * near);
    for (int k = 0; k < COND_SEARCH_STEPS && probe->gap - near > tiny; k++) {
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

static CondStatus sweep_feature(CondSweepPass* pass, int i_feature, int i_solid)
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
                    COND_SINGLE_PRECISION * collider->sweep.thickness[i_solid], &probe, &gap))
        return COND_OK;
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = gap};
    candidate.gap += cond_pair_allowance(pass->model, feature->solid, solid->number);
    quat_matrix(pose + 3, R);
    mat3_multiply(R, probe.normal, normal);
    mat3_multiply(R, probe.point, candidate.position);
    for (int i = 0; i < 3; i++) {
        candidate.position[i] += pose[i];
        p[i] = x[i] - feature->radius * normal[i];
    }
    candidate.point[0] = cond_feature_point(pass->after, feature, p);
    candidate.point[1] = cond_point_at(pass->after, solid->fixed ? -1 : solid->body, solid->part,
                                       candidate.position);
    mat3_frame(normal, axis, candidate.frame);
    candidate.key = cond_key_solid(pass->model, i_feature, i_solid);
    return cond_sweep_add(pass, &candidate, feature->surface, &solid->surface);
}

// Points and balls of body b against solid i.
static CondStatus sweep_body_on(CondSweepPass* pass, int b, int i)
{
    const CondModel* model = pass->model;
    const CondBody* body = &model->body[b];
    CondSweep* sweep = &pass->collider->sweep;
    CondStatus status = COND_OK;
    for (int k = body->feature_begin; k < body->feature_begin + body->n_feature && !status; k++) {
        double way[6];
        if (!cond_feature_touches(model, &model->feature[k], cond_solid_at(model, i)))
            continue;
        cond_box_empty(way);
        cond_box_stretch(way, sweep->place + 3 * (size_t)k);
        cond_box_stretch(way, pass->collider->place + 3 * (size_t)k);
        if (!cond_boxes_apart(way, sweep->box + 6 * (size_t)i, model->feature[k].radius))
            status = sweep_feature(pass, k, i);
    }
    return status;
}

// The least way on which some solid may be met unseen.
static double least_way(const CondSweepPass* pass)
{
    const CondSweep* sweep = &pass->collider->sweep;
    double least = INFINITY;
    for (int i = 0; i < pass->collider->n_solid; i++) {
        double way = COND_FAST * sweep->thickness[i] - sweep->travel[i];
        least = way < least ? way : least;
    }
    return least;
}

int cond_sweep_is_any_fast(const CondSweepPass* pass)
{
    double least = least_way(pass);
    for (int b = 0; b < pass->model->n_body; b++)
        if (pass->collider->sweep.body[b].travel >= least)
            return 1;
    return 0;
}

// 1 where body b is slow against the thickness of solid i, by what is known of their ways.
static int is_slow(const CondSweepPass* pass, int b, int i)
{
    const CondSweep* sweep = &pass->collider->sweep;
    int other = cond_solid_at(pass->model, i)->body;
    double way = other >= 0 ? sweep->body[other].travel : 0.0;
    return sweep->body[b].travel + way < COND_FAST * sweep->thickness[i];
}

// The same when it is known exactly.
static int is_surely_slow(const CondSweepPass* pass, int b, int i)
{
    int other = cond_solid_at(pass->model, i)->body;
    cond_sweep_body(pass, b);
    if (other >= 0)
        cond_sweep_body(pass, other);
    return is_slow(pass, b, i);
}

// Bodies in parts, and what may be met on their ways by what is known of these.
typedef struct NearLoop {
    const CondSweepPass* pass;
    double least;
    int n_part;
} NearLoop;

static void find_near(const void* data, int first, int last)
{
    const NearLoop* loop = data;
    const CondSweepPass* pass = loop->pass;
    const CondModel* model = pass->model;
    CondSweep* sweep = &pass->collider->sweep;
    for (int part = first; part < last; part++) {
        CondSweepNear* near = &sweep->near[part];
        int end = cond_team_first(model->n_body, part + 1, loop->n_part);
        near->pairs.n = 0;
        near->status = COND_OK;
        for (int b = cond_team_first(model->n_body, part, loop->n_part); b < end; b++) {
            const CondSweptBody* swept = &sweep->body[b];
            int robot = model->body[b].kind == COND_BODY_ROBOT; // link by link
            if (model->body[b].n_feature == 0 ||
                !(swept->travel >= loop->least * (1.0 - COND_INPUT_ROUNDING)))
                continue;
            if (!near->status)
                near->status =
                    cond_tree_query(&pass->collider->broad.tree, swept->box, &near->hits);
            for (int h = 0; h < near->hits.n && !near->status; h++) {
                int i = near->hits.primitive[h];
                const CondSolid* solid = cond_solid_at(model, i);
                if ((robot || cond_solid_touches(model, solid, model->body[b].entity)) &&
                    !is_slow(pass, b, i))
                    near->status = cond_tree_pairs_add(&near->pairs, b, i);
            }
        }
    }
}

static CondStatus sweep_near(CondSweepPass* pass, int b, int i)
{
    int rod = pass->model->body[b].kind == COND_BODY_ROD;
    CondStatus status = COND_OK;
    if (is_surely_slow(pass, b, i))
        return COND_OK;
    if (!rod || cond_shape_is_hollow(&cond_solid_at(pass->model, i)->shape))
        status = sweep_body_on(pass, b, i);
    return rod && !status ? cond_rod_sweep_solid(pass->collider, pass->after, b, i, pass->list)
                          : status;
}

CondStatus cond_sweep_points(CondSweepPass* pass)
{
    const CondModel* model = pass->model;
    CondSweep* sweep = &pass->collider->sweep;
    if (!cond_sweep_is_any_fast(pass)) // costs no tree
        return COND_OK;
    size_t work = COND_COORDINATE_WORK * COND_CONTACT_WORK * (size_t)model->n_body;
    int n_thread = cond_threads(work, model->settings.solver.threads);
    int n_part = COND_LOOP_SHARES * n_thread;
    NearLoop loop = {pass, least_way(pass), n_part < COND_SWEEP_PARTS ? n_part : COND_SWEEP_PARTS};
    CondStatus status =
        cond_broad_build(&pass->collider->broad, pass->collider->n_solid, sweep->box, NULL);
    if (status)
        return status;
    cond_parallel(loop.n_part, n_thread, find_near, &loop);
    for (int part = 0; part < loop.n_part && !status; part++) {
        const CondSweepNear* near = &sweep->near[part];
        status = near->status;
        for (int k = 0; k < near->pairs.n && !status; k++)
            status = sweep_near(pass, near->pairs.pair[k][0], near->pairs.pair[k][1]);
    }
    return status;
}
