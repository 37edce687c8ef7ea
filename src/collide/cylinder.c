// Cylinder about z: in (rho, z) a rectangle, so the distance is that of a box in the plane.
#include "base/error.h"
#include "collide/shape_ops.h"
#include "math/vec3.h"

#include <math.h>
#include <stddef.h>

static CondStatus cylinder_check(const CondShape* shape, CondError* error)
{
    CondStatus status = cond_shape_check_length(shape->radius, "radius", error);
    if (!status)
        status = cond_shape_check_length(shape->half[2], "half[2]", error);
    if (!status && (shape->n_rim < 3 || shape->n_rim > 4096))
        status = cond_error_set(error, COND_BAD_ARGUMENT, "n_rim must be 3 .. 4096, not %d",
                                shape->n_rim);
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

static int cylinder_point_count(const CondShape* shape)
{
    return 2 * (shape->n_rim + 1);
}

// Even i: upper rim, odd i: lower rim; 0 and 1 are the deepest points of the rims.
static void cylinder_plane_point(const CondShape* shape, const double n[3], int i, double x[3])
{
    const double pi = 3.14159265358979323846;
    double u[3];
    if (i < 2) {
        const double down[3] = {-n[0], -n[1], 0.0};
        cond_shape_radial(down, 1.0, NULL, u);
    } else {
        double angle = 2.0 * pi * (double)(i / 2 - 1) / (double)shape->n_rim;
        u[0] = cos(angle);
        u[1] = sin(angle);
    }
    x[0] = shape->radius * u[0];
    x[1] = shape->radius * u[1];
    x[2] = i % 2 == 0 ? shape->half[2] : -shape->half[2];
}

const CondShapeOps COND_CYLINDER_OPS = {COND_FORM_CYLINDER,   cylinder_check,
                                        cylinder_probe,       cylinder_support,
                                        cylinder_point_count, cylinder_plane_point};
