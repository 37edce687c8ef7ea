// Numbers of the linear systems of soft bodies. A header of numbers alone: it includes nothing.
#ifndef COND_SOFT_TUNING_H
#define COND_SOFT_TUNING_H

// ---- conjugate gradients in two precisions

// [share] of the residual to which a round in single precision is solved; a round can do no more.
#define COND_SOFT_ROUND 1e-3
enum {
    COND_SOFT_SMALL = 256,  // [count] nodes below which a product lies in the first cache, so that
                            // packing does not pay, and whose matrix may be inverted where bodies
                            // that do not touch leave more than COND_SOFT_COARSEST
    COND_PACKED_BLOCK = 32, // [count] nodes of a part of the packed matrix and of its partial sums
};

// ---- the hierarchy of aggregates

// [1] groups of the coarse correction over the cube root of the number of nodes: the inverse of its
// matrix then takes no more than some products.
#define COND_SOFT_GROUPS 0.9
// [1] stiffness of the law over the node's own block, from which on the node is held.
#define COND_SOFT_HELD 10.0
// [share] of what contacts leave of a node's motions, or of the nodes: changes below it are left
// out of the matrices of the levels, which then stay.
#define COND_SOFT_CHANGED 0.1
// [1] times the largest eigenvalue that the powers find, which is below the true one.
#define COND_SOFT_EIGENVALUE 1.15
enum {
    COND_SOFT_POWERS = 7,        // [count] steps of the power method
    COND_SOFT_LEVELS_LEAST = 60, // [count] nodes below which levels gain nothing
    COND_SOFT_COARSEST = 16,     // [count] nodes at most of the level that is inverted
};

// ---- patches of contacts, whose friction follows the normal force

enum {
    COND_PATCH_FEWEST = 24, // [count] patches of a level: one that is most of a body's contacts
                            // slips too readily, because what a loose solve leaves of the body's
                            // motion adds up in it
};

#endif
