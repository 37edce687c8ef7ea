// Symmetric matrices of 3x3 blocks with one of each two mirrored blocks stored, for products that
// read half as much.
//
// The rows are gathered in chunks of neighbours. A chunk has a copy of the part of x that it needs
// and sums of its own for all it adds to: its own rows, and those rows of other chunks that its
// blocks reach by their mirror images, its halo. So chunks never meet, and their number depends on
// the matrix alone; what they found for the rows of others is added in a fixed order afterwards.
// The bits of a product are therefore the same for any number of threads. Rows that no other chunk
// adds to are finished at once. A copied node takes four numbers, the last of which means nothing:
// the lanes of a vector.
//
// Within a chunk a node has a short number, and rows go by the number of their blocks, so that the
// processor can tell how often a loop runs.
#ifndef COND_LINEAR_HALF_H
#define COND_LINEAR_HALF_H

#include "cond/context.h"
#include "cond/status.h"
#include "linear/bsr3_part.h"

#include <stddef.h>
#include <stdint.h>

// Nodes of a chunk, those of its halo included.
#define COND_HALF_NODES 2048

// As many rows one after the other with as many blocks each beside the diagonal one.
typedef struct CondHalfRun {
    int n_row, n_block;
} CondHalfRun;

// What another chunk found for a node of this one.
typedef struct CondHalfShare {
    int to;   // into the chunk's part of sum
    int from; // into sum
} CondHalfShare;

typedef struct CondHalfChunk {
    int n_inner;    // nodes: those that no other chunk adds to,
    int n_own;      // its others,
    int n_node;     // and those of the halo
    int node_begin; // into node
    int sum_begin;  // into sum, which has all but the first n_inner, in nodes
    int row_begin;  // into row
    int run_begin, n_run;
    int block_begin;  // into value, in blocks
    int column_begin; // into column
    int share_begin, n_share;
} CondHalfChunk;

typedef struct CondHalf {
    CondContext context;
    uint64_t key;         // of the pattern planned for
    int planned;          // 1: there is a plan, whether it fits or not
    int fits;             //
    int single;           // 1: the blocks are stored as floats
    int n_chunk;          //
    int n_row;            //
    int n_block;          // stored
    int n_node;           // of all chunks
    int n_sum;            // of these, those with a place in sum
    int n_share;          //
    int n_run;            //
    CondHalfChunk* chunk; //                                                  (n_chunk)
    CondHalfRun* run;     //                                                  (n_run)
    CondHalfShare* share; // by chunk, node and chunk of origin               (n_share)
    int* node;            // first coordinate of a chunk's node               (n_node)
    uint16_t* row;        // four times the node in the chunk, row by row     (n_row)
    uint16_t* column;     // the same of the blocks off the diagonal
    int* source;          // 9 source: where a block comes from in its part   (n_block)
    void* value;          // nine numbers a block, the diagonal first in a row (9 n_block + 3)
    double* sum;          // of the chunks, within sum_memory                 (n_sum x 4)
    double* sum_memory;   //
    int cap_chunk, cap_run, cap_share, cap_node, cap_row, cap_column, cap_source, cap_sum_memory;
    size_t cap_value; // bytes
} CondHalf;

// Whether a processor has what the product needs: fused multiply-add.
int cond_half_serves(void);

// Plans for the pattern of the parts, unless that is the one planned for already. *fits is 0 where
// the halos would take more than half storage saves; then there is nothing to pack or multiply.
CondStatus cond_half_plan(CondHalf* half, int n_part, const CondBsr3Part* part, int* fits);

// Takes the numbers, as floats if `single`.
CondStatus cond_half_pack(CondHalf* half, const CondBsr3Part* part, int single, int threads);
void cond_half_destroy(CondHalf* half);

// What is asked for: y = A x - shift, shift NULL for zero; or with w, y = v - w (A x - shift).
// Vectors are whole ones, of which the coordinates of the parts are used; y is apart from the rest.
typedef struct CondHalfTask {
    const double* x;
    const double* shift;
    const double* w;
    const double* v;
    double* y;
} CondHalfTask;

// Its two phases, for the chunks first .. last - 1; between them all chunks must have gone through
// the first.
void cond_half_add_up(const CondHalf* half, const CondHalfTask* task, int first, int last);
void cond_half_finish(const CondHalf* half, const CondHalfTask* task, int first, int last);

// Both.
void cond_half_product(const CondHalf* half, const double* x, const double* shift, double* y,
                       int threads);

// The variants behind the first phase.
void cond_half_chunk_generic(const CondHalf* half, const CondHalfTask* task, int chunk);
#ifdef COND_BSR3_AVX2
void cond_half_chunk_avx2(const CondHalf* half, const CondHalfTask* task, int chunk);
// y of n nodes from their sums.                                              sum (n x 4)
void cond_half_nodes_avx2(int n, const int* node, const double* sum, const CondHalfTask* task);
#endif

// What ends it: inner rows are finished, the other sums put aside.      y (n_node of the chunk x 4)
void cond_half_close(const CondHalf* half, const CondHalfTask* task, int chunk, const double* y);

#endif
