// Sparse LU factorisation by blocks: nodes of a few coordinates each (a rigid body's six, a link's
// six, a robot's joints, a soft node's three) that meet in pairs. The pattern is symmetric, the
// values need not be. Nodes are eliminated in an order of little fill (linear/block_order.h), with
// pivots looked for within a node, or within small nodes of a supernode (linear/block_super.h) that
// have six coordinates together. Cost follows the graph: linear for rods, chains and trees.
//
//     begin, join ..., plan        the pattern, once for as many factorisations as it serves
//     clear, block ..., factor     the values
//     solve ...
//
// Where a part of the values stays and the rest is filled in by supernodes, on several threads:
//
//     clear, block ..., keep       the part that stays
//     refactor
#ifndef COND_LINEAR_BLOCK_LU_H
#define COND_LINEAR_BLOCK_LU_H

#include "linear/block_kept.h"
#include "linear/block_super.h"

#include <stddef.h>

// The update of a supernode by an earlier one that shares some of its rows. The columns of the
// earlier panel, from the first shared row on, are added to runs of columns of this one.
typedef struct CondBlockUpdate {
    int from;   // the supernode before
    int column; // the first of its columns that counts
    int begin;  // first of the runs
    int inside; // number of runs within this supernode; the others lie behind it
    int n_run;  //
} CondBlockUpdate;

typedef struct CondBlockRun {
    int target; // column within [D U]
    int length;
} CondBlockRun;

typedef struct CondBlockLu {
    CondBlockOrder order;
    CondBlockSuper super;
    int n_node;
    int* size;               // coordinates of a node, by begin                       (n_node)
    int* first;              // first coordinate of a node in x                   (n_node + 1)
    int* start;              // first coordinate of a place in the order, by plan (n_node + 1)
    int* width;              // columns of a supernode's panel, by plan              (super.n)
    int* column;             // where a later place's columns begin in it (super.begin[super.n])
    size_t* panel;           // where [D U] of a supernode lies in `value`, then L'  (super.n)
    int* head;               // first place of the pivot block that a place is in     (n_node)
    size_t* diagonal;        // where the factor of a head's pivot block lies         (n_node)
    int* update_begin;       // first update of a supernode                      (super.n + 1)
    CondBlockUpdate* update; // in the order of the supernodes before
    CondBlockRun* run;       //
    double* value;           // by the caller, after factor: D^-1 U and L
    double* factor;          // of the blocks on the diagonal, with the pivots `pivot`
    int* pivot;              // by place                                       (first[n_node])
    size_t n_value;          //
    double work;             // multiply-adds of a factorisation without supernodes
    int n_plan;              // plans made
    int n_planned[2];        // nodes and pairs that the last is for; -1: it does not fit
    int* planned;            // their sizes, and the pairs      (n_planned[0] + 2 n_planned[1])
    CondBlockKept kept;      // the part of `value` that stays, by keep
    size_t* left;            // where a supernode's part of `y` begins, by plan      (super.n)
    double* x;               // scratch of solve                               (first[n_node])
    double* y;               // the same: what supernodes leave to later places
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

// Orders the nodes and takes the memory, unless the last plan was for the same sizes and pairs.
// *fits is 0, and nothing is taken, where a factorisation would make more than that many
// multiply-adds.
CondStatus cond_block_lu_plan(CondBlockLu* lu, double most_work, int* fits);

// All zero.
void cond_block_lu_clear(CondBlockLu* lu);

// The block of rows i and columns j, which have been joined.
CondBlockLuEntry cond_block_lu_block(const CondBlockLu* lu, int i, int j);

// 0 when done, 1 when a pivot is zero or not finite.
int cond_block_lu_factor(CondBlockLu* lu);

// Keeps the values as the part that stays.
CondStatus cond_block_lu_keep(CondBlockLu* lu);

// The supernode that holds the blocks between two nodes, which may be the same.
static inline int cond_block_lu_holder(const CondBlockLu* lu, int i, int j)
{
    int a = lu->super.place[i], b = lu->super.place[j];
    return lu->super.owner[a < b ? a : b];
}

// What does not stay: `prepare` makes what `fill` adds to the blocks that a supernode holds, for
// the supernodes of a share (linear/block_schedule.h). It may be called by several threads at once,
// each for shares of its own; so may `fill`, when all are prepared.
typedef struct CondBlockLuSource {
    void (*prepare)(void* data, int share);
    void (*fill)(const void* data, int super);
    void* data;
} CondBlockLuSource;

// Threads that a refactorisation takes, of so many at most (0: as many as the run time has).
int cond_block_lu_team(const CondBlockLu* lu, int threads);

// As factor, of the part that stays and the source. The numbers do not depend on the threads (0:
// as many as the run time has, of which at most COND_WORKERS are used).
int cond_block_lu_refactor(CondBlockLu* lu, const CondBlockLuSource* source, int threads);

// x = A \ x with the factor, node after node as they were given. The numbers do not depend on the
// threads, as above.                                                          x (first[n_node])
void cond_block_lu_solve(const CondBlockLu* lu, double* x, int threads);

void cond_block_lu_destroy(CondBlockLu* lu);

#endif
