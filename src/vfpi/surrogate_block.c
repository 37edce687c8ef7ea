// W with the exact inverse of every dense body block (6x6 of a rigid body, n x n of a robot) and of
// every block tridiagonal one (rods), the ties of its virtual nodes included, and 1/kv on the
// virtual nodes. Dense blocks that couplings tie to rods are inverted together with them.
//
// Split the coordinates into the problem's own (o) and the virtual nodes (v). With W_o^-1 >= A_oo
// and W_v = 1/kv, every eigenvalue of W A lies in (0, 2): V-FPI with the proximal law contracts in
// the W^-1 norm without a step size. W_o^-1 >= A_oo holds for
//   the block itself + sum over terms of p J'K J restricted to the block,
// where p counts the groups of own coordinates that a term joins, because
// (x_1 + .. + x_p)' K (..) <= p sum x_i' K x_i. A group is a dense block, or a single coordinate of
// a sparse block or of a block that holds a contact node: there W is a diagonal, 1 / the sum of
// absolute values of the block's row, one number for the three coordinates of a contact node. The
// rods and what is tied to them are one group; of a term that ties places of them too far apart for
// the band, every link is a group.
#include "vfpi/surrogate.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/tuning.h"
#include "linear/cholesky.h"

#include <math.h>
#include <string.h>

// Chooses the blocks that are inverted exactly and lays out their factors.
static CondStatus plan(CondSurrogate* W, const CondNodal* nodal)
{
    const CondProblem* problem = nodal->problem;
    CondArena* m = &W->arena;
    if (COND_RESERVE(m, W->factor_begin, problem->n_block) ||
        COND_RESERVE(m, W->closed, problem->n_block))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < problem->n_block; b++)
        W->closed[b] = 0;
    for (int c = 0; c < problem->n_contact; c++)
        for (int s = 0; s < 2; s++) {
            int node = nodal->node[2 * c + s];
            for (int k = 0; k < 3 && node >= 0 && node < nodal->n_dof; k++) // may span blocks
                W->closed[cond_nodal_block(problem, node + k)] = 1;
        }
    CondStatus status = cond_chain_begin(&W->chain, nodal, W->closed);
    if (status)
        return status;
    int size = 0, largest = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        W->factor_begin[b] = -1;
        if (block->kind != COND_BLOCK_DENSE || W->closed[b] || W->chain.member[b])
            continue;
        int n = block->n_dof;
        W->factor_begin[b] = size;
        size += n * n;
        largest = n > largest ? n : largest;
    }
    if (COND_RESERVE(m, W->factor, size) || COND_RESERVE(m, W->solve_work, largest))
        return COND_OUT_OF_MEMORY;
    return COND_OK;
}

// W->norm2 collects 1/w of the diagonal coordinates, W->factor the blocks to invert.
static void start_blocks(CondSurrogate* W, const CondProblem* problem)
{
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int n = block->n_dof;
        if (W->factor_begin[b] >= 0) {
            memcpy(W->factor + W->factor_begin[b], block->values,
                   (size_t)n * n * sizeof *W->factor);
            continue;
        }
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            int size = cond_block_row_size(block, i), j;
            for (int k = 0; k < size; k++)
                sum += fabs(cond_block_entry(block, i, k, &j));
            W->norm2[block->dof_begin + i] = sum;
        }
    }
}

// Number of groups among the term's own coordinates. Entries of one block are neighbours in all
// terms the assembly makes; where they are not, a block counts twice, which is safe.
static int count_groups(const CondSurrogate* W, const CondNodal* nodal, const CondTerm* term)
{
    int groups = 0, last = -1, chained = 0;
    for (int k = 0; k < term->n_entry; k++) {
        int i = term->coordinate[k];
        if (i >= nodal->n_dof)
            continue;
        int b = cond_nodal_block(nodal->problem, i);
        if (W->chain.place[i] >= 0) { // all of the chain is one
            groups += !chained;
            chained = 1;
            last = -1;
            continue;
        }
        if (W->factor_begin[b] < 0 || b != last)
            groups++;
        last = W->factor_begin[b] < 0 ? -1 : b;
    }
    return groups;
}

static void add_term(CondSurrogate* W, const CondNodal* nodal, const CondTerm* term)
{
    const int* coordinate = term->coordinate;
    int p = count_groups(W, nodal, term);
    for (int k = 0; k < term->n_entry; k++) {
        int i = coordinate[k];
        if (i >= nodal->n_dof) { // a virtual node: W = 1/kv
            W->norm2[i] = term->kv;
            continue;
        }
        if (W->chain.place[i] >= 0)
            continue; // below, all of them at once
        int b = cond_nodal_block(nodal->problem, i);
        const CondBlock* block = &nodal->problem->block[b];
        if (W->factor_begin[b] < 0) {
            W->norm2[i] += p * cond_term_entry(term, k, k);
            continue;
        }
        double* F = W->factor + W->factor_begin[b] + (i - block->dof_begin) * block->n_dof;
        for (int l = 0; l < term->n_entry; l++) {
            int j = coordinate[l] - block->dof_begin;
            if (j >= 0 && j < block->n_dof)
                F[j] += p * cond_term_entry(term, k, l);
        }
    }
    cond_chain_add(&W->chain, nodal, term, p);
}

static CondStatus build(CondSurrogate* W, CondNodal* nodal, const CondSolverSettings* settings)
{
    const CondProblem* problem = nodal->problem;
    (void)settings;
    CondStatus status = plan(W, nodal);
    if (!status && COND_RESERVE(&W->arena, W->norm2, nodal->n))
        status = COND_OUT_OF_MEMORY;
    if (status)
        return status;
    start_blocks(W, problem);
    for (int t = 0; t < nodal->n_term; t++)
        add_term(W, nodal, &nodal->term[t]);
    for (int i = 0; i < nodal->n; i++)
        W->w[i] = 1.0 / W->norm2[i];
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (W->factor_begin[b] < 0)
            continue;
        double* factor = W->factor + W->factor_begin[b];
        if (cond_cholesky_factor(block->n_dof, factor))
            return COND_DIVERGED;
        cond_cholesky_inverse_diagonal(block->n_dof, factor, W->w + block->dof_begin,
                                       W->solve_work);
    }
    if (cond_chain_factor(&W->chain))
        return COND_DIVERGED;
    for (int i = 0; i < nodal->n_dof; i++) // scale of the norm only; W itself is the inverse
        if (W->chain.place[i] >= 0)
            W->w[i] = 1.0 / nodal->diagonal[i];
    for (int c = 0; c < problem->n_contact; c++)
        for (int s = 0; s < 2; s++) {
            int node = nodal->node[2 * c + s];
            if (node < 0)
                continue;
            double w = fmin(W->w[node], fmin(W->w[node + 1], W->w[node + 2]));
            W->w[node] = W->w[node + 1] = W->w[node + 2] = w;
        }
    return COND_OK;
}

typedef struct ApplyLoop {
    const CondSurrogate* W;
    const CondProblem* problem;
    const double *g, *v;
    double* out;
} ApplyLoop;

static void apply_blocks(const void* loop, int first, int last)
{
    const ApplyLoop* l = loop;
    const CondSurrogate* W = l->W;
    const double *g = l->g, *v = l->v;
    for (int b = first; b < last; b++) {
        const CondBlock* block = &l->problem->block[b];
        int begin = block->dof_begin, n = block->n_dof;
        double* z = l->out + begin;
        if (W->chain.member[b] || block->kind == COND_BLOCK_BSR3)
            continue;
        if (W->factor_begin[b] < 0) {
            for (int i = 0; i < n; i++)
                z[i] = v[begin + i] - W->w[begin + i] * g[begin + i];
            continue;
        }
        memcpy(z, g + begin, (size_t)n * sizeof *z);
        cond_cholesky_solve(n, W->factor + W->factor_begin[b], z);
        for (int i = 0; i < n; i++)
            z[i] = v[begin + i] - z[i];
    }
}

static void apply(const CondSurrogate* W, const CondNodal* nodal, const double* g, const double* v,
                  double* out, int threads)
{
    const CondProblem* problem = nodal->problem;
    ApplyLoop loop = {W, problem, g, v, out};
    int n_thread = cond_threads(COND_COORDINATE_WORK * (size_t)nodal->n_dof, threads);
    cond_parallel(problem->n_block, n_thread, apply_blocks, &loop);
    if (W->chain.n_node > 0)
        cond_chain_apply(&W->chain, problem, g, v, out);
    for (int i = nodal->n_dof; i < nodal->n; i++)
        out[i] = v[i] - W->w[i] * g[i];
}

const CondSurrogateOps cond_surrogate_block = {COND_SURROGATE_BLOCK, build, NULL, apply};
