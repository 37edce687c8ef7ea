// The expansion of a coupling J' K J, entry by entry.
#ifndef COND_PROBLEM_COUPLING_H
#define COND_PROBLEM_COUPLING_H

#include "cond/problem.h"

// a' K b with columns a and b of J, whose numbers are `step` apart.             K (n x n)
static inline double cond_coupling_product(int n, int step, const double* a, const double* K,
                                           const double* b)
{
    double sum = 0.0;
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++)
            sum += a[r * step] * K[r * n + s] * b[s * step];
    return sum;
}

// (J' K J)_kl, k and l counted among the coordinates of the coupling.
static inline double cond_coupling_entry(const CondCoupling* c, int k, int l)
{
    return cond_coupling_product(c->n_row, c->n_coordinate, c->jacobian + k, c->gain,
                                 c->jacobian + l);
}

#endif
