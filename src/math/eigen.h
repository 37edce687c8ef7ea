// Eigenvalues and eigenvectors of small symmetric matrices.
#ifndef COND_MATH_EIGEN_H
#define COND_MATH_EIGEN_H

// A = Q diag(w) Q' by cyclic Jacobi rotations, row-major, for any n; its cost is small up to
// the twelve coordinates of a tetrahedron. Eigenvector k is column k of Q, in no particular order.
// A is destroyed: its diagonal ends as w.
void cond_eigen_symmetric(int n, double* A, double* w, double* Q);

#endif
