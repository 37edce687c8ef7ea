// The stage that nodalizes: views of one problem, or of many that share no coordinates, its
// islands, in one memory.
#ifndef COND_NODALIZE_NODALIZE_H
#define COND_NODALIZE_NODALIZE_H

#include "nodalize/nodal.h"

// The coordinates and contacts of the problems before one.
typedef struct CondNodalRoom {
    int dof, contact;
} CondNodalRoom;

typedef struct CondNodalization {
    CondArena arena;
    int n;
    CondNodalRoom* room;   // of each problem                                    (n)
    CondNodal* view;       // of each problem                                    (n)
    int* node;             // own and node of the contacts, problem by problem   (n_contact x 4)
    int* mark;             // scratch                                            (n_dof of all)
    int* line_begin;       // where the memory of a view begins                  (n + 1)
    CondNodalLine* memory; //                                                    (line_begin[n])
} CondNodalization;

void cond_nodalization_begin(const CondContext* context, CondNodalization* nodalization);
void cond_nodalization_end(CondNodalization* nodalization);

// Makes the views of n problems, to be completed, which must stay where they are; kv_scale /
// Delassus scale stands in for kv = INFINITY. Many are shared out among the threads; one that has
// most of the coordinates is made by all of them. Those that `bare` says (n, or NULL) stay without:
// they have no contacts.
CondStatus cond_nodalize(CondNodalization* nodalization, int n, const CondProblem* problem,
                         const int* bare, double kv_scale, int threads);

#endif
