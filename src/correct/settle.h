// Overlap of bodies as a state has it, and its removal before a run.
#ifndef COND_CORRECT_SETTLE_H
#define COND_CORRECT_SETTLE_H

#include "collide/candidate.h"

typedef struct CondSettle {
    CondOverlap* overlap; // pairs that overlap, the deepest first            (n_overlap)
    double* best;         // configuration with the least overlap so far      (n_q)
    double least;         // its deepest penetration [m]
    int n_overlap;
} CondSettle;

// 1 where a candidate is between the two that overlap.
int cond_overlap_is_of(const CondOverlap* overlap, const CondCandidate* candidate);

#endif
