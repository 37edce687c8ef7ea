// Partitions the coordinates of a problem by METIS (deal.h). Every rank computes the same
// partition.
#include "deal.h"

#include "problem/block.h"

#include <metis.h>
#include <string.h>

enum { LARGEST_BODY = 12 }; // coordinates of a sparse block that is taken as one body

// 1 where a block is a mesh: its coordinates go by three.
static int is_mesh(const CondBlock* block)
{
    return block->kind == COND_BLOCK_BSR3 ||
           (block->kind == COND_BLOCK_SPARSE && block->n_dof > LARGEST_BODY);
}

CondStatus cond_mpi_deal_units(CondMpiDeal* deal, const CondProblem* problem)
{
    int n = problem->n_dof;
    if (COND_RESERVE(&deal->arena, deal->owner, n) || COND_RESERVE(&deal->arena, deal->unit, n) ||
        COND_RESERVE(&deal->arena, deal->node, n))
        return COND_OUT_OF_MEMORY;
    deal->n_dof = n;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int mesh = is_mesh(block), triples = mesh ? block->n_dof / 3 : 0;
        if (block->kind == COND_BLOCK_TRIDIAGONAL)
            return COND_NOT_SUPPORTED;
        for (int i = 0; i < block->n_dof; i++) {
            int in_node = i < 3 * triples;
            deal->unit[block->dof_begin + i] =
                block->dof_begin + (in_node ? i - i % 3 : 3 * triples);
            deal->node[block->dof_begin + i] = (unsigned char)in_node;
        }
    }
    return COND_OK;
}

// The graph of the meshes, node by node; with adjacency NULL its size alone.
static idx_t make_graph(const CondMpiDeal* deal, const CondProblem* problem, const idx_t* number,
                        idx_t* begin, idx_t* adjacency)
{
    idx_t size = 0, row = 0;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        int first = block->dof_begin;
        for (int i = 0; is_mesh(block) && i < block->n_dof / 3; i++) {
            int bsr = block->kind == COND_BLOCK_BSR3, last = -1;
            int count = bsr ? block->row_begin[i + 1] - block->row_begin[i]
                            : cond_block_row_size(block, 3 * i);
            if (begin)
                begin[row++] = size;
            for (int k = 0; k < count; k++) {
                int j = bsr ? 3 * block->column[block->row_begin[i] + k] : 0;
                if (!bsr)
                    cond_block_entry(block, 3 * i, k, &j);
                if (j / 3 == i || j / 3 == last || !deal->node[first + j])
                    continue;
                last = j / 3;
                if (adjacency)
                    adjacency[size] = number[deal->unit[first + j]];
                size++;
            }
        }
    }
    if (begin)
        begin[row] = size;
    return size;
}

// What rows in the first coordinate of a node name need not be symmetric where a matrix from a file
// has zeros within its 3x3 blocks; METIS wants it so, and such a graph is dealt out in a row.
static int is_symmetric(idx_t n, const idx_t* begin, const idx_t* adjacency)
{
    for (idx_t i = 0; i < n; i++)
        for (idx_t k = begin[i]; k < begin[i + 1]; k++) {
            idx_t j = adjacency[k], low = begin[j], high = begin[j + 1];
            while (low < high && adjacency[low] != i)
                low++;
            if (low == high)
                return 0;
        }
    return 1;
}

static CondStatus part_nodes(CondMpiDeal* deal, const CondProblem* problem, int n_rank, idx_t n,
                             idx_t* number)
{
    CondArena* m = &deal->arena;
    idx_t size = make_graph(deal, problem, number, NULL, NULL), parts = n_rank, one = 1, cut;
    idx_t* begin = cond_arena_allocate(m, (size_t)n + 1, sizeof *begin);
    idx_t* adjacency = cond_arena_allocate(m, (size_t)size + 1, sizeof *adjacency);
    idx_t* part = cond_arena_allocate(m, (size_t)n + 1, sizeof *part);
    CondStatus status = begin && adjacency && part ? COND_OK : COND_OUT_OF_MEMORY;
    if (!status) {
        make_graph(deal, problem, number, begin, adjacency);
        for (idx_t i = 0; i < n; i++) // where METIS does not serve
            part[i] = (idx_t)((double)i * n_rank / (double)n);
        if (n > n_rank && is_symmetric(n, begin, adjacency) &&
            METIS_PartGraphKway(&n, &one, begin, adjacency, NULL, NULL, NULL, &parts, NULL, NULL,
                                NULL, &cut, part) != METIS_OK)
            status = COND_OUT_OF_MEMORY;
        for (int i = 0; i < deal->n_dof && !status; i++)
            if (deal->node[i])
                deal->owner[i] = (int)part[number[deal->unit[i]]];
    }
    cond_arena_drop(m, begin);
    cond_arena_drop(m, adjacency);
    cond_arena_drop(m, part);
    return status;
}

CondStatus cond_mpi_deal_out(CondMpiDeal* deal, const CondProblem* problem, int n_rank)
{
    CondStatus status = cond_mpi_deal_units(deal, problem);
    if (status)
        return status;
    int turn = 0;
    idx_t nodes = 0;
    idx_t* number = cond_arena_allocate(&deal->arena, (size_t)deal->n_dof + 1, sizeof *number);
    if (!number)
        return COND_OUT_OF_MEMORY;
    for (int i = 0; i < deal->n_dof; i++) {
        int first = deal->unit[i] == i;
        if (deal->node[i])
            number[i] = first ? nodes++ : 0;
        else
            deal->owner[i] = first ? turn++ % n_rank : deal->owner[i - 1];
    }
    if (n_rank > 1 && nodes > 0)
        status = part_nodes(deal, problem, n_rank, nodes, number);
    else
        for (int i = 0; i < deal->n_dof; i++)
            deal->owner[i] = deal->node[i] ? 0 : deal->owner[i];
    cond_arena_drop(&deal->arena, number);
    return status;
}

void cond_mpi_deal_destroy(CondMpiDeal* deal)
{
    cond_arena_release(&deal->arena);
}
