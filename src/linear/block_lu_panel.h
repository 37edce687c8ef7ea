// Inside the block factorisation: where its panels lie, and the factorisation of one supernode.
#ifndef COND_LINEAR_BLOCK_LU_PANEL_H
#define COND_LINEAR_BLOCK_LU_PANEL_H

#include "linear/block_lu.h"

// Coordinates of a place.
static inline int cond_block_lu_size(const CondBlockLu* lu, int place)
{
    return lu->start[place + 1] - lu->start[place];
}

// Coordinates of a supernode.
static inline int cond_block_lu_height(const CondBlockLu* lu, int s)
{
    return lu->start[lu->super.first[s + 1]] - lu->start[lu->super.first[s]];
}

static inline ptrdiff_t cond_block_lu_row(const CondBlockLu* lu, int s)
{
    return cond_block_lu_height(lu, s) + lu->width[s];
}

// Where a place lies within its supernode.
static inline int cond_block_lu_offset(const CondBlockLu* lu, int place)
{
    return lu->start[place] - lu->start[lu->super.first[lu->super.owner[place]]];
}

static inline double* cond_block_lu_upper(const CondBlockLu* lu, int s)
{
    return lu->value + lu->panel[s];
}

static inline double* cond_block_lu_lower(const CondBlockLu* lu, int s)
{
    return cond_block_lu_upper(lu, s) + cond_block_lu_height(lu, s) * cond_block_lu_row(lu, s);
}

// Takes out of the panels of a supernode what those before leave and factors it. 1 when a pivot is
// zero or not finite.
int cond_block_lu_factor_super(CondBlockLu* lu, int s);

#endif
