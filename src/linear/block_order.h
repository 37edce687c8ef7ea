// A fill-reducing elimination order of a sparse symmetric pattern: minimum fill if the pattern is
// small enough (linear/block_fill.h), else approximate minimum degree on a quotient graph. Nodes
// are blocks of coordinates; minimum degree weighs them by their size.
#ifndef COND_LINEAR_BLOCK_ORDER_H
#define COND_LINEAR_BLOCK_ORDER_H

#include "base/arena.h"
#include "cond/status.h"
#include "linear/block_fill.h"

// The input is a list of edges. cond_block_order_make adds the pattern of the factor.
typedef struct CondBlockOrder {
    CondArena arena;
    int n_node;
    int n_edge;
    const int* size;    // coordinates of a node, owned by the caller              (n_node)
    int* edge;          // pairs of different nodes, in any order, repeats allowed (n_edge x 2)
    int* node;          // node at each position of the order, by make             (n_node)
    int* place;         // position of each node in the order, by make             (n_node)
    int* begin;         // offset of each position in `later`, by make             (n_node + 1)
    int* later;         // later positions in its column of the factor, ascending  (begin[n_node])
    CondBlockFill fill; // scratch of make, or:
    // Scratch of make: the quotient graph. A node that is not yet eliminated is adjacent to the
    // nodes in its list, and to the nodes of each element in its list of elements.
    int* list;              // pool of lists                                             (n_list)
    int *at, *n;            // begin of a node's list in the pool, and its nodes         (n_node)
    int *e_at, *m;          // begin of a node's list of elements, and how many          (n_node)
    int* degree;            // bound of the adjacent coordinates                         (n_node)
    int* outside;           // coordinates of an element outside the newest one          (n_node)
    int *mark, *seen;       // the last element that visited a node, an element (n_node)
    int* weight;            // coordinates of an element; -1: it is absorbed      (n_node)
    int *next, *last, *top; // nodes of the same degree, linked                 (n_node; bucket)
} CondBlockOrder;

// Begins an empty pattern with nodes of these sizes (> 0). `size` is not copied.
void cond_block_order_begin(CondBlockOrder* order, int n_node, const int* size);

// Adds the entry (i, j) of the matrix. i = j is ignored.
CondStatus cond_block_order_join(CondBlockOrder* order, int i, int j);

// Fills node, place, begin and later. The same pattern gives the same order.
CondStatus cond_block_order_make(CondBlockOrder* order);

void cond_block_order_destroy(CondBlockOrder* order);

#endif
