// The user's context for several threads at once: its allocator is called by one of them at a time,
// and only the thread that called the library asks whether the work is still wanted.
#ifndef COND_BASE_SHARED_CONTEXT_H
#define COND_BASE_SHARED_CONTEXT_H

#include "cond/context.h"

#include <omp.h>

typedef struct CondSharedContext {
    CondContext inner;
    omp_lock_t lock;
    _Atomic int cancelled; // what the user said last
} CondSharedContext;

void cond_shared_context_begin(const CondContext* inner, CondSharedContext* shared);
void cond_shared_context_end(CondSharedContext* shared);

// The context to hand on; `shared` must outlive it and stay where it is.
CondContext cond_shared_context(CondSharedContext* shared);

#endif
