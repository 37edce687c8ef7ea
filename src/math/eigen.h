// Eigenvalues and eigenvectors of small symmetric matrices.
#ifndef COND_MATH_EIGEN_H
#define COND_MATH_EIGEN_H

// The largest order in which its cost is small: the twelve coordinates of a tetrahedron.
#define COND_EIGEN_MAX 12

// A = Q diag(w) Q' by cyclic Jacobi rotations, row-major, for any n, though the work grows fast
// with it. Eigenvector k is column k of Q, in no particular order. A is destroyed: its diagonal
// ends as w.
void cond_eigen_symmetric(int n, double* A, double* w, double* Q);

#endif
