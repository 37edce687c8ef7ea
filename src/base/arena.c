// The arrays of one object: an arena owns them, knows how long each is, and releases all at once.
#include "base/arena.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

// Stands right before the elements of an array.
typedef struct CondArenaBlock {
    struct CondArenaBlock *before, *after; // in the list of the arena
    void* memory;                          // what the allocator gave
    size_t capacity;                       // elements
} CondArenaBlock;

static CondArenaBlock* block_of(const void* elements)
{
    return elements ? (CondArenaBlock*)((uintptr_t)elements - sizeof(CondArenaBlock)) : NULL;
}

// *array is a pointer of some other type: its bytes are read and written as bytes.
static void* get(const void* array)
{
    void* elements;
    memcpy(&elements, array, sizeof elements);
    return elements;
}

void cond_arena_begin(const CondContext* context, CondArena* arena)
{
    arena->context = cond_context_or_default(context);
    arena->first = NULL;
}

static void take_in(CondArena* arena, CondArenaBlock* block)
{
    block->before = NULL;
    block->after = arena->first;
    if (arena->first)
        arena->first->before = block;
    arena->first = block;
}

void* cond_arena_allocate(CondArena* arena, size_t count, size_t size)
{
    const size_t extra = sizeof(CondArenaBlock) + COND_ARENA_ALIGNMENT - 1;
    if (size != 0 && count > (SIZE_MAX - extra) / size)
        return NULL;
    void* memory = arena->context.allocate(count * size + extra, arena->context.user);
    if (!memory)
        return NULL;
    // The first multiple of the alignment that leaves room for the header.
    uintptr_t begin = (uintptr_t)memory + extra;
    begin -= begin % COND_ARENA_ALIGNMENT;
    void* elements = (char*)memory + (begin - (uintptr_t)memory);
    CondArenaBlock* block = block_of(elements);
    *block = (CondArenaBlock){.memory = memory, .capacity = count};
    take_in(arena, block);
    memset(elements, 0, count * size);
    return elements;
}

static void take_out(CondArena* arena, CondArenaBlock* block)
{
    if (block->before)
        block->before->after = block->after;
    else
        arena->first = block->after;
    if (block->after)
        block->after->before = block->before;
}

void cond_arena_drop(CondArena* arena, void* elements)
{
    CondArenaBlock* block = block_of(elements);
    if (!block)
        return;
    take_out(arena, block);
    cond_release(&arena->context, block->memory);
}

void cond_arena_move(CondArena* from, CondArena* to, void* elements)
{
    CondArenaBlock* block = block_of(elements);
    if (!block)
        return;
    take_out(from, block);
    take_in(to, block);
}

int cond_arena_capacity(const void* elements)
{
    const CondArenaBlock* block = block_of(elements);
    if (!block)
        return 0;
    return block->capacity > INT_MAX ? INT_MAX : (int)block->capacity;
}

// Replaces *array by one of `count` elements that begins with the first `kept` of the old one.
static CondStatus replace(CondArena* arena, void* array, int count, int kept, size_t size)
{
    void* old = get(array);
    void* elements = cond_arena_allocate(arena, (size_t)count, size);
    if (!elements)
        return COND_OUT_OF_MEMORY;
    if (old)
        memcpy(elements, old, (size_t)kept * size);
    cond_arena_drop(arena, old);
    memcpy(array, &elements, sizeof elements);
    return COND_OK;
}

CondStatus cond_arena_reserve(CondArena* arena, void* array, int count, size_t size)
{
    const void* old = get(array);
    int capacity = cond_arena_capacity(old);
    if (count <= capacity && old)
        return COND_OK;
    int grown = capacity <= INT_MAX - capacity / 2 ? capacity + capacity / 2 : count;
    return replace(arena, array, grown < count ? count : grown, capacity, size);
}

CondStatus cond_arena_shrink(CondArena* arena, void* array, int count, size_t size)
{
    int capacity = cond_arena_capacity(get(array));
    if (capacity - count <= capacity / 16)
        return COND_OK;
    return replace(arena, array, count, count, size);
}

void cond_arena_release(CondArena* arena)
{
    while (arena->first) {
        CondArenaBlock* block = arena->first;
        arena->first = block->after;
        cond_release(&arena->context, block->memory);
    }
}
