// The part of the block surrogate that inverts rods exactly, together with the dense blocks that
// couplings tie to them: a sparse factorisation by blocks, O(n) in the links.
#include "vfpi/surrogate_chain.h"

#include <math.h>

// Joins dense blocks along the couplings until nothing changes.
static void join_members(CondChain* chain, const CondProblem* problem, const int* closed)
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = 0; i < problem->n_coupling; i++) {
            const CondCoupling* c = &problem->coupling[i];
            int touches = 0;
            for (int k = 0; k < c->n_coordinate; k++)
                touches |= chain->member[cond_nodal_block(problem, c->coordinate[k])];
            for (int k = 0; k < c->n_coordinate && touches; k++) {
                int b = cond_nodal_block(problem, c->coordinate[k]);
                if (!chain->member[b] && !closed[b] && problem->block[b].kind == COND_BLOCK_DENSE)
                    chain->member[b] = changed = 1;
            }
        }
    }
}

static int is_rod(const CondBlock* block)
{
    return block->kind == COND_BLOCK_TRIDIAGONAL;
}

// Members, and the nodes they are made of.
static CondStatus list_nodes(CondChain* chain, const CondProblem* problem, const int* closed)
{
    int rods = 0, place = 0;
    chain->n_node = 0;
    for (int b = 0; b < problem->n_block; b++)
        rods += chain->member[b] = is_rod(&problem->block[b]) && !closed[b];
    if (rods > 0)
        join_members(chain, problem, closed);
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int width = is_rod(block) ? 6 : block->n_dof;
        for (int i = 0; i < block->n_dof; i++) {
            int at = block->dof_begin + i, begins = chain->member[b] && i % width == 0;
            if (begins && COND_RESERVE(&chain->arena, chain->size, chain->n_node + 1))
                return COND_OUT_OF_MEMORY;
            if (begins)
                chain->size[chain->n_node++] = width;
            chain->node[at] = chain->member[b] ? chain->n_node - 1 : -1;
            chain->place[at] = chain->member[b] ? place++ : -1;
        }
    }
    return COND_OK;
}

// Node of entry k of a term, or -1.
static int node_of(const CondChain* chain, const CondNodal* nodal, const CondTerm* term, int k)
{
    int i = term->coordinate[k];
    return i < nodal->n_dof ? chain->node[i] : -1;
}

// The pattern: links that follow each other, and what terms join.
static CondStatus join_nodes(CondChain* chain, const CondNodal* nodal)
{
    const CondProblem* problem = nodal->problem;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = 6; i < block->n_dof && is_rod(block) && chain->member[b]; i += 6) {
            int node = chain->node[block->dof_begin + i];
            if (cond_block_lu_join(&chain->matrix, node, node - 1))
                return COND_OUT_OF_MEMORY;
        }
    }
    for (int t = 0; t < nodal->n_term; t++)
        for (int k = 1; k < nodal->term[t].n_entry; k++) {
            int a = node_of(chain, nodal, &nodal->term[t], k), last = -1;
            for (int l = 0; l < k && a >= 0; l++) {
                int c = node_of(chain, nodal, &nodal->term[t], l);
                if (c >= 0 && c != last && cond_block_lu_join(&chain->matrix, a, c))
                    return COND_OUT_OF_MEMORY;
                last = c;
            }
        }
    return COND_OK;
}

// A row of the matrix that is written to, and the block that was looked up last.
typedef struct Row {
    CondChain* chain;
    int i, node; // coordinate; node of the block
    CondBlockLuEntry block;
} Row;

static void add_entry(Row* row, int j, double value)
{
    const CondChain* chain = row->chain;
    int a = chain->node[row->i], b = chain->node[j];
    if (b != row->node) {
        row->node = b;
        row->block = cond_block_lu_block(&chain->matrix, a, b);
    }
    row->block.value[(chain->place[row->i] - chain->matrix.first[a]) * row->block.row +
                     (chain->place[j] - chain->matrix.first[b]) * row->block.column] += value;
}

CondStatus cond_chain_begin(CondChain* chain, const CondNodal* nodal, const int* closed)
{
    const CondProblem* problem = nodal->problem;
    int n = problem->n_dof, fits = 1;
    chain->matrix.order.arena.context = chain->arena.context;
    if (COND_RESERVE(&chain->arena, chain->member, problem->n_block) ||
        COND_RESERVE(&chain->arena, chain->node, n) ||
        COND_RESERVE(&chain->arena, chain->place, n) || COND_RESERVE(&chain->arena, chain->x, n))
        return COND_OUT_OF_MEMORY;
    CondStatus status = list_nodes(chain, problem, closed);
    if (status || chain->n_node == 0)
        return status;
    status = cond_block_lu_begin(&chain->matrix, chain->n_node, chain->size);
    if (!status)
        status = join_nodes(chain, nodal);
    if (!status)
        status = cond_block_lu_plan(&chain->matrix, INFINITY, &fits);
    if (status || !fits)
        return status ? status : COND_OUT_OF_MEMORY;
    cond_block_lu_clear(&chain->matrix);
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        for (int i = 0; i < block->n_dof && chain->member[b]; i++) {
            Row row = {.chain = chain, .i = block->dof_begin + i, .node = -1};
            int size = cond_block_row_size(block, i), j;
            for (int k = 0; k < size; k++) {
                double value = cond_block_entry(block, i, k, &j);
                add_entry(&row, block->dof_begin + j, value);
            }
        }
    }
    return COND_OK;
}

void cond_chain_destroy(CondChain* chain)
{
    cond_block_lu_destroy(&chain->matrix);
    cond_arena_release(&chain->arena);
}

void cond_chain_add(CondChain* chain, const CondNodal* nodal, const CondTerm* term, double p)
{
    const int* coordinate = term->coordinate;
    for (int k = 0; k < term->n_entry; k++) {
        Row row = {.chain = chain, .i = coordinate[k], .node = -1};
        for (int l = 0; l < term->n_entry && node_of(chain, nodal, term, k) >= 0; l++)
            if (node_of(chain, nodal, term, l) >= 0)
                add_entry(&row, coordinate[l], p * cond_term_entry(term, k, l));
    }
}

int cond_chain_factor(CondChain* chain)
{
    return chain->n_node > 0 && cond_block_lu_factor(&chain->matrix);
}

void cond_chain_apply(const CondChain* chain, const CondProblem* problem, const double* g,
                      const double* v, double* out)
{
    for (int i = 0; i < problem->n_dof; i++)
        if (chain->place[i] >= 0)
            chain->x[chain->place[i]] = g[i];
    cond_block_lu_solve(&chain->matrix, chain->x, 1);
    for (int i = 0; i < problem->n_dof; i++)
        if (chain->place[i] >= 0)
            out[i] = v[i] - chain->x[chain->place[i]];
}
