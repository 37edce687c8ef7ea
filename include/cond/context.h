// The allocator and the cancellation callback. Every object copies the context it is created with.
#ifndef COND_CONTEXT_H
#define COND_CONTEXT_H

#include "cond/api.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The largest number of threads; OpenMP run times fail somewhere above it.
enum { COND_MAX_THREADS = 1024 };

typedef struct CondContext {
    // Both or neither; NULL means malloc and free. allocate may return NULL at any call. Memory
    // must be aligned as malloc aligns it.
    void* (*allocate)(size_t bytes, void* user);
    void (*release)(void* memory, void* user);
    void* user; // handed to all three
    // Called between the iterations of solves and the stages of steps, by the thread that runs
    // them; it should be cheap. A value other than 0 cancels the work: the call returns
    // COND_CANCELLED soon afterwards, and a step leaves its state unchanged. The callback must keep
    // returning that value until then. NULL: never cancel.
    int (*cancelled)(void* user);
} CondContext;

// Ends the worker threads; the next parallel loop starts new ones. A forked process starts its own
// threads, whether or not this was called before the fork, but a process must not be forked within
// a loop. Returns a value other than 0, and ends no thread, if it is called within a loop.
COND_API int cond_threads_end(void);

// Where multi-threaded steps spend their time, for benchmarks: one entry per stage of a step, and
// within a solve one per kind of work. Times are processor times, so that other load on the machine
// does not count.
typedef struct CondThreadsWork {
    const char* name; // the library's
    double outside;   // serial work of the calling thread, outside of loops [s]
    double within;    // of all threads, in loops [s]
    double longest;   // of that, the time of the busiest thread of each loop [s]
    int loops;        // parallel loops
    int barriers;     // barriers within the loops
    double met;       // threads that synchronised, summed over barriers and both ends of loops
} CondThreadsWork;

// Starts measuring: loops are divided as for this number of threads, whatever the number of
// processors; 0 ends it. Steps are much slower meanwhile; their results are the same. Only one
// simulation may run at a time.
COND_API void cond_account_begin(int threads);
// Reads entry number `entry`, from 0, as accumulated since the begin; returns 0 past the last.
COND_API int cond_account_read(int entry, CondThreadsWork* work);
// The same for the loops of the stages, once the entries have been read; `outside` is then the time
// before the loop, and the name "end" stands for what follows the last loop of a stage.
COND_API int cond_account_read_loop(int entry, const char** stage, CondThreadsWork* work);

#ifdef __cplusplus
}
#endif
#endif
