// The core of a convex shape: the shape without its rounding radius. A sphere is a point with a
// radius, a capsule a segment with a radius; a margin adds a radius to any core. The distance of
// two shapes is that of their cores less both radii, also if the shapes overlap and the cores do
// not.
#ifndef COND_GEOMETRY_CORE_H
#define COND_GEOMETRY_CORE_H

#include "geometry/shape.h"
#include "math/vec3.h"

typedef struct CondCore {
    CondShapeForm form; // sphere: a point; capsule: a segment; else that form
    double R[9];        // world = R core + p
    double p[3];        // [m]
    double half[3];     // of the box; half[2]: of segment and cylinder [m]
    double disc;        // radius of the cylinder [m]
    double round;       // radius around the core [m]
    double size;        // a length like its diameter [m]
    const struct CondMeshSurface* mesh_surface;
} CondCore;

// The core of a shape at a pose, relative to `origin`. The shape is convex and not a plane.
void cond_core_make(const CondShape* shape, const double pose[7], const double origin[3],
                    CondCore* core);

// The segment from p to q, which are not the same point.
void cond_core_between(const double p[3], const double q[3], CondCore* line);

// The point of the core farthest along d, which need not be a unit vector. Of several such points,
// the one with the lowest index, or farthest along the positive axes; with `flip` along the
// negative axes.
void cond_core_support(const CondCore* core, const double d[3], int flip, double x[3]);

// x = the point of A - B with the smallest n . x; returns n . x, how far A lies in front of B along
// n. The largest value over all unit vectors n is the distance of the cores, or minus the length of
// the shortest translation that separates them.
double cond_cores_apart(const CondCore* a, const CondCore* b, const double n[3], double x[3]);

// The axis k of a core in the world: column k of R.
static inline void cond_core_axis(const CondCore* core, int k, double axis[3])
{
    for (int i = 0; i < 3; i++)
        axis[i] = core->R[3 * i + k];
}

// x = R local + p
static inline void cond_core_place(const CondCore* core, const double local[3], double x[3])
{
    mat3_multiply(core->R, local, x);
    for (int i = 0; i < 3; i++)
        x[i] += core->p[i];
}

// local = R' (x - p)
static inline void cond_core_local(const CondCore* core, const double x[3], double local[3])
{
    const double d[3] = {x[0] - core->p[0], x[1] - core->p[1], x[2] - core->p[2]};
    mat3_multiply_transposed(core->R, d, local);
}

#endif
