// CondSweep: many runs from one file (docs/sweep.md): a scene, the values to vary, and what to keep
// of every run. This is the plan alone: who runs the entries, and where, is not said here, so every
// entry is the same whoever runs it. `cond sweep` runs them.
#ifndef COND_SWEEP_H
#define COND_SWEEP_H

#include "cond/context.h"
#include "cond/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondSweep CondSweep;

// What is kept of a run beside its summary, and how the run is made.
typedef struct CondSweepRun {
    int csv, sensors, joints; // 1: a table with a row per step
    int record;               // 1: a recording
    int state;                // 1: the state at the end
    int every;                // steps from one frame of the recording to the next
    int steps;                // 0: the scene's duration
} CondSweepRun;

// Reads the file. Unknown keys and impossible values are refused with file, line and key.
COND_IO_API CondStatus cond_sweep_read(const CondContext* context, const char* path,
                                       CondSweep** sweep, CondError* error);
COND_IO_API void cond_sweep_destroy(CondSweep* sweep);

COND_IO_API int cond_sweep_n_entry(const CondSweep* sweep);
// Path of the scene, from the folder of the file; a word without a dot or a slash names a scene
// that ships with COND and stays as it is.
COND_IO_API const char* cond_sweep_scene(const CondSweep* sweep);
COND_IO_API const CondSweepRun* cond_sweep_run(const CondSweep* sweep);

// The variables; NULL past the last. A value is text as YAML has it, "" for an entry or a variable
// that is not there.
COND_IO_API int cond_sweep_n_variable(const CondSweep* sweep);
COND_IO_API const char* cond_sweep_variable(const CondSweep* sweep, int variable);
COND_IO_API int cond_sweep_is_log(const CondSweep* sweep, int variable); // 1: by its logarithm
enum { COND_SWEEP_VALUE_SIZE = 512 };
COND_IO_API void cond_sweep_value(const CondSweep* sweep, int entry, int variable,
                                  char text[COND_SWEEP_VALUE_SIZE]);

// The overrides of an entry for cond_scene_read: those of all runs, then "path=value" of every path
// of every variable; 0 past the last.
enum { COND_SWEEP_OVERRIDE_SIZE = 1024 };
COND_IO_API int cond_sweep_override(const CondSweep* sweep, int entry, int override,
                                    char text[COND_SWEEP_OVERRIDE_SIZE]);
// The seed that draws the scene's section `randomise` in this entry; -1: nothing is drawn.
COND_IO_API int cond_sweep_seed(const CondSweep* sweep, int entry);

// The columns of the table: a name and where the value stands in the summary of a run; NULL past
// the last.
COND_IO_API const char* cond_sweep_column(const CondSweep* sweep, int column, const char** path);

#ifdef __cplusplus
}
#endif
#endif
