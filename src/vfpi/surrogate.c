#include "vfpi/surrogate.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/bsr3_product.h"
#include "problem/block.h"

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

// Rows of a block of 3x3 blocks: g = A v - b and out = v - W g while g is at hand.
typedef struct StepLoop {
    CondBsr3Rows rows;
    const double *b, *w, *v;
    double *g, *out;
} StepLoop;

static void step_rows(const void* loop, int first, int last)
{
    enum { ROWS = 64 };
    const StepLoop* l = loop;
    ScaleLoop part = {l->w, l->g, l->v, l->out};
    for (int i = first; i < last; i += ROWS) {
        int end = i + ROWS < last ? i + ROWS : last;
        cond_bsr3_rows(&l->rows, i, end, l->v, l->b, l->g);
        scale(&part, 3 * i, 3 * end);
    }
}

static void step_block(const CondBlock* block, const StepLoop* whole, int threads)
{
    int i = block->dof_begin, n_row = block->n_dof / 3;
    StepLoop loop = {{block->row_begin, block->column, block->values},
                     whole->b + i,
                     whole->w + i,
                     whole->v + i,
                     whole->g + i,
                     whole->out + i};
    int n_thread = cond_threads(9 * (size_t)block->row_begin[n_row], threads);
    cond_parallel(n_row, n_thread, step_rows, &loop);
}

void cond_surrogate_step(CondSurrogate* W, CondNodal* nodal, const CondSolverSettings* settings,
                         const double* v, double* g, double* out)
{
    const CondProblem* problem = nodal->problem;
    int threads = settings->threads, soft = 0;
    for (int b = 0; b < problem->n_block; b++)
        soft |= problem->block[b].kind == COND_BLOCK_BSR3;
    if (!soft || W->ops->update) {
        cond_nodal_residual(nodal, v, g, threads);
        if (W->ops->update)
            W->ops->update(W, nodal, settings->surrogate, v, g, threads);
        cond_surrogate_apply(W, nodal, g, v, out, threads);
        return;
    }
    StepLoop loop = {.b = problem->b, .w = W->w, .v = v, .g = g, .out = out};
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int i = block->dof_begin;
        if (block->kind == COND_BLOCK_BSR3)
            step_block(block, &loop, threads);
        else
            cond_block_multiply(block, v + i, problem->b + i, g + i, threads);
    }
    cond_nodal_add_terms(nodal, v, g, threads);
    for (int k = 0; k < nodal->n_touched; k++) { // where a term has changed g since
        int i = nodal->touched[k];
        out[i] = v[i] - W->w[i] * g[i];
    }
    cond_surrogate_apply_others(W, nodal, g, v, out, threads);
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
