// The process of one entry of a sweep, as its parent sees it.
#ifndef COND_CLI_SWEEP_CHILD_H
#define COND_CLI_SWEEP_CHILD_H

#include "sweep.h"

typedef struct SweepChild {
    pid_t pid; // 0: none
    int entry;
    int late; // 1: it was ended because it took too long
    double start;
} SweepChild;

// Starts `cond sweep FILE --entry N`, which ends with the process that started it; 0, or 1 after a
// message.
int sweep_child_start(const SweepJob* job, int entry, SweepChild* child);

// 1 when the process has ended, with what became of its entry. One that takes longer than the limit
// is ended.
int sweep_child_poll(const SweepJob* job, SweepChild* child, SweepOutcome* outcome);

// Ends it at once.
void sweep_child_kill(const SweepJob* job, SweepChild* child);

#endif
