// The broad phase: which solids come near a box, and which near each other. One tree over the boxes
// of all solids. It is coherent in time: while bodies stay near their neighbours the tree of an
// earlier step is refitted to where they are; once the search for pairs in it takes half as much
// work again as it did when it was built, it is built anew. So a step costs n and what is near, at
// times n log n. What is found does not depend on the steps before.
#ifndef COND_COLLIDE_BROAD_H
#define COND_COLLIDE_BROAD_H

#include "base/shared_context.h"
#include "geometry/tree.h"

typedef struct CondBroad {
    CondTree tree;
    CondTreeHits hits;                    // solids near the box of the last query
    CondTreePairs pairs;                  // of solids near each other, the lower number first
    int threads;                          // as the settings say; 1 at first
    CondSharedContext shared;             // of the lists below
    CondTreePairs from[COND_TREE_STARTS]; // found from one pair of nodes each
    int start[COND_TREE_STARTS][2];       //
    CondStatus status[COND_TREE_STARTS];  //
    int (*sorted)[2];                     // scratch
    int* begin;  // scratch: of the pairs by one of their numbers     (n + 2)
    double* box; // of the solids, each widened by its own reach      (n x 6)
    long work;   // pairs of nodes looked at for the pairs of the tree as it was built
    int stale;   // 1: it took more by now
    int builds;  // of the tree so far, for measuring
} CondBroad;

// For up to n solids. The context may be NULL.
CondStatus cond_broad_create(const CondContext* context, int n, CondBroad* broad);
void cond_broad_destroy(CondBroad* broad);

// Puts n boxes in order, widened by far[i] on every side; far may be NULL.   box (n x 6), far (n)
CondStatus cond_broad_build(CondBroad* broad, int n, const double* box, const double* far);
// Lists the solids whose widened boxes overlap `box` widened by `far`.
CondStatus cond_broad_query(CondBroad* broad, const double box[6], double far);
// Lists the pairs of solids whose widened boxes overlap, by ascending higher number, then the
// lower: whatever the tree is, and as lists of contacts are sorted.
CondStatus cond_broad_pairs(CondBroad* broad);

#endif
