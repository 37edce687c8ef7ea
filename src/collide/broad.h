// The broad phase: finds the solids near a box, and the pairs of solids near each other, with one
// tree over the boxes of all solids. It uses temporal coherence: the tree of an earlier step is
// refitted to the present boxes, and rebuilt once the search for pairs takes 1.5 times the work
// that it took right after the build. A step thus costs O(n) plus the number of near pairs, and O(n
// log n) when it rebuilds. The result does not depend on earlier steps.
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
    CondTreePairs from[COND_TREE_STARTS]; // results of the starts, one list each
    int start[COND_TREE_STARTS][2];       //
    CondStatus status[COND_TREE_STARTS];  //
    int (*sorted)[2];                     // scratch
    int* begin;  // scratch: offsets of the pairs by one of their indices              (n + 2)
    double* box; // of the solids, each widened by its `far`                           (n x 6)
    long work;   // pairs of nodes visited by the search right after the build
    int stale;   // 1: a search has exceeded the limit of work since then
    int builds;  // number of builds of the tree so far, for measurements
} CondBroad;

// For up to n solids. The context may be NULL.
CondStatus cond_broad_create(const CondContext* context, int n, CondBroad* broad);
void cond_broad_destroy(CondBroad* broad);

// Builds or refits the tree for n boxes, widened by far[i] on every side; far may be NULL.
//                                                                        box (n x 6), far (n)
CondStatus cond_broad_build(CondBroad* broad, int n, const double* box, const double* far);
// Lists the solids whose widened boxes overlap `box` widened by `far`.
CondStatus cond_broad_query(CondBroad* broad, const double box[6], double far);
// Lists the pairs of solids whose widened boxes overlap, in ascending order of the higher index,
// then of the lower one. The order does not depend on the tree and is that of the lists of
// contacts.
CondStatus cond_broad_pairs(CondBroad* broad);

#endif
