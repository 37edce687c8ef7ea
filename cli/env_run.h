// Environments stepped for a while, for `cond env` and `cond bench env`. Over MPI each rank has its
// share of them, and the tally is that of all.
#ifndef COND_CLI_ENV_RUN_H
#define COND_CLI_ENV_RUN_H

#include "cli.h"

#include <cond/env.h>

typedef struct EnvRun {
    const char* scene; // name or path
    TextList set;      // overrides
    int envs, steps, seed, threads;
    int still;    // 1: actions that lead nowhere; 0: random ones
    int progress; // 1: a progress line
    int resets;   // of every environment at the end, besides those of episodes, to time them
} EnvRun;

typedef struct EnvTally {
    CondStatus status; // worst of all
    int threads;       // that were used
    int n_action, n_observation, n_dof;
    long steps, time_steps; // made by all environments together
    long episodes, done;    // finished, and of these by a goal or a failure
    long missed, diverged;  // time steps beyond their tolerance, episodes that ran away
    double reward;          // sum
    double contacts;        // sum over steps of what each step ended with
    double certificate;     // worst
    double seconds;         // stepping
    double create_seconds;  // making
    double reset_seconds;   // resetting
    long resets;            // how many
    uint64_t hash;          // of all environments after every action
} EnvTally;

// 0, or an exit code after a message.
int env_run(const EnvRun* run, EnvTally* tally);

#endif
