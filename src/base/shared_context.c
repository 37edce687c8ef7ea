// The user's context for several threads at once: its allocator is called by one of them at a time,
// and only the thread that called the library asks whether the work is still wanted.
#include "base/shared_context.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdatomic.h>

void cond_shared_context_begin(const CondContext* inner, CondSharedContext* shared)
{
    shared->inner = cond_context_or_default(inner);
    atomic_store(&shared->cancelled, 0);
    pthread_mutex_init(&shared->lock, NULL);
}

void cond_shared_context_end(CondSharedContext* shared)
{
    pthread_mutex_destroy(&shared->lock);
}

static void* allocate(size_t bytes, void* user)
{
    CondSharedContext* shared = user;
    pthread_mutex_lock(&shared->lock);
    void* memory = shared->inner.allocate(bytes, shared->inner.user);
    pthread_mutex_unlock(&shared->lock);
    return memory;
}

static void release(void* memory, void* user)
{
    CondSharedContext* shared = user;
    pthread_mutex_lock(&shared->lock);
    shared->inner.release(memory, shared->inner.user);
    pthread_mutex_unlock(&shared->lock);
}

static int cancelled(void* user)
{
    CondSharedContext* shared = user;
    if (cond_parallel_rank() == 0)
        atomic_store(&shared->cancelled, cond_cancelled(&shared->inner));
    return atomic_load(&shared->cancelled);
}

CondContext cond_shared_context(CondSharedContext* shared)
{
    return (CondContext){allocate, release, shared, cancelled};
}
