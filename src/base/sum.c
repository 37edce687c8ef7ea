#include "base/sum.h"

#include "base/parallel.h"

#include <stddef.h>

// Partial sums of BLOCK numbers each are independent of the thread count; they are added in order,
// CHUNK of them at a time so that no memory is needed beyond the stack.
enum { BLOCK = COND_SUM_BLOCK, CHUNK = 256, LANES = 8 };

typedef double (*Partial)(int begin, int end, const double* s, const double* x, const double* y);

// The partial sums of CHUNK blocks, the first of which begins at `begin`.
typedef struct ChunkLoop {
    int begin, n;
    const double *s, *x, *y;
    Partial partial;
    double* part; //                                            (CHUNK)
} ChunkLoop;

static void sum_chunk(const void* loop, int first, int last)
{
    const ChunkLoop* l = loop;
    for (int k = first; k < last; k++) {
        int begin = l->begin + k * BLOCK;
        int end = begin + BLOCK < l->n ? begin + BLOCK : l->n;
        l->part[k] = l->partial(begin, end, l->s, l->x, l->y);
    }
}

static double sum_blocks(int n, const double* s, const double* x, const double* y, Partial partial,
                         int threads)
{
    double total = 0.0, part[CHUNK];
    int n_block = (n + BLOCK - 1) / BLOCK;
    int n_thread = cond_threads((size_t)n, threads);
    for (int first = 0; first < n_block; first += CHUNK) {
        int count = n_block - first < CHUNK ? n_block - first : CHUNK;
        ChunkLoop loop = {first * BLOCK, n, s, x, y, partial, part};
        cond_parallel(count, n_thread, sum_chunk, &loop);
        for (int k = 0; k < count; k++)
            total += part[k];
    }
    return total;
}

// LANES sums side by side, added at the end: the order is fixed and a vector unit can follow it.
#define SUM_LANES(term)                                                                            \
    double lane[LANES] = {0.0}, sum = 0.0;                                                         \
    int i = begin;                                                                                 \
    for (; i + LANES <= end; i += LANES)                                                           \
        for (int k = 0; k < LANES; k++)                                                            \
            lane[k] += term(i + k);                                                                \
    for (; i < end; i++)                                                                           \
        sum += term(i);                                                                            \
    for (int k = 0; k < LANES; k++)                                                                \
        sum += lane[k];                                                                            \
    return sum

static double partial_dot(int begin, int end, const double* s, const double* x, const double* y)
{
    (void)s;
#define TERM(i) (x[i] * y[i])
    SUM_LANES(TERM);
#undef TERM
}

static double partial_scaled(int begin, int end, const double* s, const double* x, const double* y)
{
#define TERM(i) (s[i] * x[i] * y[i])
    SUM_LANES(TERM);
#undef TERM
}

static double partial_over(int begin, int end, const double* s, const double* x, const double* y)
{
#define TERM(i) (x[i] * y[i] / s[i])
    SUM_LANES(TERM);
#undef TERM
}

static double partial_distance(int begin, int end, const double* s, const double* x,
                               const double* y)
{
    (void)s;
#define TERM(i) ((x[i] - y[i]) * (x[i] - y[i]))
    SUM_LANES(TERM);
#undef TERM
}

static double partial_distance_scaled(int begin, int end, const double* s, const double* x,
                                      const double* y)
{
#define TERM(i) (s[i] * (x[i] - y[i]) * (x[i] - y[i]))
    SUM_LANES(TERM);
#undef TERM
}

double cond_dot(int n, const double* x, const double* y, int threads)
{
    return sum_blocks(n, NULL, x, y, partial_dot, threads);
}

double cond_dot_scaled(int n, const double* s, const double* x, const double* y, int threads)
{
    return sum_blocks(n, s, x, y, partial_scaled, threads);
}

double cond_dot_over(int n, const double* d, const double* x, const double* y, int threads)
{
    return sum_blocks(n, d, x, y, partial_over, threads);
}

double cond_distance2(int n, const double* x, const double* y, int threads)
{
    return sum_blocks(n, NULL, x, y, partial_distance, threads);
}

double cond_distance2_scaled(int n, const double* s, const double* x, const double* y, int threads)
{
    return sum_blocks(n, s, x, y, partial_distance_scaled, threads);
}

int cond_sum_parts(int n)
{
    return (n + BLOCK - 1) / BLOCK;
}

double cond_sum_total(int n_part, const double* part)
{
    double total = 0.0;
    for (int k = 0; k < n_part; k++)
        total += part[k];
    return total;
}
