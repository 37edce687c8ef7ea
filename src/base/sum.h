// Sums in fixed blocks: the same bits for any number of threads.
#ifndef COND_BASE_SUM_H
#define COND_BASE_SUM_H

// Numbers of a partial sum. The partial sum itself is what one gets by asking for so many alone.
enum { COND_SUM_BLOCK = 512 };

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

// The last two in two steps, for loops of several threads that are made elsewhere: the parts first
// .. last - 1 of cond_sum_parts(n), then all of them added up.          part (cond_sum_parts(n))
int cond_sum_parts(int n);
void cond_distance2_parts(int n, const double* x, const double* y, int first, int last,
                          double* part);
void cond_distance2_scaled_parts(int n, const double* s, const double* x, const double* y,
                                 int first, int last, double* part);
double cond_sum_total(int n_part, const double* part);

#endif
