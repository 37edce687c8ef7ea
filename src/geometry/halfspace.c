// Plane as a shape: the half-space z <= 0, gap = z.
#include "base/tuning.h"
#include "geometry/shape_ops.h"

#include <math.h>
#include <string.h>

static CondStatus plane_check(const CondShape* shape, CondError* error)
{
    (void)shape;
    (void)error;
    return COND_OK;
}

static double plane_probe(const CondShape* shape, const double x[3], const double* last,
                          double normal[3])
{
    (void)shape;
    (void)last;
    normal[0] = normal[1] = 0.0;
    normal[2] = 1.0;
    return x[2];
}

// Bounded in one direction only; a turn that is off by rounding still counts as that direction.
static double plane_support(const CondShape* shape, const double d[3])
{
    (void)shape;
    return d[2] > 0.0 && hypot(d[0], d[1]) < COND_ROUNDING ? 0.0 : INFINITY;
}

const CondShapeOps COND_PLANE_OPS = {COND_FORM_PLANE, plane_check, plane_probe, plane_support};
