// Triangles of the surfaces of shapes, for drawing.
#ifndef COND_RECORD_TESSELLATE_H
#define COND_RECORD_TESSELLATE_H

#include "base/arena.h"
#include "geometry/shape.h"

enum { COND_MOST_AROUND = 1 << 6 }; // corners of a circle at most

typedef struct CondTessellation {
    CondArena arena;
    int around; // corners of a circle, a multiple of 4; 0: 24
    int n_point, n_triangle;
    double* point; // axes of the shape [m]                    (n_point x 3)
    int* triangle; // counter-clockwise seen from outside      (n_triangle x 3)
    int* colour;   // 0xrrggbb or COND_COLOUR_NONE; NULL: none (n_triangle)
} CondTessellation;

// Replaces the contents of the tessellation by the surface of a shape. Round shapes become
// polyhedra with vertices on the surface; a margin enlarges a shape, and its edges stay sharp. A
// plane is the square |x|, |y| <= half[0].
CondStatus cond_tessellate_shape(const CondShape* shape, CondTessellation* out);

// The same for the convex hull of points (n x 3). Coplanar points give both sides of a polygon.
// More than a few hundred points, and points on a line, give no triangles.
CondStatus cond_tessellate_hull(int n, const double* point, CondTessellation* out);

void cond_tessellation_destroy(CondTessellation* tessellation);

#endif
