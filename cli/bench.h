// Benchmarks: each fills a result with tables, and one place prints and writes them.
#ifndef COND_CLI_BENCH_H
#define COND_CLI_BENCH_H

#include "cli.h"
#include "json.h"

typedef struct BenchOptions {
    int steps;              // 0: the benchmark's own number
    int trials;             // 0: the benchmark's own number
    int poses, pairs;       // of geometry, of drops; 0: the benchmark's own number
    int first;              // number of the first drop
    int seed;               // of what is drawn by chance
    int threads;            // 0: as many as there are processors
    int quick;              // 1: small sizes, to see that it works
    double tolerance;       // of the certificate
    double accuracy;        // of motion: error control
    double limit;           // seconds that a solve of another solver may take
    int cold;               // 1: solvers start from zeros instead of what the last step left
    const char* kinds;      // of geometry and drops: only pairs of these; NULL: all
    const char* scenes;     // only these, separated by commas; NULL: all
    const char* time_steps; // of motion: lengths in ms, separated by commas; NULL: its own
    const char* stages;  // steps at which a scene is looked at, separated by commas; NULL: its own
    const char* solvers; // only these, separated by commas; NULL: all
    const char* states;  // folder that keeps the states at the stages; NULL: none
    const char* out;     // folder of a report; NULL: none
    const char* results; // folder of a CSV file per machine; NULL: none
    const char* check;   // ratios of an earlier run, or the folder of such, that must hold
    int max_dof;         // of the growth with size; 0: all sizes
} BenchOptions;

// One column of a table.
typedef struct BenchColumn {
    const char* key;
    const char* heading;
    const char* format; // of a number, such as "%.0f"; NULL: a text
    int width;          // 0: the usual one
} BenchColumn;

// The objects of one array of the result.
typedef struct BenchTable {
    const char* key;
    const BenchColumn* column; //                                            (n_column)
    int n_column;
} BenchTable;

enum { BENCH_MAX_TABLE = 4 };

typedef struct Benchmark {
    const char* name;
    const char* title;
    BenchTable table[BENCH_MAX_TABLE]; // without a key past the end
    // Fills the result, an object with the benchmark's name and the machine; 0, or an exit code
    // after a message.
    int (*run)(const BenchOptions* options, json_t* result);
} Benchmark;

// 1 where a list of names, separated by commas, is NULL or holds the name.
int bench_asks(const char* list, const char* name);

extern const Benchmark bench_convergence, bench_drops, bench_energy, bench_env, bench_geometry,
    bench_gpu, bench_motion, bench_pictures, bench_piles, bench_scaling, bench_sleep, bench_smalls,
    bench_speed, bench_sweeps, bench_threads, bench_trials;

#endif
