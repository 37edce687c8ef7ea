// Numbers of the collision detection beside those of geometry/tuning.h. A header of numbers alone:
// it includes nothing.
#ifndef COND_COLLIDE_TUNING_H
#define COND_COLLIDE_TUNING_H

// [1] friction where neither surface gives one; docs/collision.md.
#define COND_FRICTION_DEFAULT 0.5

// ---- which contacts are one, and which are real

// [share] of the smaller size: gaps and overlaps up to it are touching, and sine of the angle by
// which what touches may lean. Above the distance that a step with tolerance 1e-6 leaves.
#define COND_TOUCH 1e-5
// [share] of the size: contacts of meshes are thinned where they are deeper, and are one where they
// are nearer than that.
#define COND_DEEP 1e-3
// [1] cosine below which two normals are different ones, or a point is not over a triangle: 26
// degrees.
#define COND_TURNED 0.9
// [share] of a depth by which two measures of it may differ.
#define COND_DEPTHS_AGREE 0.3
// [1] cosine between the ways out of two contacts that stand for the same depth: 60 degrees.
#define COND_WAYS_AGREE 0.5
// [share] of a thickness or of an edge: motion beyond it in a step is swept, and depths beyond it
// belong to other features.
#define COND_FAST 0.25
// [share] of two radii or of a thickness: beside each other by less, lines touch along both; slower
// edges are seen at the end of the step.
#define COND_LATERAL 0.01
// [1] sine of the angle of two lines above which they touch in one point.
#define COND_CROSSED 0.1
// [1] sine^2 of the same for links of rods, which bend: 13 degrees.
#define COND_RODS_CROSSED 0.05
// [1] times the depth through the nearest face that the way out through an allowed face may be.
#define COND_FARTHER 4.0
// [share] of a soft edge: a way out over a rigid edge that is longer must not be more than
// COND_WAY_LONGER times as long as that of a point in the middle behind it.
#define COND_EDGE_LONG 0.05
#define COND_WAY_LONGER 10.0 // [1] times that way; cloth hanging over a table's rim decides it
// [share] of the shortest edge of a triangle: radius of a disc that is small beside it, so that
// its middle stands for it.
#define COND_SMALL_DISC 0.25
// [share] by which the cost of a way out grows where it leads through a face turned away.
#define COND_TURNED_COST 5.0
// [share] of its cost that the triangle of the last step counts, so that contacts stay on it.
#define COND_KEPT_COST 0.25

// ---- sweeps: conservative advancement

// [share] of the distance at the start within which things that are near count as apart.
#define COND_SWEEP_NEAR 0.9
// [share] of that distance at which they have met,
#define COND_SWEEP_MET 1e-3
// [share] and the same of a thickness, where it is larger.
#define COND_SWEEP_MET_THIN 1e-6
// [1] times these two within which the contact is then made.
#define COND_SWEEP_SEEN 20.0

// ---- clearance (collide/clearance.h)

// [1] times the reach of a step within which it is looked for at most: at constant speed it then
// holds for 15 steps.
#define COND_CLEAR_WIDEST 32.0

// ---- sweeps
enum {
    COND_SWEEP_STEPS = 64, // [count] of advancement; a ball that just misses a plane takes 40

    // ---- work

    COND_MOST_CONTACTS = 8,  // [count] of a manifold: a square and the corners of another in it
    COND_THINNED = 32,       // [count] deep contacts that are kept of two meshes
    COND_CIRCLE_PARTS = 24,  // [count] of a rim, in which another rim crosses it at most once
    COND_SUBTREE_FEW = 16,   // [count] nodes of a subtree whose distance is not asked for
    COND_SUBTREE_ALIKE = 64, // [count] nodes of one that stand for each other far inside
    COND_PAIR_KEPT = 16,     // [count] searches without a pair after which its memory is dropped
    COND_TURN = 16,          // [count] groups of a volume that a thread takes at a time
};
// [1] times the work of a query in a new tree of bodies after which the tree is made anew.
#define COND_BROAD_WORN 1.5

#endif
