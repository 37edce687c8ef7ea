// Nodes of a graph in an order in which neighbours lie together: halved again and again along the
// longest way through it, down to leaves of a given size. The pieces on the way whose size is at
// most another given one are its groups.
#ifndef COND_LINEAR_PARTITION_H
#define COND_LINEAR_PARTITION_H

#include "base/arena.h"
#include "cond/status.h"

typedef struct CondPartition {
    CondArena arena;
    int n;      // nodes
    int* order; // of all nodes                                                  (n)
    int n_leaf;
    int* leaf_begin; // into order                                               (n_leaf + 1)
    int* leaf_group; // group of each leaf, ascending                            (n_leaf)
    int n_group;
    int* owner; // scratch: piece of each node                                   (n)
    int* queue; // scratch                                                       (n)
    int n_piece;
} CondPartition;

// Begins anew.
void cond_partition_clear(CondPartition* partition);

// Appends the n nodes of a graph (rows of its symmetric pattern, as of their own numbers 0 .. n-1),
// in leaves of `leaf` nodes but for the last one.
CondStatus cond_partition_add(CondPartition* partition, int n, const int* row_begin,
                              const int* column, int leaf, int largest_group);

void cond_partition_destroy(CondPartition* partition);

#endif
