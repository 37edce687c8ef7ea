// What the files of the aggregation share.
#ifndef COND_SOFT_AGGREGATION_PART_H
#define COND_SOFT_AGGREGATION_PART_H

#include "soft/aggregation.h"
#include "soft/soft_packed.h"

// What the motions of a group do to a join: Y = G P and K Y, rows x 6 each.
typedef struct CondJoinMotion {
    int group, next; // next one of the same join; -1: none
    double Y[36], KY[36];
} CondJoinMotion;

// What a loop over groups or parts reads and writes.
typedef struct CondAggregationLoop {
    CondSoftPacked* packed;
    const CondProblem* problem;
    const double *diagonal, *rest; // blocks of the nodes with the gains of contacts, and without
} CondAggregationLoop;

// The first place of a group.
static inline int cond_aggregation_place(const CondSoftPacked* packed, int group)
{
    return 4 * packed->part_four[packed->coarse.group_begin[group]];
}

// Where the nodes are in their groups, once for a problem.
void cond_aggregation_place_nodes(const CondAggregationLoop* loop, int team);
// What is left of their motions.
void cond_aggregation_cut_nodes(const CondAggregationLoop* loop, int team);
// Middles and arms of the groups that the nodes of a level form.
void cond_aggregation_place_level(CondLevel* fine);
// The inverse of the coarsest matrix.
void cond_aggregation_invert(CondAggregation* coarse, int threads);
// P of all nodes in `rows`.
void cond_aggregation_move_nodes(const CondAggregationLoop* loop, int team);

#endif
