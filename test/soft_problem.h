// A contact problem of two soft bodies with a small dense one between them, whose last coordinate a
// term ties to a node of the first body; the bodies lie on the ground and on each other, and with
// `ties` on points of the dense one, which takes virtual nodes; with 2 in its place some contacts
// are intervals of forces.
#ifndef COND_TEST_SOFT_PROBLEM_H
#define COND_TEST_SOFT_PROBLEM_H

#include "cond/problem.h"
#include "fem_grid.h"
#include "linear/bsr3.h"

#include <stdint.h>

enum { N_MATRIX = 2, ARM = 4, N_CONTACT = 90 };

typedef struct SoftProblem {
    CondContext context;
    FemGrid grid[N_MATRIX];
    CondBsr3Pattern pattern[N_MATRIX];
    CondBsr3 A[N_MATRIX];
    CondBlock block[3];
    CondCoupling coupling;
    CondContact contact[N_CONTACT];
    CondProblem problem;
    double arm[ARM * ARM], jacobian[4], gain[1];
    double point[N_CONTACT][3 * ARM]; // Jacobians of the points of the dense body
    int tied[4], at[N_CONTACT][2][3], arm_at[ARM];
    double* b;
} SoftProblem;

void soft_problem_create(SoftProblem* made, int ties);
void soft_problem_destroy(SoftProblem* made);

// Numbers for a matrix: symmetric, with a diagonal that outweighs the rest.
void soft_problem_fill(CondBsr3* A, uint64_t* seed);

#endif
