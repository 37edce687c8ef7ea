// Sparse LU factorisation by blocks: nodes of a few coordinates each (a rigid body's six, a link's
// six, a robot's joints, a soft node's three) that meet in pairs. The pattern is symmetric, the
// values need not be. Nodes are eliminated in an order of little fill (linear/block_order.h), with
// pivots looked for within a node. Cost follows the graph: linear for rods, chains and trees.
//
//     begin, join ..., plan        the pattern, once for as many factorisations as it serves
//     clear, block ..., factor     the values
//     solve ...
#ifndef COND_LINEAR_BLOCK_LU_H
#define COND_LINEAR_BLOCK_LU_H

#include "linear/block_order.h"

#include <stddef.h>

typedef struct CondBlockLu {
    CondBlockOrder order;
    int n_node;
    int* size;        // coordinates of a node, by begin                        (n_node)
    int* first;       // first coordinate of a node in x                        (n_node + 1)
    int* width;       // columns of a place's panel, by plan                    (n_node)
    int* column;      // where a later place's columns begin in the panel       (order.begin[n])
    size_t* diagonal; // where a place's diagonal block lies in `value`         (n_node)
    size_t* panel;    // where its panels do: U (size x width), then L'         (n_node)
    double* value;    // by the caller, after factor: LU of diagonal blocks, D^-1 U, L'
    int* pivot;       // of the diagonal blocks, by coordinate                  (first[n_node])
    size_t n_value;   //
    double work;      // multiply-adds of a factorisation
    double* product; // scratch of factor                             (largest size x largest width)
    double* y;       // scratch of solve                                       (first[n_node])
} CondBlockLu;

// A block of the matrix: the number at row i, column j is value[i * row + j * column].
typedef struct CondBlockLuEntry {
    double* value;
    int row, column;
} CondBlockLuEntry;

// A matrix without entries. `size` is copied.
CondStatus cond_block_lu_begin(CondBlockLu* lu, int n_node, const int* size);

// There will be entries between these two nodes.
static inline CondStatus cond_block_lu_join(CondBlockLu* lu, int i, int j)
{
    return cond_block_order_join(&lu->order, i, j);
}

// Orders the nodes and takes the memory. *fits is 0, and nothing is taken, where a factorisation
// would make more than that many multiply-adds.
CondStatus cond_block_lu_plan(CondBlockLu* lu, double most_work, int* fits);

// All zero.
void cond_block_lu_clear(CondBlockLu* lu);

// The block of rows i and columns j, which have been joined.
CondBlockLuEntry cond_block_lu_block(const CondBlockLu* lu, int i, int j);

// 0 when done, 1 when a pivot is zero or not finite.
int cond_block_lu_factor(CondBlockLu* lu);

// x = A \ x with the factor, node after node as they were given.       x (first[n_node])
void cond_block_lu_solve(const CondBlockLu* lu, double* x);

void cond_block_lu_destroy(CondBlockLu* lu);

#endif
