// The work of a factorisation in two: whole subtrees of the elimination tree for each of two
// workers, and what is above them, which one makes when both are through. The shares do not depend
// on how many threads there are.
#ifndef COND_LINEAR_BLOCK_SCHEDULE_H
#define COND_LINEAR_BLOCK_SCHEDULE_H

#include "base/arena.h"

enum { COND_WORKERS = 2, COND_TOP = COND_WORKERS }; // the share of what is above

typedef struct CondBlockSchedule {
    int* worker;     // of a supernode, or COND_TOP                                        (n)
    double gain;     // share of the work that two threads save
    double* subtree; // scratch: work of a supernode and all below                         (n)
} CondBlockSchedule;

// Of n supernodes with the work and the parents given (n: none).
CondStatus cond_block_schedule_make(CondBlockSchedule* schedule, CondArena* arena, int n,
                                    const int* parent, const double* work);

#endif
