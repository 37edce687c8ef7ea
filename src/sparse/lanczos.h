// Extreme eigenvalues of a symmetric operator.
#ifndef COND_SPARSE_LANCZOS_H
#define COND_SPARSE_LANCZOS_H

#include "cond/context.h"
#include "cond/status.h"

typedef struct CondOperator {
    void (*multiply)(void* data, const double* x, double* y); // y = A x
    void* data;
    int n;
} CondOperator;

// Lanczos with full reorthogonalisation, at most max_steps products. high is the largest Ritz value
// plus its residual bound, so that it is not below the eigenvalue it stands for; low is the
// smallest Ritz value, from above.
CondStatus cond_lanczos_extremes(const CondContext* context, const CondOperator* A, int max_steps,
                                 double* low, double* high);

#endif
