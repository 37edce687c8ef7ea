#include "collide/plane.h"

#include "base/memory.h"
#include "body/body.h"
#include "math/vec3.h"

#include <math.h>

static const double FRICTION_DEFAULT = 0.5; // where neither surface says

// Friction and restitution of a pair: what only one side gives is used; two frictions combine as
// the geometric mean, two restitutions as the larger.
static void combine(const CondSurfaceDef* a, const CondSurfaceDef* b, CondTouch* touch)
{
    for (int i = 0; i < 2; i++) {
        double x = a->friction[i], y = b->friction[i];
        touch->friction[i] = isnan(x) ? y : isnan(y) ? x : sqrt(x * y);
        if (isnan(touch->friction[i]))
            touch->friction[i] = FRICTION_DEFAULT;
    }
    touch->restitution = fmax(a->restitution, b->restitution); // fmax passes over NaN
    if (isnan(touch->restitution))
        touch->restitution = 0.0;
}

CondStatus cond_collide_planes(const CondModel* model, const CondState* state, const double* reach,
                               CondTouchList* list)
{
    list->n = 0;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        const double *x = state->position + 3 * b, *q = state->orientation + 4 * b;
        for (int i = 0; i < model->n_plane; i++) {
            const CondPlane* plane = &model->plane[i];
            if (vec3_dot(plane->frame, x) - plane->offset > body->radius + reach[b])
                continue;
            for (int k = 0; k < body->n_point; k++) {
                int point = body->point_begin + k;
                CondTouch touch = {.body = b, .plane = i, .point = point};
                double J[18];
                cond_body_ops(body->kind)
                    ->point(x, q, model->point + 3 * (size_t)point, touch.position, J);
                touch.gap = vec3_dot(plane->frame, touch.position) - plane->offset;
                if (!(touch.gap <= reach[b]))
                    continue;
                // Ascends with (body, plane, point), the order of these loops.
                touch.key = 1 + (uint64_t)k +
                            (uint64_t)model->n_point *
                                ((uint64_t)i + (uint64_t)model->n_plane * (uint64_t)b);
                combine(&plane->surface, &body->surface, &touch);
                if (cond_reserve(&list->context, &list->touch, &list->cap_touch, list->n + 1,
                                 sizeof touch))
                    return COND_OUT_OF_MEMORY;
                list->touch[list->n++] = touch;
            }
        }
    }
    return COND_OK;
}

double cond_collide_smallest_gap(const CondModel* model, const double* position,
                                 const double* orientation)
{
    double smallest = INFINITY;
    for (int b = 0; b < model->n_body; b++) {
        const CondBody* body = &model->body[b];
        for (int i = 0; i < model->n_plane; i++) {
            const CondPlane* plane = &model->plane[i];
            if (vec3_dot(plane->frame, position + 3 * b) - plane->offset - body->radius > smallest)
                continue;
            for (int k = 0; k < body->n_point; k++) {
                double world[3], J[18];
                cond_body_ops(body->kind)
                    ->point(position + 3 * b, orientation + 4 * b,
                            model->point + 3 * (size_t)(body->point_begin + k), world, J);
                smallest = fmin(smallest, vec3_dot(plane->frame, world) - plane->offset);
            }
        }
    }
    return smallest;
}
