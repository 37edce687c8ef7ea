// The part of a block matrix that stays from one factorisation to the next, by the supernodes of
// its panels: blocks that are not zero, one after the other.
#include "linear/block_kept.h"

#include <limits.h>
#include <string.h>

static int is_zero(const double* panels, const CondKeptBlock* b)
{
    for (int r = 0; r < b->rows; r++)
        for (int k = 0; k < b->n; k++)
            if (panels[b->at + (size_t)r * (size_t)b->row + (size_t)k] != 0.0)
                return 0;
    return 1;
}

CondStatus cond_block_kept_add(CondBlockKept* kept, CondArena* arena, const double* panels,
                               CondKeptBlock block)
{
    size_t n = (size_t)block.rows * (size_t)block.n;
    if (is_zero(panels, &block))
        return COND_OK;
    if (kept->n_value + n > INT_MAX || COND_RESERVE(arena, kept->block, kept->n_block + 1) ||
        COND_RESERVE(arena, kept->value, (int)(kept->n_value + n)))
        return COND_OUT_OF_MEMORY;
    kept->block[kept->n_block++] = block;
    for (int r = 0; r < block.rows; r++, kept->n_value += (size_t)block.n)
        memcpy(kept->value + kept->n_value, panels + block.at + (size_t)r * (size_t)block.row,
               (size_t)block.n * sizeof *kept->value);
    return COND_OK;
}

void cond_block_kept_put(const CondBlockKept* kept, int super, double* panels)
{
    const double* from = kept->value + kept->value_begin[super];
    for (int b = kept->begin[super]; b < kept->begin[super + 1]; b++) {
        const CondKeptBlock* block = &kept->block[b];
        for (int r = 0; r < block->rows; r++, from += block->n)
            memcpy(panels + block->at + (size_t)r * (size_t)block->row, from,
                   (size_t)block->n * sizeof *from);
    }
}
