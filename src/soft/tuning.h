// Numbers of the linear systems of soft bodies. A header of numbers alone: it includes nothing.
#ifndef COND_SOFT_TUNING_H
#define COND_SOFT_TUNING_H

// ---- conjugate gradients in two precisions

// [share] of the residual to which a round in single precision is solved, the most that it can
// reach.
#define COND_SOFT_ROUND 1e-3
enum {
    COND_SOFT_SMALL = 256,  // [count] nodes below which a product fits in the first cache, so that
                            // packing does not pay; also the largest level that may be inverted if
                            // bodies without contact leave more nodes than COND_SOFT_COARSEST
    COND_PACKED_BLOCK = 32, // [count] nodes of a part of the packed matrix, which has one partial
                            // sum
};

// ---- the hierarchy of aggregates

// [1] groups of the coarse correction over the cube root of the number of nodes: the inverse of its
// matrix then costs no more than a few products.
#define COND_SOFT_GROUPS 0.9
// [1] stiffness of the law over the node's own block, above which the node counts as held.
#define COND_SOFT_HELD 10.0
// [share] of a node's remaining motion at contacts, or of the nodes: smaller changes do not rebuild
// the matrices of the levels.
#define COND_SOFT_CHANGED 0.1
// [1] factor of the largest eigenvalue found by the power method, which underestimates it.
#define COND_SOFT_EIGENVALUE 1.15
enum {
    COND_SOFT_POWERS = 7,        // [count] steps of the power method
    COND_SOFT_LEVELS_LEAST = 60, // [count] nodes below which further levels do not pay
    COND_SOFT_COARSEST = 16,     // [count] largest number of nodes of the inverted level
};

// ---- patches of contacts, whose friction follows the normal force

enum {
    COND_PATCH_FEWEST = 24, // [count] fewest patches of a level: a patch of most contacts of a body
                            // slips too readily, because the error of the body's motion after an
                            // inexact solve adds up in it
};

#endif
