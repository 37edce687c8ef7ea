// Supernodes of a sparse factorisation: nodes that are eliminated one after the other and meet
// nearly the same later ones are taken together, so that the factorisation works on wide panels.
#ifndef COND_LINEAR_BLOCK_SUPER_H
#define COND_LINEAR_BLOCK_SUPER_H

#include "linear/block_order.h"
#include "linear/block_schedule.h"

typedef struct CondBlockSuper {
    int n;                   // supernodes, in an order in which they can be eliminated, and
    int share[COND_TOP + 2]; // share after share: the first of each, then n
    int* node;   // node at a place, those of a supernode together                    (n_node)
    int* place;  // place of a node                                                   (n_node)
    int* first;  // first place of a supernode                                         (n + 1)
    int* owner;  // supernode of a place                                              (n_node)
    int* begin;  // row of a supernode in `later`                                      (n + 1)
    int* later;  // places behind it that its elimination joins, ascending          (begin[n])
    int* parent; // supernode of the first of them; n: it has none                         (n)
    // Scratch of make.
    CondBlockSchedule schedule; // of the supernodes as they come
    double* work;      // multiply-adds, with those of what it takes from others           (n)
    int* number;       // of a supernode as it comes                                       (n)
    int* head;         // last place of the supernode that a place of the order is in (n_node)
    int *size, *width; // coordinates of it, and of the later places it meets         (n_node)
} CondBlockSuper;

// From an order that is made. The arrays belong to the arena of the order.
CondStatus cond_block_super_make(CondBlockSuper* super, CondBlockOrder* order);

#endif
