// Sums in fixed blocks: the same bits for any number of threads.
#ifndef COND_DEVICE_SUM_H
#define COND_DEVICE_SUM_H

#include "base/tuning.h"

// sum x_i y_i
double cond_dot(int n, const double* x, const double* y, int threads);
// sum s_i x_i y_i
double cond_dot_scaled(int n, const double* s, const double* x, const double* y, int threads);
// sum x_i y_i / d_i
double cond_dot_over(int n, const double* d, const double* x, const double* y, int threads);
// sum (x_i - y_i)^2
double cond_distance2(int n, const double* x, const double* y, int threads);

// sum s_i (x_i - y_i)^2
double cond_distance2_scaled(int n, const double* s, const double* x, const double* y, int threads);

// For partial sums computed elsewhere: the number of blocks of n numbers, and the total of the
// partial sums in order.
int cond_sum_parts(int n);
double cond_sum_total(int n_part, const double* part);

#endif
