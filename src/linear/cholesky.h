// Small dense Cholesky factorisation, for blocks of a body.
#ifndef COND_LINEAR_CHOLESKY_H
#define COND_LINEAR_CHOLESKY_H

// A = L L' in place, row-major, lower triangle; 0 when done, 1 when A is not positive definite.
int cond_cholesky_factor(int n, double* A);

// x = A \ x with the factor.
void cond_cholesky_solve(int n, const double* L, double* x);

// Diagonal of A^-1 from the factor; work holds n numbers.
void cond_cholesky_inverse_diagonal(int n, const double* L, double* d, double* work);

#endif
