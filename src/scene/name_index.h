// Names -> numbers, by open addressing, so that scenes with very many bodies stay linear to build.
#ifndef COND_SCENE_NAME_INDEX_H
#define COND_SCENE_NAME_INDEX_H

#include "base/arena.h"

// The names are not copied: the first is at `name`, the next one `stride` bytes later.
typedef struct CondNameIndex {
    int n_slot; // a power of two, or 0
    int* slot;  // number + 1 of the name in the slot, 0: free                        (n_slot)
    int put;    // number + 1 of the entry that the next one replaces; 0: it is added
} CondNameIndex;

// The number of `wanted`; -1: none.
int cond_name_index_find(const CondNameIndex* index, const void* name, size_t stride,
                         const char* wanted);

// Reserves slots for n_name names in all, of which the first n_present are in the index already.
CondStatus cond_name_index_reserve(CondArena* arena, CondNameIndex* index, const void* name,
                                   size_t stride, int n_present, int n_name);

// Inserts the name with that number; a slot must have been reserved.
void cond_name_index_add(CondNameIndex* index, const void* name, size_t stride, int number);

#endif
