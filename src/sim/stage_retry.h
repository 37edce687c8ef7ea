// The loop that the correction, the impacts and settling share: an attempt is made and judged;
// where a row of a constant table applies to the verdict, the next attempt is changed as the row
// says. The step itself has stages whose results a retry keeps or drops, and a table of its own.
#ifndef COND_SIM_STAGE_RETRY_H
#define COND_SIM_STAGE_RETRY_H

#include "cond/sim.h"

typedef struct CondStageRetry {
    const char* name;
    int (*applies)(CondSim* sim);       // 1: the verdict on the last attempt asks for this row
    CondStatus (*change)(CondSim* sim); // of the next attempt
    int limit;                          // uses at most; COND_STAGE_BOUNDED: the condition counts
} CondStageRetry;

enum { COND_STAGE_BOUNDED = 0, COND_STAGE_ROWS = 16 }; // rows of a table at most

// Makes an attempt, then others for as long as a row applies, the first one of the table. Returns
// the status of the last attempt, or the first negative one of an attempt or a change.
CondStatus cond_stage_retry(CondSim* sim, CondStatus (*attempt)(CondSim* sim),
                            const CondStageRetry* table, int n);

#endif
