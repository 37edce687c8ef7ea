// What threads do with their time, for `cond bench scaling`: off until cond_account_begin
// (cond/context.h). It counts processor time, which other programs on the machine do not change,
// and for loops the longest of what n threads would each do of it. So one processor tells what
// sixteen would gain.
//
// While it is on, the calling thread makes the parts of plain loops alone, one after the other, and
// deals them to n threads of which each next part goes to the one that is free first. Teams, which
// wait for each other, and loops whose threads take what there is to do run with n threads.
#ifndef COND_BASE_ACCOUNT_H
#define COND_BASE_ACCOUNT_H

#include <stdatomic.h>

// Threads that loops are cut for; 0: the account is off. What follows is called where it is not.
int cond_account_threads(void);

// What was done since the last mark belongs to `name`, a text that stays. Nothing happens where the
// account is off, and on threads that work for a loop.
void cond_account_mark(const char* name);

// Processor time of the calling thread [ns], less what was spent on asking.
long cond_account_now(void);

// The calling thread begins a loop of so many threads; it ends with what all threads did in it and
// the longest of them, and how often they met.
void cond_account_open(void);
void cond_account_close(long spent, long longest, int threads, int barriers);

// Parts that are dealt to threads in their order.
enum { COND_ACCOUNT_THREADS = 64 };
typedef struct CondAccountDeal {
    int n_thread;
    long busy[COND_ACCOUNT_THREADS]; // until when [ns]
    long spent;
} CondAccountDeal;

void cond_account_deal(CondAccountDeal* deal, long took);
long cond_account_longest(const CondAccountDeal* deal);
void cond_account_meet(CondAccountDeal* deal); // all wait for the last

// Time of a team between two meetings: `spent` of all, and the longest of the part at hand.
typedef struct CondAccountTeam {
    _Atomic long spent, part, longest;
    _Atomic int met;
} CondAccountTeam;

void cond_account_part(CondAccountTeam* team, long took); // of one thread until it meets others
void cond_account_met(CondAccountTeam* team);             // by the last to come

#endif
