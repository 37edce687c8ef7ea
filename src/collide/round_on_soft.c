// Round shapes on soft surfaces. The nodes of the surface are probed as points (collide/solid.c);
// what bulges between them is met by the triangles and edges. A triangle meets the lowest points of
// the core along its own normal, where these lie over it; an edge meets the core as any two convex
// cores meet, where the normal does not lead into one of the edge's triangles. These are the local
// minima of the distance between core and surface, so nothing comes nearer unseen.
#include "collide/round_on_soft.h"
#include "base/tuning.h"

#include "body/body.h"
#include "collide/solid.h"
#include "collide/tuning.h"
#include "geometry/box.h"
#include "geometry/tuning.h"
#include "math/vec3.h"
#include "model/entity.h"

#include <math.h>
#include <string.h>

// Codes of the places of a triangle in a contact's key: those of its face, and then of its edges.
enum Role { FACE_ROLES = 16, ROLES = 32 };

typedef struct Press {
    CondCollider* collider;
    const CondKinematics* kinematics;
    const CondRoundOnSoft* on_soft;
    const CondVolume* volume;
    int b;
    double far;
    double half; // of a shell
    CondCandidateList* list;
} Press;

// Node v, from the imprint's origin.
static void node_at(const Press* press, int v, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = press->volume->position[3 * (size_t)v + i] - press->on_soft->origin[i];
}

// 1 when a node is so near that its own contact says the same: at the distance d from where the
// surface, of radius r, is nearest, it is d^2/(2 r) farther off. Contacts beside every node of a
// line under a roller would wedge it between them.
static int is_left_to_node(const Press* press, int n_node, const int* node, const double* weight,
                           const double n[3])
{
    const CondCore* core = &press->on_soft->core;
    double axis[3], d[3] = {0.0, 0.0, 0.0}, radius = core->round;
    int nearest = 0;
    cond_core_axis(core, 2, axis);
    if (core->disc > 0.0 && fabs(vec3_dot(axis, n)) < COND_SINGLE_PRECISION)
        radius += core->disc; // the side of a cylinder, not its rim
    for (int k = 1; k < n_node; k++)
        nearest = weight[k] > weight[nearest] ? k : nearest;
    for (int k = 0; k < n_node; k++)
        for (int i = 0; i < 3; i++)
            d[i] += weight[k] * (press->volume->position[3 * (size_t)node[k] + i] -
                                 press->volume->position[3 * (size_t)node[nearest] + i]);
    return vec3_dot(d, d) < 2.0 * radius * COND_TOUCH * fmin(core->size, press->volume->size);
}

// A contact of the soft point with the given weights; n from it to the core, p on the core.
static CondStatus add_contact(const Press* press, int n_node, const int* node, const double* weight,
                              const double n[3], const double p[3], double gap, int feature,
                              int role)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const CondRoundOnSoft* on_soft = press->on_soft;
    const CondCollider* collider = press->collider;
    const double out[3] = {-n[0], -n[1], -n[2]};
    if (fabs(gap) < COND_TOUCH * press->volume->size &&
        is_left_to_node(press, n_node, node, weight, n))
        return COND_OK;
    CondCandidate candidate = {.plane = -1, .triangle = -1, .gap = gap};
    candidate.point[0] = (CondPoint){.body = press->b, .n_node = n_node};
    for (int k = 0; k < n_node; k++) {
        candidate.point[0].node[k] = node[k];
        candidate.point[0].local[k] = weight[k];
    }
    for (int i = 0; i < 3; i++)
        candidate.position[i] = on_soft->origin[i] + p[i];
    candidate.point[1] =
        cond_point_at(press->kinematics, on_soft->body, on_soft->part, candidate.position);
    mat3_frame(out, axis, candidate.frame);
    uint64_t pair = (uint64_t)on_soft->index * (uint64_t)collider->n_soft_edge +
                    (uint64_t)(collider->soft_edge_begin[press->b] + feature);
    candidate.key = (CondContactKey){.pair = COND_KEY_BALL + pair * ROLES + (uint64_t)role};
    cond_candidate_surfaces(&press->kinematics->model->body[press->b].surface, on_soft->surface,
                            &candidate);
    return cond_candidate_add(press->list, &candidate);
}

// Signed distance of a point to the core, without its rounding.
static double distance_of(const CondCore* core, const double x[3])
{
    CondCore point = {.form = COND_FORM_SPHERE};
    CondSeparation apart;
    memcpy(point.p, x, sizeof point.p);
    cond_cores_separate(&point, core, INFINITY, &apart);
    return apart.apart + core->round;
}

// Weights of y, in the plane of the triangle with unit normal n, by the areas that it spans; 0
// where it lies outside, or so near to a corner that the node sees to it.
static int weights_of(double corner[3][3], const double n[3], const double y[3], double weight[3])
{
    double area = 0.0, most = 0.0;
    for (int k = 0; k < 3; k++) {
        const double *p = corner[(k + 1) % 3], *q = corner[(k + 2) % 3];
        double u[3], v[3], w[3];
        for (int i = 0; i < 3; i++) {
            u[i] = p[i] - y[i];
            v[i] = q[i] - y[i];
        }
        vec3_cross(u, v, w);
        weight[k] = vec3_dot(w, n);
        if (!(weight[k] >= 0.0))
            return 0;
        area += weight[k];
    }
    for (int k = 0; k < 3; k++) {
        weight[k] /= area;
        most = fmax(most, weight[k]);
    }
    return area > 0.0 && most < 1.0 - COND_NEARLY;
}

// 1 for points of a cap that lies within triangles much larger than itself: three of it, with the
// deepest, hold what is flat; more would be more contacts than a triangle has nodes.
static int is_spare(const Press* press, const CondFacet* facet, int t, int k)
{
    const int* node = press->volume->triangle + 3 * (size_t)t;
    double shortest = INFINITY;
    for (int i = 0; i < 3 && facet->disc; i++)
        shortest =
            fmin(shortest, cond_volume_rest_length(press->volume, node[i], node[(i + 1) % 3]));
    return facet->disc && facet->radius < COND_FAST * shortest && k != 0 && k != 3 && k != 5;
}

// The points of the core that lie lowest over triangle t, seen along its normal.
static CondStatus meet_triangle(const Press* press, int t)
{
    const CondCore* core = &press->on_soft->core;
    const double* n = press->volume->normal + 3 * (size_t)t;
    const int* node = press->volume->triangle + 3 * (size_t)t;
    const double back[3] = {-n[0], -n[1], -n[2]};
    CondFacet* facet = &press->collider->pairs.facet[0];
    double corner[3][3], x[3];
    for (int k = 0; k < 3; k++)
        node_at(press, node[k], corner[k]);
    double height = vec3_dot(n, corner[0]);
    cond_core_support(core, back, 0, x);
    // A core whose middle has gone through leaves by other triangles.
    if (!(vec3_dot(n, n) > 0.0) ||
        !(vec3_dot(n, x) - height - core->round - press->half <= press->far) ||
        !(vec3_dot(n, core->p) > height))
        return COND_OK;
    CondStatus status = cond_facet_make(core, back, facet);
    for (int k = 0; k < facet->n_point && !status; k++) {
        const double* lowest = facet->point + 3 * (size_t)k;
        double over = vec3_dot(n, lowest) - height, y[3], p[3], weight[3];
        for (int i = 0; i < 3; i++) {
            y[i] = lowest[i] - over * n[i];
            p[i] = lowest[i] - core->round * n[i];
        }
        double gap = over - core->round - press->half;
        if (!(gap <= press->far) || is_spare(press, facet, t, k) ||
            (press->on_soft->open && over < 0.0) || !weights_of(corner, n, y, weight) ||
            (gap + press->half < 0.0 && distance_of(core, y) > core->round))
            continue; // of what is behind the triangle, only what is in it
        status = add_contact(press, 3, node, weight, n, p, gap, t, facet->id[k] % FACE_ROLES);
    }
    return status;
}

static CondStatus meet_edge(const Press* press, int e)
{
    CondPairWork* work = &press->collider->pairs;
    const CondCore* core = &press->on_soft->core;
    const int* edge = press->volume->edge + 4 * (size_t)e;
    double p[3], q[3], d[3];
    CondCore line;
    node_at(press, edge[0], p);
    node_at(press, edge[1], q);
    if (cond_volume_is_back(press->volume, e))
        return COND_OK;
    cond_core_between(p, q, &line);
    line.round = press->half;
    double length = line.size;
    if (!(length > 0.0))
        return COND_OK;
    cond_core_axis(&line, 2, d);
    CondStatus status = cond_cores_meet(work, core, &line, press->far);
    for (int k = 0; k < work->manifold.n && !status; k++) {
        const CondManifoldPoint* meeting = &work->manifold.meeting[k];
        double along = 0.0;
        for (int i = 0; i < 3; i++)
            along += d[i] * (meeting->point[1][i] - p[i]) / length;
        double weight[2] = {1.0 - along, along};
        if (!(fabs(vec3_dot(meeting->normal, d)) <= COND_SINGLE_PRECISION) ||
            !(fmin(along, 1.0 - along) > COND_NEARLY) ||
            cond_volume_edge_lean(press->volume, e, d, meeting->normal) >
                // A little keeps what lies along the surface in touch with all edges under it; more
                // where the core is in the edge, whose normal is then less certain.
                (meeting->gap < 0.0 ? COND_OVERHANG : COND_BESIDE))
            continue;
        status = add_contact(press, 2, edge, weight, meeting->normal, meeting->point[0],
                             meeting->gap, e, FACE_ROLES + k % (ROLES - FACE_ROLES));
    }
    return status;
}

CondStatus cond_collide_round_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                      const CondRoundOnSoft* on_soft, int b, double far,
                                      CondCandidateList* list)
{
    const CondVolume* volume = collider->volume[b];
    const double half = cond_body_half(&collider->model->body[b]);
    const Press press = {collider, kinematics, on_soft, volume, b, far, half, list};
    double box[6], wide = far + on_soft->core.round + half;
    for (int k = 0; k < 6; k++) {
        double d[3] = {0.0, 0.0, 0.0}, x[3], sign = k < 3 ? -1.0 : 1.0;
        d[k % 3] = sign;
        cond_core_support(&on_soft->core, d, 0, x);
        box[k] = on_soft->origin[k % 3] + x[k % 3] + sign * wide;
    }
    if (cond_boxes_apart(volume->bound, box, 0.0))
        return COND_OK;
    CondStatus status = cond_volume_triangles_in(volume, box, &collider->found.hits);
    for (int h = 0; h < collider->found.hits.n && !status; h++) {
        int t = collider->found.hits.primitive[h];
        status = meet_triangle(&press, t);
        for (int k = 0; k < 3 && !status; k++) {
            int e = volume->triangle_edge[3 * (size_t)t + k];
            // Both triangles of an edge are found; the first one reports it.
            if (e >= 0 && volume->edge[4 * (size_t)e + 2] == t)
                status = meet_edge(&press, e);
        }
    }
    return status;
}

static CondStatus meet_solids(CondCollider* collider, const CondKinematics* kinematics, int b,
                              double reach, CondCandidateList* list)
{
    CondStatus status = COND_OK;
    for (int i = 0; i < collider->n_solid && !status; i++) {
        const CondSolid* solid = cond_solid_at(collider->model, i);
        const double* pose = collider->pose + 7 * (size_t)i;
        double far = reach + collider->far[i];
        if (!cond_shape_is_round(&solid->shape) ||
            !cond_solid_touches(collider->model, solid, collider->model->body[b].entity) ||
            cond_boxes_apart(collider->volume[b]->bound, collider->box + 6 * (size_t)i,
                             far + cond_body_half(&collider->model->body[b])))
            continue;
        CondRoundOnSoft on_soft = {.body = solid->fixed ? -1 : solid->body,
                                   .part = solid->part,
                                   .surface = &solid->surface,
                                   .index = i};
        memcpy(on_soft.origin, pose, sizeof on_soft.origin);
        cond_core_make(&solid->shape, pose, pose, &on_soft.core);
        status = cond_collide_round_on_soft(collider, kinematics, &on_soft, b, far, list);
    }
    return status;
}

CondStatus cond_collide_rounds_on_soft(CondCollider* collider, const CondKinematics* kinematics,
                                       const double* reach, CondCandidateList* list)
{
    CondStatus status = COND_OK;
    for (int s = 0; s < collider->n_soft && !status; s++) {
        int b = collider->soft[s];
        status = meet_solids(collider, kinematics, b, reach[b], list);
    }
    return status;
}
