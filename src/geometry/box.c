// Box: outside the distance to the nearest point of the solid, inside to the nearest face.
#include "geometry/shape_ops.h"
#include "math/vec3.h"

#include <math.h>

static CondStatus box_check(const CondShape* shape, CondError* error)
{
    static const char* const NAME[3] = {"half[0]", "half[1]", "half[2]"};
    CondStatus status = COND_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = cond_shape_check_length(shape->half[i], NAME[i], error);
    return status;
}

static double box_probe(const CondShape* shape, const double x[3], const double* last,
                        double normal[3])
{
    const double* half = shape->half;
    double d[3]; // x less the nearest point of the solid
    for (int i = 0; i < 3; i++)
        d[i] = x[i] - fmin(fmax(x[i], -half[i]), half[i]);
    double length = vec3_norm(d);
    if (length > 0.0) {
        for (int i = 0; i < 3; i++)
            normal[i] = d[i] / length;
        return length;
    }
    const double plane[24] = {1.0, 0.0, 0.0, half[0], -1.0, 0.0,  0.0,  half[0],
                              0.0, 1.0, 0.0, half[1], 0.0,  -1.0, 0.0,  half[1],
                              0.0, 0.0, 1.0, half[2], 0.0,  0.0,  -1.0, half[2]};
    const double* face = plane + 4 * cond_shape_nearest_plane(6, plane, x, last);
    for (int i = 0; i < 3; i++)
        normal[i] = face[i];
    return vec3_dot(face, x) - face[3];
}

static double box_support(const CondShape* shape, const double d[3])
{
    return shape->half[0] * fabs(d[0]) + shape->half[1] * fabs(d[1]) + shape->half[2] * fabs(d[2]);
}

const CondShapeOps COND_BOX_OPS = {COND_FORM_BOX, box_check, box_probe, box_support};
