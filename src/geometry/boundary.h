// The boundary of a body at a pose, for the depth of a point in the body: the distance of the point
// to the nearest element of the boundary. An element (`part`) is a plane or the round side of a
// convex body, or a triangle of any closed surface.
#ifndef COND_GEOMETRY_BOUNDARY_H
#define COND_GEOMETRY_BOUNDARY_H

#include "geometry/core.h"
#include "geometry/tree.h"

typedef struct CondBoundary {
    CondArena arena;
    int n_vertex, n_triangle;
    int n_plane;    // of a convex body
    int side;       // 1: the side of a cylinder is a further element, after the planes
    int hollow;     // 1: the elements are the triangles
    double box[6];  // around the body
    double size;    // diagonal of that box [m]
    double* vertex; // [m]                                             (n_vertex x 3)
    int* triangle;  // counter-clockwise seen from outside             (n_triangle x 3)
    double* normal; // of the triangles, unit                          (n_triangle x 3)
    double* plane;  // unit outward normal, offset [m]                 (n_plane x 4)
    int* fan_begin; // triangles around a vertex                       (n_vertex + 1)
    int* fan;       //                                                 (3 n_triangle)
    double* box_of; // of the triangles                                (n_triangle x 6)
    CondTree tree;  // of the triangles
    CondCore core;  // of a cylinder
} CondBoundary;

void cond_boundary_begin(const CondContext* context, CondBoundary* boundary);
void cond_boundary_end(CondBoundary* boundary);

// Takes the core of a shape, without its rounding. The core of a point or a segment has no
// interior.
CondStatus cond_boundary_take_core(CondBoundary* boundary, const CondCore* core);
// Takes a closed surface.                                vertex (n_vertex x 3), triangle (.. x 3)
CondStatus cond_boundary_take_surface(CondBoundary* boundary, int n_vertex, const double* vertex,
                                      int n_triangle, const int* triangle, const double origin[3]);

// Signed distance of x to the nearest element, positive inside; *part is that element. Outside a
// convex body it is the distance to the plane that x is farthest in front of, which is less than
// the distance to the body. `hint` is an element that may be near, or -1.
double cond_boundary_depth(const CondBoundary* boundary, const double x[3], int hint, int* part);

// The signed distance of x to one element, and its gradient.
double cond_boundary_part(const CondBoundary* boundary, int part, const double x[3],
                          double gradient[3]);

// Distance of x from edge k of a triangle, in its plane: positive on the side of the triangle.
double cond_boundary_wall(const CondBoundary* boundary, int triangle, int k, const double x[3],
                          double inward[3]);

#endif
