// Outputs of a run while it goes on: tables, a recording, saved states.
#ifndef COND_CLI_RUN_SINKS_H
#define COND_CLI_RUN_SINKS_H

#include <cond/cond.h>
#include <stdio.h>

// NULL: not wanted, or given up after a failure.
typedef struct RunSinks {
    FILE *csv, *sensors, *joints;
    CondRecord* record;
    int failed; // 1: the record has ended early, or the state could not be saved
} RunSinks;

void run_csv_header(FILE* file, const CondModel* model);
void run_csv_row(FILE* file, const CondModel* model, const CondState* state,
                 const CondStepInfo* info);

// Saves the state where a path is given; a failure does not end the run.
void run_save_state(const char* path, const CondModel* model, const CondState* state,
                    RunSinks* sinks);

// A surrogate that is kept over several steps is made anew at steps that are multiples of
// solver.reuse. A state saved in between goes on well, but not with the same bits.
void run_warn_of_reuse(const CondModel* model, const CondState* state);

// A frame that cannot be written ends the record, not the run.
void run_record_frame(RunSinks* sinks, const CondSim* sim, const CondState* state,
                      const CondStepInfo* info);

// The contact problem of the next step as an FCLib file.
CondStatus run_dump_problem(CondSim* sim, const CondState* state, const char* path);

#endif
