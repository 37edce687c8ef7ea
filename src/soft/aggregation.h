// A coarse correction for the packed system, by aggregation: groups of neighbouring nodes move as
// rigid bodies. This reduces the long-wave errors of an elastic body, for which a block
// preconditioner converges slowly. The groups are unions of parts of the packed nodes. There are
// two variants:
//
//   shallow  a few large groups, whose matrix is inverted as a whole. It costs next to nothing.
//   deep     every part is a group; groups form larger ones, level by level, and a cycle visits
//            all levels, for meshes so fine that a few groups do not do.
//
// P, the motions of the groups at the nodes, follows from the positions of the nodes. At a node
// that the linearised law holds, the motions of its group are reduced,
//     P_i = (I + (T_i / tau)^2)^-2 [I, -[d_i]x],   T_i its gain, tau a multiple of the
//     node's own block,
// so that neither the gain nor the force it makes enters the coarse matrix P' H P. The correction P
// (P' H P)^-1 P' is added to that of the blocks. P is recomputed for every system, the coarse
// matrix only where it has changed much.
//
// The norm of the blocks is insensitive to the residual at held nodes, which dominates once long
// waves are removed. The stopping test therefore uses a norm in which all nodes have the weights of
// free ones.
//
// All this is only a preconditioner: it is stored in single precision, but the matrices are built
// with sums in double precision.
#ifndef COND_SOFT_AGGREGATION_H
#define COND_SOFT_AGGREGATION_H

#include "base/arena.h"
#include "base/parallel.h"
#include "cond/problem.h"

#include <stdint.h>

struct CondSoftPacked;

enum {
    COND_LEVELS = 10,      //
    COND_COARSE_WIDE = 64, // columns of the inverse that are processed at a time
};

// Nodes of six coordinates, and the groups they form. Vectors have eight numbers a node, the last
// two of them zero.
typedef struct CondLevel {
    int n_node;
    int *row_begin, *column; // pattern of the matrix                          (n_node + 1), (nnz)
    float* A;                // 6x6 blocks by columns; coarsest level: none     (36 nnz + 2)
    float* D;                // inverse of the blocks on the diagonal           (36 n_node + 2)
    float step;              // of the smoother
    float *x, *r, *y;        // vectors of a cycle; y is padded                 (8 n_node)
    double* place;           // centre of each node [m]                           (n_node x 3)
    double length;           // of the nodes: scale of the rotations [m]
    int n_group;             // 0: the coarsest level
    int* group;              // of each node                                    (n_node)
    int* member_begin;       // first member of each group                      (n_group + 1)
    int* member;             // nodes by groups, ascending in each              (n_node)
    float* arm;              // from the centre of its group, over the next length (3 n_node + 1)
    float ratio;             // length of this level over that of the next
} CondLevel;

typedef struct CondAggregation {
    CondArena arena;
    int on;           // 1: in use
    int deep;         //
    int planned;      // 1: the groups are set up for a pattern,
    uint64_t key;     // whose key this is
    int n_group;      // groups of nodes, the nodes of the first level
    int* node_group;  // of each node of the system                            (n_node)
    int* part_group;  // of each part                                          (n_part)
    int* group_begin; // first part of each group                              (n_group + 1)
    int* group_body;  // block of the problem with its nodes                   (n_group)
    int* group_node;  // the system's first node of that block                 (n_group)
    float* frame;     // of pairs of nodes: remaining share of the node's three directions if
                      // reduced along the axes, and (d_y, d_z, d_x, weight) from the centre of its
                      // group, each 4 + 4                                     (16 places / 2)
    int* skew;        // indices of nodes that are reduced along other directions, by parts
                      //                                                              (places)
    int* n_skew;      // of each part; the first is at the part's first index (n_part)
    float* rows;      // P of these, and of all during the build of the matrix: 3 rows of six
                      // motions, padded                                           (24 places)
    float* sum;       // P' r of each part                                     (8 n_part)
    double* left;     // square of the norm of r of each part                  (n_part)
    float* held;      // directions in which each node is held                 (places)
    float* held_then; // the same at the last build of the matrix                     (places)
    int* changed;     // 1: the share of a node differs from that of the matrix (places)
    uint64_t n_plan;  // number of patterns so far
    uint64_t n_made;  // number of matrices so far
    int made;         // 1: there is a matrix of this problem
    int* due;         // the groups whose rows must be recomputed, ascending         (n_group)
    int n_level;      //
    CondLevel level[COND_LEVELS];
    CondGate gate[COND_LEVELS]; // barrier of the threads on each level
    // The coarsest level.
    int n;           // unknowns, six per node
    int stride;      // of the rows of the matrix
    int wide;        // of the rows of the inverse, eight numbers a node, full registers
    double* matrix;  // and its inverse                                         (n x stride)
    double* work;    //                                                         (n x stride)
    float* inverse;  //                                                         (n x wide)
    float* vectors;  // r and x of each thread                                  (2 n_team wide)
    double* row;     // scratch: a row of a matrix, each thread's own           (n_team n_row)
    int n_row;       //
    double* product; // partial sums of r'y over groups, if there are many           (n_group)
    double* square;  // scratch: squares of norms over parts of a level
    // Joins: the effect of the motions of groups on them.
    struct CondJoinMotion* motion; //                                          (n_cell)
    int *join_first, *join_last;   // of each join, into motion                (n_join)
    double* gain;                  // trace of its K at the last build of the matrix (n_join)
} CondAggregation;

// Damping of the blocks together with a deep correction, since undamped they overshoot: the
// eigenvalues of D^-1 A are at most the number of nodes of an element, four.
static inline double cond_aggregation_damping(const CondAggregation* coarse)
{
    return coarse->on && coarse->deep ? 0.5 : 1.0;
}

// Groups of the packed nodes, and levels above them. *fits is 0 if it cannot be used: a body gives
// no positions of its nodes, or there are too few nodes, or too many groups for one matrix.
CondStatus cond_aggregation_plan(struct CondSoftPacked* packed, const CondProblem* problem,
                                 int deep, int* fits);

// Builds it for a system: the blocks of the nodes on the diagonal, `diagonal` with the gains of
// contacts and `rest` without, and the packed joins. COND_DIVERGED: not positive definite.
//                                                                (n_node x 9, system's order)
CondStatus cond_aggregation_build(struct CondSoftPacked* packed, const CondProblem* problem,
                                  const double* diagonal, const double* rest, int threads);

// The motions of the groups from the sums P' r of all parts, eight numbers a group, in *motion;
// returns their contribution to r'z. All threads of a team call it, after the sums are complete.
double cond_aggregation_correct(struct CondSoftPacked* packed, CondTeam* team, int rank, int size,
                                const float** motion);

// The weight of a node in the norm of the residual.                       rest: its block (9)
double cond_aggregation_weight(const double* rest);

#endif
