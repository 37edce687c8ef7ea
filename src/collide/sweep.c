// Continuous detection. The contacts of a step are found at its start, and what it violates at its
// end; what passed through in between is neither. Here every corner is taken along a straight line
// from where it was to where it is, and pairs of features that met on the way are listed with the
// normal that they had when they met (collide/meeting.h). Only what is fast against the thickness
// of what it may meet can do that: all else is seen at the end of the step.
#include "collide/sweep.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "body/body.h"
#include "collide/point_sweep.h"
#include "collide/rod_sweep.h"
#include "collide/soft_sweep.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "device/sum.h"
#include "geometry/box.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// How far the features of a robot are from the origins of their links, the whole of each.
static void measure_robot(const CondModel* model, const CondBody* body, double* span)
{
    for (int i = 0; i < body->arm->n_link; i++)
        span[i] = -1.0;
    for (int k = body->feature_begin; k < body->feature_begin + body->n_feature; k++) {
        const CondFeature* feature = &model->feature[k];
        double far = vec3_norm(feature->point.local) + feature->radius;
        span[feature->point.link] = fmax(span[feature->point.link], far);
    }
}

void cond_sweep_measure(const CondModel* model, CondSweep* sweep)
{
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT)
            measure_robot(model, &model->body[b], sweep->span + sweep->span_begin[b]);
    static const double identity[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < model->n_obstacle + model->n_solid; i++) {
        double box[6];
        cond_shape_bound(&cond_solid_at(model, i)->shape, identity, box);
        sweep->thickness[i] = fmin(box[3] - box[0], fmin(box[4] - box[1], box[5] - box[2]));
        double thin = cond_solid_at(model, i)->thin;
        if (thin > 0.0)
            sweep->thickness[i] = fmin(sweep->thickness[i], thin);
    }
}

CondStatus cond_sweep_create(const CondModel* model, CondSweep* sweep)
{
    const CondContext* m = &model->arena.context;
    size_t n_solid = (size_t)(model->n_obstacle + model->n_solid), n_link = 0;
    sweep->span_begin = cond_allocate(m, (size_t)model->n_body, sizeof *sweep->span_begin);
    for (int b = 0; b < model->n_body && sweep->span_begin; b++) {
        sweep->span_begin[b] = (int)n_link;
        n_link += model->body[b].kind == COND_BODY_ROBOT ? (size_t)model->body[b].arm->n_link : 0;
    }
    sweep->span = cond_allocate(m, n_link, sizeof *sweep->span);
    sweep->place = cond_allocate(m, (size_t)model->n_feature, 3 * sizeof(double));
    sweep->part = cond_allocate(m, (size_t)cond_sum_parts(model->n_feature), sizeof *sweep->part);
    sweep->pose = cond_allocate(m, n_solid, 7 * sizeof(double));
    sweep->box = cond_allocate(m, n_solid, 6 * sizeof(double));
    sweep->thickness = cond_allocate(m, n_solid, sizeof(double));
    sweep->travel = cond_allocate(m, n_solid, sizeof(double));
    sweep->body = cond_allocate(m, (size_t)model->n_body, sizeof *sweep->body);
    sweep->fold = cond_allocate(m, (size_t)model->n_body, sizeof *sweep->fold);
    cond_shared_context_begin(m, &sweep->shared);
    CondContext shared = cond_shared_context(&sweep->shared);
    for (int k = 0; k < COND_SWEEP_PARTS; k++) {
        cond_tree_hits_begin(&shared, &sweep->near[k].hits);
        cond_tree_pairs_begin(&shared, &sweep->near[k].pairs);
    }
    for (; sweep->fold && sweep->n_fold < model->n_body; sweep->n_fold++)
        cond_fold_begin(m, &sweep->fold[sweep->n_fold]);
    if (!sweep->fold || !sweep->place || !sweep->part || !sweep->pose || !sweep->box ||
        !sweep->thickness || !sweep->travel || !sweep->span_begin || !sweep->span || !sweep->body)
        return COND_OUT_OF_MEMORY;
    cond_sweep_measure(model, sweep);
    return COND_OK;
}

void cond_sweep_destroy(const CondContext* context, CondSweep* sweep)
{
    void* arrays[] = {sweep->place,  sweep->part, sweep->pose, sweep->box,  sweep->thickness,
                      sweep->travel, sweep->body, sweep->fold, sweep->span, sweep->span_begin};
    for (int b = 0; b < sweep->n_fold; b++)
        cond_fold_end(&sweep->fold[b]);
    for (int k = 0; k < COND_SWEEP_PARTS; k++) {
        cond_tree_hits_end(&sweep->near[k].hits);
        cond_tree_pairs_end(&sweep->near[k].pairs);
    }
    cond_shared_context_end(&sweep->shared);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(context, arrays[i]);
}

// Bounds of a rigid body's way: its points go as far as its centre and the chord of its turn,
//     |p1 - p0| <= |x1 - x0| + 2 sin(angle/2) |r|,
// and stay within its radius around the centre.
static void bound_body(const CondSweepPass* pass, const CondBody* body, CondSweptBody* swept)
{
    const double *from = pass->before->q + body->q_begin, *to = pass->after->q + body->q_begin;
    double d[3], turn[4],
        radius = (1.0 + COND_INPUT_ROUNDING) * body->radius + COND_INPUT_ROUNDING * body->size;
    for (int i = 0; i < 3; i++) {
        d[i] = to[i] - from[i];
        swept->box[i] = (from[i] < to[i] ? from[i] : to[i]) - radius;
        swept->box[3 + i] = (from[i] < to[i] ? to[i] : from[i]) + radius;
    }
    double way = vec3_norm(d);
    if (body->kind == COND_BODY_RIGID) {
        const double back[4] = {from[3], -from[4], -from[5], -from[6]};
        quat_product(to + 3, back, turn);
        way += 2.0 * vec3_norm(turn + 1) * body->radius;
    }
    swept->travel = (1.0 + COND_INPUT_ROUNDING) * way + COND_INPUT_ROUNDING * body->size;
    swept->exact = 0;
}

// The same of a robot, by the origins of its links and their turns.
static void bound_robot(const CondSweepPass* pass, const CondBody* body, CondSweptBody* swept)
{
    const CondSweep* sweep = &pass->collider->sweep;
    const CondArticulationWork *from = pass->before->arm[body->index].work,
                               *to = pass->after->arm[body->index].work;
    cond_box_empty(swept->box);
    swept->travel = 0.0;
    for (int i = 0; i < body->arm->n_link; i++) {
        const double *p = from->position + 3 * i, *q = to->position + 3 * i;
        const double *was = from->orientation + 4 * i,
                     back[4] = {was[0], -was[1], -was[2], -was[3]};
        double d[3], turn[4], box[6], span = sweep->span[sweep->span_begin[body->index] + i];
        if (span < 0.0)
            continue;
        span = (1.0 + COND_INPUT_ROUNDING) * span + COND_INPUT_ROUNDING * body->size;
        quat_product(to->orientation + 4 * i, back, turn);
        for (int k = 0; k < 3; k++) {
            d[k] = q[k] - p[k];
            box[k] = fmin(p[k], q[k]) - span;
            box[3 + k] = fmax(p[k], q[k]) + span;
        }
        cond_box_join(box, swept->box);
        swept->travel = fmax(swept->travel, vec3_norm(d) + 2.0 * vec3_norm(turn + 1) * span);
    }
    swept->travel = (1.0 + COND_INPUT_ROUNDING) * swept->travel + COND_INPUT_ROUNDING * body->size;
    swept->exact = 0;
}

// 1 where bounds tell that nothing is fast, where there are neither soft bodies nor rods.
static int is_slow(const CondSweepPass* pass)
{
    const CondModel* model = pass->model;
    CondSweep* sweep = &pass->collider->sweep;
    if (!pass->collider->plain)
        return 0;
    for (int b = 0; b < model->n_body; b++)
        if (model->body[b].kind == COND_BODY_ROBOT)
            bound_robot(pass, &model->body[b], &sweep->body[b]);
        else
            bound_body(pass, &model->body[b], &sweep->body[b]);
    for (int i = 0; i < pass->collider->n_solid; i++) {
        int b = cond_solid_at(model, i)->body;
        sweep->travel[i] = b >= 0 ? sweep->body[b].travel : 0.0;
    }
    return !cond_sweep_is_any_fast(pass);
}

typedef struct SweepLoop {
    const CondSweepPass* pass;
    const CondBody* body;
    CondSweptBody* part; // bounds of COND_SUM_BLOCK features each
} SweepLoop;

static void sweep_feature(const CondSweepPass* pass, int k, CondSweptBody* swept, double* square)
{
    const CondFeature* feature = &pass->model->feature[k];
    double* to = pass->collider->place + 3 * (size_t)k;
    double *from = pass->collider->sweep.place + 3 * (size_t)k, radius = feature->radius, move[3];
    if (!pass->collider->cornered)
        cond_kinematics_point(pass->after, &feature->point, to, NULL, NULL);
    cond_kinematics_point(pass->before, &feature->point, from, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        move[i] = to[i] - from[i];
        swept->box[i] = fmin(swept->box[i], fmin(from[i], to[i]) - radius);
        swept->box[3 + i] = fmax(swept->box[3 + i], fmax(from[i], to[i]) + radius);
        swept->move[i] = fmin(swept->move[i], move[i]);
        swept->move[3 + i] = fmax(swept->move[3 + i], move[i]);
    }
    *square = fmax(*square, vec3_dot(move, move));
}

static void sweep_features(const void* data, int first, int last)
{
    const SweepLoop* loop = data;
    const CondBody* body = loop->body;
    for (int p = first; p < last; p++) {
        CondSweptBody* part = &loop->part[p];
        int end = (p + 1) * COND_SUM_BLOCK;
        double square = 0.0;
        cond_box_empty(part->box);
        cond_box_empty(part->move);
        for (int k = p * COND_SUM_BLOCK; k < end && k < body->n_feature; k++)
            sweep_feature(loop->pass, body->feature_begin + k, part, &square);
        part->travel = sqrt(square);
    }
}

static void join_parts(int n, const CondSweptBody* part, CondSweptBody* swept)
{
    cond_box_empty(swept->box);
    cond_box_empty(swept->move);
    swept->travel = 0.0;
    for (int p = 0; p < n; p++) {
        cond_box_join(part[p].box, swept->box);
        cond_box_join(part[p].move, swept->move);
        swept->travel = fmax(swept->travel, part[p].travel);
    }
}

void cond_sweep_body(const CondSweepPass* pass, int b)
{
    const CondModel* model = pass->model;
    CondSweep* sweep = &pass->collider->sweep;
    const CondBody* body = &model->body[b];
    CondSweptBody* swept = &sweep->body[b];
    if (swept->exact)
        return;
    SweepLoop loop = {pass, body, sweep->part};
    int n_part = cond_sum_parts(body->n_feature);
    int threads =
        cond_threads(COND_CONTACT_WORK * (size_t)body->n_feature, model->settings.solver.threads);
    cond_parallel(n_part, threads, sweep_features, &loop);
    join_parts(n_part, sweep->part, swept);
    swept->exact = 1;
    if (body->n_feature == 0)
        memset(swept->move, 0, sizeof swept->move);
}

static void sweep_bodies(const CondSweepPass* pass)
{
    CondSweep* sweep = &pass->collider->sweep;
    if (pass->collider->plain)
        return; // by bounds, and exactly where these are not enough
    // Those of obstacles stay where they are.
    memcpy(sweep->place, pass->collider->place,
           3 * (size_t)pass->model->n_feature * sizeof(double));
    for (int b = 0; b < pass->model->n_body; b++) {
        sweep->body[b].exact = 0;
        cond_sweep_body(pass, b);
    }
}

static void sweep_solids(CondSweepPass* pass)
{
    const CondModel* model = pass->model;
    CondCollider* collider = pass->collider;
    CondSweep* sweep = &collider->sweep;
    for (int i = 0; i < collider->n_solid; i++) {
        const CondSolid* solid = cond_solid_at(model, i);
        double *pose = sweep->pose + 7 * (size_t)i, *box = sweep->box + 6 * (size_t)i;
        const double* now = collider->box + 6 * (size_t)i;
        cond_solid_pose(pass->before, solid, pose);
        if (solid->body >= 0)
            cond_shape_bound(&solid->shape, pose, box);
        else
            memcpy(box, now, 6 * sizeof *box);
        cond_box_join(now, box);
        sweep->travel[i] = solid->body >= 0 ? sweep->body[solid->body].travel : 0.0;
    }
}

CondStatus cond_sweep_add(CondSweepPass* pass, CondCandidate* candidate, const CondSkin* a,
                          const CondSkin* b)
{
    cond_candidate_surfaces(a, b, candidate);
    return cond_candidate_add(pass->list, candidate);
}

CondStatus cond_collide_sweep(CondCollider* collider, const CondKinematics* before,
                              const CondKinematics* after, CondCandidateList* list)
{
    CondSweepPass pass = {collider, collider->model, before, after, list};
    if (is_slow(&pass))
        return COND_OK;
    sweep_bodies(&pass);
    sweep_solids(&pass);
    cond_rod_links_sweep(&collider->links, before);
    CondStatus status = cond_sweep_points(&pass);
    for (int b = 0; b < pass.model->n_body && !status; b++)
        status = collider->volume[b] ? cond_sweep_soft(&pass, b) : COND_OK;
    if (!status)
        status = cond_rod_sweep_points(collider, after, list);
    return status ? status : cond_rods_sweep(&collider->links, after, list);
}
