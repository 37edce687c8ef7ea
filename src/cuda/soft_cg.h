// Conjugate gradients for a packed system of soft bodies (src/soft/soft_packed.h) on a CUDA device:
// the same matrix, preconditioner and stop as cond_soft_packed_solve, in single precision with sums
// in double. What is found is corrected with the double matrix by the caller, as on the CPU.
//
// The system comes as pointers into the host's arrays. What has not changed since the last solve is
// kept on the device: each group of arrays has a version, and is copied when the version is
// another. May be included from C and CUDA; knows nothing of bodies, contacts or laws.
#ifndef COND_CUDA_SOFT_CG_H
#define COND_CUDA_SOFT_CG_H

#include "cond/context.h"
#include "cond/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    COND_CUDA_LEVELS = 10,    // of the coarse correction, at most
    COND_CUDA_INTERFACE = 256 // coordinates of the interface, at most
};

// A level of the coarse correction: nodes of six coordinates, blocks of 6x6 by columns.
typedef struct CondCudaLevel {
    int n_node, n_group;  // n_group 0: the coarsest level
    const int* row_begin; //                                                    (n_node + 1)
    const int* column;    //                                                    (row_begin[n_node])
    const float* A;       // NULL on the coarsest level                         (36 each)
    const float* D;       // inverse of the diagonal blocks                     (36 n_node)
    const int* group;     // of each node                                       (n_node)
    const int* member_begin; //                                                  (n_group + 1)
    const int* member;       //                                                    (n_node)
    const float* arm;        // from the middle of the group                       (3 n_node)
    float step, ratio;       // of the smoother; length of this level over the next
} CondCudaLevel;

// A place is the place of a node in a vector of four numbers a node; parts of at most 32 places
// follow each other, and end at a multiple of four.
typedef struct CondCudaSystem {
    // Layout of the matrix: version `pattern`.
    uint64_t pattern;
    int n_part, n_four;
    const int* part_four; // first four places of each part                      (n_part + 1)
    const int* row_begin; // first four blocks of each four places               (n_four + 1)
    const int* column; // four times the place of a column                    (4 row_begin[n_four])
    const int* diagonal; // where in `value` the block on the diagonal begins   (4 n_four)
    const int* order;    // -1: nothing is in this place                        (4 n_four)
    // Its blocks: version `matrix`. Rows of four blocks, 3 x (3 + 3 + 3 + 3).
    uint64_t matrix;
    const float*
        value; //                                                       (36 row_begin[n_four])
    // 1: on the device already, to be read where they are, are A (double, rows of blocks of the
    // nodes) in place of `value`, the arrays that every solve brings anew, A, D and arm of levels,
    // the inverse of the coarsest, and r, x and interface of the solve.
    int resident;
    const double* A;
    const int *A_begin, *A_node; // first block of each node; node of each place
    // What every solve brings anew: blocks on the diagonal and their inverses.
    const float* on_diagonal; //                                                 (9 a place)
    const float* B;           // pairs of places, 3 x (4 + 4)                    (48 n_four)
    // Terms that join several nodes, and nodes joined to the interface: version `joins`.
    uint64_t joins;
    int n_join, n_share, n_cell, n_share_value;
    const int* join_size;     // rows                                            (n_join)
    const int* join_row;      // place of their sums, multiples of eight         (n_join + 1)
    const int* join_gain;     // place of K                                      (n_join + 1)
    const int* share;         // node, join, place of its Jacobian: by parts     (3 n_share)
    const float* share_value; // Jacobians, transposed: 3 x rows, padded         (n_share_value)
    const int* cell_begin;    // first share of each cell                        (n_cell + 1)
    const int* cell_row;      // place of its sums                               (n_cell + 1)
    const int* part_cell;     // first cell of each part                         (n_part + 1)
    int n_interface, wide;    // coordinates, and the same padded to eights
    int n_attached, n_interface_sum;
    const int* attached;   // their places, ascending                            (n_attached)
    const int* part_begin; // first attached node of each part                   (n_part + 1)
    const int* part_sum;   // place of the sums of a part; -1: none              (n_part)
    // Anew with every solve.
    const double* gain;      // K of the joins                                  (join_gain[n_join])
    const float *C, *BC;     // of the attached nodes, 3 x wide each
    const double* S;         // the interface's own matrix                      (n_interface^2)
    const double* S_inverse; // of the Schur complement                         (n_interface^2)
    // The coarse correction, if `coarse` is 1: layout of version `groups`, matrices of `levels`.
    int coarse, deep, n_group, n_level;
    uint64_t groups, levels;
    const int* group_begin; // first part of each group                          (n_group + 1)
    const int* part_group;  // group of each part                                (n_part)
    CondCudaLevel level[COND_CUDA_LEVELS];
    int n_coarse, wide_coarse; // unknowns of the coarsest level; numbers of a row, 8 a node
    const float* inverse;      // of its matrix                                  (n_coarse x wide)
    const float* frame;        // what is left of a node's motions, where it is  (8 a place)
    int n_skew;                // nodes whose motions are cut askew
    const int* skew_begin;     // first of each part                             (n_part + 1)
    const int* skew;           // their places                                   (n_skew)
    const float* skew_rows;    // P of these, 3 x 8                              (24 n_skew)
    float scale;               // of what the blocks do beside the correction
} CondCudaSystem;

typedef struct CondCudaSolve {
    const float* r;    // right-hand side                                        (16 n_four)
    float* x;          // the answer                                             (16 n_four)
    double* interface; // right-hand side, then the answer                       (n_interface)
    double goal;       // as CondCg: the norm to end at; negative: by `reduction`
    double reduction;
    int max_products;
    int products; // made
    int failed;   // 1: a number is not finite, or the matrix not positive
} CondCudaSolve;

typedef struct CondCudaSoft CondCudaSoft; // a workspace on the device, for one thread

// What the device is; NULL: there is none, and *reason says why.
const char* cond_cuda_name(const char** reason);
// 1 where the library was built with CUDA.
int cond_cuda_is_built(void);

CondStatus cond_cuda_soft_create(const CondContext* context, CondCudaSoft** soft, CondError* error);
// COND_OUT_OF_MEMORY with the bytes that were needed, COND_NOT_SUPPORTED with its message where the
// device fails.
CondStatus cond_cuda_soft_solve(CondCudaSoft* soft, const CondCudaSystem* system,
                                CondCudaSolve* solve, CondError* error);
// Bytes on the device, and bytes that have crossed to and from it, since the workspace was made.
void cond_cuda_soft_traffic(const CondCudaSoft* soft, size_t* held, size_t* in, size_t* out);
// Milliseconds in the iterations on the device, and products made, since then.
void cond_cuda_soft_time(const CondCudaSoft* soft, double* ms, double* products);
void cond_cuda_soft_destroy(CondCudaSoft* soft);

#ifdef __cplusplus
}
#endif
#endif
