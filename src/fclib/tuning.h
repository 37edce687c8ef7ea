// Numbers of FCLib files. A header of numbers alone: it includes nothing.
#ifndef COND_FCLIB_TUNING_H
#define COND_FCLIB_TUNING_H

// [1] of the largest entry of W, by which L L' may miss it before W counts as indefinite; a W that
// was summed from many bodies is semi-definite up to rounding alone.
#define COND_FACTOR_ERROR 1e-8
// [1] by which J J' may differ from the identity for a contact to count as one of a node.
#define COND_FRAME_ERROR 1e-12

enum {
    COND_DENSE_BLOCK = 12, // [count] of coordinates of A up to which a block is dense: two rigid
                           // bodies, or four nodes
};

#endif
