// The work of a factorisation in shares: whole subtrees of the elimination tree for each of two
// workers, and what is above them, which is made when both are through. The part of a worker is
// divided in the same way, and again. The shares do not depend on how many threads there are.
//
//     level 3     0   1   2   3   4   5   6   7      shares that are made first
//     level 2       8       9      10      11        what is above two of these
//     level 1          12              13
//     level 0                  14                    the top
#ifndef COND_LINEAR_BLOCK_SCHEDULE_H
#define COND_LINEAR_BLOCK_SCHEDULE_H

#include "base/arena.h"

enum {
    COND_SHARE_LEVELS = 3,                 // of shares below the top
    COND_WORKERS = 1 << COND_SHARE_LEVELS, // shares of the lowest level
    COND_TOP = 2 * COND_WORKERS - 2,       // the share of what is above all others
};

// First share of a level; it has 1 << level of them.
static inline int cond_block_level_first(int level)
{
    return 2 * (COND_WORKERS - (1 << level));
}

typedef struct CondBlockSchedule {
    int* share;      // of a supernode                                                     (n)
    double gain;     // part of the work that two threads save
    double* subtree; // scratch: work of a supernode and all below                         (n)
} CondBlockSchedule;

// Of n supernodes with the work and the parents given (n: none).
CondStatus cond_block_schedule_make(CondBlockSchedule* schedule, CondArena* arena, int n,
                                    const int* parent, const double* work);

#endif
