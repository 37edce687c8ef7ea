// CondQuery: one tree over the boxes of all that has a surface and an end.
#include "collide/query.h"

#include "base/arena.h"
#include "base/definition.h"
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
        query->primitive[at++] =
            (CondPrimitive){COND_PRIMITIVE_SOLID, cond_solid_at(model, i)->body, i};
    for (int b = 0; b < model->n_body; b++)
        for (int i = 0; model->body[b].rod && i < model->body[b].rod->n_link; i++)
            query->primitive[at++] = (CondPrimitive){COND_PRIMITIVE_LINK, b, i};
    for (int b = 0; b < model->n_body; b++)
        for (int i = 0; i < model->body[b].n_triangle; i++)
            query->primitive[at++] = (CondPrimitive){COND_PRIMITIVE_TRIANGLE, b, i};
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

CondShape cond_primitive_shape(const CondQuery* query, const CondPrimitive* p)
{
    return p->kind == COND_PRIMITIVE_SOLID ? cond_solid_at(query->model, p->index)->shape
                                           : link_shape(query->model->body[p->body].rod, p->index);
}

void cond_primitive_corners(const CondQuery* query, const CondPrimitive* p, const double* corner[3])
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
        const CondPrimitive* p = &query->primitive[i];
        double *box = query->box + 6 * (size_t)i, *pose = query->pose + 7 * (size_t)i;
        if (p->kind == COND_PRIMITIVE_TRIANGLE) {
            const double* corner[3];
            cond_primitive_corners(query, p, corner);
            cond_box_empty(box);
            for (int k = 0; k < 3; k++)
                cond_box_stretch(box, corner[k]);
            continue;
        }
        CondShape shape = cond_primitive_shape(query, p);
        if (p->kind == COND_PRIMITIVE_SOLID)
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
    cond_pair_work_begin(context, &query->pair);
    CondStatus status = list_primitives(query);
    if (!status)
        status = COND_RESERVE(&query->arena, query->q, model->n_q) ||
                         COND_RESERVE(&query->arena, query->off, model->n_body)
                     ? COND_OUT_OF_MEMORY
                     : COND_OK;
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
    cond_pair_work_end(&query->pair);
    cond_arena_release(&query->arena);
    cond_release(&context, query);
}

// The tree of an earlier state fits as long as neighbours have stayed neighbours.
void cond_query_set(CondQuery* query, const CondState* state)
{
    memcpy(query->q, state->q, (size_t)query->model->n_q * sizeof *query->q);
    memcpy(query->off, state->off, (size_t)query->model->n_body * sizeof *query->off);
    place(query);
    cond_tree_refit(&query->tree, query->box);
    if (extent(&query->tree) > 1.5 * query->extent)
        build(query); // in the memory of the first one: it cannot fail
}

int cond_walk_leaves_out(const CondWalk* walk, int body)
{
    return body >= 0 && (walk->query->off[body] || (walk->leave_out && walk->leave_out[body]));
}

CondHit cond_hit_nothing(void)
{
    return (CondHit){.distance = INFINITY, .body = -1, .part = -1, .plane = -1, .obstacle = -1};
}

// Whose surface it is.
void cond_primitive_name(const CondQuery* query, const CondPrimitive* p, CondHit* hit)
{
    *hit = cond_hit_nothing();
    hit->body = p->body;
    hit->part =
        p->kind == COND_PRIMITIVE_SOLID ? cond_solid_at(query->model, p->index)->part : p->index;
    if (p->kind == COND_PRIMITIVE_SOLID && p->index < query->model->n_obstacle)
        hit->obstacle = p->index;
}

void cond_primitive_normal(const double* const corner[3], double normal[3])
{
    triangle_area_vector(corner[0], corner[1], corner[2], normal);
    double length = vec3_norm(normal);
    for (int k = 0; k < 3; k++)
        normal[k] = length > 0.0 ? normal[k] / length : 0.0;
}

// ---- rays

static CondRayHit meet(const CondWalk* walk, int primitive)
{
    const CondQuery* query = walk->query;
    const CondPrimitive* p = &query->primitive[primitive];
    CondRayHit hit = {.distance = INFINITY};
    if (cond_walk_leaves_out(walk, p->body))
        return hit;
    if (p->kind == COND_PRIMITIVE_TRIANGLE) {
        const double* corner[3];
        cond_primitive_corners(query, p, corner);
        hit.distance = cond_ray_triangle(&walk->ray, corner[0], corner[1], corner[2]);
        cond_primitive_normal(corner, hit.normal);
        return hit;
    }
    CondShape shape = cond_primitive_shape(query, p);
    return cond_ray_shape(&walk->ray, walk->limit, &shape, query->pose + 7 * (size_t)primitive);
}

static double measure_ray(void* user, int primitive)
{
    return meet(user, primitive).distance;
}

static void try_planes(const CondWalk* walk, CondHit* hit)
{
    for (int i = 0; i < walk->query->model->n_plane; i++) {
        const CondPlane* plane = &walk->query->model->plane[i];
        double gap = vec3_dot(plane->frame, walk->ray.origin) - plane->offset;
        double closing = -vec3_dot(plane->frame, walk->ray.direction);
        double t = gap <= 0.0 ? 0.0 : closing > 0.0 ? gap / closing : INFINITY;
        if (!(t < hit->distance && t <= walk->limit))
            continue;
        *hit = cond_hit_nothing();
        hit->distance = t;
        hit->plane = i;
        memcpy(hit->normal, plane->frame, sizeof hit->normal);
    }
}

int cond_is_point(const double x[3])
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

CondStatus cond_query_check(const char* what, const double x[3], const char* length, double most)
{
    if (!cond_is_point(x))
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "%s is (%g, %g, %g), expected finite numbers", what, x[0], x[1],
                              x[2]);
    if (!(most >= 0.0))
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "%s is %g, expected a number from 0 on",
                              length, most);
    return COND_OK;
}

static CondStatus query_ray_whole(CondQuery* query, const double origin[3],
                                  const double direction[3], double limit, const int* leave_out,
                                  CondHit* hit)
{
    CondWalk walk = {.query = query, .limit = limit, .leave_out = leave_out};
    double length = vec3_norm(direction);
    CondStatus status = cond_query_check("origin", origin, "limit", limit);
    if (status)
        return status;
    if (!isfinite(length) || length == 0.0)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "direction is (%g, %g, %g), expected a finite one that is not 0",
                              direction[0], direction[1], direction[2]);
    memcpy(walk.ray.origin, origin, sizeof walk.ray.origin);
    for (int k = 0; k < 3; k++)
        walk.ray.direction[k] = direction[k] / length;
    *hit = cond_hit_nothing();
    try_planes(&walk, hit);
    double distance = fmin(hit->distance, nextafter(limit, INFINITY));
    int found = cond_ray_tree(&walk.ray, &query->tree, measure_ray, &walk, &distance);
    if (found >= 0) {
        CondRayHit met = meet(&walk, found);
        cond_primitive_name(query, &query->primitive[found], hit);
        hit->distance = met.distance;
        memcpy(hit->normal, met.normal, sizeof hit->normal);
    }
    for (int k = 0; k < 3; k++)
        hit->position[k] =
            isfinite(hit->distance) ? origin[k] + hit->distance * walk.ray.direction[k] : NAN;
    return COND_OK;
}

CondStatus cond_query_ray_sized(CondQuery* query, const double origin[3], const double direction[3],
                                double limit, const int* leave_out, CondHit* hit, size_t size)
{
    COND_SIZED(CondStatus, CondHit, hit, size,
               query_ray_whole(query, origin, direction, limit, leave_out, it));
}

CondStatus cond_query_rays_sized(CondQuery* query, int n, const double* origin,
                                 const double* direction, const double* limit, const int* leave_out,
                                 CondHit* hit, size_t size)
{
    CondStatus status = COND_OK;
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0) && !status; i++)
        status = cond_query_ray_sized(query, origin + 3 * i, direction + 3 * i, limit[i], leave_out,
                                      (CondHit*)((char*)hit + i * size), size);
    return status;
}
