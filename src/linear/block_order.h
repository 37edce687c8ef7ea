// An elimination order of a sparse symmetric pattern that makes little fill: by least fill where
// that is quick (linear/block_fill.h), else approximate minimum degree on a quotient graph. Nodes
// are blocks of coordinates, weighed by their size in the latter.
#ifndef COND_LINEAR_BLOCK_ORDER_H
#define COND_LINEAR_BLOCK_ORDER_H

#include "base/arena.h"
#include "cond/status.h"
#include "linear/block_fill.h"

// The pattern is given as edges; after the order is made it is that of the factor.
typedef struct CondBlockOrder {
    CondArena arena;
    int n_node;
    int n_edge;
    const int* size;    // coordinates of a node, the caller's                     (n_node)
    int* edge;          // pairs of different nodes, in any order, repeats allowed (n_edge x 2)
    int* node;          // node at a place of the order, by make                   (n_node)
    int* place;         // place of a node, by make                                (n_node)
    int* begin;         // row of a place in `later`, by make                      (n_node + 1)
    int* later;         // places behind it that its elimination joins, ascending  (begin[n_node])
    CondBlockFill fill; // scratch of make, or:
    // Scratch of make: the quotient graph. A node that is not yet eliminated is next to the nodes
    // in its list and to those of every element in its list of elements.
    int* list;              // pool of lists                                             (n_list)
    int *at, *n;            // begin of a node's list in the pool, and its nodes         (n_node)
    int *e_at, *m;          // begin of a node's list of elements, and how many          (n_node)
    int* degree;            // coordinates next to it, at most                           (n_node)
    int* outside;           // coordinates of an element outside the newest one          (n_node)
    int *mark, *seen;       // the newest element that met a node, and an element (n_node)
    int* weight;            // coordinates of an element; -1: it is absorbed      (n_node)
    int *next, *last, *top; // nodes of the same degree, linked                 (n_node; bucket)
} CondBlockOrder;

// An empty pattern of nodes of these sizes (> 0), which the caller keeps.
void cond_block_order_begin(CondBlockOrder* order, int n_node, const int* size);

// Says that two nodes meet in the matrix. i = j is passed over.
CondStatus cond_block_order_join(CondBlockOrder* order, int i, int j);

// Fills node, place, begin and later. The same pattern gives the same order.
CondStatus cond_block_order_make(CondBlockOrder* order);

void cond_block_order_destroy(CondBlockOrder* order);

#endif
