// A run that is watched and steered in the browser while it goes on.
#ifndef COND_CLI_LIVE_H
#define COND_CLI_LIVE_H

#include "cli.h"

typedef struct LiveRun {
    const char* path;   // of the scene
    TextList set;       // overrides
    double tolerance;   // NaN: the scene's
    double step_limit;  // seconds that a step may take
    int threads, steps; // steps 0: to the scene's duration, then it waits
    int seed;           // of what the scene draws at random; -1: as it stands
    const char* solver; // NULL: the scene's
    int port, no_open;  // as in cond view
} LiveRun;

// Until the user ends it. Exit code, after a message where it is not CLI_FINE.
int live_run(const LiveRun* run);

// Reads and compiles a scene with overrides, tolerance and threads on top of it; status after a
// message in error.
CondStatus run_load(const char* path, int n_set, const char* const* set, int seed, double tolerance,
                    int threads, CondModel** model, CondError* error);

// Gives the simulation the solver of that name.
CondStatus run_use_solver(CondSim* sim, const CondModel* model, const char* name, CondError* error);

#endif
