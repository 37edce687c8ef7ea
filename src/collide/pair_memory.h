// What is known of pairs of solids from the searches before the one at hand. It spares work and
// decides nothing: what is said from memory is what the search would find.
#ifndef COND_COLLIDE_PAIR_MEMORY_H
#define COND_COLLIDE_PAIR_MEMORY_H

#include "base/arena.h"
#include "geometry/separation.h"
#include "geometry/tree.h"

// Of one pair.
typedef struct CondPairKnown {
    int pair[2];
    int missed;           // searches since the broad phase has listed it
    long search;          // number of the one that found how far they are apart; 0: none
    double far;           // within which that one looked [m]
    CondSeparation apart; // what it found; a zero normal: none is known
} CondPairKnown;

typedef struct CondPairMemory {
    CondArena arena;
    int n;
    CondPairKnown* known; // in the order of the broad phase                        (n)
    CondPairKnown* next;  // scratch
    int* place;           // where the pairs of the search at hand are among these  (n_pair)
    long search;          // number of the search at hand, from 1
    long* moved;          // first search at the pose that a solid has now          (n_solid)
} CondPairMemory;

CondStatus cond_pair_memory_create(const CondContext* context, int n_solid, CondPairMemory* memory);
void cond_pair_memory_destroy(CondPairMemory* memory);
// Solids may be others than they were.
void cond_pair_memory_forget(CondPairMemory* memory);

// A solid has another pose from the next search on.
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
