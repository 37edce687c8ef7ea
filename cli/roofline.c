// Measures the memory bandwidth of this machine (roofline.h).
#define _POSIX_C_SOURCE 200809L
#include "roofline.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double AT_ONCE = 1e7; // bytes that a measurement reads at least
enum { REPEATS = 7, LINE = 64 };

double roofline_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

// Sum of n words. Whole numbers, so that the compiler may add them in any order, many at a time.
ALWAYS_INLINE uint64_t add_words(const uint64_t* x, size_t n)
{
    uint64_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static uint64_t add_generic(const uint64_t* x, size_t n)
{
    return add_words(x, n);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static uint64_t add_avx2(const uint64_t* x, size_t n)
{
    return add_words(x, n);
}

__attribute__((target("avx512f"))) static uint64_t add_avx512(const uint64_t* x, size_t n)
{
    return add_words(x, n);
}

typedef uint64_t (*Add)(const uint64_t* x, size_t n);
static Add choose(void)
{
    if (__builtin_cpu_supports("avx512f"))
        return add_avx512;
    return __builtin_cpu_supports("avx2") ? add_avx2 : add_generic;
}
#else
typedef uint64_t (*Add)(const uint64_t* x, size_t n);
static Add choose(void)
{
    return add_generic;
}
#endif

// Reads the buffer `passes` times; the sum is there to be wanted. Seconds of the slowest thread.
static double read_passes(const uint64_t* x, size_t n, int threads, long passes, uint64_t* sum)
{
    Add add = choose();
    double slowest = 0.0;
    uint64_t total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total) reduction(max : slowest)
    {
        size_t count = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        size_t first = n * me / count, last = n * (me + 1) / count;
        total += add(x + first, last - first);
#pragma omp barrier
        double start = roofline_clock();
        for (long k = 0; k < passes; k++)
            total += add(x + first, last - first) ^ (uint64_t)k;
        slowest = roofline_clock() - start;
    }
    *sum += total;
    return slowest;
}

double roofline_seconds(size_t bytes, int threads)
{
    size_t n = bytes / sizeof(uint64_t) < 64 ? 64 : bytes / sizeof(uint64_t);
    size_t size = (n * sizeof(uint64_t) + LINE - 1) / LINE * LINE;
    uint64_t *x = aligned_alloc(LINE, size), sum = 0;
    if (!x)
        return 0.0;
    memset(x, 1, size);
    long passes = 1 + (long)(AT_ONCE / (double)bytes);
    double best = INFINITY;
    for (int k = 0; k < REPEATS; k++)
        best = fmin(best, read_passes(x, n, threads, passes, &sum) / (double)passes);
    volatile uint64_t wanted = sum;
    (void)wanted;
    free(x);
    return best * (double)bytes / (double)(n * sizeof(uint64_t));
}
