// Capsule: gap = distance to the segment |z| <= half[2] less the radius.
#include "base/tuning.h"
#include "geometry/shape_ops.h"
#include "math/vec3.h"

#include <math.h>

static CondStatus capsule_check(const CondShape* shape, CondError* error)
{
    CondStatus status = cond_shape_check_length(shape->radius, "radius", error);
    if (status || shape->half[2] == 0.0) // a ball
        return status;
    return cond_shape_check_length(shape->half[2], "half[2]", error);
}

static double capsule_probe(const CondShape* shape, const double x[3], const double* last,
                            double normal[3])
{
    double z = fmin(fmax(x[2], -shape->half[2]), shape->half[2]);
    double d[3] = {x[0], x[1], x[2] - z};
    double length = vec3_norm(d);
    if (!(length > COND_INPUT_ROUNDING * shape->radius))
        return cond_shape_radial(d, shape->radius, last, normal) - shape->radius;
    for (int i = 0; i < 3; i++)
        normal[i] = d[i] / length;
    return length - shape->radius;
}

static double capsule_support(const CondShape* shape, const double d[3])
{
    return shape->radius + shape->half[2] * fabs(d[2]);
}

const CondShapeOps COND_CAPSULE_OPS = {COND_FORM_CAPSULE, capsule_check, capsule_probe,
                                       capsule_support};
