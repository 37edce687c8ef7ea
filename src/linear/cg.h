// Conjugate gradients for A x = b, A symmetric positive definite and known by its product only.
#ifndef COND_LINEAR_CG_H
#define COND_LINEAR_CG_H

#include <stddef.h>

// The operator A and D = diag(A), its preconditioner.
typedef struct CondCgOperator {
    int n;
    void (*multiply)(const void* data, const double* x, double* y); // y = A x, x and y apart
    const void* data;                                               // handed to multiply
    const double* diagonal;                                         // D, all positive  (n)
} CondCgOperator;

// Doubles that the workspace must hold for n unknowns.
#define COND_CG_WORK(n) (4 * (size_t)(n))

// Solves A x = b from the x given (zeros are fine) until |b - A x| <= tolerance |b|, in the
// preconditioned norm |r| = sqrt(r' D^-1 r), or max_iterations. Returns the iterations made, or
//   COND_BAD_ARGUMENT  an entry of D is not positive (x is left alone),
//   COND_DIVERGED      a direction with p' A p <= 0 or a number that is not finite; x is the last
//                      iterate before it.
// *residual, unless NULL, becomes the relative residual of the recurrence at the end: above
// tolerance when the iterations ran out. b = 0 gives x = 0. Threads do not change the bits.
int cond_cg_solve(const CondCgOperator* A, const double* b, double* x, double tolerance,
                  int max_iterations, double* work, double* residual, int threads);

#endif
