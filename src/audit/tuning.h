// Numbers of the audit. Beside the precisions of base and the count of golden sections it shares
// none with geometry and collide, so that an error there does not hide one here.
#ifndef COND_AUDIT_TUNING_H
#define COND_AUDIT_TUNING_H

#include "base/tuning.h"

// [1] relative, and [m] or [rad], below which a length or a step is none: what searches may leave
// beside the rounding of products. With a tenth of it they do not end before COND_AUDIT_STEPS.
#define COND_AUDIT_ROUNDING (COND_LEEWAY * COND_PRODUCT_ROUNDING)

// [1] cosine, negated, of the normals of two surfaces that face each other: 96 degrees.
#define COND_AUDIT_FACING 0.1
// [share] of the other surface's size: parts of a sheet that are not divided further, as what is
// deep within them is found by climbing.
#define COND_AUDIT_FINE 0.04
// [share] of the size, and [rad]: the first step of a local search.
#define COND_AUDIT_FIRST 0.1
// [share] that is left of a step which has found a new face.
#define COND_AUDIT_SHRINK 0.9
enum {
    COND_AUDIT_STEPS = 400, // [count] of one local search, which ends by its tolerance before
    COND_AUDIT_STARTS = 8,  // [count] best directions of a sphere that are refined, and parts of a
                            // stretch in which its maximum is sought
};

#endif
