// Accounts for the time of threads, for `cond bench scaling`; off until cond_account_begin
// (cond/context.h). It measures processor time, which is independent of other programs, and for
// each loop the time of the busiest of n threads. One processor thus suffices to predict the gain
// from sixteen.
//
// While it is on, the calling thread runs all blocks of plain loops in sequence and assigns each to
// the one of n virtual threads that would be free first. The threads of a team, which has barriers,
// run one at a time on one processor, each up to its next barrier; a clock for each of them says
// when it would be there. Loops that distribute work dynamically run with n real threads.
#ifndef COND_BASE_ACCOUNT_H
#define COND_BASE_ACCOUNT_H

#include <pthread.h>

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
// the busiest, and the numbers of threads and barriers.
void cond_account_open(const char* name);
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

// A team whose threads take turns.
typedef struct CondAccountTeam {
    pthread_mutex_t lock;
    pthread_cond_t moved[COND_ACCOUNT_THREADS]; // of each thread: it is its turn
    int size, turn, cpu;                        // threads; whose turn it is; their processor
    const void* gate[COND_ACCOUNT_THREADS];     // where each waits; NULL: it may run
    int ended[COND_ACCOUNT_THREADS];
    long since[COND_ACCOUNT_THREADS]; // when each was started [ns]
    long clock[COND_ACCOUNT_THREADS]; // of each [ns]
    long spent;                       // by all [ns]
    int barriers;
    double met;
} CondAccountTeam;

void cond_account_team_begin(CondAccountTeam* team);
// Each thread, at its begin, at a barrier of `size` of them, and at its end.
void cond_account_join(CondAccountTeam* team, int rank, int size);
void cond_account_meet_team(CondAccountTeam* team, const void* gate, int size, int rank);
void cond_account_leave(CondAccountTeam* team, int rank);
// Ends the loop, as cond_account_close.
void cond_account_close_team(CondAccountTeam* team);

#endif
