// Bytes and flops of the stages of a step, counted from the data of its problem: the least that
// any implementation reads, writes and computes.
#ifndef COND_CLI_BENCH_COUNT_H
#define COND_CLI_BENCH_COUNT_H

#include <cond/cond.h>

typedef struct BenchCount {
    double bytes;  // of all passes
    double flops;  // 0: not counted
    double set;    // bytes of one pass
    double passes; // over that set
} BenchCount;

// One product with A, vectors left out: 76 bytes a 3x3 block (nine numbers and a column), 8 an
// entry of a dense or tridiagonal block, 12 an entry of a sparse one; couplings as they are kept.
BenchCount bench_count_matrix(const CondProblem* problem);

// One stage of a step; products: those of the solve.
BenchCount bench_count_stage(CondStage stage, const CondModel* model, const CondProblem* problem,
                             int products);

#endif
