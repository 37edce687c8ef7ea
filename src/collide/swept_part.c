// Points, segments and triangles that move, and the contact of two of them that met on the way.
#include "collide/swept_part.h"

#include "collide/solid.h"
#include "geometry/box.h"
#include "math/vec3.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

void cond_swept_box(const CondSweptPart* swept, double box[6])
{
    double way[6];
    cond_box_empty(way);
    for (int k = 0; k < swept->n; k++) {
        cond_box_stretch(way, swept->from[k]);
        cond_box_stretch(way, swept->to[k]);
    }
    cond_box_widen(way, swept->radius, box);
}

void cond_swept_nodes(const CondSweepPass* pass, int b, int n, const int* node,
                      CondSweptPart* swept)
{
    const CondBody* body = &pass->model->body[b];
    *swept = (CondSweptPart){.body = b, .n = n, .surface = &body->surface};
    swept->travel = pass->collider->sweep.body[b].travel;
    swept->half = cond_body_half(body);
    for (int k = 0; k < n; k++) {
        size_t at = (size_t)body->q_begin + 3 * (size_t)node[k];
        swept->node[k] = node[k];
        memcpy(swept->from[k], pass->before->q + at, 3 * sizeof(double));
        memcpy(swept->to[k], pass->after->q + at, 3 * sizeof(double));
    }
}

void cond_swept_feature(const CondSweepPass* pass, int i_feature, CondSweptPart* swept)
{
    const CondModel* model = pass->model;
    const CondFeature* feature = &model->feature[i_feature];
    int b = feature->point.body;
    *swept = (CondSweptPart){.body = b, .part = feature->point.link, .n = 1, .node = {-1, -1, -1}};
    swept->radius = feature->radius;
    swept->travel = b >= 0 ? pass->collider->sweep.body[b].travel : 0.0;
    swept->surface = feature->surface;
    memcpy(swept->from[0], pass->collider->sweep.place + 3 * (size_t)i_feature,
           sizeof swept->from[0]);
    memcpy(swept->to[0], pass->collider->place + 3 * (size_t)i_feature, sizeof swept->to[0]);
}

// What is within the radius of the axis of a cylinder goes on beyond its flat ends. The axis is cut
// to that of the longest capsule within; returns its radius.
static double cut_round(double radius, CondSweptPart* axis)
{
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = axis->from[1][i] - axis->from[0][i];
    double length = vec3_norm(d), cut = fmin(radius, 0.5 * length);
    if (!(length > 0.0))
        return 0.0;
    for (int i = 0; i < 3; i++) {
        double before = cut / length * (axis->from[1][i] - axis->from[0][i]);
        double after = cut / length * (axis->to[1][i] - axis->to[0][i]);
        axis->from[0][i] += before;
        axis->from[1][i] -= before;
        axis->to[0][i] += after;
        axis->to[1][i] -= after;
    }
    return cut;
}

void cond_swept_edge(const CondSweepPass* pass, int i_solid, const double R[9], int i_edge,
                     CondSweptPart* swept)
{
    const CondSolid* solid = cond_solid_at(pass->model, i_solid);
    const CondEdge* to = &pass->collider->edge[i_edge];
    CondEdge from;
    cond_edge_place(&pass->model->edge[i_edge], R, pass->collider->sweep.pose + 7 * (size_t)i_solid,
                    &from);
    *swept = (CondSweptPart){.body = solid->fixed ? -1 : solid->body,
                             .part = solid->part,
                             .n = 2,
                             .node = {-1, -1, -1},
                             .radius = to->radius,
                             .travel = pass->collider->sweep.travel[i_solid],
                             .surface = &solid->surface};
    memcpy(swept->from, from.end, sizeof from.end);
    memcpy(swept->to, to->end, sizeof to->end);
    if (solid->shape.form == COND_FORM_CYLINDER)
        swept->radius = cut_round(to->radius, swept);
}

void cond_swept_link(const CondSweepPass* pass, int b, int link, CondSweptPart* swept)
{
    const CondBody* body = &pass->model->body[b];
    double end[2][6];
    *swept = (CondSweptPart){.body = b,
                             .part = link,
                             .n = 2,
                             .node = {-1, -1, -1},
                             .radius = body->rod->radius,
                             .travel = pass->collider->sweep.body[b].travel,
                             .surface = &body->surface};
    cond_rod_link_ends(pass->before, b, link, end[0]);
    cond_rod_link_ends(pass->after, b, link, end[1]);
    memcpy(swept->from, end[0], sizeof end[0]);
    memcpy(swept->to, end[1], sizeof end[1]);
}

int cond_swept_meet(const CondSweptPart* a, const CondSweptPart* b, CondMeeting* met)
{
    double box[2][6];
    CondMotion motion;
    cond_swept_box(a, box[0]);
    cond_swept_box(b, box[1]);
    if (cond_boxes_apart(box[0], box[1], 0.0))
        return 0;
    for (int k = 0; k < 4; k++) {
        const CondSweptPart* swept = k < a->n ? a : b;
        int at = k < a->n ? k : k - a->n;
        memcpy(motion.from[k], swept->from[at], sizeof motion.from[k]);
        memcpy(motion.to[k], swept->to[at], sizeof motion.to[k]);
    }
    return cond_meeting_find((CondMeetingKind)a->n, a->radius + b->radius, &motion, met);
}

// The point of a side at its weights, moved along the normal by its radius, at the end.
static CondPoint point_of(const CondSweepPass* pass, const CondSweptPart* swept,
                          const double* weight, const double normal[3], double sign,
                          double world[3])
{
    for (int i = 0; i < 3; i++) {
        world[i] = sign * swept->radius * normal[i];
        for (int k = 0; k < swept->n; k++)
            world[i] += weight[k] * swept->to[k][i];
    }
    if (swept->node[0] < 0)
        return cond_point_at(pass->after, swept->body, swept->part, world);
    CondPoint point = {.body = swept->body, .n_node = swept->n};
    for (int k = 0; k < swept->n; k++) {
        point.node[k] = swept->node[k];
        point.local[k] = weight[k];
    }
    return point;
}

CondStatus cond_swept_add(CondSweepPass* pass, const CondSweptPart* a, const CondSweptPart* b,
                          const CondMeeting* met, CondContactKey key, int triangle, int turned)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    double normal[3], world[2][3];
    CondCandidate candidate = {
        .plane = -1, .triangle = triangle, .gap = met->gap - a->half - b->half, .key = key};
    CondPoint point[2] = {point_of(pass, a, met->weight, met->normal, -1.0, world[0]),
                          point_of(pass, b, met->weight + a->n, met->normal, 1.0, world[1])};
    for (int i = 0; i < 3; i++)
        normal[i] = turned ? -met->normal[i] : met->normal[i];
    candidate.point[0] = point[turned];
    candidate.point[1] = point[1 - turned];
    memcpy(candidate.position, world[1], sizeof candidate.position);
    mat3_frame(normal, axis, candidate.frame);
    return cond_sweep_add(pass, &candidate, turned ? b->surface : a->surface,
                          turned ? a->surface : b->surface);
}
