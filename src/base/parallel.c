#include "base/parallel.h"

#include <omp.h>

int cond_threads(size_t work, int threads)
{
    if (work < COND_PARALLEL_FROM)
        return 1;
    return threads > 0 ? threads : omp_get_max_threads();
}

// Part k of n_part.
static void do_part(int n, int k, int n_part, CondLoopBody body, const void* loop)
{
    int first = cond_team_first(n, k, n_part), last = cond_team_first(n, k + 1, n_part);
    if (first < last)
        body(loop, first, last);
}

void cond_parallel_team(int n, int n_thread, CondLoopBody body, const void* loop)
{
#pragma omp parallel for schedule(static) num_threads(n_thread)
    for (int k = 0; k < n_thread; k++)
        do_part(n, k, n_thread, body, loop);
}

void cond_parallel_phases(int n_phase, const CondPhase* phase, int n_thread)
{
    if (n_thread <= 1) {
        for (int p = 0; p < n_phase; p++)
            do_part(phase[p].n, 0, 1, phase[p].body, phase[p].loop);
        return;
    }
#pragma omp parallel num_threads(n_thread)
    {
        int n_part = omp_get_num_threads(), k = omp_get_thread_num(); // may be fewer than asked for
        for (int p = 0; p < n_phase; p++) {
            if (phase[p].apart) {
#pragma omp barrier
            }
            do_part(phase[p].n, k, n_part, phase[p].body, phase[p].loop);
        }
    }
}

void cond_team(int n_thread, CondTeamBody body, void* data)
{
    if (n_thread <= 1) {
        body(data, 0, 1);
        return;
    }
#pragma omp parallel num_threads(n_thread)
    body(data, omp_get_thread_num(), omp_get_num_threads());
}

void cond_team_wait(int size)
{
    if (size > 1) {
#pragma omp barrier
    }
}
