// Cylinder about z: in (rho, z) a rectangle, so the distance is that of a box in the plane.
#include "geometry/shape_ops.h"
#include "math/vec3.h"

#include <math.h>
#include <stddef.h>

static CondStatus cylinder_check(const CondShape* shape, CondError* error)
{
    CondStatus status = cond_shape_check_length(shape->radius, "radius", error);
    if (!status)
        status = cond_shape_check_length(shape->half[2], "half[2]", error);
    return status;
}

static double cylinder_probe(const CondShape* shape, const double x[3], const double* last,
                             double normal[3])
{
    double u[3], half = shape->half[2];
    double rho = cond_shape_radial(x, shape->radius, last, u);
    double out = fmax(rho - shape->radius, 0.0);        // across the axis
    double over = x[2] - fmin(fmax(x[2], -half), half); // along the axis
    double length = hypot(out, over);
    if (length > 0.0) {
        for (int i = 0; i < 2; i++)
            normal[i] = out * u[i] / length;
        normal[2] = over / length;
        return length;
    }
    // Near this point the side is as good as the plane that touches it.
    const double plane[12] = {u[0], u[1], 0.0, shape->radius, 0.0,  0.0,
                              1.0,  half, 0.0, 0.0,           -1.0, half};
    const double* face = plane + 4 * cond_shape_nearest_plane(3, plane, x, last);
    for (int i = 0; i < 3; i++)
        normal[i] = face[i];
    return vec3_dot(face, x) - face[3];
}

static double cylinder_support(const CondShape* shape, const double d[3])
{
    return shape->radius * hypot(d[0], d[1]) + shape->half[2] * fabs(d[2]);
}

const CondShapeOps COND_CYLINDER_OPS = {COND_FORM_CYLINDER, cylinder_check, cylinder_probe,
                                        cylinder_support};
