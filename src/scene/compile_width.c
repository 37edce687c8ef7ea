// How thick things are: the least extent of a body or an obstacle along any of thirteen directions,
// which says how far it may be pressed into another before it passes through. Points and
// flat surfaces have no thickness of their own: theirs is infinite, so that the other one's counts.
#include "base/tuning.h"
#include "geometry/mesh_surface.h"
#include "math/vec3.h"
#include "model/fem.h"
#include "model/rod.h"
#include "scene/compile.h"

#include <math.h>

// Least extent of points along the three axes, the six face diagonals and the four long ones;
// infinity where it is 0 but for rounding: the points lie in a plane.
static double least_extent(int n, const double* x)
{
    double least = INFINITY, most = 0.0;
    for (int k = 1; k <= 13; k++) {
        // The digits of k in base 3, less one: one of each pair of opposite directions.
        int code = 13 + k;
        const double d[3] = {code / 9 - 1.0, code / 3 % 3 - 1.0, code % 3 - 1.0};
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < n; i++) {
            double at = vec3_dot(d, x + 3 * (size_t)i);
            low = fmin(low, at);
            high = fmax(high, at);
        }
        least = fmin(least, (high - low) / vec3_norm(d));
        most = fmax(most, (high - low) / vec3_norm(d));
    }
    return least > COND_INPUT_ROUNDING * most ? least : INFINITY;
}

static double shape_width(const CondShape* shape)
{
    const double* half = shape->half;
    double width = INFINITY;
    switch (shape->form) {
    case COND_FORM_SPHERE:
    case COND_FORM_CAPSULE:
        width = 2.0 * shape->radius;
        break;
    case COND_FORM_BOX:
        width = 2.0 * fmin(half[0], fmin(half[1], half[2]));
        break;
    case COND_FORM_CYLINDER:
        width = 2.0 * fmin(shape->radius, half[2]);
        break;
    case COND_FORM_CONVEX:
    case COND_FORM_MESH:
        width = least_extent(shape->mesh_surface->n_vertex, shape->mesh_surface->vertex);
        break;
    case COND_FORM_PLANE:
        break;
    }
    return width + 2.0 * shape->margin;
}

void cond_compile_widths(CondModel* model)
{
    for (int i = 0; i < model->n_obstacle; i++)
        model->obstacle[i].width = shape_width(&model->obstacle[i].shape);
    for (int b = 0; b < model->n_body; b++) {
        CondBody* body = &model->body[b];
        body->width = INFINITY;
        if (body->kind == COND_BODY_SOFT)
            body->width = least_extent(body->fem->n_node, body->start) + 2.0 * body->thickness;
        if (body->kind == COND_BODY_ROD && body->rod->radius > 0.0)
            body->width = 2.0 * body->rod->radius;
        if (body->kind == COND_BODY_RIGID && body->n_feature > 1 && body->radius > 0.0)
            body->width = 2.0 * body->radius; // of points; what has a shape follows
    }
    for (int i = 0; i < model->n_solid; i++) {
        CondSolid* solid = &model->solid[i];
        solid->width = shape_width(&solid->shape);
        model->body[solid->body].width = fmin(model->body[solid->body].width, solid->width);
    }
}
