// How time and memory grow with the size of a mesh.
#ifndef COND_CLI_BENCH_GROWTH_H
#define COND_CLI_BENCH_GROWTH_H

#include "bench.h"

// Refines the mat from 4 thousand coordinates to options->max_dof and times a step of each at the
// same certificate, with one thread (but for the largest) and with the most; appends rows and
// counts of "mat 15k" and the like. *growth becomes {"exponent", "max_dof", "bytes_per_dof", ...}.
// 0, or an exit code.
int bench_growth_run(const BenchOptions* options, int most, json_t* rows, json_t* counts,
                     json_t** growth);

#endif
