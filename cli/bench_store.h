// Stored benchmark results: a CSV file per machine, and the ratios that later runs are compared
// with.
#ifndef COND_CLI_BENCH_STORE_H
#define COND_CLI_BENCH_STORE_H

#include "bench.h"

// Writes the rows, objects with the same keys, to DIR/MACHINE.csv, where MACHINE is made of the
// processor's name and the number of cores; 0, or 1 after a message.
int bench_store_csv(const char* directory, const json_t* machine, const json_t* rows);
// Writes machine, ratios, at_least and growth of a result to DIR/MACHINE.json.
int bench_store_ratios(const char* directory, const json_t* result);

// Holds ratios and growth of a result against those of a stored one, a file or the one of this
// machine in a folder; never times. What is worse by more than a third is named on standard error;
// a ratio that is only known from below is not judged when it falls short. 0: all hold, 1: some do
// not, -1 after a message.
int bench_store_check(const char* path, const json_t* result);

#endif
