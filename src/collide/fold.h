// Finds the regions of a soft body that may have passed through each other in a step.
#ifndef COND_COLLIDE_FOLD_H
#define COND_COLLIDE_FOLD_H

#include "base/arena.h"
#include "collide/volume.h"

typedef struct CondFold {
    CondArena arena;
    CondTree tree; // over the swept boxes of the clusters of triangles
    CondTreePairs pairs;
    double* box;  // swept box of a cluster                                    (n_cluster x 6)
    double* move; // least and largest move of its corners                    (n_cluster x 6)
    char* mark;   // 1: a corner of a cluster that was found                        (n_vertex)
    int built;    // 1: the tree fits the clusters
} CondFold;

void cond_fold_begin(const CondContext* context, CondFold* fold);
void cond_fold_end(CondFold* fold);

// Marks the corners of clusters of triangles whose swept boxes overlap and whose relative motion is
// `fast` or more; *any is 1 if there are such. Neighbours in the mesh move alike, so that few
// clusters remain. Motions are relative to `shift`, that of the whole body.
//                                                                     from, to (n_vertex x 3)
CondStatus cond_fold_find(CondFold* fold, const CondVolume* volume, const double* from,
                          const double* to, const double shift[3], double fast, int* any);

#endif
