// The part of a block matrix that stays from one factorisation to the next, by the supernodes of
// its panels: blocks that are not zero, one after the other.
#ifndef COND_LINEAR_BLOCK_KEPT_H
#define COND_LINEAR_BLOCK_KEPT_H

#include "base/arena.h"

#include <stddef.h>

typedef struct CondKeptBlock {
    size_t at;   // its first number in the panels
    int row;     // from one of its rows to the next
    int rows, n; // its rows, and numbers in each
} CondKeptBlock;

typedef struct CondBlockKept {
    int n_block;
    size_t n_value;
    int* begin;           // first block of a supernode       (n_super + 1)
    size_t* value_begin;  // and where its numbers begin      (n_super + 1)
    CondKeptBlock* block; //                                      (n_block)
    double* value;        //                                      (n_value)
} CondBlockKept;

// Appends a block of the panels, unless it is all zero.
CondStatus cond_block_kept_add(CondBlockKept* kept, CondArena* arena, const double* panels,
                               CondKeptBlock block);

// Puts the blocks of a supernode where they were.
void cond_block_kept_put(const CondBlockKept* kept, int super, double* panels);

#endif
