#include "solve/surrogate_chain.h"

#include "base/memory.h"

enum { WIDEST = 256 }; // coordinates of a border: a dense factorisation takes milliseconds there

// Joins dense blocks along the couplings until nothing changes.
static int join(CondChain* chain, const CondProblem* problem, const int* closed)
{
    int border = 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = 0; i < problem->n_coupling; i++) {
            const CondCoupling* c = &problem->coupling[i];
            int touches = 0;
            for (int k = 0; k < c->n_coordinate; k++)
                touches |= chain->member[cond_nodal_block(problem, c->coordinate[k])];
            for (int k = 0; k < c->n_coordinate && touches; k++) {
                int b = cond_nodal_block(problem, c->coordinate[k]);
                const CondBlock* block = &problem->block[b];
                if (chain->member[b] || closed[b] || block->kind != COND_BLOCK_DENSE ||
                    border + block->n_dof > WIDEST)
                    continue;
                chain->member[b] = changed = 1;
                border += block->n_dof;
            }
        }
    }
    return border;
}

static int is_band(const CondBlock* block)
{
    return block->kind == COND_BLOCK_TRIDIAGONAL;
}

CondStatus cond_chain_begin(CondChain* chain, const CondProblem* problem, const int* closed)
{
    const CondContext* m = &chain->context;
    int n_band = 0, at;
    if (cond_reserve(m, &chain->member, &chain->cap_member, problem->n_block,
                     sizeof *chain->member) ||
        cond_reserve(m, &chain->place, &chain->cap_place, problem->n_dof, sizeof *chain->place))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < problem->n_block; b++) {
        chain->member[b] = is_band(&problem->block[b]) && !closed[b];
        n_band += chain->member[b] ? problem->block[b].n_dof : 0;
    }
    int border = n_band > 0 ? join(chain, problem, closed) : 0;
    if (cond_bordered_begin(&chain->matrix, n_band, border) ||
        cond_reserve(m, &chain->x, &chain->cap_x, n_band + border, sizeof *chain->x))
        return COND_OUT_OF_MEMORY;
    int next[2] = {0, n_band};
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = 0; i < block->n_dof; i++) {
            at = chain->member[b] ? next[!is_band(block)]++ : -1;
            chain->place[block->dof_begin + i] = at;
        }
    }
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        const int* place = chain->place + block->dof_begin;
        if (chain->member[b] && is_band(block)) {
            cond_bordered_put(&chain->matrix, place[0], block->n_dof, block->values);
            continue;
        }
        for (int i = 0; i < block->n_dof && chain->member[b]; i++) {
            int size = cond_block_row_size(block, i), j;
            for (int k = 0; k < size; k++) {
                double value = cond_block_entry(block, i, k, &j);
                cond_bordered_add(&chain->matrix, place[i], place[j], value);
            }
        }
    }
    return COND_OK;
}

void cond_chain_destroy(CondChain* chain)
{
    cond_bordered_destroy(&chain->matrix);
    cond_release(&chain->context, chain->member);
    cond_release(&chain->context, chain->place);
    cond_release(&chain->context, chain->x);
}

// Place of entry k of a term in the matrix, or -1.
static int place_of(const CondChain* chain, const CondNodal* nodal, const CondTerm* term, int k)
{
    int i = nodal->coordinate[term->entry_begin + k];
    return i < nodal->n_dof ? chain->place[i] : -1;
}

int cond_chain_holds(const CondChain* chain, const CondNodal* nodal, const CondTerm* term)
{
    int low = chain->matrix.n_band, high = -1;
    for (int k = 0; k < term->n_entry; k++) {
        int at = place_of(chain, nodal, term, k);
        if (at < 0 || at >= chain->matrix.n_band)
            continue;
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return high < 0 || cond_bordered_holds(low, high);
}

void cond_chain_add(CondChain* chain, const CondNodal* nodal, const CondTerm* term, double p)
{
    int holds = cond_chain_holds(chain, nodal, term), n_band = chain->matrix.n_band;
    for (int k = 0; k < term->n_entry; k++) {
        int i = place_of(chain, nodal, term, k);
        for (int l = 0; l < term->n_entry && i >= 0; l++) {
            int j = place_of(chain, nodal, term, l);
            if (j < 0)
                continue;
            // Links of six coordinates begin at multiples of six, because rods fill the band.
            int together =
                i < n_band && j < n_band
                    ? i / 6 == j / 6
                    : cond_nodal_block(nodal->problem, nodal->coordinate[term->entry_begin + k]) ==
                          cond_nodal_block(nodal->problem,
                                           nodal->coordinate[term->entry_begin + l]);
            if (holds || together)
                cond_bordered_add(&chain->matrix, i, j,
                                  p * cond_nodal_term_entry(nodal, term, k, l));
        }
    }
}

int cond_chain_factor(CondChain* chain)
{
    return cond_bordered_factor(&chain->matrix);
}

void cond_chain_apply(const CondChain* chain, const CondProblem* problem, const double* g,
                      const double* v, double* out)
{
    for (int i = 0; i < problem->n_dof; i++)
        if (chain->place[i] >= 0)
            chain->x[chain->place[i]] = g[i];
    cond_bordered_solve(&chain->matrix, chain->x);
    for (int i = 0; i < problem->n_dof; i++)
        if (chain->place[i] >= 0)
            out[i] = v[i] - chain->x[chain->place[i]];
}
