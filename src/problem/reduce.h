// A contact problem with some prescribed coordinates: v_P = w.
//
// Their equations are eliminated, because the support supplies any force that they require; their
// effect on other coordinates enters the right-hand side and phi:
//     A_FF v_F = b_F - A_FP w + Jc_F' lambda,      u = R J_F v_F + (phi + R J_P w).
// There is no penalty. To keep the blocks of bodies, a given coordinate stays in the problem
// without couplings and with velocity 0: its row and column are zero except on the diagonal, and
// its b is zero.
#ifndef COND_PROBLEM_REDUCE_H
#define COND_PROBLEM_REDUCE_H

#include "base/arena.h"
#include "cond/problem.h"

typedef struct CondReduction {
    CondArena arena;
    CondProblem problem; // without the given coordinates; points here and to the whole problem
    CondBlock* block;    //                                                   (n_block)
    double* values;      // of the blocks with given coordinates
    CondCoupling* coupling;
    double* coupling_jacobian; // of the couplings with given coordinates
    CondContact* contact;
    double* jacobian; // of the sides with given coordinates
    int* swapped;     // 1: the sides of a contact are swapped                     (n_contact)
    double* given;    // w, and zero for the others                           (n_dof)
    double* b;        //                                                      (n_dof)
} CondReduction;

// Creates reduction->problem, which is valid as long as `problem`. given: 1 for prescribed
// coordinates (n_dof); w: their velocities (n_dof), NULL: zero. Contacts all of whose coordinates
// are given must have been removed.
CondStatus cond_problem_reduce(const CondProblem* problem, const unsigned char* given,
                               const double* w, CondReduction* reduction);

// Convert v and lambda of the whole problem to those of the reduced one, and back.
void cond_reduction_enter(const CondReduction* reduction, const unsigned char* given, double* v,
                          double* lambda);
void cond_reduction_leave(const CondReduction* reduction, const unsigned char* given, double* v,
                          double* lambda);

void cond_reduction_destroy(CondReduction* reduction);

#endif
