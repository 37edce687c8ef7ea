// Which parts of a soft body may have passed through other parts of it in a step.
#ifndef COND_COLLIDE_FOLD_H
#define COND_COLLIDE_FOLD_H

#include "base/arena.h"
#include "collide/volume.h"

typedef struct CondFold {
    CondArena arena;
    CondTree tree; // over the ways of the clusters of triangles
    CondTreePairs pairs;
    double* box;  // around the way of a cluster                              (n_cluster x 6)
    double* move; // least and largest move of its corners                    (n_cluster x 6)
    char* mark;   // 1 for the corners of what was found                      (n_vertex)
    int built;    // 1: the tree fits the clusters
} CondFold;

void cond_fold_begin(const CondContext* context, CondFold* fold);
void cond_fold_end(CondFold* fold);

// Marks the corners of clusters of triangles whose ways overlap and that have moved against each
// other by `fast` or more; *any: 1 where there are such. Neighbours in the mesh go along with each
// other, so that little is left to look at. Moves are taken against `shift`, that of the body as a
// whole.                                                            from, to (n_vertex x 3)
CondStatus cond_fold_find(CondFold* fold, const CondVolume* volume, const double* from,
                          const double* to, const double shift[3], double fast, int* any);

#endif
