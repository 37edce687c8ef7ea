// Terms of the sums over vectors in solvers.
#ifndef COND_DEVICE_SUM_ITEM_H
#define COND_DEVICE_SUM_ITEM_H

#include "device/item.h"

typedef struct CondSumArgs {
    const double *s, *x, *y; // s: NULL for sums without it
} CondSumArgs;

// x_i y_i
COND_DEVICE double cond_dot_term(const CondSumArgs* a, int i)
{
    return a->x[i] * a->y[i];
}

// s_i x_i y_i
COND_DEVICE double cond_dot_scaled_term(const CondSumArgs* a, int i)
{
    return a->s[i] * a->x[i] * a->y[i];
}

// x_i y_i / s_i
COND_DEVICE double cond_dot_over_term(const CondSumArgs* a, int i)
{
    return a->x[i] * a->y[i] / a->s[i];
}

// (x_i - y_i)^2
COND_DEVICE double cond_distance2_term(const CondSumArgs* a, int i)
{
    return (a->x[i] - a->y[i]) * (a->x[i] - a->y[i]);
}

// s_i (x_i - y_i)^2
COND_DEVICE double cond_distance2_scaled_term(const CondSumArgs* a, int i)
{
    return a->s[i] * (a->x[i] - a->y[i]) * (a->x[i] - a->y[i]);
}

#endif
