// The surrogate W of V-FPI: v* = v - W (A v - b).
#include "vfpi/surrogate.h"

#include "base/memory.h"
#include "base/parallel.h"

static const CondSurrogateOps* find(CondSurrogateKind kind)
{
    switch (kind) {
    case COND_SURROGATE_BB1:
    case COND_SURROGATE_BB2:
    case COND_SURROGATE_BB_ALTERNATING:
        return &cond_surrogate_bb;
    case COND_SURROGATE_SPECTRUM:
        return &cond_surrogate_spectrum;
    case COND_SURROGATE_BLOCK:
        return &cond_surrogate_block;
    case COND_SURROGATE_FROBENIUS:
        break;
    }
    return &cond_surrogate_frobenius;
}

CondStatus cond_surrogate_build(CondSurrogate* W, CondNodal* nodal,
                                const CondSolverSettings* settings)
{
    CondArena* m = &W->arena;
    W->ops = find(settings->surrogate);
    W->chain.arena.context = W->arena.context;
    W->updates = W->products = 0;
    if (COND_RESERVE(m, W->w, nodal->n))
        return COND_OUT_OF_MEMORY;
    return W->ops->build(W, nodal, settings);
}

typedef struct ScaleLoop {
    const double *w, *g, *v;
    double* out;
} ScaleLoop;

static void scale(const void* loop, int first, int last)
{
    const ScaleLoop* l = loop;
    for (int i = first; i < last; i++)
        l->out[i] = l->v[i] - l->w[i] * l->g[i];
}

static void scale_range(const ScaleLoop* loop, int begin, int n, int threads)
{
    ScaleLoop part = {loop->w + begin, loop->g + begin, loop->v + begin, loop->out + begin};
    cond_parallel(n, cond_threads(4 * (size_t)n, threads), scale, &part);
}

void cond_surrogate_apply_others(const CondSurrogate* W, const CondNodal* nodal, const double* g,
                                 const double* v, double* out, int threads)
{
    const CondProblem* problem = nodal->problem;
    ScaleLoop loop = {W->w, g, v, out};
    if (W->ops->apply) {
        W->ops->apply(W, nodal, g, v, out, threads);
        return;
    }
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind != COND_BLOCK_BSR3)
            scale_range(&loop, problem->block[b].dof_begin, problem->block[b].n_dof, threads);
    scale_range(&loop, nodal->n_dof, nodal->n - nodal->n_dof, threads);
}

void cond_surrogate_apply(const CondSurrogate* W, const CondNodal* nodal, const double* g,
                          const double* v, double* out, int threads)
{
    const CondProblem* problem = nodal->problem;
    ScaleLoop loop = {W->w, g, v, out};
    if (!W->ops->apply) {
        scale_range(&loop, 0, nodal->n, threads);
        return;
    }
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3)
            scale_range(&loop, problem->block[b].dof_begin, problem->block[b].n_dof, threads);
    cond_surrogate_apply_others(W, nodal, g, v, out, threads);
}

void cond_surrogate_update(CondSurrogate* W, const CondNodal* nodal,
                           const CondSolverSettings* settings, const double* v, const double* g)
{
    if (W->ops->update)
        W->ops->update(W, nodal, settings->surrogate, v, g, settings->threads);
}

void cond_surrogate_forget(CondSurrogate* W)
{
    W->built_n_dof = 0;
}

void cond_surrogate_destroy(CondSurrogate* W)
{
    cond_chain_destroy(&W->chain);
    cond_arena_release(&W->arena);
}
