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
// [1] sine of the angle of edges whose cross product is no normal for a contact, because the
// nearest points of such edges are not well conditioned; and of two faces that count as one: 0.06
// degrees, a seventeenth of the angle between the facets of a cylinder of 360.
#define COND_EDGES_ALONG 1e-3
// [share] within which two depths, two directions or two places on a feature count as equal: a
// point this near to a corner or a rim belongs to the corner or the rim; of the size of meshes,
// contacts that are nearer to each other are one, and deeper ones are thinned; and by which boxes
// are moved farther than they overlap; of the distance within which things count as near, at most
// COND_SAFETY of that at the start of a sweep, at which they have met.
#define COND_NEARLY 1e-3

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
    COND_GOLDEN_STEPS = 40,  // [count] of golden sections: 4e-9 of an interval, the root of a
                             // double's precision, where a smooth maximum cannot be told better
    COND_MEAN_SECTIONS = 24, // [count] of golden sections for the best mean of two distances: a
                             // bound that need not be sharp
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
