#include "base/parallel.h"

#include <omp.h>

int cond_threads(size_t work, int threads)
{
    if (work < COND_PARALLEL_FROM)
        return 1;
    return threads > 0 ? threads : omp_get_max_threads();
}

void cond_parallel_team(int n, int n_thread, CondLoopBody body, const void* loop)
{
#pragma omp parallel for schedule(static) num_threads(n_thread)
    for (int k = 0; k < n_thread; k++) {
        int first = (int)((long long)n * k / n_thread);
        int last = (int)((long long)n * (k + 1) / n_thread);
        if (first < last)
            body(loop, first, last);
    }
}
