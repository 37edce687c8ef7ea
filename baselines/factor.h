// The Cholesky factor of A by CHOLMOD: L L' = P A P', simplicial or supernodal.
//
// CHOLMOD takes its own memory from the C library; what is allocated here comes from the context.
#ifndef COND_BASELINES_FACTOR_H
#define COND_BASELINES_FACTOR_H

#include "matrix.h"

#include <cholmod.h>

typedef enum CondFactorKind {
    COND_FACTOR_SIMPLICIAL = 0, // column by column, ordered by minimum degree
    COND_FACTOR_SUPERNODAL = 1, // dense blocks through BLAS, the best ordering CHOLMOD finds
} CondFactorKind;

typedef struct CondFactor {
    CondContext context;
    CondFactorKind kind;
    cholmod_common common;
    cholmod_factor* L;
    cholmod_dense* X; // CHOLMOD's answer and workspaces, kept from solve to solve
    cholmod_dense* Y; //
    cholmod_dense* E; //
    CondMatrix A;
    int n_analyses; // symbolic analyses made so far
    double seconds; // of the last numeric factorisation alone
} CondFactor;

void cond_factor_create(CondFactor* factor, const CondContext* context, CondFactorKind kind);
void cond_factor_destroy(CondFactor* factor);

// Factors A, or A + sum weight_c Jc_c' Jc_c. COND_DIVERGED: the matrix is not positive definite,
// or holds numbers that are not finite.
CondStatus cond_factor_build(CondFactor* factor, const CondProblem* problem, const CondJacobian* Jc,
                             const double* weight);

// X = A \ B, column-major, in place.                                   B (n_dof x n_column)
CondStatus cond_factor_solve(CondFactor* factor, int n_column, double* B);

#endif
