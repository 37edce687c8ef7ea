// Eigenvalues and eigenvectors of small symmetric matrices.
#ifndef COND_MATH_EIGEN_H
#define COND_MATH_EIGEN_H

// The largest order that cond_eigen_symmetric takes: the twelve coordinates of a tetrahedron.
#define COND_EIGEN_MAX 12

// A = Q diag(w) Q' by cyclic Jacobi rotations, n <= COND_EIGEN_MAX, row-major; eigenvector k is
// column k of Q, in no particular order. A is destroyed: its diagonal ends as w.
void cond_eigen_symmetric(int n, double* A, double* w, double* Q);

#endif
