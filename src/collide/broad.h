// The broad phase: which solids come near a box, and which near each other. One tree over the boxes
// of all solids, built anew where they are, so that a step costs n log n and what is near, and does
// not depend on the steps before it.
#ifndef COND_COLLIDE_BROAD_H
#define COND_COLLIDE_BROAD_H

#include "geometry/tree.h"

typedef struct CondBroad {
    CondTree tree;
    CondTreeHits hits;   // solids near the box of the last query
    CondTreePairs pairs; // of solids near each other, the lower number first
    double* box;         // of the solids, each widened by its own reach      (n x 6)
} CondBroad;

// For up to n solids. The context may be NULL.
CondStatus cond_broad_create(const CondContext* context, int n, CondBroad* broad);
void cond_broad_destroy(CondBroad* broad);

// Puts n boxes in order, widened by far[i] on every side; far may be NULL.   box (n x 6), far (n)
CondStatus cond_broad_build(CondBroad* broad, int n, const double* box, const double* far);
// Lists the solids whose widened boxes overlap `box` widened by `far`.
CondStatus cond_broad_query(CondBroad* broad, const double box[6], double far);
// Lists the pairs of solids whose widened boxes overlap.
CondStatus cond_broad_pairs(CondBroad* broad);

#endif
