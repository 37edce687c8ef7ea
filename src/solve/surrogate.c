#include "solve/surrogate.h"

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
    const CondContext* m = &W->context;
    W->ops = find(settings->surrogate);
    W->chain.context = W->chain.matrix.context = W->context;
    W->updates = W->products = 0;
    if (cond_reserve(m, &W->w, &W->cap_w, nodal->n, sizeof *W->w))
        return COND_OUT_OF_MEMORY;
    return W->ops->build(W, nodal, settings);
}

void cond_surrogate_update(CondSurrogate* W, const CondNodal* nodal,
                           const CondSolverSettings* settings, const double* v, const double* g)
{
    if (W->ops->update)
        W->ops->update(W, nodal, settings->surrogate, v, g, settings->threads);
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

void cond_surrogate_apply(const CondSurrogate* W, const CondNodal* nodal, const double* g,
                          const double* v, double* out, int threads)
{
    if (W->ops->apply) {
        W->ops->apply(W, nodal, g, v, out, threads);
        return;
    }
    ScaleLoop loop = {W->w, g, v, out};
    cond_parallel(nodal->n, cond_threads(4 * (size_t)nodal->n, threads), scale, &loop);
}

void cond_surrogate_forget(CondSurrogate* W)
{
    W->built_n_dof = 0;
}

void cond_surrogate_destroy(CondSurrogate* W)
{
    cond_chain_destroy(&W->chain);
    void* arrays[] = {W->closed, W->w,       W->row,    W->list,         W->diagonal,
                      W->norm2,  W->touched, W->factor, W->factor_begin, W->solve_work,
                      W->v_old,  W->g_old,   W->lanczos};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&W->context, arrays[i]);
}

// a_ii and |A_i*|^2 of a row that no term touches: its block alone.
static void block_row(const CondNodal* nodal, int i, double* diagonal, double* norm2)
{
    const CondBlock* block = &nodal->problem->block[cond_nodal_block(nodal->problem, i)];
    int local = i - block->dof_begin;
    double sum = 0.0;
    *diagonal = nodal->diagonal[i]; // no coupling touches the coordinate
    if (block->kind == COND_BLOCK_BSR3) {
        const double* B = block->values + 3 * (local % 3);
        for (int k = block->row_begin[local / 3]; k < block->row_begin[local / 3 + 1]; k++)
            for (int c = 0; c < 3; c++)
                sum += B[9 * (size_t)k + (size_t)c] * B[9 * (size_t)k + (size_t)c];
    } else {
        int n = cond_block_row_size(block, local), j;
        for (int k = 0; k < n; k++) {
            double a = cond_block_entry(block, local, k, &j);
            sum += a * a;
        }
    }
    *norm2 = sum;
}

CondStatus cond_surrogate_rows(CondSurrogate* W, CondNodal* nodal, const int* fresh)
{
    const CondContext* m = &W->context;
    int n = nodal->n;
    if (cond_reserve(m, &W->row, &W->cap_row, n, sizeof *W->row) ||
        cond_reserve(m, &W->list, &W->cap_list, n, sizeof *W->list) ||
        cond_reserve(m, &W->diagonal, &W->cap_diagonal, n, sizeof *W->diagonal) ||
        cond_reserve(m, &W->norm2, &W->cap_norm2, n, sizeof *W->norm2))
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < n; i++) {
        if (fresh && !fresh[i])
            continue;
        if (i < nodal->n_dof && nodal->touch_begin[i] == nodal->touch_begin[i + 1]) {
            block_row(nodal, i, &W->diagonal[i], &W->norm2[i]);
            continue;
        }
        int count = cond_nodal_row(nodal, i, W->row, W->list, nodal->mark);
        double sum = 0.0;
        W->diagonal[i] = W->row[i];
        for (int k = 0; k < count; k++) {
            double a = W->row[W->list[k]];
            sum += a * a;
            W->row[W->list[k]] = 0.0;
        }
        W->norm2[i] = sum;
    }
    return COND_OK;
}
