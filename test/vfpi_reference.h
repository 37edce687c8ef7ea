// V-FPI as the paper prints it (Alg. 1-3), on dense matrices: what the library's kernels are held
// against. Frobenius' W, Chebyshev's acceleration, the step-length stop, no contact with kv =
// INFINITY.
#ifndef COND_TEST_VFPI_REFERENCE_H
#define COND_TEST_VFPI_REFERENCE_H

#include "cond/solver.h"

// From v and lambda = 0; returns the iterations made.      v (n_dof), lambda (n_contact x 3)
int vfpi_reference(const CondProblem* problem, const CondSolverSettings* settings, double* v,
                   double* lambda);

#endif
