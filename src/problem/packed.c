#include "problem/packed.h"

#include "base/memory.h"
#include "problem/block.h"

CondStatus cond_packed_build(CondPacked* packed, const CondProblem* problem, int single,
                             int threads)
{
    packed->half.context = packed->context;
    packed->n_part = packed->n_soft = packed->on = 0;
    if (!cond_half_serves())
        return COND_OK;
    if (cond_reserve(&packed->context, &packed->part, &packed->cap_part, problem->n_block,
                     sizeof *packed->part))
        return COND_OUT_OF_MEMORY;
    for (int b = 0; b < problem->n_block; b++) {
        const CondBlock* block = &problem->block[b];
        if (block->kind != COND_BLOCK_BSR3)
            continue;
        packed->part[packed->n_part++] = (CondBsr3Part){
            {block->row_begin, block->column, block->values}, block->n_dof / 3, block->dof_begin};
        packed->n_soft += block->n_dof;
    }
    if (packed->n_part == 0)
        return COND_OK;
    int fits;
    CondStatus status = cond_half_plan(&packed->half, packed->n_part, packed->part, &fits);
    if (!status && fits)
        status = cond_half_pack(&packed->half, packed->part, single, threads);
    packed->on = !status && fits;
    return status;
}

void cond_packed_destroy(CondPacked* packed)
{
    cond_half_destroy(&packed->half);
    cond_release(&packed->context, packed->part);
    packed->part = NULL;
    packed->cap_part = packed->n_part = packed->on = 0;
}

void cond_packed_multiply(const CondPacked* packed, const CondProblem* problem, const double* x,
                          const double* shift, double* y, int threads)
{
    if (!packed->on) {
        cond_problem_multiply_blocks(problem, x, shift, y, threads);
        return;
    }
    cond_half_product(&packed->half, x, shift, y, threads);
    cond_problem_multiply_others(problem, x, shift, y, threads);
}
