// Numbers of sparse factorisations and partitions. A header of numbers alone: it includes nothing.
#ifndef COND_LINEAR_TUNING_H
#define COND_LINEAR_TUNING_H

// [1] multiply-adds that a supernode costs whatever its size: calls, indices, the first touch of
// its panels. Merging with this cost makes the factorisation of a heap of 200 bodies fastest.
#define COND_SUPERNODE_WORK 1000.0

enum {
    COND_SUPERNODE_BLOCK = 48, // [count] coordinates: its square of 18 kB stays in the first cache
    COND_FILL_NODES = 2048,  // [count] nodes up to which the order of least fill is made: it has a
                             // bit for each pair of them, half a megabyte
    COND_FAR_SEARCHES = 3,   // [count] of a node at the far end of a graph, as George and Liu do
    COND_PIVOTED_BLOCK = 64, // [count] columns of a dense matrix that are factored together
};

#endif
