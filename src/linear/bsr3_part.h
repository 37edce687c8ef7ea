// Matrices of 3x3 blocks within a larger one, as the packed forms of half.h and slices.h take them.
#ifndef COND_LINEAR_BSR3_PART_H
#define COND_LINEAR_BSR3_PART_H

#include "linear/bsr3_product.h"

#include <stdint.h>

typedef struct CondBsr3Part {
    CondBsr3Rows rows;
    int n_row;
    int begin; // first coordinate; parts are in ascending order
} CondBsr3Part;

// A row, counted over all parts.
typedef struct CondBsr3RowAt {
    const CondBsr3Part* part;
    int row;    // within the part
    int offset; // number of the part's first row
} CondBsr3RowAt;

static inline CondBsr3RowAt cond_bsr3_row_at(const CondBsr3Part* part, int i)
{
    int offset = 0;
    for (; i - offset >= part->n_row; part++)
        offset += part->n_row;
    return (CondBsr3RowAt){part, i - offset, offset};
}

int cond_bsr3_parts_rows(int n_part, const CondBsr3Part* part);

// Tells patterns apart, whatever the numbers in them are.
uint64_t cond_bsr3_parts_key(int n_part, const CondBsr3Part* part);

#endif
