// V-FPI with the paper's stop, many iterations in one fused loop: a team of threads is started
// once, and runs product, surrogate, contact solves, extrapolation (Alg. 3) and stop test until the
// step is short enough. Every thread computes the scalars of Alg. 3 itself, with the same result.
//
// Soft bodies use A in single precision, A_f, in the packed layout of the conjugate gradients of
// Newton steps, and vectors in its order: four numbers a node, the last one zero. The error by the
// rounding of A is proportional to the distance of v from v_0, since
//     A v - b  is  A_f (v - v_0) - (b - A v_0),
// is used; v_0 is updated, in double precision, when the steps have become short relative to that
// distance, and before the last iteration.
//
// A vector begins with the nodes of soft bodies, in the parts of A. The coordinates of the
// nodalized system follow in their usual order; those of soft bodies are used for v_0 only.
//
// A part runs through a whole iteration while it is in the cache if all its contacts are near:
// within the part, or with static shapes. Parts with nodes in far contacts, those with virtual
// nodes or other parts, wait for these.
#ifndef COND_VFPI_FUSED_H
#define COND_VFPI_FUSED_H

#include "base/arena.h"
#include "cond/solver.h"
#include "law/history.h"
#include "nodalize/nodal.h"
#include "soft/soft_packed.h"
#include "vfpi/accelerate.h"
#include "vfpi/contact_sweep.h"
#include "vfpi/surrogate.h"

#include <stdint.h>

typedef struct CondFused {
    CondArena arena;
    CondNodal* nodal;       // borrowed, as the next
    const CondSurrogate* W; //
    CondContactSweep sweep; // the contacts
    int threads;            //
    CondSoftPacked A;       // of soft bodies, as floats
    uint64_t key;           // of the pattern that soft nodes are ordered for,
    int placed;             // 1: they are
    int usual;              // first index of the usual order in a vector
    int n_vector;           //
    int* origin;        // first coordinate of a soft node, by its index; -1: none   (4 A.n_four)
    int* place;         // index of a coordinate in a vector                        (nodal->n)
    int* node;          // of the contacts' nodes, -1 static           (n_contact x 2)
    int* coordinate;    // of the terms' entries
    int* order;         // of the contacts: near ones by parts, then far ones, each padded to fours
                        // with -1                                                   (n_order)
    int n_order;        //
    int n_far;          // far contacts
    int* near_begin;    // fours of a part's near contacts             (A.n_part + 1)
    int* late;          // 1: a node of the part is in a far contact   (A.n_part)
    int* touched;       // soft coordinates that terms touch, by parts
    int* touched_begin; //                                             (A.n_part + 1)
    int* rest;          // coordinates that are not soft, virtual nodes last   (n_rest)
    int n_rest;         //
    int* part_work;     // work before a part                          (A.n_part + 1)
    int* term_work;     // the same of the terms                       (n_term + 1)
    int* rest_work;     // the same of rest                            (n_rest + 1)
    int based;          // 1: base and shift hold a v_0
    double *v, *v_old;  // v^l, v^{l-1}; swapped in every iteration                 (n_vector)
    double* plain;      // v**                                         (n_vector)
    double* w;          // diagonal of W                               (n_vector)
    double* base;       // v_0                                         (n_vector)
    double* shift;      // b - A v_0 of soft bodies                    (n_vector)
    double* g;          // A v - b of the rest, A v_0 - b of soft bodies    (nodal->n)
    double* sum;        // shares of |v^{l+1} - v^l|^2  (parts of A, and of rest)
    int n_sum;          //
    int cancelled[2];   // 1: cancelled by the user; used alternately
} CondFused;

// Sets up the loop if it can be used (*serves = 1): soft bodies are most of the problem, the stop
// is that of the step, the acceleration is none or Chebyshev's, and W is constant.
CondStatus cond_fused_build(CondFused* fused, CondNodal* nodal, const CondSurrogate* W,
                            const CondSolverSettings* settings, int* serves);
void cond_fused_destroy(CondFused* fused);

// Sets up the contacts, with nodes and weights in its order.
CondStatus cond_fused_lay_contacts(CondFused* fused, const CondContactSolve* contacts);

// Iterates from v until the step is shorter than the tolerance, or not finite, or the iterations
// are used up. Vectors are in the usual order. The same bits for any number of threads.
typedef struct CondFusedPass {
    double* v;                // v^1 in, the last v^{l+1} out              (nodal->n)
    CondChebyshev* chebyshev; // NULL: v^{l+1} = v**
    double tolerance;         // [m/s]
    int max_iterations;       //
    CondHistory* history;     // gets |v^{l+1} - v^l| of each
    double length;            // the last of them
    int iterations;           // made
    int products;             // with A
} CondFusedPass;

void cond_fused_run(CondFused* fused, CondFusedPass* pass);

// One plain iteration, with A in double: v** and lambda from v.            v, plain (nodal->n)
void cond_fused_finish(CondFused* fused, double* v, double* plain, double* lambda);

#endif
