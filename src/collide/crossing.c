#include "collide/crossing.h"

#include "body/body.h"
#include "collide/box.h"
#include "collide/solid.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

static void edge_box(const CondEdge* edge, double far, double box[6])
{
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(edge->end[0][i], edge->end[1][i]) - edge->radius - far;
        box[3 + i] = fmax(edge->end[0][i], edge->end[1][i]) + edge->radius + far;
    }
}

// One solid of a pair.
typedef struct Side {
    int index; // obstacles first, then the bodies'
    const CondSolid* solid;
    const double* pose;
    const double* box;
    const CondEdge* edge; // in the world                                     (solid->n_edge)
} Side;

static Side side_of(const CondCollider* collider, int index)
{
    const CondSolid* solid = cond_solid_at(collider->model, index);
    return (Side){index, solid, collider->pose + 7 * (size_t)index,
                  collider->box + 6 * (size_t)index, collider->edge + solid->edge_begin};
}

static double probe_gap(const Side* side, const double x[3])
{
    CondProbe probe;
    cond_shape_probe(&side->solid->shape, side->pose, x, &probe);
    return probe.gap;
}

// Where two edges have passed through each other, the nearest points of each lie in the other body.
static int is_inside(const Side* a, const Side* b, const CondCrossing* cross, double ra, double rb)
{
    double allowed = 1e-9 + 0.1 * fabs(cross->gap);
    return cross->gap >= 0.0 || (probe_gap(b, cross->point[0]) <= ra + allowed &&
                                 probe_gap(a, cross->point[1]) <= rb + allowed);
}

static CondStatus add_crossing(const CondPosture* posture, const Side* a, const Side* b,
                               const CondCrossing* cross, double ra, double rb, uint64_t key,
                               CondTouchList* list)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    CondTouch touch = {.plane = -1, .triangle = -1, .gap = cross->gap, .key = key};
    double p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = cross->point[0][i] - ra * cross->normal[i];
        touch.position[i] = cross->point[1][i] + rb * cross->normal[i];
    }
    touch.point[0] = cond_point_at(posture, a->solid->body, a->solid->part, p);
    touch.point[1] = cond_point_at(posture, b->solid->fixed ? -1 : b->solid->body, b->solid->part,
                                   touch.position);
    mat3_frame(cross->normal, axis, touch.frame);
    cond_touch_surfaces(&posture->model->body[a->solid->body].surface, &b->solid->surface, &touch);
    return cond_touch_add(list, &touch);
}

// The tangents of a cylinder's rims where they cross the edge seen along the axis, as edges between
// cap and side; returns how many. Even places belong to the upper rim.
static int rim_edges(const Side* cylinder, const CondEdge* edge, CondEdge rim[4])
{
    double R[9], p[2][3], r = cylinder->solid->shape.radius, half = cylinder->solid->shape.half[2];
    quat_matrix(cylinder->pose + 3, R);
    for (int k = 0; k < 2; k++) {
        double d[3];
        for (int i = 0; i < 3; i++)
            d[i] = edge->end[k][i] - cylinder->pose[i];
        mat3_multiply_transposed(R, d, p[k]);
    }
    // |p0 + s d|^2 = r^2 across the axis.
    double d[2] = {p[1][0] - p[0][0], p[1][1] - p[0][1]};
    double dd = d[0] * d[0] + d[1] * d[1], pd = p[0][0] * d[0] + p[0][1] * d[1];
    double left = pd * pd - dd * (p[0][0] * p[0][0] + p[0][1] * p[0][1] - r * r);
    if (!(left > 0.0 && dd > 0.0))
        return 0;
    for (int k = 0; k < 4; k++) {
        double s = (-pd + (k & 2 ? sqrt(left) : -sqrt(left))) / dd, up = k & 1 ? -1.0 : 1.0;
        double u[2] = {(p[0][0] + s * d[0]) / r, (p[0][1] + s * d[1]) / r};
        CondEdge local = {.side = {{-u[0], -u[1], 0.0}, {0.0, 0.0, -up}},
                          .out = {sqrt(0.5) * u[0], sqrt(0.5) * u[1], sqrt(0.5) * up}};
        for (int e = 0; e < 2; e++) {
            double along = (e ? 0.25 : -0.25) * r;
            local.end[e][0] = r * u[0] - along * u[1];
            local.end[e][1] = r * u[1] + along * u[0];
            local.end[e][2] = up * half;
        }
        cond_edge_place(&local, R, cylinder->pose, &rim[k]);
    }
    return 4;
}

// Edges of a against the rims of b, which is a cylinder; flip: b is side 0 of the contact.
static CondStatus cross_rims(const CondCollider* collider, const CondPosture* posture,
                             const Side* a, const Side* b, int flip, double far,
                             CondTouchList* list)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < a->solid->n_edge && b->solid->shape.form == COND_FORM_CYLINDER; i++) {
        const CondEdge* edge = &a->edge[i];
        CondEdge rim[4];
        double box[6];
        edge_box(edge, far, box);
        if (cond_boxes_apart(box, b->box, 0.0))
            continue;
        int n = rim_edges(b, edge, rim);
        for (int k = 0; k < n && !status; k++) {
            CondCrossing cross;
            uint64_t number = (uint64_t)(a->solid->edge_begin + i) * (uint64_t)collider->n_solid +
                              (uint64_t)b->index;
            uint64_t key = COND_KEY_RIM + 4 * number + (uint64_t)k;
            if (!cond_edges_cross(flip ? &rim[k] : edge, flip ? edge : &rim[k], far, &cross))
                continue;
            double ra = flip ? 0.0 : edge->radius, rb = flip ? edge->radius : 0.0;
            if (is_inside(flip ? b : a, flip ? a : b, &cross, ra, rb))
                status =
                    add_crossing(posture, flip ? b : a, flip ? a : b, &cross, ra, rb, key, list);
        }
    }
    return status;
}

static CondStatus cross_solids(const CondCollider* collider, const CondPosture* posture,
                               const Side* a, const Side* b, double far, CondTouchList* list)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < a->solid->n_edge && !status; i++) {
        double box[6], other[6];
        edge_box(&a->edge[i], far, box);
        if (cond_boxes_apart(box, b->box, 0.0))
            continue;
        for (int j = 0; j < b->solid->n_edge && !status; j++) {
            CondCrossing cross;
            edge_box(&b->edge[j], 0.0, other);
            if (cond_boxes_apart(box, other, 0.0) ||
                !cond_edges_cross(&a->edge[i], &b->edge[j], far, &cross))
                continue;
            double ra = a->edge[i].radius, rb = b->edge[j].radius;
            uint64_t key =
                COND_KEY_EDGE +
                (uint64_t)(a->solid->edge_begin + i) * (uint64_t)collider->model->n_edge +
                (uint64_t)(b->solid->edge_begin + j);
            if (is_inside(a, b, &cross, ra, rb))
                status = add_crossing(posture, a, b, &cross, ra, rb, key, list);
        }
    }
    if (!status)
        status = cross_rims(collider, posture, a, b, 0, far, list);
    return status ? status : cross_rims(collider, posture, b, a, 1, far, list);
}

CondStatus cond_collide_crossings(const CondCollider* collider, const CondPosture* posture,
                                  const double* reach, CondTouchList* list)
{
    CondStatus status = COND_OK;
    for (int i = collider->model->n_obstacle; i < collider->n_solid; i++) {
        for (int j = 0; j < i && !status; j++) {
            Side a = side_of(collider, i), b = side_of(collider, j);
            int still_a = a.solid->fixed, still_b = b.solid->fixed || b.solid->body < 0;
            if (a.solid->body == b.solid->body || (still_a && still_b))
                continue;
            double far = reach[a.solid->body] + (b.solid->body >= 0 ? reach[b.solid->body] : 0.0);
            if (cond_boxes_apart(a.box, b.box, far))
                continue;
            status = still_a ? cross_solids(collider, posture, &b, &a, far, list)
                             : cross_solids(collider, posture, &a, &b, far, list);
        }
    }
    return status;
}
