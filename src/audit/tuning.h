// Numbers of the audit. Except for the precisions of base and the count of golden sections it
// shares none with geometry and collide, so that errors there cannot hide errors here.
#ifndef COND_AUDIT_TUNING_H
#define COND_AUDIT_TUNING_H

#include "base/tuning.h"

// [1] relative, and [m] or [rad]: shorter lengths or steps count as zero; the accuracy of searches.
// With a tenth of it they do not end before COND_AUDIT_STEPS.
#define COND_AUDIT_ROUNDING (COND_LEEWAY * COND_PRODUCT_ROUNDING)

// [1] cosine, negated, of the normals of two surfaces that face each other: 96 degrees.
#define COND_AUDIT_FACING 0.1
// [share] of the other surface's size: smaller parts of a sheet are not divided further; their
// deepest point is found by local ascent.
#define COND_AUDIT_FINE 0.04
// [share] of the size, and [rad]: the first step of a local search.
#define COND_AUDIT_FIRST 0.1
// [share] factor of a step that has found a new face.
#define COND_AUDIT_SHRINK 0.9
enum {
    COND_AUDIT_STEPS = 400, // [count] steps of one local search, which normally ends by its
                            // tolerance
    COND_AUDIT_STARTS = 8,  // [count] best directions on a sphere that are refined, and intervals
                            // of a segment in which its maximum is searched
};

#endif
