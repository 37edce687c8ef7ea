// Small dense LU factorisation with partial pivoting, for unsymmetric tie systems. By hand, because
// its bits must not depend on the number of threads, which a BLAS does not promise.
#ifndef COND_LINEAR_LU_H
#define COND_LINEAR_LU_H

// P A = L U in place, row-major; 0 when done, 1 when A is singular.       A (n x n), pivot (n)
int cond_lu_factor(int n, double* A, int* pivot);

// x = A \ x with the factors.
void cond_lu_solve(int n, const double* LU, const int* pivot, double* x);

#endif
