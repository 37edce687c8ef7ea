// The nearest points of two bodies.
#include "base/definition.h"
#include "base/error.h"
#include "collide/query.h"
#include "model/index.h"

#include "collide/closest.h"
#include "geometry/box.h"

#include <math.h>
#include <string.h>

// CondPrimitive i as a part of `body`; 0 where it is none. All triangles of a soft body are one
// part, told by the first.
static int part_of(const CondQuery* query, int body, int i, CondClosestPart* part)
{
    const CondPrimitive* p = &query->primitive[i];
    CondHit name;
    if (p->body != body || (body >= 0 && query->off[body]) ||
        (p->kind == COND_PRIMITIVE_TRIANGLE && p->index > 0))
        return 0;
    cond_primitive_name(query, p, &name);
    *part = (CondClosestPart){.part = name.part};
    memcpy(part->box, query->box + 6 * (size_t)i, sizeof part->box);
    if (p->kind != COND_PRIMITIVE_TRIANGLE) {
        part->shape = cond_primitive_shape(query, p);
        memcpy(part->pose, query->pose + 7 * (size_t)i, sizeof part->pose);
        return 1;
    }
    part->soft = &query->model->body[body];
    part->vertex = query->q + part->soft->q_begin;
    part->n_vertex = part->soft->fem->n_node;
    for (int k = 0; k < 3 * part->soft->n_triangle; k++)
        cond_box_stretch(part->box, part->vertex + 3 * (size_t)part->soft->triangle[k]);
    return 1;
}

// What of `other` is nearest to one part.
static CondStatus search_other(CondQuery* query, const CondClosestPart* part, int other,
                               CondClosest* closest)
{
    const CondModel* model = query->model;
    CondStatus status = COND_OK;
    for (int i = 0; i < query->n && !status; i++) {
        CondClosestPart second;
        double before = closest->distance;
        if (!part_of(query, other, i, &second))
            continue;
        status = cond_parts_closest(&query->pair, part, &second, closest);
        if (closest->distance < before) {
            closest->obstacle = i < model->n_obstacle ? i : -1;
            closest->plane = -1;
        }
    }
    for (int i = 0; other < 0 && i < model->n_plane && !status; i++) {
        double before = closest->distance;
        cond_part_closest_plane(part, &model->plane[i], closest);
        if (closest->distance < before) {
            closest->plane = i;
            closest->obstacle = -1;
        }
    }
    return status;
}

static CondStatus query_closest_whole(CondQuery* query, int body, int other, double limit,
                                      CondClosest* closest)
{
    const CondClosest nothing_near = {
        .distance = INFINITY, .part = {-1, -1}, .plane = -1, .obstacle = -1};
    CondStatus status = COND_OK;
    int n_body = query->model->n_body;
    *closest = nothing_near;
    if (cond_model_check_body(query->model, body))
        return COND_BAD_ARGUMENT;
    if (other < COND_STATIC_BODY || other >= n_body || other == body)
        return cond_error_set(NULL, COND_BAD_ARGUMENT,
                              "other is %d: expected a body beside body %d, or COND_STATIC_BODY",
                              other, body);
    if (!(limit >= 0.0))
        return cond_error_set(NULL, COND_BAD_ARGUMENT, "limit is %g, expected a number from 0 on",
                              limit);
    closest->distance = nextafter(limit, INFINITY);
    for (int i = 0; i < query->n && !status; i++) {
        CondClosestPart part;
        if (part_of(query, body, i, &part))
            status = search_other(query, &part, other, closest);
    }
    if (status || closest->part[0] < 0)
        *closest = nothing_near;
    return status;
}

CondStatus cond_query_closest_sized(CondQuery* query, int body, int other, double limit,
                                    CondClosest* closest, size_t size)
{
    COND_SIZED(CondStatus, CondClosest, closest, size,
               query_closest_whole(query, body, other, limit, it));
}
