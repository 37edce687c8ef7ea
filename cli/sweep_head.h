// Hands out the entries of a sweep: which comes next, and how each one ended.
#ifndef COND_CLI_SWEEP_HEAD_H
#define COND_CLI_SWEEP_HEAD_H

#include "progress.h"
#include "sweep.h"

typedef struct SweepHead {
    const SweepJob* job;
    unsigned char* state; // by entry: 0 to be made, else how often it was begun, or DONE (n)
    int next;             // the first entry that may not have been handed out
    int* again;           // entries to be tried again                        (n_again)
    int n_again;
    int left;    // entries without an outcome
    int made;    // outcomes so far
    int total;   // entries that were missing at the start
    int failed;  // kept with a failure, or not kept at all
    int missed;  // kept, with a step that missed its tolerance
    int code;    // largest of all entries, those from before included
    int retried; // entries that were begun once more
    Progress progress;
    char title[96];
} SweepHead;

// Finds what is missing; 0, or 1 after a message. Only these entries where select is not NULL.
int sweep_head_begin(SweepHead* head, const SweepJob* job, int (*select)(const void*, int entry),
                     const void* data);
// The next entry to be begun; -1: none at the moment.
int sweep_head_next(SweepHead* head);
// Takes an outcome: an entry that was not kept is tried again once, then it is given up.
void sweep_head_take(SweepHead* head, const SweepOutcome* outcome);
// Shows how far it is, on a terminal; may be called at any time.
void sweep_head_show(SweepHead* head);
// Says how it went; releases the head. The exit code.
int sweep_head_end(SweepHead* head);

#endif
