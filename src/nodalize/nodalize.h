// The stage `nodalize`: creates the nodal views of one problem, or of its islands, which share no
// coordinates. All views use one memory.
#ifndef COND_NODALIZE_NODALIZE_H
#define COND_NODALIZE_NODALIZE_H

#include "nodalize/nodal.h"

// Offsets of a problem: the number of coordinates and contacts of the problems before it.
typedef struct CondNodalRoom {
    int dof, contact;
} CondNodalRoom;

typedef struct CondNodalization {
    CondArena arena;
    int n;
    CondNodalRoom* room;   // of each problem                                    (n)
    CondNodal* view;       // of each problem                                    (n)
    int* node;             // `own` and `node` of each view, one after the other (n_contact x 4)
    int* mark;             // scratch                                            (n_dof of all)
    int* line_begin;       // first cache line of each view                            (n + 1)
    CondNodalLine* memory; //                                                    (line_begin[n])
} CondNodalization;

void cond_nodalization_begin(const CondContext* context, CondNodalization* nodalization);
void cond_nodalization_end(CondNodalization* nodalization);

// Creates the views of n problems, which keep pointers to them. A contact with kv = INFINITY gets
// the gain kv_scale / Delassus scale. The problems are distributed over the threads; one with more
// than half of all coordinates is processed by all threads. A problem with bare[i] = 1 (bare may be
// NULL) has no contacts and gets an empty view.
CondStatus cond_nodalize(CondNodalization* nodalization, int n, const CondProblem* problem,
                         const int* bare, double kv_scale, int threads);

#endif
