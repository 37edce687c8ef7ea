// Rays against shapes, triangles and trees of boxes.
#ifndef COND_GEOMETRY_RAY_H
#define COND_GEOMETRY_RAY_H

#include "geometry/shape.h"
#include "geometry/tree.h"

typedef struct CondRay {
    double origin[3];    // [m]
    double direction[3]; // unit
} CondRay;

typedef struct CondRayHit {
    double distance;  // along the ray [m]; INFINITY: none
    double normal[3]; // of the surface there, outward
} CondRayHit;

// The first intersection of a ray with a shape at a pose, within `limit`. A ray that begins inside
// hits the shape at distance 0, with the normal of the nearest surface.
CondRayHit cond_ray_shape(const CondRay* ray, double limit, const CondShape* shape,
                          const double pose[7]);

// The distance along the ray to a triangle, from either side; INFINITY: it is not hit.
double cond_ray_triangle(const CondRay* ray, const double a[3], const double b[3],
                         const double c[3]);

// The primitive of a tree with the smallest distance along a ray, as `measure` returns it; among
// equals the lowest index. -1, with *distance unchanged, if none is nearer than *distance.
int cond_ray_tree(const CondRay* ray, const CondTree* tree, CondTreeDistance measure, void* user,
                  double* distance);

#endif
