// Numbers of the collision detection beside those of geometry/tuning.h. A header of numbers alone:
// it includes nothing.
#ifndef COND_COLLIDE_TUNING_H
#define COND_COLLIDE_TUNING_H

// [1] friction where neither surface gives one; docs/collision.md.
#define COND_FRICTION_DEFAULT 0.5

// ---- which contacts are one, and which are real

// [share] of the smaller size: gaps and overlaps up to it are touching, or the violation of a step
// that does not count, and sine of the angle by which what touches may lean. Above the distance
// that a step with tolerance 1e-6 leaves.
#define COND_TOUCH 1e-5
// [share] of a depth by which two measures of it may differ.
#define COND_DEPTHS_AGREE 0.3
// [share] of a thickness or of an edge: motion beyond it in a step is swept, depths beyond it
// belong to other features, and a disc of a smaller radius is small, so that its middle stands for
// it.
#define COND_FAST 0.25
// [share] of two radii or of a thickness: beside each other by less, lines touch along both; slower
// edges are seen at the end of the step.
#define COND_LATERAL 0.01
// [1] sine^2 of the angle above which links of rods, which bend, touch in one point: 13 degrees.
#define COND_RODS_CROSSED 0.05
// [share] of a soft edge: a way out over a rigid edge that is longer must not be more than
// COND_WAY_LONGER times as long as that of a point in the middle behind it.
#define COND_EDGE_LONG 0.05
#define COND_WAY_LONGER 10.0 // [1] times that way; cloth hanging over a table's rim decides it
// [share] by which the cost of a way out grows where it leads through a face turned away.
#define COND_TURNED_COST 5.0
// [share] of its cost that the triangle of the last step counts, so that contacts stay on it; and
// of its depth, that the way out through an allowed face counts beside the nearest one.
#define COND_KEPT_COST 0.25

// ---- sweeps: conservative advancement

// ---- clearance (collide/clearance.h)

// [1] times the reach of a step within which it is looked for at most: at constant speed it then
// holds for 15 steps.
#define COND_CLEAR_WIDEST 32.0

// ---- work

enum {
    COND_MOST_CONTACTS = 8,  // [count] of a manifold: a square and the corners of another in it
    COND_THINNED = 32,       // [count] deep contacts that are kept of two meshes
    COND_CIRCLE_PARTS = 24,  // [count] of a rim, in which another rim crosses it at most once
    COND_SUBTREE_FEW = 16,   // [count] nodes of a subtree whose distance is not asked for
    COND_SUBTREE_ALIKE = 64, // [count] nodes of one that stand for each other far inside
    COND_PAIR_KEPT = 16,     // [count] searches without a pair after which its memory is dropped
    COND_TURN_BLOCK = 16,    // [count] groups of a volume that a thread takes at a time
};
// [1] times the work of a query in a new tree of bodies after which the tree is made anew.
#define COND_BROAD_WORN 1.5

#endif
