// A coarse correction for the systems of soft bodies: smoothed aggregation, truncated by ties.
//
// Level 0 has the nodes of the soft bodies, three coordinates each. Neighbouring nodes form groups,
// made once from the pattern of the matrix; a group moves as a rigid body, which gives the six
// coordinates of a node of the next level. The prolongation is smoothed,
//     P = (I - omega D^-1 A) P^,    D the blocks on the diagonal, P^ the rigid motions,
// and where a node is held by a tie in some directions, P does not move it in these: then the gain
// of the tie does not enter the coarse matrix P' (A + T) P, which stays well conditioned.
// What is built for one set of ties serves the next one but for the groups near the nodes whose
// ties changed.
#ifndef COND_SOLVE_MULTILEVEL_H
#define COND_SOLVE_MULTILEVEL_H

#include "cond/problem.h"

enum { COND_LEVELS = 10 };

// One level and the way to the next coarser one. Blocks of A are width x width, of P and W
// width x 6.
typedef struct CondLevel {
    int n_node, width;       //
    int n_coarse;            // groups; 0: the coarsest level
    int *row_begin, *column; // pattern of A                                     (n_node + 1), (nnz)
    const double** row;      // values of each row of A                          (n_node)
    double* A;               // of the coarse levels                             (nnz x 36)
    double* D;               // inverse of the blocks on the diagonal            (n_node x width^2)
    double* place;           // of the nodes [m]                                 (n_node x 3)
    double length;           // size of the nodes of this level [m]
    int* group;              // of each node                                     (n_node)
    int *p_begin, *p_column; // pattern of P, by nodes
    int *w_begin, *w_column; // pattern of W = A P
    int *t_begin, *t_node, *t_entry; // pattern of P' by groups: nodes, and places in P
    float* P;                        // prolongation, cut by the ties
    double *x, *r, *y;               // vectors of a cycle                       (n_node x width)
    double high;                     // of the eigenvalues of D A
    int cap_row_begin, cap_column, cap_row, cap_A, cap_D, cap_place, cap_group, cap_p_begin,
        cap_p_column, cap_w_begin, cap_w_column, cap_t_begin, cap_t_node, cap_t_entry, cap_P, cap_x,
        cap_r, cap_y;
} CondLevel;

typedef struct CondMultilevel {
    CondContext context;
    CondLevel level[COND_LEVELS];
    int n_level; // 0: not planned yet
    int fresh;   // 1: nothing built for this matrix yet
    int threads;
    double* factor; // of the coarsest matrix                                    ((6 n)^2)
    double* tied;   // what was built on: blocks on the diagonal with ties       (n_node x 9)
    double* soft;   // of it, the part in directions that are not held, without A (n_node x 9)
    int* changed;   // 1: node, group or row to be made anew                     (n_node)
    int* mark;      // scratch                                                   (n_node)
    int cap_factor, cap_tied, cap_soft, cap_changed, cap_mark;
} CondMultilevel;

// Takes the matrix of the nodes of all soft bodies of the problem, in order, without ties. *fits is
// 0 where it cannot serve: a body does not say where its nodes are, or there are too few of them.
CondStatus cond_multilevel_plan(CondMultilevel* multi, const CondProblem* problem, int threads,
                                int* fits);

// Takes the blocks on the diagonal, ties included (symmetric).  COND_DIVERGED: not positive
// definite.                                                                  tied (n_node x 9)
CondStatus cond_multilevel_build(CondMultilevel* multi, const double* tied);

// z += P (coarse matrix)^-1 P' r, by a cycle.                      r, z: nodes in order (n_node x
// 3)
void cond_multilevel_correct(CondMultilevel* multi, const double* r, double* z);

void cond_multilevel_destroy(CondMultilevel* multi);

#endif
