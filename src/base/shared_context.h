// The user's context for several threads: its allocator is called by one thread at a time, and its
// cancellation callback only by the thread that called the library.
#ifndef COND_BASE_SHARED_CONTEXT_H
#define COND_BASE_SHARED_CONTEXT_H

#include "cond/context.h"

#include <pthread.h>

typedef struct CondSharedContext {
    CondContext inner;
    pthread_mutex_t lock;
    _Atomic int cancelled; // last answer of the callback
} CondSharedContext;

void cond_shared_context_begin(const CondContext* inner, CondSharedContext* shared);
void cond_shared_context_end(CondSharedContext* shared);

// The context to pass on; `shared` must outlive it and stay in memory.
CondContext cond_shared_context(CondSharedContext* shared);

#endif
