// The threads of the library. They are made when they are first wanted, wait busily for a short
// while after their work and then sleep. Work is offered, not handed out: the calling thread does
// what nobody has come for, and waits for those alone that have begun. A thread that the machine
// does not run holds nothing up.
//
// One caller at a time has them; another one meanwhile, and a thread that is at such work already,
// does its work alone. No result may depend on who comes.
#ifndef COND_BASE_POOL_H
#define COND_BASE_POOL_H

#include <stdatomic.h>

// Runs work(data, rank) on the calling thread with rank 0, and with others on up to n_thread - 1
// more, whenever they come until the calling thread is through with its own. Returns how many of
// those came; *waited: how long the calling thread then waited for them [ns].
typedef void (*CondPoolWork)(void* data, int rank);
int cond_pool_serve(int n_thread, CondPoolWork work, void* data, long* waited);

// The same with a team that begins together and knows its size. Threads that come later than some
// ten microseconds are not part of it.
typedef void (*CondPoolTeam)(void* data, int rank, int size);
int cond_pool_gather(int n_thread, CondPoolTeam work, void* data, long* waited);

// The same, but the caller waits until all have come, as measurements need it (base/account.h).
int cond_pool_gather_all(int n_thread, CondPoolTeam work, void* data);

// Rank of the thread in the work that it is at; 0 for all others.
int cond_pool_rank(void);

// 1 where the calling thread is at such work.
int cond_pool_inside(void);
// The same as if it were, until it leaves: what it calls makes its loops alone.
int cond_pool_enter(void);
void cond_pool_leave(int before);

// Waits until *word, which only grows, is `value` or more; busily for some hundred microseconds,
// then asleep. Returns how long that took where it was not at once [ns].
long cond_pool_wait(const _Atomic int* word, int value);

// Adds 1 to such a word, and wakes who sleeps until then.
void cond_pool_raise(_Atomic int* word);

// Ends the threads; the next work makes them anew. 1: called from within such work, nothing is
// done. A process that is forked off has none of them and makes its own in any case.
int cond_pool_end(void);

// A clock that always goes on [ns].
long cond_pool_now(void);

#endif
