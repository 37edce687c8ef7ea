// Loops over threads. A loop is a function of a range of items. No two items write to the same
// memory, so that the result does not depend on the number of threads. With one thread the function
// is called directly.
#ifndef COND_BASE_PARALLEL_H
#define COND_BASE_PARALLEL_H

#include "base/tuning.h"

#include <stdatomic.h>
#include <stddef.h>

// Number of threads for a loop with the given work: at most `threads` (0: as base/cores.h says), 1
// below COND_PARALLEL_FROM, and from there on by the root of the work: p threads take 1/p of the
// time for it, but p times as long to meet, and the sum is least where both are equal. The two
// meetings of a loop take 0.4 us a thread, COND_PARALLEL_FROM at least 4 us.
int cond_threads(size_t work, int threads);

// The same for consecutive loops within a Newton step, with a threshold of COND_PARALLEL_CHAINED
// times the work: each loop reads what other threads have written in the one before. On a busy
// machine every loop might wait for a thread that is not running.
int cond_threads_chained(size_t work, int threads);

// Size of a cache line: threads that write to the same line slow each other down.
enum { COND_CACHE_LINE = 1 << 6 };

// Blocks of a loop over n items that computes integer sums, maxima or offsets: each block has its
// own result, and these are combined in order. Short loops have one block.
enum { COND_LOOP_PARTS = 1 << 6 };
static inline int cond_loop_parts(size_t n)
{
    return n < COND_PARALLEL_FROM / 8 ? 1 : COND_LOOP_PARTS;
}

// Processes the items first .. last - 1 of a loop; `loop` holds its inputs and outputs.
typedef void (*CondLoopBody)(const void* loop, int first, int last);

// Processes the items 0 .. n - 1 in blocks of equal length, a few per thread. The next free thread
// takes the next block; the calling thread does those that no other has taken.
// `name` is for measurements (base/account.h), and has static duration, here and below; the macros
// give that of the function.
void cond_parallel_team(int n, int n_thread, CondLoopBody body, const void* loop, const char* name);

static inline void cond_parallel_named(int n, int n_thread, CondLoopBody body, const void* loop,
                                       const char* name)
{
    if (n_thread > 1)
        cond_parallel_team(n, n_thread, body, loop, name);
    else if (n > 0)
        body(loop, 0, n);
}
#define cond_parallel(n, n_thread, body, loop) cond_parallel_named(n, n_thread, body, loop, #body)

// Processes the rows of a sparse matrix with offsets begin[0] .. begin[n], in blocks with about
// equally many entries, one per thread.
void cond_parallel_rows_named(int n, const int* begin, int n_thread, CondLoopBody body,
                              const void* loop, const char* name);
#define cond_parallel_rows(n, begin, n_thread, body, loop)                                         \
    cond_parallel_rows_named(n, begin, n_thread, body, loop, #body)

// to = from, with several threads.                                                        (n)
void cond_parallel_copy(int n, const double* from, double* to, int threads);

// One of several consecutive loops of a team.
typedef struct CondPhase {
    CondLoopBody body;
    const void* loop;
    int n;     // items
    int apart; // 1: it begins after all threads have finished those before
} CondPhase;

// Runs the phases, each in blocks as above. Threads are woken once for all phases.
void cond_parallel_phases(int n_phase, const CondPhase* phase, int n_thread, const char* name);

// Processes the items 0 .. n - 1, whose costs may differ widely: the next free thread takes the
// next item. rank: that of the thread, below n_thread.
typedef void (*CondItemBody)(void* data, int item, int rank);
void cond_parallel_items(int n, int n_thread, CondItemBody body, void* data, const char* name);

// Runs the body on the calling thread with rank 0, and with other ranks below n_thread on further
// threads that join before that has returned. The body takes work items until none is left.
typedef void (*CondServeBody)(void* data, int rank);
void cond_parallel_serve(int n_thread, CondServeBody body, void* data, const char* name);
// The rank of this thread in its loop or team; 0 for the calling thread and outside of loops.
int cond_parallel_rank(void);

// A team that stays together over several loops: `body` runs once on each of its `size` threads and
// divides the work by rank. The team consists of the threads that join within some ten
// microseconds, at most n_thread. cond_team_wait is a barrier; after it every thread computes the
// same sums over what the others wrote. It spins for some hundred microseconds and then sleeps.
// With more threads than processors a spinning thread keeps another one from running; but a thread
// that yields earlier may wait for milliseconds, at every barrier of a step, until other programs
// return the processor.
typedef struct CondGate {
    _Atomic int arrived;
    char apart[COND_CACHE_LINE]; // waiting threads read `turn` while others still arrive
    _Atomic int turn;            // number of times that all have arrived
    char end[COND_CACHE_LINE];
} CondGate;

typedef struct CondTeam {
    CondGate all;
    _Atomic long waited;             // long waits of the calling thread [ns]
    struct CondAccountTeam* account; // NULL: accounting is off
} CondTeam;

typedef void (*CondTeamBody)(void* data, CondTeam* team, int rank, int size);
void cond_team(int n_thread, CondTeamBody body, void* data, const char* name);
void cond_team_wait(CondTeam* team, int size);
// A barrier of only the ranks below `size`, at a gate that no other threads use until these have
// passed; a zeroed gate is ready for use.
void cond_team_meet(CondTeam* team, CondGate* gate, int size);

// The first item of a rank when n items are divided evenly; n for rank = size.
static inline int cond_team_first(int n, int rank, int size)
{
    return (int)((long long)n * rank / size);
}

#endif
