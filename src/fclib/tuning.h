// Numbers of FCLib files. A header of numbers alone: it includes nothing.
#ifndef COND_FCLIB_TUNING_H
#define COND_FCLIB_TUNING_H

// [1] error of L L' relative to the largest entry of W, above which W counts as indefinite; a W
// that was summed over many bodies is semi-definite only up to rounding.
#define COND_FACTOR_ERROR 1e-8

enum {
    COND_DENSE_MOST = 12, // [count] coordinates up to which a block of A is dense: two rigid
                          // bodies, or four nodes
};

#endif
