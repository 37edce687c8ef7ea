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

// Where a ray first meets a shape at a pose, no farther away than `limit`. A ray that begins inside
// meets it at once, with the normal of the nearest surface.
CondRayHit cond_ray_shape(const CondRay* ray, double limit, const CondShape* shape,
                          const double pose[7]);

// How far along the ray a triangle is, whichever side it shows; INFINITY: it is not hit.
double cond_ray_triangle(const CondRay* ray, const double a[3], const double b[3],
                         const double c[3]);

// The first primitive of a tree that a ray meets, by `measure`, which says how far away one is, and
// the lowest among equals; -1 where none is nearer than *distance, which then is left as it is.
int cond_ray_tree(const CondRay* ray, const CondTree* tree, CondTreeDistance measure, void* user,
                  double* distance);

#endif
