// The user's context: allocation through it, zeroed and checked for overflow, and cancellation.
#ifndef COND_BASE_MEMORY_H
#define COND_BASE_MEMORY_H

#include "cond/context.h"
#include "cond/status.h"

// The context to keep: a copy of the given one, or malloc and free for NULL.
CondContext cond_context_or_default(const CondContext* context);

// 1: the user does not want the work any more. Loops that may take long ask after every round.
static inline int cond_cancelled(const CondContext* context)
{
    return context->cancelled && context->cancelled(context->user);
}

// count * size bytes, all zero; NULL when memory is short. count = 0 gives a valid pointer.
void* cond_allocate(const CondContext* context, size_t count, size_t size);
void cond_release(const CondContext* context, void* memory);

// Makes *data (a pointer to any element type) hold at least count elements, keeping its contents;
// new elements are zero. Grows by half so that a loop of appends stays linear.
CondStatus cond_reserve(const CondContext* context, void* data, int* capacity, int count,
                        size_t size);

#endif
