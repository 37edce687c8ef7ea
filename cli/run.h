// One run of a scene, for `cond run` and `cond sweep`.
#ifndef COND_CLI_RUN_H
#define COND_CLI_RUN_H

#include "cli.h"

typedef struct RunOptions {
    const char *json, *csv, *sensors, *joints, *solver, *dump, *record, *save, *resume, *digits,
        *device;
    int steps, threads, quiet, every, save_every, compress, seed, view, port, no_open, settle,
        audit, no_sleeping;
    double tolerance, certify, step_limit;
    TextList set;
    int untimed; // 1: what the clock and the machine have to say is left out of all files
} RunOptions;

// What a run has without being told.
RunOptions run_options_default(void);

// Simulates a compiled scene, which the path names in the summary, and writes what the options ask
// for. Returns an exit code; *failed is 1 where something could not be written.
int run_model(const RunOptions* options, const char* path, const CondModel* model, int* failed);

#endif
