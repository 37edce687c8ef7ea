// A contact problem some of whose coordinates are given: v_P = w.
//
// Their equations leave the problem, because whatever holds them supplies the force that they ask
// for; where they act on others they go to the right-hand side and into phi:
//     A_FF v_F = b_F - A_FP w + Jc_F' lambda,      u = R J_F v_F + (phi + R J_P w).
// Nothing is penalised. So that bodies keep their blocks, a given coordinate stays as one that is
// tied to nothing and rests: its row and column are zero but for the diagonal, and so is its b.
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
    int* swapped;     // 1: the sides of a contact have changed places        (n_contact)
    double* given;    // w, and zero for the others                           (n_dof)
    double* b;        //                                                      (n_dof)
} CondReduction;

// Makes reduction->problem, which lives as long as the problem. given: 1 for the coordinates that
// are given (n_dof), w their velocities (n_dof), NULL: zero. A contact all of whose coordinates are
// given has no force and must not be there.
CondStatus cond_problem_reduce(const CondProblem* problem, const unsigned char* given,
                               const double* w, CondReduction* reduction);

// Takes v and lambda of the whole problem to those of the reduced one, and back.
void cond_reduction_enter(const CondReduction* reduction, const unsigned char* given, double* v,
                          double* lambda);
void cond_reduction_leave(const CondReduction* reduction, const unsigned char* given, double* v,
                          double* lambda);

void cond_reduction_destroy(CondReduction* reduction);

#endif
