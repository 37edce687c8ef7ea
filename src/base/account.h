// Accounts for the time of threads, for `cond bench scaling`; off until cond_account_begin
// (cond/context.h). It measures processor time, which is independent of other programs, and for
// each loop the time of the busiest of n threads. One processor thus suffices to predict the gain
// from sixteen.
//
// While it is on, the calling thread runs all blocks of plain loops in sequence and assigns each to
// the one of n virtual threads that would be free first. Teams, which have barriers, and loops that
// distribute work dynamically run with n real threads.
#ifndef COND_BASE_ACCOUNT_H
#define COND_BASE_ACCOUNT_H

#include <stdatomic.h>

// The number of threads that loops are divided for; 0: the account is off. The functions below are
// called only while it is on.
int cond_account_threads(void);

// Attributes the work since the last mark to `name`, a text of static duration. Does nothing while
// the account is off, and on worker threads.
void cond_account_mark(const char* name);

// Processor time of the calling thread [ns].
long cond_account_now(void);

// The calling thread begins a loop; and ends it with the time of all threads, that of the busiest,
// and the numbers of threads and barriers.
void cond_account_open(void);
void cond_account_close(long spent, long longest, int threads, int barriers);

// Assignment of blocks to virtual threads, in order.
enum { COND_ACCOUNT_THREADS = 64 };
typedef struct CondAccountDeal {
    int n_thread;
    long busy[COND_ACCOUNT_THREADS]; // end of its work [ns]
    long spent;
} CondAccountDeal;

void cond_account_deal(CondAccountDeal* deal, long took);
long cond_account_longest(const CondAccountDeal* deal);
void cond_account_meet(CondAccountDeal* deal); // a barrier

// Time of a team between two barriers: `spent` of all threads, `part` the longest since the last
// barrier.
typedef struct CondAccountTeam {
    _Atomic long spent, part, longest;
    _Atomic int met;
} CondAccountTeam;

void cond_account_part(CondAccountTeam* team, long took); // time of one thread up to a barrier
void cond_account_met(CondAccountTeam* team);             // by the last thread at a barrier

#endif
