// Sums in fixed blocks: the same bits for any number of threads.
#ifndef COND_BASE_SUM_H
#define COND_BASE_SUM_H

// Below this many coordinates a loop runs on one thread: starting a team costs more than it saves.
#define COND_PARALLEL_FROM 2048

// sum x_i y_i
double cond_dot(int n, const double* x, const double* y, int threads);
// sum s_i x_i y_i
double cond_dot_scaled(int n, const double* s, const double* x, const double* y, int threads);
// sum (x_i - y_i)^2
double cond_distance2(int n, const double* x, const double* y, int threads);

// Threads for a loop over n coordinates when the user asked for `threads` (0: the run time's own).
int cond_threads(int n, int threads);

#endif
