// The scenes of the benchmarks. The default solver steps a scene; before chosen steps the
// benchmark is called with the state and the assembled problem.
#ifndef COND_CLI_BENCH_STAGE_H
#define COND_CLI_BENCH_STAGE_H

#include "bench.h"

enum { BENCH_MAX_SMALL = 2 };

typedef struct BenchStage {
    const char* scene;
    const char* small[BENCH_MAX_SMALL]; // what makes it quick; NULL past the end
    char problem[32];                   // "step 120"
    int step;                           // the next one, from 0
    const CondModel* model;
    const CondState* state; // before the step
    const CondProblem* problem_of_step;
    const double* v;      // what a solver starts from                    (n_dof)
    const double* lambda; //                                              (n_contact x 3)
} BenchStage;

// What makes a scene quick, NULL past the end (BENCH_MAX_SMALL at most); NULL for other scenes.
const char* const* bench_small(const char* scene);

// Calls `look` at every stage of every scene that the options ask for; an exit code of it ends the
// visit, as one of the scenes does. 0, or an exit code after a message.
int bench_visit(const BenchOptions* options, int (*look)(void* data, const BenchStage* stage),
                void* data);

#endif
