// Numbers of the collision detection beside those of geometry/tuning.h. A header of numbers alone:
// it includes nothing.
#ifndef COND_COLLIDE_TUNING_H
#define COND_COLLIDE_TUNING_H

// [1] friction where neither surface gives one; docs/collision.md.
#define COND_FRICTION_DEFAULT 0.5

// ---- which contacts are one, and which are real

// [share] of the smaller size: gaps and overlaps up to it count as touching, and violations at the
// end of a step up to it are ignored; also the sine of the largest angle between touching faces. It
// exceeds the error of a step with tolerance 1e-6.
#define COND_TOUCH 1e-5
// [share] of a depth by which two values of it may differ.
#define COND_DEPTHS_AGREE 0.3
// [share] of a thickness or of an edge: a longer motion in a step is swept, a larger depth belongs
// to other features, and a disc of smaller radius is represented by its centre.
#define COND_FAST 0.25
// [share] of two radii or of a thickness: lines with a smaller lateral offset touch along their
// length; edges with a shorter motion are detected at the end of the step.
#define COND_LATERAL 0.01
// [1] sine^2 of the angle above which links of rods, which bend, touch at one point: 13 degrees.
#define COND_RODS_CROSSED 0.05
// [share] of a soft edge, by which an exit over a rigid edge may exceed COND_WAY_LONGER times the
// exit, through the nearer face, of a point in the middle behind the edge.
#define COND_EDGE_LONG 0.05
#define COND_WAY_LONGER 10.0 // [1] that factor; chosen for cloth over a table's edge
// [share] by which the cost of an exit increases if it leads through a face turned away.
#define COND_TURNED_COST 5.0
// [share] factor of the cost of the triangle of the last step, so that contacts stay on it; also
// the factor of the depth of an exit through an allowed face, compared with the nearest one.
#define COND_KEPT_COST 0.25

// ---- sweeps: conservative advancement

// ---- clearance (collide/clearance.h)

// [1] the largest search distance over the reach of a step: at constant speed the clearance then
// holds for 15 steps.
#define COND_CLEAR_WIDEST 32.0

// ---- work

enum {
    COND_MOST_CONTACTS = 8,  // [count] contacts of a manifold: a square and the corners of another
                             // in it
    COND_THINNED = 32,       // [count] deep contacts that are kept of two meshes
    COND_CIRCLE_PARTS = 24,  // [count] parts of a rim; another rim crosses each at most once
    COND_SUBTREE_FEW = 16,   // [count] nodes of a subtree that is searched without a test of its
                             // distance
    COND_SUBTREE_ALIKE = 64, // [count] nodes of a subtree far inside that one node represents
    COND_PAIR_KEPT = 16,     // [count] searches without a pair after which its memory is dropped
    COND_TURN_BLOCK = 16,    // [count] groups of a volume that a thread takes at a time
};
// [1] times the work of a query in a new tree of bodies, above which the tree is rebuilt.
#define COND_BROAD_WORN 1.5

#endif
