// Sums and products of vectors in an order that their length alone decides: the terms of sum_item.h
// on the device of the processors.
#include "device/sum.h"

#include "device/device.h"
#include "device/sum_item.h"

COND_SUM_KERNEL(cond_kernel_dot, CondSumArgs, cond_dot_term)
COND_SUM_KERNEL(cond_kernel_dot_scaled, CondSumArgs, cond_dot_scaled_term)
COND_SUM_KERNEL(cond_kernel_dot_over, CondSumArgs, cond_dot_over_term)
COND_SUM_KERNEL(cond_kernel_distance2, CondSumArgs, cond_distance2_term)
COND_SUM_KERNEL(cond_kernel_distance2_scaled, CondSumArgs, cond_distance2_scaled_term)

double cond_dot(int n, const double* x, const double* y, int threads)
{
    return cond_threads_sum(&cond_kernel_dot, n, 1, &(CondSumArgs){NULL, x, y}, threads);
}

double cond_dot_scaled(int n, const double* s, const double* x, const double* y, int threads)
{
    return cond_threads_sum(&cond_kernel_dot_scaled, n, 1, &(CondSumArgs){s, x, y}, threads);
}

double cond_dot_over(int n, const double* d, const double* x, const double* y, int threads)
{
    return cond_threads_sum(&cond_kernel_dot_over, n, 1, &(CondSumArgs){d, x, y}, threads);
}

double cond_distance2(int n, const double* x, const double* y, int threads)
{
    return cond_threads_sum(&cond_kernel_distance2, n, 1, &(CondSumArgs){NULL, x, y}, threads);
}

double cond_distance2_scaled(int n, const double* s, const double* x, const double* y, int threads)
{
    return cond_threads_sum(&cond_kernel_distance2_scaled, n, 1, &(CondSumArgs){s, x, y}, threads);
}

int cond_sum_parts(int n)
{
    return (n + COND_SUM_BLOCK - 1) / COND_SUM_BLOCK;
}

double cond_sum_total(int n_part, const double* part)
{
    double total = 0.0;
    for (int k = 0; k < n_part; k++)
        total += part[k];
    return total;
}
