// A run by the default solver, and what its steps needed.
#ifndef COND_CLI_BENCH_RUN_H
#define COND_CLI_BENCH_RUN_H

#include "bench.h"

// Sums over the steps that count.
typedef struct BenchRun {
    int steps, missed, first_missed; // first_missed: the step, from 0; -1 where there is none
    double residual;                 // the worst
    double contacts, iterations, products, passes;
    int most_products;
    double seconds; // of the solves
} BenchRun;

// Runs a model from its start for `to` steps; those before `from` do not count. name: for messages.
// 0, or an exit code after a message; what was counted before it stays.
int bench_run(const CondModel* model, const char* name, int from, int to, double tolerance,
              BenchRun* run);

// Adds to a row: steps, missed, first_missed, residual, and per step contacts, iterations,
// products, passes, solve_ms, and most_products.
void bench_run_row(const BenchRun* run, json_t* row);

#endif
