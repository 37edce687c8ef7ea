// The threads of the library. They are created when first needed; after their work they spin for a
// short while and then sleep. Work is offered, not assigned: the calling thread does what no other
// thread has taken, and waits only for threads that have begun. A thread that is not scheduled
// therefore delays nothing.
//
// One caller at a time uses them; other callers meanwhile, and threads within such work, run their
// loops alone. Results must not depend on which threads join.
#ifndef COND_BASE_POOL_H
#define COND_BASE_POOL_H

#include <stdatomic.h>

// Runs work(data, rank) on the calling thread with rank 0, and with other ranks on up to n_thread -
// 1 threads that join before the calling thread has finished. Returns the number of those that
// joined; *waited: the time for which the calling thread then waited for them [ns].
typedef void (*CondPoolWork)(void* data, int rank);
int cond_pool_serve(int n_thread, CondPoolWork work, void* data, long* waited);

// The same with a team that starts together with a known size. Threads that arrive later than some
// ten microseconds are not part of it.
typedef void (*CondPoolTeam)(void* data, int rank, int size);
int cond_pool_gather(int n_thread, CondPoolTeam work, void* data, long* waited);

// Rank of the thread in its present work; 0 outside of work. Measurements, which run all ranks on
// one thread, set it (base/account.h).
int cond_pool_rank(void);
void cond_pool_set_rank(int rank);

// 1 if the calling thread is within such work.
int cond_pool_inside(void);
// Marks the thread as within work, so that functions it calls run their loops alone, until
// cond_pool_leave.
int cond_pool_enter(void);
void cond_pool_leave(int before);

// Waits until *word, which only grows, is at least `value`: spins for some hundred microseconds,
// then sleeps. Returns the time waited [ns]; 0 if it returned at once.
long cond_pool_wait(const _Atomic int* word, int value);

// Adds 1 to such a word, and wakes the threads that wait for it.
void cond_pool_raise(_Atomic int* word);

// Ends the threads; the next work creates new ones. Returns 1, and does nothing, within such work.
// A forked process has none of the threads and creates its own.
int cond_pool_end(void);

// A monotonic clock [ns].
long cond_pool_now(void);

#endif
