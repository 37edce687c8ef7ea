// The blocks of a CondProblem made ready for many products: its matrices of 3x3 blocks in half
// storage, where that pays.
#ifndef COND_PROBLEM_PACKED_H
#define COND_PROBLEM_PACKED_H

#include "cond/problem.h"
#include "linear/half.h"

typedef struct CondPacked {
    CondContext context;
    CondHalf half;
    CondBsr3Part* part; // the matrices of 3x3 blocks                         (n_part)
    int n_part;         //
    int n_soft;         // coordinates of them
    int on;             // 1: they are packed
    int cap_part;       //
} CondPacked;

// Packs them, as floats if `single`; the plan for it is kept while their pattern stays the same.
CondStatus cond_packed_build(CondPacked* packed, const CondProblem* problem, int single,
                             int threads);
void cond_packed_destroy(CondPacked* packed);

// As cond_problem_multiply_blocks, for the problem that was packed, whose values may have changed
// since except those of 3x3 blocks. The same bits for any number of threads; not those of the
// other, for a row adds up in another order.
void cond_packed_multiply(const CondPacked* packed, const CondProblem* problem, const double* x,
                          const double* shift, double* y, int threads);

#endif
