// CondStudy: many runs from one file (docs/sweep.md): a scene, the values to vary, and what to keep
// of every run. A study only describes the runs; `cond sweep` executes them. The result of an entry
// does not depend on where it runs.
#ifndef COND_STUDY_H
#define COND_STUDY_H

#include "cond/context.h"
#include "cond/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondStudy CondStudy;

// The output that is kept of a run besides its summary, and the settings of the run.
typedef struct CondStudyRun {
    int csv, sensors, joints; // 1: a table with a row per step
    int record;               // 1: a recording
    int state;                // 1: the state at the end
    int every;                // steps from one frame of the recording to the next
    int steps;                // 0: the scene's duration
} CondStudyRun;

// Reads the file. Unknown keys and invalid values are refused; the message names file, line and
// key.
COND_IO_API CondStatus cond_study_read(const CondContext* context, const char* path,
                                       CondStudy** study, CondError* error);
COND_IO_API void cond_study_destroy(CondStudy* study);

COND_IO_API int cond_study_n_entry(const CondStudy* study);
// Path of the scene, relative to the folder of the file. A word without a dot or a slash names a
// scene that ships with COND and is returned unchanged.
COND_IO_API const char* cond_study_scene(const CondStudy* study);
COND_IO_API const CondStudyRun* cond_study_run(const CondStudy* study);

// The variables; NULL past the last. A value is YAML text; "" for an unknown entry or variable.
COND_IO_API int cond_study_n_variable(const CondStudy* study);
COND_IO_API const char* cond_study_variable(const CondStudy* study, int variable);
COND_IO_API int cond_study_is_log(const CondStudy* study, int variable); // 1: varied by its
                                                                         // logarithm
enum { COND_STUDY_VALUE_SIZE = 512 };
COND_IO_API void cond_study_value(const CondStudy* study, int entry, int variable,
                                  char text[COND_STUDY_VALUE_SIZE]);

// The overrides of an entry for cond_scene_read: those of all runs, then "path=value" of every path
// of every variable; 0 past the last.
enum { COND_STUDY_OVERRIDE_SIZE = 1024 };
COND_IO_API int cond_study_override(const CondStudy* study, int entry, int override,
                                    char text[COND_STUDY_OVERRIDE_SIZE]);
// The seed that draws the scene's section `randomise` in this entry; -1: nothing is drawn.
COND_IO_API int cond_study_seed(const CondStudy* study, int entry);

// The columns of the table: the name of a column, and in *path the key of its value in the summary
// of a run; NULL past the last.
COND_IO_API const char* cond_study_column(const CondStudy* study, int column, const char** path);

#ifdef __cplusplus
}
#endif
#endif
