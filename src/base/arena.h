// The arrays of one object: an arena owns them, stores their capacities, and releases all at once.
// An object therefore needs neither a capacity for every array nor a list of frees:
//
//     typedef struct CondThing {
//         CondArena arena;
//         double* x; // ...                                    (n)
//     } CondThing;
//
//     cond_arena_begin(context, &thing->arena);
//     if (COND_RESERVE(&thing->arena, thing->x, n)) return COND_OUT_OF_MEMORY;
//     cond_arena_release(&thing->arena);
//
// Each array is a separate block from the user's allocator, aligned to COND_ARENA_ALIGNMENT, after
// a header with its capacity. Pointers to arrays may be swapped, and an arena may be moved with its
// object. Not thread-safe.
#ifndef COND_BASE_ARENA_H
#define COND_BASE_ARENA_H

#include "base/memory.h"
#include "base/tuning.h"

typedef struct CondArena {
    CondContext context;
    struct CondArenaBlock* first; // list of all blocks, the newest first
} CondArena;

// An arena without arrays; a NULL context means malloc and free. A zeroed CondArena whose context
// is set is the same.
void cond_arena_begin(const CondContext* context, CondArena* arena);

// Makes *array (a pointer to any element type, NULL or of this arena) hold at least count elements,
// keeping its contents; new elements are zero. Grows by half, so that a loop of appends is linear;
// reserving the same size again costs nothing. On failure *array is unchanged.
CondStatus cond_arena_reserve(CondArena* arena, void* array, int count, size_t size);
#define COND_RESERVE(arena, array, count)                                                          \
    cond_arena_reserve((arena), &(array), (count), sizeof *(array))

// count elements, all zero, for an array of fixed size; NULL if memory runs out.
void* cond_arena_allocate(CondArena* arena, size_t count, size_t size);

// Capacity of an array of an arena; 0 for NULL.
int cond_arena_capacity(const void* array);

// Reduces the capacity of a grown array to count elements, through a copy. Does nothing if that
// saves little.
CondStatus cond_arena_shrink(CondArena* arena, void* array, int count, size_t size);

// Releases one array; NULL is fine.
void cond_arena_drop(CondArena* arena, void* memory);

// Moves an array to another arena with the same context; NULL is fine.
void cond_arena_move(CondArena* from, CondArena* to, void* memory);

// Releases all arrays. The arena can be used again; the pointers to its arrays cannot.
void cond_arena_release(CondArena* arena);

#endif
