// The system of a Newton step in single precision, for the inner iterations alone: a step asks
// for one more digit, and what it reached is measured in double. Half the numbers travel, and twice
// as many fit into a register.
//
// A node has four numbers in a vector, the last of them zero. Four nodes go together: a register
// holds the same row of a 3x3 block of two of them, and what they are multiplied with, and their
// sums do not wait for each other. Parts of up to 32 neighbours (partition.h) follow one another;
// in a part, nodes are in the order of their number of blocks, so that four have about as many.
// Terms that join several nodes (attachments, contacts between soft bodies) stay factored, y += G'
// K (G x): their sums are made with the product, and what they do to the nodes is added one loop
// later, when all sums are there. The interface stays in double.
#ifndef COND_SOFT_SOFT_PACKED_H
#define COND_SOFT_SOFT_PACKED_H

#include "base/arena.h"
#include "base/parallel.h"
#include "cond/problem.h"
#include "linear/conjugate_gradients.h"
#include "linear/partition.h"
#include "soft/aggregation.h"

#include <stddef.h>
#include <stdint.h>

enum {
    COND_LARGEST_INTERFACE = 256, // coordinates; its factorisation must stay cheap beside a product
};

// What a term that joins several nodes has of one of them.
typedef struct CondSoftShare {
    int node, join;
    int value; // place of its Jacobian, rows x 3
} CondSoftShare;

typedef struct CondSoftPacked {
    CondArena arena;
    int n_node, n_interface, n_attached;
    int n_four;   // fours of nodes; the last of a part may have fewer
    int n_part;   // parts of up to COND_PACKED_BLOCK nodes
    int ready;    // 1: holds the matrix of the problem at hand
    int planned;  // 1: order and columns are those of a pattern,
    uint64_t key; // of which this is the key
    CondPartition partition;
    CondAggregation coarse; // beside the preconditioner, where it is on
    int* part_four;        // first four of each part                                   (n_part + 1)
    int* four_part;        // part of each four                                         (n_four)
    int* order;            // node of the system in each place; -1: none                (4 n_four)
    int* rank;             // place of each node of the system                          (n_node)
    int* length;           // blocks of each node of the system                         (n_node)
    int* listed;           // scratch: place of a node among the attached ones          (n_node)
    int* row_begin;        // first four blocks of each four rows                       (n_four + 1)
    int* column;           // place in a vector of their columns             (4 row_begin[n_four])
    float* value;          // their rows, 3 x (3 + 3 + 3 + 3)          (36 row_begin[n_four] + 4)
    int* diagonal;         // place in value of the block on the diagonal               (4 n_four)
    int n_join;            // terms that join several nodes
    int* join_size;        // rows of each                                        (n_join)
    int* join_row;         // place of their sums, multiples of eight             (n_join + 1)
    int* join_gain;        // place of its K                                           (n_join + 1)
    double* gain;          // K of each, rows x rows, set anew for every step
    int n_share;           // nodes of joins
    CondSoftShare* share;  // by parts of nodes, in the order of the joins        (n_share)
    float* share_value;    // Jacobians of the nodes, transposed: 3 x rows, padded to eights
    int n_cell;            // shares of one join in one part
    int* cell_begin;       // its first share                                     (n_cell + 1)
    int* cell_row;         // place of its sums                                   (n_cell + 1)
    int* part_cell;        // first cell of each part                             (n_part + 1)
    float* cell_sum;       // sums of a product over each cell
    CondSoftShare* sorted; // scratch                                             (n_share)
    double* velocity;      // G x of the joins, each thread's own
    float* force;          // K G x, the same
    int n_team;            // threads there is room for
    float* B;              // preconditioner of pairs of nodes, 3 x (4 + 4)           (48 n_four)
    int* node;             // places of the attached nodes, ascending                 (n_attached)
    int* slot;             // and which of the system's it is                         (n_attached)
    int* part_begin;       // first attached node of each part                        (n_part + 1)
    int* part_sum;         // place of its sums of the interface; -1: no attached nodes  (n_part)
    int n_interface_sum;
    float *C, *BC; // node-interface matrix, and B C        (n_attached x 3 x n_interface, padded)
    double* S;     // the interface's own matrix                         (n_interface^2)
    float *x, *r, *z, *p, *q; // of conjugate gradients                          (16 n_four)
    // Partial sums of a product and of a step, and of the interface's rows. Apart, so that one may
    // be written while a slower thread still reads the other.
    double *product_sum, *step_sum; //                                     (n_part)
    float *product_interface,
        *step_interface; //                (n_interface_sum x n_interface, padded)
    // The device that iterates instead of the CPU, which must outlive the system; NULL: none.
    struct CondCudaSoft* device;
    struct CondSoftOnDevice* on_device; // what is made for it                 (1)
    uint64_t n_plan;                    // how many problems were packed
    int bare; // 1: the numbers of the matrix are left out, for they are on the device
} CondSoftPacked;

// Takes the blocks of the soft bodies.
CondStatus cond_soft_packed_plan(CondSoftPacked* packed, const CondProblem* problem, int threads);

// The numbers, where they were left out.
void cond_soft_packed_fill(CondSoftPacked* packed, const CondProblem* problem, int threads);

// Joins, one after the other: room for the next one, whose shares are then the last n_share, their
// node and value to be filled in. When all are there they are sorted.
CondStatus cond_soft_packed_add_join(CondSoftPacked* packed, int n_row, int n_share);
CondStatus cond_soft_packed_sort_joins(CondSoftPacked* packed);

// The attached nodes of the system, in the order of their slots, and the size of the interface.
// After the blocks are there.
CondStatus cond_soft_packed_plan_interface(CondSoftPacked* packed, int n_interface, int n_attached,
                                           const int* attached);

void cond_soft_packed_destroy(CondSoftPacked* packed);

// Rows of sums are padded to full registers.
static inline int cond_soft_packed_wide(int n)
{
    return (n + 7) / 8 * 8;
}

// Place of a node's block in an array of pairs, 3 x (4 + 4); its rows are eight numbers apart.
static inline size_t cond_soft_packed_place(int rank)
{
    return 24 * (size_t)(rank / 2) + 4 * (size_t)(rank % 2);
}

static inline void cond_soft_packed_block(const double* from, float* to, size_t stride)
{
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 3; c++)
            to[stride * r + c] = (float)from[3 * r + c];
}

// Conjugate gradients from x = 0 on the r in it.
typedef struct CondSoftPackedSolve {
    CondCg cg;
    const double* factor; // of the interface's Schur complement                    (n_interface^2)
    double* interface;    // r in, x out                                         (n_interface)
} CondSoftPackedSolve;

// With block-Jacobi and Schur complement as preconditioner, and the coarse correction where it is
// on. It is added to the former: one after the other, with the blocks again for symmetry,
// they need two more products an iteration and about twice as many in all. Of a device a negative
// status, with a message.
CondStatus cond_soft_packed_solve(CondSoftPacked* packed, CondSoftPackedSolve* solve);

#endif
