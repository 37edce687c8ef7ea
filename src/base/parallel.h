// Loops over threads. A loop is a function of a range of its items, and every item writes to places
// of its own, so that the number of threads does not change the result. On one thread the function
// is called as any other: the run time would make a team even for one.
#ifndef COND_BASE_PARALLEL_H
#define COND_BASE_PARALLEL_H

#include "base/tuning.h"

#include <stdatomic.h>
#include <stddef.h>

// Threads for a loop of so much work when the user asked for `threads` (0: as base/cores.h says):
// that many at most, and each with at least half of COND_PARALLEL_FROM, as much as it takes to wake
// it.
int cond_threads(size_t work, int threads);

// The same for one of several loops that follow each other within a Newton step, from
// COND_PARALLEL_CHAINED times the work on: each reads what other threads have written in the one
// before. Where other programs want the processors too, a step would wait once a loop for a thread
// that does not run.
int cond_threads_chained(size_t work, int threads);

// Bytes that processors exchange at a time: two threads that write within them wait for each other.
enum { COND_CACHE_LINE = 1 << 6 };

// Shares of a loop over n items that finds sums of integers, largest numbers or offsets: each has
// its own, and they are joined in their order. There is one where there is little to do.
enum { COND_LOOP_PARTS = 1 << 6 };
static inline int cond_loop_parts(size_t n)
{
    return n < COND_PARALLEL_FROM / 8 ? 1 : COND_LOOP_PARTS;
}

// Does the items first .. last - 1 of a loop; `loop` holds what it reads and where it writes.
typedef void (*CondLoopBody)(const void* loop, int first, int last);

// The items 0 .. n - 1 in parts of equal length, a few per thread. Each is the next free thread's,
// and the calling thread does those for which none has come.
void cond_parallel_team(int n, int n_thread, CondLoopBody body, const void* loop);

static inline void cond_parallel(int n, int n_thread, CondLoopBody body, const void* loop)
{
    if (n_thread > 1)
        cond_parallel_team(n, n_thread, body, loop);
    else if (n > 0)
        body(loop, 0, n);
}

// Rows of a sparse matrix, whose entries begin at begin[0] .. begin[n]: parts of about as many
// entries each, one per thread.
void cond_parallel_rows(int n, const int* begin, int n_thread, CondLoopBody body, const void* loop);

// to = from, by several threads.                                              (n)
void cond_parallel_copy(int n, const double* from, double* to, int threads);

// One loop of several that a team makes one after the other.
typedef struct CondPhase {
    CondLoopBody body;
    const void* loop;
    int n;     // items
    int apart; // 1: it begins when all threads are through with those before
} CondPhase;

// The phases, each in parts as above. Threads are woken once, not for each.
void cond_parallel_phases(int n_phase, const CondPhase* phase, int n_thread);

// The items 0 .. n - 1, which take very different times: each is the next free thread's, in their
// order. rank: of who does it, below n_thread.
typedef void (*CondItemBody)(void* data, int item, int rank);
void cond_parallel_items(int n, int n_thread, CondItemBody body, void* data);

// Runs the body on the calling thread with rank 0, and with others below n_thread on threads that
// come until it is through there: it takes the next of what there is to do until all is taken.
typedef void (*CondServeBody)(void* data, int rank);
void cond_parallel_serve(int n_thread, CondServeBody body, void* data);
// The rank of this thread in the loop or team that it works for; 0 outside, as of who called.
int cond_parallel_rank(void);

// A team that stays together over several loops: `body` runs once on each of its `size` threads,
// as many as have come within some ten microseconds and at most n_thread, and parts what there is
// to do by its rank. cond_team_wait holds each back until all have come to it; sums over what the
// others wrote are made after it, by all alike. It waits busily for some hundred microseconds and
// then sleeps: where there are more threads than processors, one that spins keeps another from
// coming; but who gives the processor away earlier may wait for milliseconds until other programs
// give it back, at every wait of a step.
typedef struct CondGate {
    _Atomic int arrived;
    char apart[COND_CACHE_LINE]; // those who wait read `turn` while others still come
    _Atomic int turn;            // how often all had come
    char end[COND_CACHE_LINE];
} CondGate;

typedef struct CondTeam {
    CondGate all;
    _Atomic long waited;             // by the calling thread, for long [ns]
    struct CondAccountTeam* account; // NULL: it is off
} CondTeam;

typedef void (*CondTeamBody)(void* data, CondTeam* team, int rank, int size);
void cond_team(int n_thread, CondTeamBody body, void* data);
void cond_team_wait(CondTeam* team, int size);
// The same for the ranks below `size` alone, at a gate that no others come to until these are
// through; it begins as zeros.
void cond_team_meet(CondTeam* team, CondGate* gate, int size);

// The first of rank's items among n, shared out evenly; rank = size gives n.
static inline int cond_team_first(int n, int rank, int size)
{
    return (int)((long long)n * rank / size);
}

#endif
