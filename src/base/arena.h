// The arrays of one object: an arena owns them, knows how long each is, and releases all at once.
// So an object keeps neither a capacity beside every array nor a list of what to free:
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
// Each array is a block of its own, from the user's allocator, aligned to COND_ARENA_ALIGNMENT,
// behind a header with its capacity. Arrays may be swapped by their pointers, and an arena may be
// moved with the object it is in. One thread at a time.
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
// keeping its contents; new elements are zero. Grows by half, so that a loop of appends stays
// linear, and what was reserved once costs nothing again. On failure *array stays as it is.
CondStatus cond_arena_reserve(CondArena* arena, void* array, int count, size_t size);
#define COND_RESERVE(arena, array, count)                                                          \
    cond_arena_reserve((arena), &(array), (count), sizeof *(array))

// count elements, all zero, for an array that does not grow; NULL when memory is short.
void* cond_arena_allocate(CondArena* arena, size_t count, size_t size);

// How many elements an array of an arena holds; NULL holds none.
int cond_arena_capacity(const void* array);

// Gives back what *array holds beyond count elements, for one that has grown and stays as it is. It
// needs room for them once more. Where little is to be won, all stays.
CondStatus cond_arena_shrink(CondArena* arena, void* array, int count, size_t size);

// Releases one array before the others; NULL is none.
void cond_arena_drop(CondArena* arena, void* memory);

// Hands an array over to another arena with the same context; NULL is none.
void cond_arena_move(CondArena* from, CondArena* to, void* memory);

// Releases all arrays. The arena can be used again; the pointers to its arrays cannot.
void cond_arena_release(CondArena* arena);

#endif
