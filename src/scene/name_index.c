// Names -> numbers, by open addressing, so that scenes with very many bodies stay linear to build.
#include "scene/name_index.h"

#include <limits.h>
#include <string.h>

static const char* name_at(const void* name, size_t stride, int number)
{
    return (const char*)name + (size_t)number * stride;
}

// FNV-1a, 32 bits.
static unsigned hash(const char* name)
{
    unsigned value = 2166136261u;
    for (; *name; ++name)
        value = (value ^ (unsigned char)*name) * 16777619u;
    return value;
}

int cond_name_index_find(const CondNameIndex* index, const void* name, size_t stride,
                         const char* wanted)
{
    if (index->n_slot == 0)
        return -1;
    unsigned mask = (unsigned)index->n_slot - 1;
    for (unsigned i = hash(wanted) & mask; index->slot[i]; i = (i + 1) & mask) {
        int number = index->slot[i] - 1;
        if (strcmp(name_at(name, stride, number), wanted) == 0)
            return number;
    }
    return -1;
}

void cond_name_index_add(CondNameIndex* index, const void* name, size_t stride, int number)
{
    unsigned mask = (unsigned)index->n_slot - 1;
    unsigned i = hash(name_at(name, stride, number)) & mask;
    while (index->slot[i])
        i = (i + 1) & mask;
    index->slot[i] = number + 1;
}

CondStatus cond_name_index_reserve(CondArena* arena, CondNameIndex* index, const void* name,
                                   size_t stride, int n_present, int n_name)
{
    // At most half of the slots are taken, so that a search meets a free one soon.
    if (n_name <= index->n_slot / 2)
        return COND_OK;
    if (n_name > INT_MAX / 4)
        return COND_OUT_OF_MEMORY;
    CondNameIndex grown = {.n_slot = 16};
    while (grown.n_slot / 2 < n_name)
        grown.n_slot *= 2;
    grown.slot = cond_arena_allocate(arena, (size_t)grown.n_slot, sizeof *grown.slot);
    if (!grown.slot)
        return COND_OUT_OF_MEMORY;
    for (int number = 0; number < n_present; ++number)
        cond_name_index_add(&grown, name, stride, number);
    cond_arena_drop(arena, index->slot);
    *index = grown;
    return COND_OK;
}
