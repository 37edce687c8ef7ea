// The surrogate W of V-FPI: v* = v - W (A v - b). On a contact node it is a scalar, so that the
// surrogate Delassus matrix is diagonal (Prop. 3); elsewhere it may be any positive operator.
#ifndef COND_VFPI_SURROGATE_H
#define COND_VFPI_SURROGATE_H

#include "base/arena.h"
#include "cond/solver.h"
#include "nodalize/nodal.h"
#include "vfpi/surrogate_chain.h"

typedef struct CondSurrogate {
    CondArena arena;
    const struct CondSurrogateOps* ops;
    double* w; // diagonal of W, equal on the three coordinates of a contact node   (n)
    // frobenius, block and the start of bb
    double* row;      // scratch row of A                                                  (n)
    int* list;        // its columns                                                       (n)
    double* diagonal; // a_ii                                                              (n)
    double* norm2;    // |A_i*|^2                                                          (n)
    int* touched;     // coordinates whose rows contacts changed when W was built      (n_dof)
    int built_n_dof;  // problem size that W was built for; 0: never
    int age;          // solves W has served
    // block
    double* factor;     // Cholesky factors of the dense blocks, one after the other
    int* factor_begin;  // into factor; -1: the block is treated as a diagonal         (n_block)
    double* solve_work; // a column of the largest dense block
    int* closed;        // 1: the block holds a contact node                           (n_block)
    CondChain chain;    // rods and the blocks coupled to them
    // spectrum
    double* lanczos; // workspace
    int products;    // with A, made by build
    // bb
    double* v_old; //                                                                   (n)
    double* g_old; //                                                                   (n)
    int updates;   // since the start of the solve
} CondSurrogate;

// The functions of a kind of surrogate.
typedef struct CondSurrogateOps {
    CondSurrogateKind kind;
    // Builds W for this problem.
    CondStatus (*build)(CondSurrogate* W, CondNodal* nodal, const CondSolverSettings* settings);
    // Changes W before the next iteration from v and g = A v - b; NULL: W stays.
    void (*update)(CondSurrogate* W, const CondNodal* nodal, CondSurrogateKind kind,
                   const double* v, const double* g, int threads);
    // out = v - W g except on blocks of 3x3 blocks, where W is diagonal. NULL: W is diagonal
    // everywhere.
    void (*apply)(const CondSurrogate* W, const CondNodal* nodal, const double* g, const double* v,
                  double* out, int threads);
} CondSurrogateOps;

extern const CondSurrogateOps cond_surrogate_frobenius;
extern const CondSurrogateOps cond_surrogate_bb;
extern const CondSurrogateOps cond_surrogate_spectrum;
extern const CondSurrogateOps cond_surrogate_block;

CondStatus cond_surrogate_build(CondSurrogate* W, CondNodal* nodal,
                                const CondSolverSettings* settings);
// Updates W from v and g = A v - b, for kinds that change in every iteration.        v, g (n)
void cond_surrogate_update(CondSurrogate* W, const CondNodal* nodal,
                           const CondSolverSettings* settings, const double* v, const double* g);
// out = v - W g
void cond_surrogate_apply(const CondSurrogate* W, const CondNodal* nodal, const double* g,
                          const double* v, double* out, int threads);
// The same on all coordinates outside of 3x3 blocks; the others are unchanged.
void cond_surrogate_apply_others(const CondSurrogate* W, const CondNodal* nodal, const double* g,
                                 const double* v, double* out, int threads);
// The next build does not reuse W, regardless of settings.reuse.
void cond_surrogate_forget(CondSurrogate* W);
void cond_surrogate_destroy(CondSurrogate* W);

// diagonal and norm2 of the rows of A for which fresh is NULL or fresh[i] is not 0.
CondStatus cond_surrogate_rows(CondSurrogate* W, CondNodal* nodal, const int* fresh, int threads);

#endif
