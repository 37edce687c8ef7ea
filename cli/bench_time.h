// Times of the stages of a step, and the bounds they are compared with.
#ifndef COND_CLI_BENCH_TIME_H
#define COND_CLI_BENCH_TIME_H

#include "bench.h"

// The stages of cond/sim.h, and
enum {
    BENCH_STEP = COND_N_STAGE, // all of them
    BENCH_ITERATION,           // of V-FPI, without accelerator, against reading A once
    BENCH_ITERATION_FLOAT,     // the same with solver.storage float
    BENCH_SOLVE_PRODUCT,       // the solve over its products with A, against reading A once
    BENCH_N_TIME,
};

// Sums over moments of a run, of the middle of several repetitions each.
typedef struct BenchTime {
    double ms, spread; // spread: from the lower to the upper quartile
    double bytes, flops;
    double stream_ms; // to read the bytes, measured in this run
    int n;            // moments
} BenchTime;

typedef struct BenchTimes {
    BenchTime time[BENCH_N_TIME];
    double last_ms[BENCH_N_TIME]; // of the last moment alone
    int products, contacts;       // of its solve
} BenchTimes;

// Makes the step that follows `state` several times and adds their middle, after one that warms up
// where there are more than one. The state may belong to another model
// of the same scene. 0, or an exit code after a message.
int bench_time_step(const CondModel* model, const CondModel* owner, const CondState* state,
                    int threads, int repeats, BenchTimes* times);

// Appends a row for each stage that took time: scene, stage, threads, ms, spread, bytes, fraction;
// and to `counts` the same with flops and moments.
void bench_time_rows(const BenchTimes* times, const char* scene, int threads, json_t* rows,
                     json_t* counts);

// The middle of n numbers, which are sorted.
double bench_middle(int n, double* x);

#endif
