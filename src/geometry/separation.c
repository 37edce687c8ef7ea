// How far two convex cores are apart, and along which normal; negative where they overlap.
#include "geometry/separation.h"
#include "base/tuning.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Boxes, segments and points are boxes with three, one and no edges.
static int is_box(const CondCore* core)
{
    return core->form == COND_FORM_BOX || core->form == COND_FORM_CAPSULE ||
           core->form == COND_FORM_SPHERE;
}

static int is_point(const CondCore* core)
{
    return core->form == COND_FORM_SPHERE;
}

// Half the width of a box along a unit vector.
static double box_width(const CondCore* box, const double n[3])
{
    double width = 0.0, axis[3];
    for (int k = 0; k < 3; k++) {
        cond_core_axis(box, k, axis);
        width += box->half[k] * fabs(vec3_dot(axis, n));
    }
    return width;
}

// Tries n, of any length and sign, as the normal from b to a.
static void try_axis(const CondCore* a, const CondCore* b, const double n[3], double least,
                     double lead, double best[3], double* most)
{
    double length = vec3_norm(n), along = 0.0, unit[3];
    if (!(length > least))
        return;
    for (int i = 0; i < 3; i++) {
        unit[i] = n[i] / length;
        along += unit[i] * (a->p[i] - b->p[i]);
    }
    double apart = fabs(along) - box_width(a, unit) - box_width(b, unit);
    if (!(apart > *most + lead))
        return;
    *most = apart;
    for (int i = 0; i < 3; i++)
        best[i] = along < 0.0 ? -unit[i] : unit[i];
}

// The separating axis theorem: the normal of two boxes that overlap is that of a face or of two
// edges. Edges that run nearly along each other make a normal of a face over again, less exactly.
static void box_normal(const CondCore* a, const CondCore* b, double n[3])
{
    double most = -INFINITY, lead = COND_INPUT_ROUNDING * fmin(a->size, b->size), u[3], v[3], w[3];
    for (int k = 0; k < 6; k++) {
        cond_core_axis(k < 3 ? a : b, k % 3, u);
        try_axis(a, b, u, 0.5, k ? lead : 0.0, n, &most);
    }
    for (int k = 0; k < 9; k++) {
        if (!(a->half[k / 3] > 0.0) || !(b->half[k % 3] > 0.0))
            continue;
        cond_core_axis(a, k / 3, u);
        cond_core_axis(b, k % 3, v);
        vec3_cross(u, v, w);
        try_axis(a, b, w, COND_SINGLE_PRECISION, lead, n, &most);
    }
}

// A point against a core: the signed distance of the point.
static double point_normal(const CondCore* point, const CondCore* core, double n[3])
{
    const double unit[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    CondShape shape = {
        .form = core->form, .radius = core->disc, .mesh_surface = core->mesh_surface};
    double x[3];
    CondProbe probe;
    memcpy(shape.half, core->half, sizeof shape.half);
    if (shape.form == COND_FORM_CAPSULE || shape.form == COND_FORM_SPHERE)
        shape.radius = 0.0;
    if (shape.form == COND_FORM_MESH)
        shape.form = COND_FORM_CONVEX;
    cond_core_local(core, point->p, x);
    cond_shape_probe(&shape, unit, x, &probe);
    mat3_multiply(core->R, probe.normal, n);
    return probe.gap;
}

// A segment beside a cylinder: the point of it that is nearest to the axis, where that is outside
// and between the caps. No other point is nearer to the solid, because the endless cylinder is
// nearer than the solid to all of them. 1 and n from the cylinder to the segment where that is so.
static int side_normal(const CondCore* segment, const CondCore* cylinder, double n[3])
{
    const double up[3] = {0.0, 0.0, 1.0};
    double axis[3], x[3], d[3], along[3], radial[3] = {0.0, 0.0, 0.0};
    mat3_multiply(segment->R, up, along);
    mat3_multiply_transposed(cylinder->R, along, d);
    cond_core_local(cylinder, segment->p, x);
    double across = d[0] * d[0] + d[1] * d[1], half = segment->half[2];
    if (!(across > COND_SINGLE_PRECISION))
        return 0;
    double t = -(x[0] * d[0] + x[1] * d[1]) / across;
    t = t < -half ? -half : t > half ? half : t;
    for (int i = 0; i < 3; i++)
        axis[i] = x[i] + t * d[i];
    double rho = sqrt(axis[0] * axis[0] + axis[1] * axis[1]);
    if (!(fabs(axis[2]) <= cylinder->half[2]) ||
        !(rho - cylinder->disc > COND_SINGLE_PRECISION * cylinder->size))
        return 0;
    radial[0] = axis[0] / rho;
    radial[1] = axis[1] / rho;
    mat3_multiply(cylinder->R, radial, n);
    return 1;
}

static int is_side(const CondCore* a, const CondCore* b, double n[3])
{
    if (a->form == COND_FORM_CAPSULE && b->form == COND_FORM_CYLINDER)
        return side_normal(a, b, n);
    if (a->form != COND_FORM_CYLINDER || b->form != COND_FORM_CAPSULE || !side_normal(b, a, n))
        return 0;
    for (int i = 0; i < 3; i++)
        n[i] = -n[i];
    return 1;
}

int cond_cores_separate(const CondCore* a, const CondCore* b, double far, CondSeparation* out)
{
    double *n = out->normal, x[3], round = a->round + b->round;
    if (is_point(a) || is_point(b)) {
        out->apart = (is_point(a) ? point_normal(a, b, n) : point_normal(b, a, n)) - round;
        for (int i = 0; i < 3 && !is_point(a); i++)
            n[i] = -n[i];
        return out->apart <= far;
    }
    if (is_side(a, b, n)) {
        out->apart = cond_cores_apart(a, b, n, x) - round;
        return out->apart <= far;
    }
    int found = cond_cores_distance(a, b, far + round, n);
    if (found == 0) {
        out->apart = INFINITY;
        return 0;
    }
    if (found < 0 && is_box(a) && is_box(b))
        box_normal(a, b, n);
    else if (found < 0)
        cond_cores_expand(a, b, n);
    cond_cores_refine(a, b, n);
    out->apart = cond_cores_apart(a, b, n, x) - round;
    return out->apart <= far;
}
