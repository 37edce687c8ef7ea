// Accounts for the time of threads, for `cond bench scaling`; off until cond_account_begin
// (cond/context.h). It measures processor time, which is independent of other programs, and for
// each loop the time of the busiest of n threads. One processor thus suffices to predict the gain
// from sixteen.
//
// While it is on, the calling thread runs all blocks of plain loops in sequence and assigns each to
// the one of n virtual threads that would be free first. The ranks of a team, which has barriers,
// take turns on the calling thread, each up to its next barrier; a clock for each of them says when
// it would be there. Loops that distribute work dynamically run with n real threads.
#ifndef COND_BASE_ACCOUNT_H
#define COND_BASE_ACCOUNT_H

#include "base/pool.h"

#include <ucontext.h>

// The number of threads that loops are divided for; 0: the account is off. The functions below are
// called only while it is on.
int cond_account_threads(void);

// Attributes the work since the last mark to `name`, a text of static duration. Does nothing while
// the account is off, and on worker threads.
void cond_account_mark(const char* name);

// Processor time of the calling thread, and how much of it has passed since then [ns].
long cond_account_now(void);
long cond_account_passed(long since);

// The calling thread begins a loop of this name; and ends it with the time of all threads, that of
// the busiest, the number of barriers, and that of the threads that met, over all barriers.
void cond_account_open(const char* name);
void cond_account_close(long spent, long longest, int barriers, double met);

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

// A team whose ranks take turns on the calling thread.
typedef struct CondAccountTeam {
    CondPoolTeam body;
    void* data;
    int size, turn; // ranks; which one runs
    long since;     // when it was started [ns]
    ucontext_t caller, rank[COND_ACCOUNT_THREADS];
    const void* gate[COND_ACCOUNT_THREADS]; // where each waits; NULL: it may run
    int ended[COND_ACCOUNT_THREADS];
    long clock[COND_ACCOUNT_THREADS]; // of each [ns]
    long spent;                       // by all [ns]
    int barriers;
    double met; // ranks that met, over all barriers
} CondAccountTeam;

// Runs a team; 1 if it cannot be measured.
int cond_account_team(CondAccountTeam* team, int size, CondPoolTeam body, void* data);
// A barrier of `size` ranks.
void cond_account_meet_team(CondAccountTeam* team, const void* gate, int size, int rank);
long cond_account_team_longest(const CondAccountTeam* team); // [ns]

#endif
