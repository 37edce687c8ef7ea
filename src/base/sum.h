// Sums in fixed blocks: the same bits for any number of threads.
#ifndef COND_BASE_SUM_H
#define COND_BASE_SUM_H

// sum x_i y_i
double cond_dot(int n, const double* x, const double* y, int threads);
// sum s_i x_i y_i
double cond_dot_scaled(int n, const double* s, const double* x, const double* y, int threads);
// sum (x_i - y_i)^2
double cond_distance2(int n, const double* x, const double* y, int threads);

#endif
