// Numbers of distances between shapes, used by geometry and collide.
#ifndef COND_GEOMETRY_TUNING_H
#define COND_GEOMETRY_TUNING_H

#include <float.h>

// ---- what rounding leaves of a length, an angle, an area

// Relative, and in radians: a few roundings of a double, as near as searches for a normal come.
#define COND_EXACT (4.0 * DBL_EPSILON)
// [share] of the size: GJK cannot tell the direction between cores that are nearer, because their
// distance is the root of a difference of squares (the root of a double's precision). The same may
// be left to gain on a curved patch when its depth is taken: cells of patches are boxes around
// them, so that COND_INPUT_ROUNDING would take twenty times the cells.
#define COND_TOUCHING 2e-8

// ---- which features count

// [1] sine by which a normal may miss the cone of an edge or a corner, and be turned onto it: an
// edge that lies on a face crosses its rim with none, tilting by 30 degrees keeps the contact.
#define COND_OVERHANG 0.5
// [1] sine by which a direction may lead into or beside a surface: 6 degrees, more than a soft
// surface bends within an element; lines at a greater angle touch in one point.
#define COND_BESIDE 0.1
// [1] least cosine between a contact's normal and the face it is on, and between a way out and the
// faces nearest to it: steeper faces, beyond 73 degrees, do not count.
#define COND_STEEP 0.3
// Cosine between an axis and a normal above which a segment or a cylinder stands on its end: that
// of 45 degrees.
#define COND_LYING 0.7071067811865476
// [share] by which the face of the last step may be deeper than the nearest one and is kept, so
// that normals do not alternate between faces that are equally near.
#define COND_KEPT_DEEPER 0.1

// ---- searches

// [rad] from a normal that is nearly known, within which the exact one is sought.
#define COND_NORMAL_NEAR 0.03
enum {
    COND_REFINE_LONG = 4, // [count] of Newton steps for the normal of rounded rims that may be as
                          // long as COND_NORMAL_NEAR
    COND_MARCH_STEPS = 4000, // [count] by the distance itself along a ray that a surface just
                             // misses; a mesh of 2 cm at 10 m takes some hundred
    COND_MOST_CONVEX = 4096, // [count] flat faces up to which all of a convex mesh are looked at;
                             // beyond, the tree of a hollow mesh costs less
    COND_DEPTH_LEVELS = 90, // [count] of cuts of a cell in the search for a depth: 30 per direction
    COND_DEPTH_CELLS = 400000, // [count] after which the search ends with the best it has: seconds
    COND_SECTORS = 8, // [count] parts that a rim, an axis or a segment is searched in, and points
                      // that stand for a rim
    COND_CLUSTER_BLOCK =
        8, // [count] primitives of a leaf of a tree in single precision: two vectors
};

#endif
