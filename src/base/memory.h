// The user's context: allocation through it, zeroed and checked for overflow, and cancellation.
#ifndef COND_BASE_MEMORY_H
#define COND_BASE_MEMORY_H

#include "cond/context.h"
#include "cond/status.h"

// A copy of the given context, or malloc and free for NULL.
CondContext cond_context_or_default(const CondContext* context);

// 1: the user has cancelled the work. Long loops check it after every round.
static inline int cond_cancelled(const CondContext* context)
{
    return context->cancelled && context->cancelled(context->user);
}

// count * size bytes, all zero; NULL if memory runs out. count = 0 gives a valid pointer.
void* cond_allocate(const CondContext* context, size_t count, size_t size);
void cond_release(const CondContext* context, void* memory);

// Makes *data (a pointer to any element type) hold at least count elements, keeping its contents;
// new elements are zero. Grows by half, so that a loop of appends is linear.
CondStatus cond_reserve(const CondContext* context, void* data, int* capacity, int count,
                        size_t size);

#endif
