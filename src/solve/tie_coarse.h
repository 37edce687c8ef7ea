// A coarse correction for the packed system: groups of neighbouring nodes that move as rigid
// bodies. Between two contacts an elastic body is slow to converge in its long waves only, and a
// few dozen groups catch these: a decade takes the conjugate gradients a third to an eighth of the
// products. Where a tie holds a node, the motions of its group are cut there,
//     P_i = (I + (T_i / tau)^2)^-2 [I, -[d_i]x],   T_i the tie, tau some times the node's own
//     block,
// so that neither its gain nor its force enters the coarse matrix P' H P, whose inverse is kept.
// The correction P (P' H P)^-1 P' is added to the arrow.
//
// The arrow's norm hardly sees what is left where a tie holds a node, and without slow waves that
// is what remains. So the iterations end by a norm in which nodes weigh as if they were not tied.
#ifndef COND_SOLVE_TIE_COARSE_H
#define COND_SOLVE_TIE_COARSE_H

#include "cond/problem.h"

struct CondTiePacked;

enum { COND_COARSE_WIDE = 64 }; // numbers of a row of the inverse at a time

typedef struct CondTieCoarse {
    CondContext context;
    int on;           // 1: goes with the arrow
    int n_group;      //
    int n;            // coarse unknowns, 6 n_group
    int stride;       // of the rows of matrix and inverse, full registers
    int* group_begin; // first part of each group                                (n_group + 1)
    int* group_body;  // block of the problem with its nodes                     (n_group)
    int* group_node;  // the system's first node of that block                   (n_group)
    float* frame;   // of pairs of nodes: what is left of the node's three directions where ties cut
                    // them along the axes, and (d_y, d_z, d_x, weight) from the middle of its
                    // group, each 4 + 4                                       (16 places / 2)
    int* skew;      // places of nodes that are cut otherwise, by parts        (places)
    int* n_skew;    // of each part; the first stands at the part's first place (n_part)
    float* rows;    // P of these, and of all while the matrix is made: 3 rows of six motions,
                    // padded                                                  (24 places)
    double* matrix; // P' H P                                                  (n x stride)
    double* work;   //                                                         (n x stride)
    float* inverse; //                                                         (n x stride)
    float* sum;     // P' r of each part                                       (8 n_part)
    double* left;   // square of the norm of r of each part                    (n_part)
    float* vectors; // r and x of each thread                                  (2 n_team stride)
    double* motion; // of joins: what the motions of groups do to them
    float* held;    // directions in which ties hold each node                 (places)
    float* held_then; // the same when the matrix was made                       (places)
    double* gain;     // trace of the K of each join then                        (n_join)
    int made;         // 1: there is a matrix of this problem
    int* cell_group;  //                                                         (n_cell)
    int* cell_order;  // cells by joins                                          (n_cell)
    int* join_begin;  //                                                         (n_join + 1)
    int cap_group_begin, cap_group_body, cap_group_node, cap_frame, cap_skew, cap_n_skew, cap_rows,
        cap_matrix, cap_work, cap_inverse, cap_sum, cap_left, cap_held, cap_held_then, cap_gain,
        cap_vectors, cap_motion, cap_cell_group, cap_cell_order, cap_join_begin;
} CondTieCoarse;

// Room for the groups of the packed nodes. *fits is 0 where a body does not say where its nodes
// are.
CondStatus cond_tie_coarse_plan(struct CondTiePacked* packed, const CondProblem* problem,
                                int* fits);

// Takes the system, and makes the coarse matrix anew where the ties have changed much since the
// last time: the blocks of the nodes on the diagonal, `diagonal` with ties and `rest` without, and
// the joins, which are packed already.                   (n_node x 9, system's order)
CondStatus cond_tie_coarse_build(struct CondTiePacked* packed, const CondProblem* problem,
                                 const double* diagonal, const double* rest, int threads);

// The weight of a node in the norm of what is left.                       rest: its block (9)
double cond_tie_coarse_weight(const double* rest);

void cond_tie_coarse_destroy(CondTieCoarse* coarse);

#endif
