// The retry loop of the correction, the impacts and settling. After an attempt, the first row of a
// constant table that applies to its verdict changes the next attempt. (The step itself has its own
// table, step/stages.h, since its retries keep or drop the results of stages.)
#ifndef COND_SIM_STAGE_RETRY_H
#define COND_SIM_STAGE_RETRY_H

#include "cond/sim.h"

typedef struct CondStageRetry {
    const char* name;
    int (*applies)(CondSim* sim);       // 1: the row applies to the verdict on the last attempt
    CondStatus (*change)(CondSim* sim); // of the next attempt
    int limit;                          // largest number of uses; COND_STAGE_BOUNDED: limited by
                                        // the condition
} CondStageRetry;

enum { COND_STAGE_BOUNDED = 0, COND_STAGE_ROWS = 16 }; // rows of a table at most

// Makes an attempt, then further ones as long as a row applies; the first such row is used. Returns
// the status of the last attempt, or the first negative one of an attempt or a change.
CondStatus cond_stage_retry(CondSim* sim, CondStatus (*attempt)(CondSim* sim),
                            const CondStageRetry* table, int n);

#endif
