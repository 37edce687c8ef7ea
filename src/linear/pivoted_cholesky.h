// Dense Cholesky factor of a positive semi-definite matrix, with diagonal pivoting.
#ifndef COND_LINEAR_PIVOTED_CHOLESKY_H
#define COND_LINEAR_PIVOTED_CHOLESKY_H

#include "linear/tuning.h"

#include <stddef.h>

// Numbers of workspace for n rows.
static inline size_t cond_pivoted_work(size_t n)
{
    return n + COND_PIVOTED_BLOCK * (n + 4);
}

// A[order, order] = L L', in place: L is the lower triangle of the first columns of A, as many as
// the rank that is returned. The factorisation stops where the largest diagonal entry left is
// rounding: n eps max A_ii. Only the lower triangle of A, row-major, is read; above the diagonal
// and beyond the rank A keeps what was there.          A (n x n), order (n)
int cond_pivoted_cholesky(int n, double* A, int* order, double* work);

// C = C - F F', lower triangles; rows of F and C are n numbers apart.    F (n x m), C (n x n)
void cond_subtract_square(int n, int m, const double* F, double* C, double* work);

#endif
