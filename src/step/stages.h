// The stages of a step as functions of the attempt, and the retries that send a step back.
#ifndef COND_STEP_STAGES_H
#define COND_STEP_STAGES_H

#include "sim/sim.h"

// A stage, and the public stage to which its time is added.
typedef struct CondStepStage {
    CondStage clock;
    CondStatus (*run)(CondSim* sim, CondAttempt* attempt); // NULL: the method has no such stage
} CondStepStage;

// The stages of a method of stepping.                                              (COND_N_RESULT)
const CondStepStage* cond_step_stages(CondStepMethod method);

// The result of a stage, as a flag of CondAttempt.done.
#define COND_RESULT(stage) (1u << COND_RESULT_##stage)
#define COND_ALL_RESULTS ((1u << COND_N_RESULT) - 1u)

// A row of the table of retries.
typedef struct CondRetry {
    const char* name;
    const char* limit;                                        // limit of uses, for documentation
    unsigned after;                                           // the stages after which it is tested
    int (*holds)(const CondSim* sim);                         // 1: the verdict requires it
    CondStatus (*change)(CondSim* sim, CondAttempt* attempt); // of the attempt; NULL: none
    unsigned again;                                           // the results that are recomputed
    const char* counted;                                      // field of CondStepInfo
} CondRetry;

const CondRetry* cond_retries(int* n);

// The first row that holds after a stage; NULL: the step continues.
const CondRetry* cond_retry_find(const CondSim* sim, CondResult after);

// One step, or a piece of one, by all stages: from one state to another, which may be the same.
CondStatus cond_step_make(CondSim* sim, const CondState* from, CondState* to, CondStepInfo* info);

// A step with error control, in pieces whose lengths follow from the error.
CondStatus cond_pieces_step(CondSim* sim, CondState* state, CondStepInfo* info);
void cond_pieces_destroy(CondSim* sim);

// Starts the step again in n substeps of equal length.
CondStatus cond_substeps_begin(CondSim* sim, int n);
// Begins the next substep.
CondStatus cond_substeps_next(CondSim* sim);
// Adds the last committed substep; after the last one their sum becomes the step, which changes the
// state.
CondStatus cond_substeps_take(CondSim* sim);
void cond_substeps_destroy(CondSim* sim);
// 1 if the settings allow substeps.
int cond_step_divides(const CondSceneSettings* settings);

#endif
