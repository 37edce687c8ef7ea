// The surfaces near a point.
#include "base/definition.h"
#include "collide/query.h"

#include "geometry/triangle.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Where a point lies relative to a primitive; of a triangle the distance has no sign.
static CondProbe probe(const CondQuery* query, const double x[3], int primitive)
{
    const CondPrimitive* p = &query->primitive[primitive];
    CondProbe out;
    if (p->kind != COND_PRIMITIVE_TRIANGLE) {
        CondShape shape = cond_primitive_shape(query, p);
        cond_shape_probe(&shape, query->pose + 7 * (size_t)primitive, x, &out);
        return out;
    }
    const double* corner[3];
    double weight[3];
    cond_primitive_corners(query, p, corner);
    out.gap = sqrt(triangle_nearest(x, corner[0], corner[1], corner[2], weight, out.point));
    cond_primitive_normal(corner, out.normal);
    return out;
}

static double measure_point(void* user, int primitive)
{
    const CondWalk* walk = user;
    if (cond_walk_leaves_out(walk, walk->query->primitive[primitive].body))
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
        cond_primitive_corners(query, &(CondPrimitive){COND_PRIMITIVE_TRIANGLE, body, i}, corner);
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
    const CondPrimitive* p = &query->primitive[primitive];
    cond_primitive_name(query, p, &hit);
    hit.distance = at.gap;
    memcpy(hit.position, at.point, sizeof hit.position);
    memcpy(hit.normal, at.normal, sizeof hit.normal);
    if (p->kind == COND_PRIMITIVE_TRIANGLE && is_inside(query, p->body, x))
        hit.distance = -hit.distance;
    return hit;
}

static CondHit tell_plane(const CondQuery* query, const double x[3], int i)
{
    const CondPlane* plane = &query->model->plane[i];
    CondHit hit = cond_hit_nothing();
    hit.plane = i;
    hit.distance = vec3_dot(plane->frame, x) - plane->offset;
    memcpy(hit.normal, plane->frame, sizeof hit.normal);
    for (int k = 0; k < 3; k++)
        hit.position[k] = x[k] - hit.distance * hit.normal[k];
    return hit;
}

static CondStatus query_nearest_whole(CondQuery* query, const double point[3], double limit,
                                      const int* leave_out, CondHit* hit)
{
    CondWalk walk = {.query = query, .limit = limit, .leave_out = leave_out};
    CondStatus status = cond_query_check("point", point, "limit", limit);
    if (status)
        return status;
    memcpy(walk.ray.origin, point, sizeof walk.ray.origin);
    *hit = cond_hit_nothing();
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

CondStatus cond_query_nearest_sized(CondQuery* query, const double point[3], double limit,
                                    const int* leave_out, CondHit* hit, size_t size)
{
    COND_SIZED(CondStatus, CondHit, hit, size,
               query_nearest_whole(query, point, limit, leave_out, it));
}

// Counts a hit, and keeps it where there is place for it.
static void keep(CondHit* hit, size_t size, int capacity, const CondHit* one, int* n)
{
    if (++*n <= capacity)
        cond_struct_give((char*)hit + (size_t)(*n - 1) * size, size, one, sizeof *one);
}

CondStatus cond_query_within_sized(CondQuery* query, const double point[3], double radius,
                                   int capacity, CondHit* hit, int* n, size_t size)
{
    double box[6];
    *n = 0;
    CondStatus status = cond_query_check("point", point, "radius", isfinite(radius) ? radius : NAN);
    if (status)
        return status;
    for (int i = 0; i < query->model->n_plane; i++) {
        CondHit plane = tell_plane(query, point, i);
        if (plane.distance <= radius)
            keep(hit, size, capacity, &plane, n);
    }
    for (int k = 0; k < 3; k++) {
        box[k] = point[k] - radius;
        box[3 + k] = point[k] + radius;
    }
    status = cond_tree_query(&query->tree, box, &query->near);
    for (int i = 0; i < query->near.n && !status; i++) {
        int primitive = query->near.primitive[i];
        const CondPrimitive* p = &query->primitive[primitive];
        if (p->kind == COND_PRIMITIVE_TRIANGLE || (p->body >= 0 && query->off[p->body]))
            continue;
        CondHit one = tell(query, point, primitive);
        if (one.distance <= radius)
            keep(hit, size, capacity, &one, n);
    }
    for (int b = 0; b < query->model->n_body && !status; b++) { // a soft body hits once
        int best = -1;
        double least = INFINITY;
        int there = query->model->body[b].n_triangle > 0 && !query->off[b];
        for (int i = 0; there && i < query->near.n; i++) {
            int primitive = query->near.primitive[i];
            const CondPrimitive* p = &query->primitive[primitive];
            double gap = p->kind == COND_PRIMITIVE_TRIANGLE && p->body == b
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
