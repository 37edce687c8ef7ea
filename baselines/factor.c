// Cholesky factorisation of A by CHOLMOD, the only file besides front.c that calls it
// (factor.h).
#include "factor.h"

#include "base/memory.h"
#include "base/timer.h"

#include <math.h>
#include <string.h>

void cond_factor_create(CondFactor* factor, const CondContext* context, CondFactorKind kind)
{
    memset(factor, 0, sizeof *factor);
    factor->context = *context;
    factor->A.context = *context;
    factor->kind = kind;
    cholmod_common* common = &factor->common;
    cholmod_start(common);
    common->print = 0;
    common->final_ll = 1;
    if (kind == COND_FACTOR_SIMPLICIAL) {
        common->supernodal = CHOLMOD_SIMPLICIAL;
        common->nmethods = 1;
        common->method[0].ordering = CHOLMOD_AMD;
    } else {
        common->supernodal = CHOLMOD_SUPERNODAL;
    }
}

void cond_factor_destroy(CondFactor* factor)
{
    cholmod_common* common = &factor->common;
    cholmod_free_factor(&factor->L, common);
    cholmod_free_dense(&factor->X, common);
    cholmod_free_dense(&factor->Y, common);
    cholmod_free_dense(&factor->E, common);
    cholmod_finish(common);
    cond_matrix_destroy(&factor->A);
}

// What CHOLMOD says of its last call. Warnings are positive.
static CondStatus status_of(const CondFactor* factor)
{
    int status = factor->common.status;
    if (status == CHOLMOD_NOT_POSDEF || status == CHOLMOD_DSMALL)
        return COND_DIVERGED;
    if (status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE)
        return COND_OUT_OF_MEMORY;
    return status < 0 ? COND_NOT_SUPPORTED : COND_OK;
}

CondStatus cond_factor_build(CondFactor* factor, const CondProblem* problem, const CondJacobian* Jc,
                             const double* weight)
{
    cholmod_common* common = &factor->common;
    CondMatrix* A = &factor->A;
    CondStatus status = cond_matrix_build(A, problem, Jc, weight);
    if (status)
        return status;
    size_t n = (size_t)A->n, n_entry = (size_t)A->col_begin[A->n];
    for (size_t k = 0; k < n_entry; k++)
        if (!isfinite(A->x[k]))
            return COND_DIVERGED;
    cholmod_sparse matrix = {.nrow = n,
                             .ncol = n,
                             .nzmax = n_entry,
                             .p = A->col_begin,
                             .i = A->row_index,
                             .x = A->x,
                             .stype = -1,
                             .itype = CHOLMOD_INT,
                             .xtype = CHOLMOD_REAL,
                             .dtype = CHOLMOD_DOUBLE,
                             .sorted = 1,
                             .packed = 1};
    if (A->changed || !factor->L) {
        cholmod_free_factor(&factor->L, common);
        factor->L = cholmod_analyze(&matrix, common);
        factor->n_analyses++;
        if (!factor->L) {
            A->known = 0;
            status = status_of(factor);
            return status ? status : COND_OUT_OF_MEMORY;
        }
    }
    double start = cond_seconds();
    cholmod_factorize(&matrix, factor->L, common);
    factor->seconds = cond_seconds() - start;
    status = status_of(factor);
    if (!status && factor->L->minor < n)
        status = COND_DIVERGED;
    if (status) // CHOLMOD leaves a factor cut short, whose analysis cannot be used again
        cholmod_free_factor(&factor->L, common);
    return status;
}

CondStatus cond_factor_solve(CondFactor* factor, int n_column, double* B)
{
    size_t n = (size_t)factor->A.n, count = n * (size_t)n_column;
    if (count == 0)
        return COND_OK;
    cholmod_dense rhs = {.nrow = n,
                         .ncol = (size_t)n_column,
                         .nzmax = count,
                         .d = n,
                         .x = B,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, factor->L, &rhs, NULL, &factor->X, NULL, &factor->Y, &factor->E,
                        &factor->common)) {
        CondStatus status = status_of(factor);
        return status ? status : COND_OUT_OF_MEMORY;
    }
    memcpy(B, factor->X->x, count * sizeof *B);
    return COND_OK;
}
