// CondQuery: one tree over the boxes of all that has a surface and an end.
#include "cond/query.h"

#include "base/arena.h"
#include "base/error.h"
#include "body/kinematics.h"
#include "collide/rod_link.h"
#include "collide/solid.h"
#include "geometry/box.h"
#include "geometry/ray.h"
#include "geometry/triangle.h"
#include "math/quat.h"
#include "model/rod.h"

#include <math.h>
#include <string.h>

typedef enum PrimitiveKind { PRIMITIVE_SOLID, PRIMITIVE_LINK, PRIMITIVE_TRIANGLE } PrimitiveKind;

typedef struct Primitive {
    PrimitiveKind kind;
    int body;  // -1: static
    int index; // solid of all, link of the rod, triangle of the soft body
} Primitive;

struct CondQuery {
    CondArena arena;
    const CondModel* model;
    CondKinematics kinematics;
    double* q; //                                                                       (n_q)
    CondTree tree;
    CondTreeHits near;    // of the last box asked about
    Primitive* primitive; // solids, links of rods, triangles                           (n)
    double* box;          // around them                                                (n x 6)
    double* pose;         // of solids and links, which come first                      (n x 7)
    int n;
    double extent; // of the tree's boxes, summed up, when it was built [m]
};

// What a walk through the tree measures.
typedef struct Walk {
    const CondQuery* query;
    CondRay ray; // of a point: its place, as origin
    double limit;
    const int* leave_out;
} Walk;

static CondStatus list_primitives(CondQuery* query)
{
    const CondModel* model = query->model;
    int n = model->n_obstacle + model->n_solid, at = 0;
    for (int b = 0; b < model->n_body; b++)
        n += model->body[b].rod ? model->body[b].rod->n_link : model->body[b].n_triangle;
    if (COND_RESERVE(&query->arena, query->primitive, n) ||
        COND_RESERVE(&query->arena, query->box, 6 * n) ||
        COND_RESERVE(&query->arena, query->pose, 7 * n))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < model->n_obstacle + model->n_solid; i++)
        query->primitive[at++] = (Primitive){PRIMITIVE_SOLID, cond_solid_at(model, i)->body, i};
    for (int b = 0; b < model->n_body; b++)
        for (int i = 0; model->body[b].rod && i < model->body[b].rod->n_link; i++)
            query->primitive[at++] = (Primitive){PRIMITIVE_LINK, b, i};
    for (int b = 0; b < model->n_body; b++)
        for (int i = 0; i < model->body[b].n_triangle; i++)
            query->primitive[at++] = (Primitive){PRIMITIVE_TRIANGLE, b, i};
    query->n = at;
    return COND_OK;
}

// A link of a rod as contacts see it: a capsule along its z axis.
static CondShape link_shape(const CondRod* rod, int link)
{
    return (CondShape){.form = COND_FORM_CAPSULE,
                       .radius = rod->radius,
                       .half = {0.0, 0.0, 0.5 * rod->length[link]}};
}

static CondShape shape_of(const CondQuery* query, const Primitive* p)
{
    return p->kind == PRIMITIVE_SOLID ? cond_solid_at(query->model, p->index)->shape
                                      : link_shape(query->model->body[p->body].rod, p->index);
}

static void corners_of(const CondQuery* query, const Primitive* p, const double* corner[3])
{
    const CondBody* body = &query->model->body[p->body];
    for (int k = 0; k < 3; k++)
        corner[k] =
            query->q + body->q_begin + 3 * (size_t)body->triangle[3 * (size_t)p->index + (size_t)k];
}

static void place(CondQuery* query)
{
    cond_kinematics_set(&query->kinematics, query->q);
    for (int i = 0; i < query->n; i++) {
        const Primitive* p = &query->primitive[i];
        double *box = query->box + 6 * (size_t)i, *pose = query->pose + 7 * (size_t)i;
        if (p->kind == PRIMITIVE_TRIANGLE) {
            const double* corner[3];
            corners_of(query, p, corner);
            cond_box_empty(box);
            for (int k = 0; k < 3; k++)
                cond_box_stretch(box, corner[k]);
            continue;
        }
        CondShape shape = shape_of(query, p);
        if (p->kind == PRIMITIVE_SOLID)
            cond_solid_pose(&query->kinematics, cond_solid_at(query->model, p->index), pose);
        else
            memcpy(pose, query->q + query->model->body[p->body].q_begin + 7 * (size_t)p->index,
                   7 * sizeof *pose);
        cond_shape_bound(&shape, pose, box);
    }
}

static double extent(const CondTree* tree)
{
    double sum = 0.0;
    for (int i = 0; tree->n > 0 && i < 2 * tree->n - 1; i++)
        for (int k = 0; k < 3; k++)
            sum += fmin(tree->node[i].box[3 + k] - tree->node[i].box[k], 1e100);
    return sum;
}

static CondStatus build(CondQuery* query)
{
    CondStatus status = cond_tree_build(&query->tree, query->n, query->box);
    query->extent = extent(&query->tree);
    return status;
}

CondStatus cond_query_create(const CondModel* model, CondQuery** out, CondError* error)
{
    const CondContext* context = &model->arena.context;
    CondQuery* query = cond_allocate(context, 1, sizeof *query);
    CondState* start = NULL;
    *out = NULL;
    if (!query)
        return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory for a query");
    query->model = model;
    cond_arena_begin(context, &query->arena);
    cond_tree_begin(context, &query->tree);
    cond_tree_hits_begin(context, &query->near);
    CondStatus status = list_primitives(query);
    if (!status)
        status = COND_RESERVE(&query->arena, query->q, model->n_q);
    if (!status)
        status = cond_kinematics_create(model, &query->kinematics);
    if (!status)
        status = cond_state_create(model, &start, NULL);
    if (!status) {
        memcpy(query->q, start->q, (size_t)model->n_q * sizeof *query->q);
        place(query);
        status = build(query);
    }
    cond_state_destroy(start);
    if (status) {
        cond_query_destroy(query);
        return cond_error_set(error, status, "no memory for a query");
    }
    *out = query;
    return COND_OK;
}

void cond_query_destroy(CondQuery* query)
{
    if (!query)
        return;
    CondContext context = query->arena.context;
    cond_kinematics_destroy(&query->kinematics);
    cond_tree_end(&query->tree);
    cond_tree_hits_end(&query->near);
    cond_arena_release(&query->arena);
    cond_release(&context, query);
}

// The tree of an earlier state fits as long as neighbours have stayed neighbours.
void cond_query_set(CondQuery* query, const CondState* state)
{
    memcpy(query->q, state->q, (size_t)query->model->n_q * sizeof *query->q);
    place(query);
    cond_tree_refit(&query->tree, query->box);
    if (extent(&query->tree) > 1.5 * query->extent)
        build(query); // in the memory of the first one: it cannot fail
}

static int is_left_out(const Walk* walk, int body)
{
    return walk->leave_out && body >= 0 && walk->leave_out[body];
}

static CondHit nothing(void)
{
    return (CondHit){.distance = INFINITY, .body = -1, .part = -1, .plane = -1, .obstacle = -1};
}

// Whose surface it is.
static void name_primitive(const CondQuery* query, const Primitive* p, CondHit* hit)
{
    *hit = nothing();
    hit->body = p->body;
    hit->part = p->kind == PRIMITIVE_SOLID ? cond_solid_at(query->model, p->index)->part : p->index;
    if (p->kind == PRIMITIVE_SOLID && p->index < query->model->n_obstacle)
        hit->obstacle = p->index;
}

static void set_normal(const double* const corner[3], double normal[3])
{
    triangle_area_vector(corner[0], corner[1], corner[2], normal);
    double length = vec3_norm(normal);
    for (int k = 0; k < 3; k++)
        normal[k] = length > 0.0 ? normal[k] / length : 0.0;
}

// ---- rays

static CondRayHit meet(const Walk* walk, int primitive)
{
    const CondQuery* query = walk->query;
    const Primitive* p = &query->primitive[primitive];
    CondRayHit hit = {.distance = INFINITY};
    if (is_left_out(walk, p->body))
        return hit;
    if (p->kind == PRIMITIVE_TRIANGLE) {
        const double* corner[3];
        corners_of(query, p, corner);
        hit.distance = cond_ray_triangle(&walk->ray, corner[0], corner[1], corner[2]);
        set_normal(corner, hit.normal);
        return hit;
    }
    CondShape shape = shape_of(query, p);
    return cond_ray_shape(&walk->ray, walk->limit, &shape, query->pose + 7 * (size_t)primitive);
}

static double measure_ray(void* user, int primitive)
{
    return meet(user, primitive).distance;
}

static void try_planes(const Walk* walk, CondHit* hit)
{
    for (int i = 0; i < walk->query->model->n_plane; i++) {
        const CondPlane* plane = &walk->query->model->plane[i];
        double gap = vec3_dot(plane->frame, walk->ray.origin) - plane->offset;
        double closing = -vec3_dot(plane->frame, walk->ray.direction);
        double t = gap <= 0.0 ? 0.0 : closing > 0.0 ? gap / closing : INFINITY;
        if (!(t < hit->distance && t <= walk->limit))
            continue;
        *hit = nothing();
        hit->distance = t;
        hit->plane = i;
        memcpy(hit->normal, plane->frame, sizeof hit->normal);
    }
}

static int is_finite(const double x[3])
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

CondStatus cond_query_ray(CondQuery* query, const double origin[3], const double direction[3],
                          double limit, const int* leave_out, CondHit* hit)
{
    Walk walk = {.query = query, .limit = limit, .leave_out = leave_out};
    double length = vec3_norm(direction);
    if (!is_finite(origin) || !isfinite(length) || length == 0.0 || !(limit >= 0.0))
        return COND_BAD_ARGUMENT;
    memcpy(walk.ray.origin, origin, sizeof walk.ray.origin);
    for (int k = 0; k < 3; k++)
        walk.ray.direction[k] = direction[k] / length;
    *hit = nothing();
    try_planes(&walk, hit);
    double distance = fmin(hit->distance, nextafter(limit, INFINITY));
    int found = cond_ray_tree(&walk.ray, &query->tree, measure_ray, &walk, &distance);
    if (found >= 0) {
        CondRayHit met = meet(&walk, found);
        name_primitive(query, &query->primitive[found], hit);
        hit->distance = met.distance;
        memcpy(hit->normal, met.normal, sizeof hit->normal);
    }
    for (int k = 0; k < 3; k++)
        hit->position[k] =
            isfinite(hit->distance) ? origin[k] + hit->distance * walk.ray.direction[k] : NAN;
    return COND_OK;
}

CondStatus cond_query_rays(CondQuery* query, int n, const double* origin, const double* direction,
                           const double* limit, const int* leave_out, CondHit* hit)
{
    CondStatus status = COND_OK;
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0) && !status; i++)
        status =
            cond_query_ray(query, origin + 3 * i, direction + 3 * i, limit[i], leave_out, &hit[i]);
    return status;
}

// ---- points

// Where a point lies relative to a primitive; of a triangle the distance has no sign.
static CondProbe probe(const CondQuery* query, const double x[3], int primitive)
{
    const Primitive* p = &query->primitive[primitive];
    CondProbe out;
    if (p->kind != PRIMITIVE_TRIANGLE) {
        CondShape shape = shape_of(query, p);
        cond_shape_probe(&shape, query->pose + 7 * (size_t)primitive, x, &out);
        return out;
    }
    const double* corner[3];
    double weight[3];
    corners_of(query, p, corner);
    out.gap = sqrt(triangle_nearest(x, corner[0], corner[1], corner[2], weight, out.point));
    set_normal(corner, out.normal);
    return out;
}

static double measure_point(void* user, int primitive)
{
    const Walk* walk = user;
    if (is_left_out(walk, walk->query->primitive[primitive].body))
        return INFINITY;
    return probe(walk->query, walk->ray.origin, primitive).gap;
}

// The solid angle that the surface of a soft body takes up, seen from x, over 4 pi: 1 inside, 0
// outside, whatever the triangles look like. A triangle with the corners a, b, c from x takes
//     2 atan2(a . (b x c), |a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|)
static int is_inside(const CondQuery* query, int body, const double x[3])
{
    double sum = 0.0;
    for (int i = 0; i < query->model->body[body].n_triangle; i++) {
        const double* corner[3];
        double d[3][3], l[3], cross[3];
        corners_of(query, &(Primitive){PRIMITIVE_TRIANGLE, body, i}, corner);
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++)
                d[c][k] = corner[c][k] - x[k];
            l[c] = vec3_norm(d[c]);
        }
        vec3_cross(d[1], d[2], cross);
        sum += 2.0 * atan2(vec3_dot(d[0], cross), l[0] * l[1] * l[2] + vec3_dot(d[0], d[1]) * l[2] +
                                                      vec3_dot(d[1], d[2]) * l[0] +
                                                      vec3_dot(d[2], d[0]) * l[1]);
    }
    return sum > 6.283185307179586;
}

// A hit with a sign, for a primitive that was found.
static CondHit tell(const CondQuery* query, const double x[3], int primitive)
{
    CondHit hit;
    CondProbe at = probe(query, x, primitive);
    const Primitive* p = &query->primitive[primitive];
    name_primitive(query, p, &hit);
    hit.distance = at.gap;
    memcpy(hit.position, at.point, sizeof hit.position);
    memcpy(hit.normal, at.normal, sizeof hit.normal);
    if (p->kind == PRIMITIVE_TRIANGLE && is_inside(query, p->body, x))
        hit.distance = -hit.distance;
    return hit;
}

static CondHit tell_plane(const CondQuery* query, const double x[3], int i)
{
    const CondPlane* plane = &query->model->plane[i];
    CondHit hit = nothing();
    hit.plane = i;
    hit.distance = vec3_dot(plane->frame, x) - plane->offset;
    memcpy(hit.normal, plane->frame, sizeof hit.normal);
    for (int k = 0; k < 3; k++)
        hit.position[k] = x[k] - hit.distance * hit.normal[k];
    return hit;
}

CondStatus cond_query_nearest(CondQuery* query, const double point[3], double limit,
                              const int* leave_out, CondHit* hit)
{
    Walk walk = {.query = query, .limit = limit, .leave_out = leave_out};
    if (!is_finite(point) || !(limit >= 0.0))
        return COND_BAD_ARGUMENT;
    memcpy(walk.ray.origin, point, sizeof walk.ray.origin);
    *hit = nothing();
    double distance = nextafter(limit, INFINITY);
    for (int i = 0; i < query->model->n_plane; i++) {
        CondHit plane = tell_plane(query, point, i);
        if (plane.distance < distance) {
            distance = plane.distance;
            *hit = plane;
        }
    }
    double found_at = fmax(distance, 0.0); // boxes say nothing of who is deeper
    int found = cond_tree_nearest(&query->tree, point, measure_point, &walk, &found_at);
    if (found >= 0 && found_at < distance)
        *hit = tell(query, point, found);
    return COND_OK;
}

CondStatus cond_query_within(CondQuery* query, const double point[3], double radius, int capacity,
                             CondHit* hit, int* n)
{
    double box[6];
    *n = 0;
    if (!is_finite(point) || !(radius >= 0.0) || !isfinite(radius))
        return COND_BAD_ARGUMENT;
    for (int i = 0; i < query->model->n_plane; i++) {
        CondHit plane = tell_plane(query, point, i);
        if (plane.distance <= radius && ++*n <= capacity)
            hit[*n - 1] = plane;
    }
    for (int k = 0; k < 3; k++) {
        box[k] = point[k] - radius;
        box[3 + k] = point[k] + radius;
    }
    CondStatus status = cond_tree_query(&query->tree, box, &query->near);
    for (int i = 0; i < query->near.n && !status; i++) {
        int primitive = query->near.primitive[i];
        if (query->primitive[primitive].kind == PRIMITIVE_TRIANGLE)
            continue;
        CondHit one = tell(query, point, primitive);
        if (one.distance <= radius && ++*n <= capacity)
            hit[*n - 1] = one;
    }
    for (int b = 0; b < query->model->n_body && !status; b++) { // a soft body hits once
        int best = -1;
        double least = INFINITY;
        for (int i = 0; query->model->body[b].n_triangle > 0 && i < query->near.n; i++) {
            int primitive = query->near.primitive[i];
            const Primitive* p = &query->primitive[primitive];
            double gap = p->kind == PRIMITIVE_TRIANGLE && p->body == b
                             ? probe(query, point, primitive).gap
                             : INFINITY;
            best = gap < least ? primitive : best;
            least = fmin(least, gap);
        }
        if (best >= 0 && least <= radius && ++*n <= capacity)
            hit[*n - 1] = tell(query, point, best);
    }
    return status;
}
