// A coarse correction for the systems of soft bodies: aggregation, cut by ties.
//
// Level 0 has the nodes of the soft bodies, three coordinates each. Neighbouring nodes form groups,
// made once from the pattern of the matrix; a group moves as a rigid body, which gives the six
// coordinates of a node of the next level, and these form groups in turn. The prolongation P of a
// level is thus known from the places of its nodes. Where a node of level 0 is held by a tie in
// some directions, P does not move it in these: then the gain of the tie does not enter the coarse
// matrix P' (A + T) P, which stays well conditioned. What is built for one set of ties serves
// the next one but for the groups near the nodes whose ties changed.
//
// Everything here only steers conjugate gradients: it is kept in single precision, and sums of
// products are made in double where matrices are built.
#ifndef COND_SOLVE_MULTILEVEL_H
#define COND_SOLVE_MULTILEVEL_H

#include "base/parallel.h"
#include "cond/problem.h"

#include <stdint.h>

enum { COND_LEVELS = 10 };

// The nodes of one level and the groups they form. Vectors of the coarse levels have eight numbers
// a node, the last two of them zero.
typedef struct CondLevel {
    int n_node;
    int n_group;             // 0: the coarsest level
    int *row_begin, *column; // pattern of A, coarse levels                     (n_node + 1), (nnz)
    float* A;                // coarse levels, 6x6 blocks by columns            (36 nnz + 2)
    float* D;                // the same: inverse of the blocks on the diagonal (36 n_node + 2)
    int* group;              // of each node                                           (n_node)
    int* member_begin;       // first member of each group                             (n_group + 1)
    int* member;             // nodes by groups, ascending in each                     (n_node)
    int* slot;               // which member a node is                                 (n_node)
    float* arm;       // of members: from the centre of the group, over the length of the next
                      // level                                                  (n_node x 3)
    float ratio;      // length of this level over that of the next
    double* place;    // coarse levels [m]                               (n_node x 3)
    double length;    // size of the nodes of this level [m]
    float *x, *r, *y; // coarse levels: vectors of a cycle               (8 n_node)
    float step;       // of the smoother
    int cap_row_begin, cap_column, cap_A, cap_D, cap_group, cap_member_begin, cap_member, cap_slot,
        cap_arm, cap_place, cap_x, cap_r, cap_y;
} CondLevel;

// The nodes of a soft body within level 0.
typedef struct CondLevelBody {
    const CondBlock* block;
    int first;
} CondLevelBody;

typedef struct CondMultilevel {
    CondContext context;
    CondLevel level[COND_LEVELS];
    int n_level; // 0: not planned yet
    int fresh;   // 1: nothing built for this matrix yet
    int threads;
    int n_body;
    CondLevelBody* body;
    uint64_t pattern; // hash of the pattern of level 0
    double* factor;   // of the coarsest matrix                                  ((6 n)^2)
    double* coarsest; // scratch: its unknowns                                   (6 n)
    // Of the members of level 0:
    int* packed;       // place of their numbers in vectors                           (n_node)
    int* state;        // COND_NODE_...                                                (n_node)
    float* tied;       // what P was cut by: blocks on the diagonal with ties          (n_node x 6)
    float* soft;       // of these, what is not held, without A                        (n_node x 6)
    float* part;       // the directions that are not held                             (n_node x 6)
    int* due;          // 1: a group whose row of the coarse matrix must be made; scratch
                       //                                                         (n_node)
    int n_due;         // nodes whose ties changed
    double* row;       // scratch: rows of coarse matrices, each thread's own
    double* sum;       // scratch: squares of norms over parts of a level
    int n_row, n_team; // numbers of such a row; threads there is room for
    int cap_factor, cap_coarsest, cap_tied, cap_soft, cap_part, cap_state, cap_due, cap_row,
        cap_sum, cap_body, cap_packed;
} CondMultilevel;

// Takes the matrix of the nodes of all soft bodies of the problem, in order, without ties. *fits is
// 0 where it cannot serve: a body does not say where its nodes are, or there are too few of them.
CondStatus cond_multilevel_plan(CondMultilevel* multi, const CondProblem* problem, int threads,
                                int* fits);

// Takes the blocks on the diagonal, ties included (symmetric), and the place of each node in
// vectors.  COND_DIVERGED: not positive definite.              tied (n_node x 9), rank (n_node)
CondStatus cond_multilevel_build(CondMultilevel* multi, const double* tied, const int* rank);

// z = s z + P (coarse matrix)^-1 P' r, by a cycle, and returns r'z. All threads of a team call it,
// when r and z are there, and all are through when they return.       r, z: four numbers a node
double cond_multilevel_correct(CondMultilevel* multi, CondTeam* team, int rank, int size,
                               const float* r, float s, float* z);

void cond_multilevel_destroy(CondMultilevel* multi);

#endif
