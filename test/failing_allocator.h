// A context whose n-th allocation fails, to walk through every path that runs out of memory.
#ifndef COND_TEST_FAILING_ALLOCATOR_H
#define COND_TEST_FAILING_ALLOCATOR_H

#include "cond/context.h"

typedef struct FailingAllocator {
    long calls;   // allocations asked for so far
    long fail_at; // the call that gets NULL, from 1; 0: none
    long live;    // blocks handed out and not yet released
} FailingAllocator;

// The allocator must outlive every object made with the context.
CondContext failing_allocator_context(FailingAllocator* allocator);

#endif
