// The order of least fill: the next node is the one whose elimination joins the fewest pairs of its
// neighbours, over the root of their number. It makes a fifth less work than minimum degree on
// piles of bodies, and needs a bit for each pair of nodes.
#ifndef COND_LINEAR_BLOCK_FILL_H
#define COND_LINEAR_BLOCK_FILL_H

#include "base/arena.h"

#include <stdint.h>

typedef struct CondBlockFill {
    int n_node;
    int n_word;       // 64 bits each, for a bit per node
    uint64_t* next;   // who is next to a node, eliminated ones left out   (n_node x n_word)
    uint64_t* common; // scratch                                                    (n_word)
    int* degree;      // nodes next to it; -1: it is eliminated                     (n_node)
    int* missing;     // ordered pairs of them that are not next to each other      (n_node)
    double* score;    // the least is eliminated next                               (n_node)
    int* best;        // node of least score among 32; -1: to be looked for           (n/32)
    int* list;        // scratch: the neighbours of a node                          (n_node)
} CondBlockFill;

// A pattern of edges between different nodes, repeats allowed.                edge (n_edge x 2)
CondStatus cond_block_fill_begin(CondBlockFill* fill, CondArena* arena, int n_node, int n_edge,
                                 const int* edge);

// The node to be eliminated next.
int cond_block_fill_next(CondBlockFill* fill);

// Eliminates it: joins its neighbours, which are listed. Returns how many.
int cond_block_fill_eliminate(CondBlockFill* fill, int node, int* neighbour);

#endif
