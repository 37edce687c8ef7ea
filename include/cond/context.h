// Where memory comes from, and whether work is still wanted. Every object copies the context it is
// created with.
#ifndef COND_CONTEXT_H
#define COND_CONTEXT_H

#include "cond/api.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// More than any machine that COND is meant for has; run times give up somewhere beyond.
enum { COND_MAX_THREADS = 1024 };

typedef struct CondContext {
    // Both or neither; NULL means malloc and free. allocate may return NULL at any call. Memory
    // must be aligned as malloc aligns it.
    void* (*allocate)(size_t bytes, void* user);
    void (*release)(void* memory, void* user);
    void* user; // handed to all three
    // Asked between the iterations of solves and the stages of steps, by the thread that makes
    // them; it should cost little. Not 0: the work ends soon, with COND_CANCELLED, and a step
    // leaves its state as it was. It must go on saying so until then. NULL: all work is wanted.
    int (*cancelled)(void* user);
} CondContext;

// Ends the threads that wait for the next loop, which starts them anew. A process that is forked
// off has none of them and starts its own, whether this was called before or not, but not one that
// is forked off within a loop. Not 0: called within a loop, whose threads go on.
COND_API int cond_threads_end(void);

// Where the time of steps goes on many threads, for benchmarks: one entry per stage of a step, and
// within a solve per kind of work. Times are of processors, whatever else the machine does.
typedef struct CondThreadsWork {
    const char* name; // the library's
    double outside;   // of the calling thread, outside of loops: no other thread shortens it [s]
    double within;    // of all threads, in loops [s]
    double longest;   // of that, what the thread with most to do does of each loop [s]
    int loops;        // that were offered to other threads
    int barriers;     // at which these met within loops
    double met;       // threads that met at the ends of loops and at barriers, all counted
} CondThreadsWork;

// From now on loops are cut for so many threads and measured, on as many processors as there are;
// 0 ends it. Steps are much slower meanwhile, with the same results. One simulation at a time.
COND_API void cond_account_begin(int threads);
// What an entry has had since, from 0 on; 0 where there is none.
COND_API int cond_account_read(int entry, CondThreadsWork* work);

#ifdef __cplusplus
}
#endif
#endif
