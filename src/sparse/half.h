// Symmetric matrices of 3x3 blocks with one of each two mirrored blocks stored, for products that
// read half as much.
//
// The rows are gathered in chunks of neighbours. A chunk has a copy of the part of x that it needs
// and sums of its own for all it adds to: its own rows, and those rows of other chunks that its
// blocks reach by their mirror images, its halo. So chunks never meet, and their number depends on
// the matrix alone; what they found for the rows of others is added in a fixed order afterwards.
// The bits of a product are therefore the same for any number of threads. A copied node takes four
// numbers, the last of which means nothing: the lanes of a vector.
//
// Within a chunk a node has a short number, and rows go by the number of their blocks, so that the
// processor can tell how often a loop runs.
#ifndef COND_SPARSE_HALF_H
#define COND_SPARSE_HALF_H

#include "cond/context.h"
#include "cond/status.h"
#include "sparse/bsr3_part.h"

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
    int to;   // into the chunk's part of y
    int from; // into y
} CondHalfShare;

typedef struct CondHalfChunk {
    int n_own, n_node; // nodes: its own, then those of the halo
    int node_begin;    // into node and y
    int row_begin;     // into row
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
    double* y;            // sums of the chunks, within y_memory              (n_node x 4)
    double* y_memory;     //
    int cap_chunk, cap_run, cap_share, cap_node, cap_row, cap_column, cap_source, cap_y;
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

// The two phases of y = A x - shift; between them all chunks must have gone through the first.
// Vectors are whole ones, of which the coordinates of the parts are used; shift NULL for zero.
void cond_half_add_up(const CondHalf* half, int first, int last, const double* x);
void cond_half_finish(const CondHalf* half, int first, int last, const double* shift, double* y);
// The second one of out = x - w (A x - b).
void cond_half_finish_step(const CondHalf* half, int first, int last, const double* x,
                           const double* b, const double* w, double* out);

// Both.
void cond_half_product(const CondHalf* half, const double* x, const double* shift, double* y,
                       int threads);

// The variants behind the first phase.
void cond_half_chunk_generic(const CondHalf* half, int chunk, const double* x);
#ifdef COND_BSR3_AVX2
void cond_half_chunk_avx2(const CondHalf* half, int chunk, const double* x);
#endif

#endif
