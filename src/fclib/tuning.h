// Numbers of FCLib files. A header of numbers alone: it includes nothing.
#ifndef COND_FCLIB_TUNING_H
#define COND_FCLIB_TUNING_H

// [1] of the largest entry of W, by which L L' may miss it before W counts as indefinite; a W that
// was summed from many bodies is semi-definite up to rounding alone.
#define COND_FACTOR_ERROR 1e-8

enum {
    COND_DENSE_MOST = 12, // [count] of coordinates of A up to which a block is dense: two rigid
                          // bodies, or four nodes
};

#endif
