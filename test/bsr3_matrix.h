// Matrices of 3x3 blocks with numbers of their own, for tests.
#ifndef TEST_BSR3_MATRIX_H
#define TEST_BSR3_MATRIX_H

#include "linear/bsr3.h"

// A zero matrix on the pattern. After a failure A is empty.
CondStatus bsr3_matrix_create(const CondContext* context, const CondBsr3Pattern* pattern,
                              CondBsr3* A);
void bsr3_matrix_destroy(const CondContext* context, CondBsr3* A);

void bsr3_matrix_set_zero(CondBsr3* A);

// y = A x; x and y apart. The same bits for any number of threads (0: as the run time decides).
void bsr3_matrix_multiply(const CondBsr3* A, const double* x, double* y, int threads);

// d_i = a_ii                                                                   d (3 n_row)
void bsr3_matrix_diagonal(const CondBsr3* A, double* d);

#endif
