// A context whose n-th allocation fails, to walk through every path that runs out of memory.
#include "failing_allocator.h"

#include <stdlib.h>

static void* allocate(size_t bytes, void* user)
{
    FailingAllocator* allocator = user;
    allocator->calls++;
    if (allocator->calls == allocator->fail_at)
        return NULL;
    void* memory = malloc(bytes);
    if (memory)
        allocator->live++;
    return memory;
}

static void release(void* memory, void* user)
{
    FailingAllocator* allocator = user;
    allocator->live--;
    free(memory);
}

CondContext failing_allocator_context(FailingAllocator* allocator)
{
    CondContext context = {.allocate = allocate, .release = release, .user = allocator};
    return context;
}
