// Extreme eigenvalues of a symmetric operator.
#ifndef COND_LINEAR_LANCZOS_H
#define COND_LINEAR_LANCZOS_H

#include <stddef.h>

#include "cond/status.h"
#include "linear/operator.h"

// Doubles that the workspace must hold.
#define COND_LANCZOS_WORK(n, steps) (((size_t)(steps) + 1) * (size_t)(n) + 3 * (size_t)(steps))

// Lanczos with full reorthogonalisation, at most max_steps products. high is the largest Ritz value
// plus its residual bound, so that it is not below the eigenvalue it stands for; low is the
// smallest Ritz value, from above.
CondStatus cond_lanczos_extremes(const CondOperator* A, int max_steps, double* work, double* low,
                                 double* high);

#endif
