// Sparse matrices of 3x3 blocks in compressed rows. The pattern is made once from a mesh and shared
// by every matrix on it; only the values change from step to step.
#ifndef COND_LINEAR_BSR3_H
#define COND_LINEAR_BSR3_H

#include "cond/context.h"
#include "cond/status.h"

// Block row i holds the blocks row_begin[i] .. row_begin[i + 1] - 1, columns ascending, each once,
// the block of the diagonal among them. The pattern is symmetric and stored in full.
typedef struct CondBsr3Pattern {
    int n_row;
    int* row_begin; //                                          (n_row + 1)
    int* column;    //                                          (row_begin[n_row])
    int* diagonal;  // place of block (i, i)                    (n_row)
} CondBsr3Pattern;

// The pattern is borrowed and must outlive the matrix.
typedef struct CondBsr3 {
    const CondBsr3Pattern* pattern;
    double* value; // row-major blocks                          (9 row_begin[n_row])
} CondBsr3;

// All pairs of nodes that share an element of n_corner nodes, and (i, i) for every node.
// COND_BAD_ARGUMENT for a node index outside 0 .. n_node - 1 or a mesh too large to count in int.
// After a failure the pattern is empty (all zero).      element (n_corner n_element)
CondStatus cond_bsr3_pattern_create(const CondContext* context, int n_node, int n_element,
                                    int n_corner, const int* element, CondBsr3Pattern* pattern);
void cond_bsr3_pattern_destroy(const CondContext* context, CondBsr3Pattern* pattern);

// Index of block (i, j), or -1 if it is not in the pattern.
int cond_bsr3_pattern_find(const CondBsr3Pattern* pattern, int i, int j);

#endif
