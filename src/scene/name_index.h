// Names -> numbers, by open addressing, so that scenes with very many bodies stay linear to build.
#ifndef COND_SCENE_NAME_INDEX_H
#define COND_SCENE_NAME_INDEX_H

#include "base/arena.h"

// The names themselves stay where they are: the first is at `name`, the next `stride` bytes on.
typedef struct CondNameIndex {
    int n_slot; // a power of two, or 0
    int* slot;  // number + 1 of the name that lives here, 0: free   (n_slot)
    int put;    // number + 1 of the entry that the next one replaces; 0: it is added
} CondNameIndex;

// The number of `wanted`, -1 when it is not there.
int cond_name_index_find(const CondNameIndex* index, const void* name, size_t stride,
                         const char* wanted);

// Reserves slots for n_name names in all, of which the first n_present are in the index already.
CondStatus cond_name_index_reserve(CondArena* arena, CondNameIndex* index, const void* name,
                                   size_t stride, int n_present, int n_name);

// Enters the name of that number; a slot was reserved.
void cond_name_index_add(CondNameIndex* index, const void* name, size_t stride, int number);

#endif
