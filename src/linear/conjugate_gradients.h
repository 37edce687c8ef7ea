// Conjugate gradients for A x = b, A symmetric and positive definite:
//
//     x += alpha p,  r -= alpha A p,  z = M r          advance
//     p = z + beta p                                   turn
//     alpha = r'z / p'A p                              multiply
//
// These three are a table. Vectors, their storage and the sums over them are behind it, so that the
// same loop serves doubles with any operator, and floats in one team of threads with all that can
// be made in one go fused.
#ifndef COND_LINEAR_CONJUGATE_GRADIENTS_H
#define COND_LINEAR_CONJUGATE_GRADIENTS_H

#include "base/parallel.h"
#include "cond/context.h"
#include "cond/status.h"
#include "linear/operator.h"

typedef struct CondCgSteps {
    // As above; the first call has alpha = 0, whatever p and A p are then. Returns r'z, and in
    // *norm what is held against the goal.
    double (*advance)(void* self, double alpha, double* norm);
    void (*turn)(void* self, double beta); // the first call has beta = 0
    double (*multiply)(void* self);        // returns p'A p
} CondCgSteps;

typedef struct CondCg {
    const CondContext* context; // asked whether the work is still wanted; NULL: it is
    double goal;      // the norm to end at; negative: reduction^2 times that after the first step,
    double reduction; // or before it where that is less, for norms that are squares
    int max_products; //
    int products;     // made
    int failed;       // 1: a number is not finite, or p'A p not positive: x is the one before
    int cancelled[2]; // 1: the work is not wanted any more, by turns
} CondCg;

// Every thread of the team calls it, with a `self` of its own, and gets the same numbers from the
// steps; *cg is the team's, and its results are there when all have returned.
void cond_cg_iterate(const CondCgSteps* steps, void* self, int rank, CondCg* cg);

// A system in double.
typedef struct CondCgSystem {
    CondOperator A;
    CondPreconditioner M;
    int threads;
    double* x;                                                    // in and out           (n)
    double* r;                                                    // b - A x, in and out  (n)
    double *z, *p, *q;                                            // scratch              (n)
    double (*norm)(const void* data, const double* r, double rz); // NULL: r'z itself
    const void* data;                                             // for norm
} CondCgSystem;

// The same bits for any number of threads.
void cond_cg_solve(CondCgSystem* system, CondCg* cg);

// Stabilised biconjugate gradients for any A that is not singular: two products an iteration, until
// |r'z| has fallen by reduction^2. M need not be symmetric. Returns the products made, or
// COND_DIVERGED.                                                           work (5 n)
int cond_bicgstab_solve(CondCgSystem* system, const CondContext* context, double reduction,
                        int max_products, double* work);

#endif
