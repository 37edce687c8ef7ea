// A sweep as its files see it: the plan, the folder, and what happens to an entry.
#ifndef COND_CLI_SWEEP_H
#define COND_CLI_SWEEP_H

#include "cli.h"
#include "sweep_store.h"

#include <cond/study.h>

typedef struct SweepOptions {
    const char *out, *slurm, *task;
    int jobs, threads, resume, report, status, mpi, quiet;
    int entry; // the one that this process makes; -1: it hands out
    int array; // most tasks of a job array
    double limit, step_limit;
} SweepOptions;

typedef struct SweepJob {
    const SweepOptions* options;
    const char* name; // of the file, without its folder; the tool stands in that folder
    CondStudy* sweep;
    SweepStore store;
} SweepJob;

// What became of an entry that a process was started for. Ranks send it as it is.
typedef struct SweepOutcome {
    int entry;
    int kept; // 1: its folder is there, with whatever code; 0: it is to be tried again
    int code; // exit code of its run
    double seconds;
    char reason[240]; // why it failed; "": it did not
} SweepOutcome;

// Simulates an entry in this process and keeps what the sweep asks for; its exit code.
int sweep_entry_run(const SweepJob* job, int entry);

// "friction=0.3, mass=2", cut to the size.
void sweep_entry_name(const SweepJob* job, int entry, char* out, size_t size);

// The last line of a run's messages, without the name of the tool; "" where there is none.
void sweep_last_message(const char* path, char* out, size_t size);

// Makes the entries that are missing by processes of this machine, of one task or, with NULL, all;
// the exit code. A task is "N", or "N:K" for N, N + K, N + 2 K, ...
int sweep_pool_run(const SweepJob* job, const char* task);

// Writes the script of a job array for all entries that are missing; an exit code.
int sweep_slurm_write(const SweepJob* job);

// Says how many entries are there and which failed; the exit code.
int sweep_report_status(const SweepJob* job);

// Writes the table of all entries, and with --report the report; 0, or 1 after a message.
int sweep_report_write(const SweepJob* job);

#endif
