// Item functions of the test of the device cuda.
#ifndef COND_TEST_CUDA_VERBS_ITEM_H
#define COND_TEST_CUDA_VERBS_ITEM_H

#include "device/item.h"
#include "device/sum_item.h"

typedef struct ScaleArgs {
    int n;
    double s;
    const double* x;
    double* y;
} ScaleArgs;

COND_DEVICE void scale_item(const ScaleArgs* a, int i)
{
    a->y[i] = a->s * a->x[i];
}

COND_DEVICE void reverse_item(const ScaleArgs* a, int i)
{
    a->y[i] = a->x[a->n - 1 - i];
}

COND_KERNEL(test_scale, ScaleArgs, scale_item)
COND_KERNEL(test_reverse, ScaleArgs, reverse_item)
COND_SUM_KERNEL(test_dot, CondSumArgs, cond_dot_term)
COND_MOST_KERNEL(test_most, CondSumArgs, cond_dot_term)

#endif
