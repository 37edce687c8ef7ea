// Data and plots of the convergence benchmark.
#ifndef COND_CLI_BENCH_CONVERGENCE_H
#define COND_CLI_BENCH_CONVERGENCE_H

#include "bench.h"

// Table, data and plots of a result with rows, summary and curves, into options->out. 0, or an exit
// code after a message.
int bench_convergence_report(const BenchOptions* options, const json_t* result);

#endif
