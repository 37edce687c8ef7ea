// Overlap of bodies as a state has it, and its removal before a run.
#ifndef COND_STEP_SETTLE_H
#define COND_STEP_SETTLE_H

#include "collide/touch.h"

typedef struct CondSettle {
    CondOverlap* overlap; // pairs that overlap, the deepest first            (n_overlap)
    double* best;         // configuration with the least overlap so far      (n_q)
    int n_overlap, cap_overlap;
} CondSettle;

void cond_settle_destroy(CondSettle* settle, const CondContext* context);

#endif
