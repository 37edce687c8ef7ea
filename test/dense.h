// Dense reference algebra for the tests: slow, short, and sharing nothing with the library.
#ifndef COND_TEST_DENSE_H
#define COND_TEST_DENSE_H

#include "cond/problem.h"

// n zeros; the test fails when memory is short. Release with free.
double* dense_zeros(size_t n);

double dense_norm(int n, const double* x);
double dense_distance(int n, const double* x, const double* y);
// Largest |x_i|.
double dense_largest(int n, const double* x);

// y = A x, row-major.                                                        A (m x n)
void dense_multiply(int m, int n, const double* A, const double* x, double* y);

// A = L L' in place, lower triangle; 0 when A is not positive definite.
int dense_cholesky(int n, double* A);
// x = A \ x with the factor.
void dense_cholesky_solve(int n, const double* L, double* x);

// Eigenvalues of a symmetric matrix by Jacobi rotations, ascending; A is destroyed.
void dense_eigenvalues(int n, double* A, double* w);

// Largest singular value of a square matrix.
double dense_norm2(int n, const double* A);

// A of the problem: blocks and couplings.                                    A (n_dof x n_dof)
void dense_problem_matrix(const CondProblem* problem, double* A);

// R (J0, -J1) of one contact on all coordinates.                             J (3 x n_dof)
void dense_contact_jacobian(const CondContact* contact, int n_dof, double* J);

// A + sum over contacts of J' D J, their D so many numbers apart. Release with free.
double* dense_pressed_matrix(const CondProblem* problem, const double* D, int stride);

#endif
