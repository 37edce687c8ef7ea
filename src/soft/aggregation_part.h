// Internals of the aggregation, shared by its files.
#ifndef COND_SOFT_AGGREGATION_PART_H
#define COND_SOFT_AGGREGATION_PART_H

#include "soft/aggregation.h"
#include "soft/soft_packed.h"

// Effect of the rigid motions of a group on a join: Y = G P and K Y, rows x 6 each.
typedef struct CondJoinMotion {
    int group, next; // index of the next entry of the same join; -1: none
    double Y[36], KY[36];
} CondJoinMotion;

// Arguments of a loop over groups or over ranges of nodes.
typedef struct CondAggregationLoop {
    CondSoftPacked* packed;
    const CondProblem* problem;
    const double *diagonal, *rest; // diagonal blocks with and without the gains of contacts
} CondAggregationLoop;

// Index of the first packed node of a group.
static inline int cond_aggregation_place(const CondSoftPacked* packed, int group)
{
    return 4 * packed->part_four[packed->coarse.group_begin[group]];
}

// Computes the positions of the nodes relative to the centres of their groups; once a problem.
void cond_aggregation_place_nodes(const CondAggregationLoop* loop, int team);
// Reduces P at nodes that the linearised law holds (aggregation.h).
void cond_aggregation_cut_nodes(const CondAggregationLoop* loop, int team);
// Computes the centres of the groups of a level, and the arms of its nodes from these.
void cond_aggregation_place_level(CondLevel* fine);
// Inverts the coarsest matrix.
void cond_aggregation_invert(CondAggregation* coarse, int threads);
// Writes P of all nodes to `rows`.
void cond_aggregation_move_nodes(const CondAggregationLoop* loop, int team);

#endif
