// Sparse matrices in compressed rows.
#ifndef COND_FCLIB_CSR_H
#define COND_FCLIB_CSR_H

#include "cond/context.h"
#include "cond/status.h"

// Row i holds the entries row_begin[i] .. row_begin[i + 1] - 1, columns ascending, each once.
typedef struct CondCsr {
    int n_row;
    int n_col;
    int* row_begin; //                                          (n_row + 1)
    int* column;    //                                          (row_begin[n_row])
    double* value;  //                                          (row_begin[n_row])
} CondCsr;

// A from n_entry triplets in any order; entries of the same position are added in the given order.
// COND_BAD_ARGUMENT for an index outside the matrix. After a failure csr is empty (all zero).
CondStatus cond_csr_create(const CondContext* context, int n_row, int n_col, int n_entry,
                           const int* row, const int* column, const double* value, CondCsr* csr);

// T = A'. After a failure T is empty.
CondStatus cond_csr_transpose(const CondContext* context, const CondCsr* A, CondCsr* T);

// Releases the arrays; an empty matrix is fine.
void cond_csr_destroy(const CondContext* context, CondCsr* csr);

#endif
