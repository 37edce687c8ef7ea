// Accelerators: from v^l and the plain iterate v** they propose v^{l+1}.
#include "vfpi/accelerate.h"

#include "base/parallel.h"
#include "device/sum.h"
#include "law/settings.h"

#include <math.h>

CondStatus cond_accelerator_begin(CondAccelerator* a, const CondSolverSettings* settings, int n,
                                  const double* w)
{
    CondArena* m = &a->arena;
    a->kind = settings->accelerator;
    a->n = n;
    a->depth = settings->anderson_depth < n ? settings->anderson_depth : (n > 0 ? n : 1);
    a->chebyshev.start = settings->chebyshev_start;
    a->chebyshev.under = settings->under_relaxation;
    a->threads = settings->threads;
    a->w = w;
    a->restarts = 0;
    int size = a->depth * n;
    int failed = COND_RESERVE(m, a->v_old, n);
    if (!failed && cond_accelerator_mixes(a->kind))
        failed = COND_RESERVE(m, a->f_old, n) || COND_RESERVE(m, a->g_old, n) ||
                 COND_RESERVE(m, a->g_best, n) || COND_RESERVE(m, a->dG, size) ||
                 COND_RESERVE(m, a->Q, size) || COND_RESERVE(m, a->R, a->depth * a->depth) ||
                 COND_RESERVE(m, a->gamma, a->depth);
    if (failed)
        return COND_OUT_OF_MEMORY;
    cond_accelerator_restart(a);
    return COND_OK;
}

void cond_accelerator_restart(CondAccelerator* a)
{
    a->count = 0;
    a->columns = a->oldest = 0;
    a->chebyshev.count = 0;
    a->chebyshev.nu = 1.0;
    a->chebyshev.step = a->chebyshev.step_old = 0.0;
    a->smallest = INFINITY;
}

double cond_accelerator_propose(CondAccelerator* a, const double* v, const double* plain,
                                double residual, double* next)
{
    if (a->kind == COND_ACCELERATOR_CHEBYSHEV)
        cond_accelerate_chebyshev(a, v, plain, next);
    else if (cond_accelerator_mixes(a->kind))
        cond_accelerate_anderson(a, v, plain, residual, next);
    else
        cond_parallel_copy(a->n, plain, next, a->threads);
    double length = sqrt(cond_distance2(a->n, next, v, a->threads));
    cond_chebyshev_step(&a->chebyshev, length);
    return length;
}

void cond_accelerator_destroy(CondAccelerator* a)
{
    cond_arena_release(&a->arena);
}
