// The functions of every form of a shape, in its own axes and without margin.
#ifndef COND_GEOMETRY_SHAPE_OPS_H
#define COND_GEOMETRY_SHAPE_OPS_H

#include "geometry/shape.h"

typedef struct CondShapeOps {
    CondShapeForm form;
    CondStatus (*check)(const CondShape* shape, CondError* error);
    // Signed distance and normal; `last` is the last normal or NULL.
    double (*probe)(const CondShape* shape, const double x[3], const double* last,
                    double normal[3]);
    // max over the shape of d . x, for a unit vector d.
    double (*support)(const CondShape* shape, const double d[3]);
} CondShapeOps;

extern const CondShapeOps COND_PLANE_OPS, COND_SPHERE_OPS, COND_CAPSULE_OPS, COND_BOX_OPS,
    COND_CYLINDER_OPS, COND_CONVEX_OPS, COND_MESH_OPS;

// Support function of a triangle surface.
double cond_mesh_surface_support(const CondShape* shape, const double d[3]);

// COND_BAD_ARGUMENT unless `value` is positive and finite.
CondStatus cond_shape_check_length(double value, const char* name, CondError* error);

// The plane (normal, offset; n x 4) with the largest n . x - offset; with a last normal, the plane
// most along it among those at most a tenth deeper than that. Ties go to the lower index.
int cond_shape_nearest_plane(int n, const double* plane, const double x[3], const double* last);

// u = the direction of the component of d normal to the z axis; for d on the axis, that of `last`,
// else x. Returns the length of that component. `size` scales the tolerance.
double cond_shape_radial(const double d[3], double size, const double* last, double u[3]);

#endif
