// Benchmarks: each fills rows, and one place prints and writes them.
#ifndef COND_CLI_BENCH_H
#define COND_CLI_BENCH_H

#include "cli.h"
#include "json.h"

typedef struct BenchOptions {
    int steps;   // 0: the benchmark's own number
    int threads; // most threads that are tried; 0: as many as there are processors
    int quick;   // 1: small sizes, to see that it works
} BenchOptions;

// One column of the table.
typedef struct BenchColumn {
    const char* key;
    const char* heading;
    const char* format; // of a number, such as "%.0f"; NULL: a text
} BenchColumn;

typedef struct Benchmark {
    const char* name;
    const char* title;
    const BenchColumn* column; //                                            (n_column)
    int n_column;
    // Appends its rows, objects with a label; 0, or an exit code after a message.
    int (*run)(const BenchOptions* options, json_t* rows);
} Benchmark;

extern const Benchmark bench_env;

#endif
