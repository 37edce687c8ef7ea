// Matrices of 3x3 blocks within a larger one.
#ifndef COND_LINEAR_BSR3_PART_H
#define COND_LINEAR_BSR3_PART_H

#include "linear/bsr3_product.h"

#include <stdint.h>

typedef struct CondBsr3Part {
    CondBsr3Rows rows;
    int n_row;
    int begin; // first coordinate; parts are in ascending order
} CondBsr3Part;

// Tells patterns apart, whatever the numbers in them are.
uint64_t cond_bsr3_parts_key(int n_part, const CondBsr3Part* part);

#endif
