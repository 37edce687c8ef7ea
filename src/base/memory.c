// The user's context: allocation through it, zeroed and checked for overflow, and cancellation.
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void* allocate_default(size_t bytes, void* user)
{
    (void)user;
    return malloc(bytes);
}

static void release_default(void* memory, void* user)
{
    (void)user;
    free(memory);
}

CondContext cond_context_or_default(const CondContext* context)
{
    CondContext kept = {0};
    if (context)
        kept = *context;
    if (!kept.allocate || !kept.release) {
        kept.allocate = allocate_default;
        kept.release = release_default;
    }
    return kept;
}

void* cond_allocate(const CondContext* context, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    if (bytes == 0)
        bytes = 1;
    void* memory = context->allocate(bytes, context->user);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

void cond_release(const CondContext* context, void* memory)
{
    if (memory)
        context->release(memory, context->user);
}

CondStatus cond_reserve(const CondContext* context, void* data, int* capacity, int count,
                        size_t size)
{
    void* old; // *data is a pointer of some other type: its bytes are read and written as bytes
    memcpy(&old, data, sizeof old);
    if (count <= *capacity && old)
        return COND_OK;
    int grown = *capacity + *capacity / 2;
    if (grown < count || grown < *capacity)
        grown = count;
    void* memory = cond_allocate(context, (size_t)grown, size);
    if (!memory)
        return COND_OUT_OF_MEMORY;
    if (old)
        memcpy(memory, old, (size_t)*capacity * size);
    cond_release(context, old);
    memcpy(data, &memory, sizeof memory);
    *capacity = grown;
    return COND_OK;
}
