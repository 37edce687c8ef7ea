// Velocity and force of one side of a contact.
#ifndef COND_ASSEMBLE_SIDE_H
#define COND_ASSEMBLE_SIDE_H

#include "cond/problem.h"

// p += sign J x
static inline void cond_side_add_velocity(const CondSide* side, double sign, const double* x,
                                          double p[3])
{
    int n = side->n_coordinate;
    const int* k = side->coordinate;
    if (n == 0)
        return;
    if (!side->jacobian) {
        for (int r = 0; r < 3; r++)
            p[r] += sign * x[k[r]];
        return;
    }
    for (int r = 0; r < 3; r++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += side->jacobian[r * n + j] * x[k[j]];
        p[r] += sign * sum;
    }
}

// y += sign J' f
static inline void cond_side_add_force(const CondSide* side, double sign, const double f[3],
                                       double* y)
{
    int n = side->n_coordinate;
    const int* k = side->coordinate;
    if (n == 0)
        return;
    if (!side->jacobian) {
        for (int r = 0; r < 3; r++)
            y[k[r]] += sign * f[r];
        return;
    }
    for (int j = 0; j < n; j++)
        y[k[j]] += sign * (side->jacobian[j] * f[0] + side->jacobian[n + j] * f[1] +
                           side->jacobian[2 * n + j] * f[2]);
}

#endif
