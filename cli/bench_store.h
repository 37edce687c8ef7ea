// What is kept of a benchmark: a CSV file per machine, and ratios to hold later runs against.
#ifndef COND_CLI_BENCH_STORE_H
#define COND_CLI_BENCH_STORE_H

#include "bench.h"

// Writes the rows, objects with the same keys, to DIR/CPU.csv; 0, or 1 after a message.
int bench_store_csv(const char* directory, const json_t* machine, const json_t* rows);

// Holds ratios and growth of a result against those of a stored one; never times. What is worse by
// more than a third is named on standard error. 0: all hold, 1: some do not, -1 after a message.
int bench_store_check(const char* path, const json_t* result);

#endif
