// Sphere: gap = |x| - radius.
#include "base/tuning.h"
#include "geometry/shape_ops.h"
#include "math/vec3.h"

static CondStatus sphere_check(const CondShape* shape, CondError* error)
{
    return cond_shape_check_length(shape->radius, "radius", error);
}

static double sphere_probe(const CondShape* shape, const double x[3], const double* last,
                           double normal[3])
{
    const double up[3] = {0.0, 0.0, 1.0};
    double length = vec3_norm(x);
    const double* from = x;
    if (!(length > COND_INPUT_ROUNDING * shape->radius)) {
        from = last ? last : up; // at the centre every direction is as good
        length = vec3_norm(from);
    }
    for (int i = 0; i < 3; i++)
        normal[i] = from[i] / length;
    return vec3_dot(normal, x) - shape->radius;
}

static double sphere_support(const CondShape* shape, const double d[3])
{
    (void)d;
    return shape->radius;
}

const CondShapeOps COND_SPHERE_OPS = {COND_FORM_SPHERE, sphere_check, sphere_probe, sphere_support};
