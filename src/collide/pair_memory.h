// Results about pairs of solids from earlier searches. They save work and never change the
// contacts: a search without them gives the same result.
#ifndef COND_COLLIDE_PAIR_MEMORY_H
#define COND_COLLIDE_PAIR_MEMORY_H

#include "base/arena.h"
#include "geometry/separation.h"
#include "geometry/tree.h"

// The record of one pair.
typedef struct CondPairKnown {
    int pair[2];
    int missed;           // searches since the broad phase last listed it
    long search;          // number of the search that computed `apart`; 0: none
    double far;           // reach of that search [m]
    CondSeparation apart; // its result; a zero normal: none
} CondPairKnown;

typedef struct CondPairMemory {
    CondArena arena;
    int n;
    CondPairKnown* known; // in the order of the broad phase                        (n)
    CondPairKnown* next;  // scratch
    int* place;           // index of the present search's pairs among these  (n_pair)
    long search;          // number of the present search, from 1
    long* moved;          // first search at the present pose of a solid          (n_solid)
} CondPairMemory;

CondStatus cond_pair_memory_create(const CondContext* context, int n_solid, CondPairMemory* memory);
void cond_pair_memory_destroy(CondPairMemory* memory);
// Forgets all results, after solids were replaced.
void cond_pair_memory_forget(CondPairMemory* memory);

// To be called when a solid has moved.
static inline void cond_pair_memory_move(CondPairMemory* memory, int solid)
{
    memory->moved[solid] = memory->search + 1;
}

// Begins a search of these pairs.
CondStatus cond_pair_memory_begin(CondPairMemory* memory, const CondTreePairs* pairs);

// 1 where the cores of a pair are within `far` of each other, with known->apart; else 0.
int cond_pair_separate(const CondPairMemory* memory, CondPairKnown* known, const CondCore* a,
                       const CondCore* b, double far);

#endif
