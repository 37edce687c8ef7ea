// Numbers of distances between shapes, used by geometry and collide.
#ifndef COND_GEOMETRY_TUNING_H
#define COND_GEOMETRY_TUNING_H

#include <float.h>

// ---- rounding errors of lengths, angles, areas

// Relative, and in radians: a few rounding errors of a double, the accuracy of searches for a
// normal.
#define COND_EXACT (4.0 * DBL_EPSILON)
// [share] of the size: GJK cannot determine the direction between cores that are nearer, because
// their distance is the root of a difference of squares (the root of a double's precision). It is
// also the tolerance of the depth of a curved patch: its cells are bounded by boxes, so that
// COND_INPUT_ROUNDING would need twenty times as many cells.
#define COND_TOUCHING 2e-8

// ---- which features count

// [1] sine of the largest angle by which a normal outside the cone of an edge or a corner is
// rotated onto it. It keeps the contact of an edge that lies on a face and crosses its rim, up to a
// tilt of 30 degrees.
#define COND_OVERHANG 0.5
// [1] sine of the largest angle by which a direction may point into or beside a surface: 6 degrees,
// more than a soft surface bends within an element; lines at a larger angle touch at one point.
#define COND_BESIDE 0.1
// [1] least cosine between a contact's normal and the normal of its face, and between an exit
// direction and those of the nearest faces: steeper faces, beyond 73 degrees, do not count.
#define COND_STEEP 0.3
// Cosine between an axis and a normal above which a segment or a cylinder stands on its end: that
// of 45 degrees.
#define COND_LYING 0.7071067811865476
// [share] The face of the last step is kept while it is deeper than the nearest one by at most this
// share, so that normals do not alternate between equally near faces.
#define COND_KEPT_DEEPER 0.1

// ---- searches

// [rad] from an approximate normal, within which the exact one is sought.
#define COND_NORMAL_NEAR 0.03
enum {
    COND_REFINE_LONG = 4, // [count] Newton steps for the normal of rounded rims that may be as long
                          // as COND_NORMAL_NEAR
    COND_MARCH_STEPS = 4000,   // [count] steps of ray marching, for a ray that narrowly misses a
                               // surface; a mesh of 2 cm at 10 m takes some hundred
    COND_MOST_CONVEX = 4096,   // [count] flat faces of a convex mesh up to which all are tested;
                               // beyond, the tree of a non-convex mesh is cheaper
    COND_DEPTH_CUTS = 90,      // [count] cuts of a cell in the search for a depth: 30 per direction
    COND_DEPTH_CELLS = 400000, // [count] cells after which the search returns the best result so
                               // far: seconds
    COND_SECTORS = 8, // [count] intervals of the search on a rim, an axis or a segment, and points
                      // that represent a rim
    COND_CLUSTER_BLOCK =
        8, // [count] primitives of a leaf of a tree in single precision: two vectors
};

#endif
