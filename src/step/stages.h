// The stages of a step as functions of the attempt, and what sends a step back from one of them.
#ifndef COND_STEP_STAGES_H
#define COND_STEP_STAGES_H

#include "sim/sim.h"

// A stage, and the clock that its time goes to.
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
    const char* limit;                                        // how often, for people
    unsigned after;                                           // the stages after which it is tested
    int (*holds)(const CondSim* sim);                         // whether the verdict asks for it
    CondStatus (*change)(CondSim* sim, CondAttempt* attempt); // of the attempt; NULL: none
    unsigned again;                                           // the results that are made again
    const char* counted;                                      // field of CondStepInfo
} CondRetry;

const CondRetry* cond_retries(int* n);

// The first row that holds after a stage; NULL: the step goes on.
const CondRetry* cond_retry_find(const CondSim* sim, CondResult after);

// One step, or a piece of one, by all stages: from one state to another, which may be the same.
CondStatus cond_step_make(CondSim* sim, const CondState* from, CondState* to, CondStepInfo* info);

// A step that knows its error, in pieces of lengths that follow from it.
CondStatus cond_pieces_step(CondSim* sim, CondState* state, CondStepInfo* info);
void cond_pieces_destroy(CondSim* sim);

// The step from its start on, in n substeps of equal length.
CondStatus cond_substeps_begin(CondSim* sim, int n);
// The next of them.
CondStatus cond_substeps_next(CondSim* sim);
// Takes up the substep that was committed last; after the last one the step is what they made
// together, and changes the state.
CondStatus cond_substeps_take(CondSim* sim);
void cond_substeps_destroy(CondSim* sim);
// 1 where the settings allow for them.
int cond_step_divides(const CondSceneSettings* settings);

#endif
