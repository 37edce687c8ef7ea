// Overlap of bodies in a state, and its removal before a run.
#ifndef COND_CORRECT_SETTLE_H
#define COND_CORRECT_SETTLE_H

#include "collide/candidate.h"
#include "cond/sim.h"

typedef struct CondSettle {
    char* packed;         // the overlaps, for a program with another size of CondOverlap
    CondOverlap* overlap; // pairs that overlap, the deepest first            (n_overlap)
    int n_overlap;
    double* best; // configuration with the least penetration so far  (n_q)
    double least; // its deepest penetration [m]
    // of the attempt, which is one round
    int method;    // row of the table of methods
    int max_round; // largest total number of rounds
    double* moved; // displacement of each body [m], or NULL          (n_body)
    CondSettleInfo* info;
    // its verdict
    double distance;  // longest displacement of the round [m]
    double depth_sum; // least sum of the depths of all pairs by this method [m]
    int idle;         // rounds in a row without progress
} CondSettle;

// 1 if a candidate belongs to an overlapping pair.
int cond_overlap_is_of(const CondOverlap* overlap, const CondCandidate* candidate);

#endif
