// The loop over attempts that the correction, the impacts and settling share.
#include "sim/stage_retry.h"

static int is_open(const CondStageRetry* row, int used)
{
    return row->limit == COND_STAGE_BOUNDED || used < row->limit;
}

CondStatus cond_stage_retry(CondSim* sim, CondStatus (*attempt)(CondSim* sim),
                            const CondStageRetry* table, int n)
{
    int used[COND_STAGE_ROWS] = {0};
    for (;;) {
        CondStatus status = attempt(sim);
        int k = 0;
        while (k < n && status >= 0 && !(is_open(&table[k], used[k]) && table[k].applies(sim)))
            k++;
        if (status < 0 || k == n)
            return status;
        used[k]++;
        status = table[k].change(sim);
        if (status < 0)
            return status;
    }
}
