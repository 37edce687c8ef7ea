// The system of a Newton step in single precision, for the inner iterations only: they have to gain
// about one digit, and the residual is then evaluated in double precision. This halves the memory
// traffic and doubles the numbers per register.
//
// A node has four numbers in a vector; the last one is zero. Nodes are processed in fours: a
// register holds the same row of a 3x3 block of two of them, and their sums are independent. The
// nodes are divided into parts of up to 32 neighbours (partition.h); within a part they are sorted
// by their number of blocks, so that the nodes of a four have similar numbers. Terms that join
// several nodes (attachments, contacts between soft bodies) stay factored, y += G' K (G x): the
// product computes their sums, and the next loop, when all sums are complete, adds their effect on
// the nodes. The interface stays in double.
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

// The share of one node in a term that joins several nodes.
typedef struct CondSoftShare {
    int node, join;
    int value; // index of its Jacobian, rows x 3
} CondSoftShare;

// A part with nodes that are neighbours of a thread's own.
typedef struct CondNextPart {
    int part;
    unsigned pairs; // bits of the pairs of nodes that are
} CondNextPart;

typedef struct CondSoftPacked {
    CondArena arena;
    int n_node, n_interface, n_attached;
    int n_four;   // fours of nodes; the last of a part may have fewer
    int n_part;   // parts of up to COND_PACKED_BLOCK nodes
    int ready;    // 1: holds the matrix of the present problem
    int planned;  // 1: order and columns are set up for a pattern,
    uint64_t key; // whose key this is
    CondPartition partition;
    CondAggregation coarse; // added to the preconditioner if it is in use
    int* part_four;        // first four of each part                                   (n_part + 1)
    int* four_part;        // part of each four                                         (n_four)
    int* order;            // node of the system at each index; -1: none            (4 n_four)
    int* rank;             // index of each node of the system                        (n_node)
    int* length;           // blocks of each node of the system                         (n_node)
    int* listed;           // scratch: index of a node among the attached ones        (n_node)
    int* row_begin;        // first four blocks of each four rows                       (n_four + 1)
    int* column;           // index of their columns in a vector         (4 row_begin[n_four])
    float* value;          // their rows, 3 x (3 + 3 + 3 + 3)          (36 row_begin[n_four] + 4)
    int* diagonal;         // index in value of the block on the diagonal           (4 n_four)
    int n_join;            // terms that join several nodes
    int* join_size;        // rows of each                                        (n_join)
    int* join_row;         // index of their sums, multiples of eight             (n_join + 1)
    int* join_gain;        // index of its K                                      (n_join + 1)
    double* gain;          // K of each, rows x rows, set for every step
    int n_share;           // nodes of joins
    CondSoftShare* share;  // by parts of nodes, in the order of the joins        (n_share)
    float* share_value;    // Jacobians of the nodes, transposed: 3 x rows, padded to eights
    int n_cell;            // shares of one join in one part
    int* cell_begin;       // its first share                                     (n_cell + 1)
    int* cell_row;         // index of its sums                                   (n_cell + 1)
    int* part_cell;        // first cell of each part                             (n_part + 1)
    float* cell_sum;       // sums of a product over each cell
    CondSoftShare* sorted; // scratch                                             (n_share)
    double* velocity;      // G x of the joins, each thread's own
    float* force;          // K G x, the same
    int n_team;            // threads that memory is allocated for
    float* B;              // preconditioner of pairs of nodes, 3 x (4 + 4)           (48 n_four)
    int* node;             // indices of the attached nodes, ascending            (n_attached)
    int* slot;             // and their index in the system                       (n_attached)
    int* part_begin;       // first attached node of each part                        (n_part + 1)
    int* part_sum;         // index of its sums of the interface; -1: no attached nodes (n_part)
    int n_interface_sum;
    float *C, *BC; // node-interface matrix, and B C        (n_attached x 3 x n_interface, padded)
    double* S;     // the interface's own matrix                         (n_interface^2)
    float *x, *r, *z, *q; // of conjugate gradients                              (16 n_four)
    // Each thread has a p of its own, used where its parts and their neighbours are. It computes
    // that of both, so that no thread waits for the p of others.
    float* p;           //                                                 (n_team 16 n_four)
    CondNextPart* next; // parts of others with columns of its rows           (n_team n_part)
    int* n_next;        // how many each thread has,                                (n_team)
    int* next_of;       // in a team of this size; 0: not known yet                 (n_team)
    // Partial sums of a product and of a step, and of the interface's rows; separate arrays, so
    // that one may be written while a slower thread still reads the other.
    double *product_sum, *step_sum; //                                     (n_part)
    float *product_interface,
        *step_interface; //                (n_interface_sum x n_interface, padded)
    // The device that iterates instead of the CPU, which must outlive the system; NULL: none.
    struct CondCudaSoft* device;
    struct CondSoftOnDevice* on_device; // its data                                        (1)
    uint64_t n_plan;                    // number of problems packed
    int bare;                           // 1: the values of the matrix are only on the device
} CondSoftPacked;

// Packs the blocks of the soft bodies.
CondStatus cond_soft_packed_plan(CondSoftPacked* packed, const CondProblem* problem, int threads);

// Fills in the values if they were left out.
void cond_soft_packed_fill(CondSoftPacked* packed, const CondProblem* problem, int threads);

// add_join allocates the next join; its shares are the last n_share, whose node and value the
// caller sets. sort_joins is called after the last one.
CondStatus cond_soft_packed_add_join(CondSoftPacked* packed, int n_row, int n_share);
CondStatus cond_soft_packed_sort_joins(CondSoftPacked* packed);

// Sets the attached nodes of the system, in the order of their slots, and the size of the
// interface; called after the blocks are packed.
CondStatus cond_soft_packed_plan_interface(CondSoftPacked* packed, int n_interface, int n_attached,
                                           const int* attached);

void cond_soft_packed_destroy(CondSoftPacked* packed);

// Rows of sums are padded to full registers.
static inline int cond_soft_packed_wide(int n)
{
    return (n + 7) / 8 * 8;
}

// Index of a node's block in an array of pairs, 3 x (4 + 4); its rows are eight numbers apart.
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

// Preconditioned by block-Jacobi and Schur complement, plus the coarse correction if it is in use.
// The correction is additive: a symmetric multiplicative one needs two more products per iteration,
// and about twice as many in total. Returns a negative status, with a message, if a device fails.
CondStatus cond_soft_packed_solve(CondSoftPacked* packed, CondSoftPackedSolve* solve);

#endif
