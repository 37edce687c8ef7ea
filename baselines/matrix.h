// A of a problem, blocks and couplings, as one sparse matrix: the lower triangle by columns.
//
// The matrix is a sum of contributions (row, column, value). Their places in the columns are found
// once and kept while the list of rows and columns stays the same, so that a step of a simulation
// only adds numbers, and the symbolic analysis of the factorisation stays good as well.
#ifndef COND_BASELINES_MATRIX_H
#define COND_BASELINES_MATRIX_H

#include "jacobian.h"

typedef struct CondMatrix {
    CondContext context;
    int n;            // rows and columns
    int n_entry;      // contributions
    int changed;      // 1: the last build found another pattern than the one before
    int* row;         // of every contribution                              (n_entry)
    int* column;      //                                                    (n_entry)
    double* value;    //                                                    (n_entry)
    int* place;       // its place in row_index and x                       (n_entry)
    int* col_begin;   // the matrix                                         (n + 1)
    int* row_index;   // ascending in a column                              (col_begin[n])
    double* x;        //                                                    (col_begin[n])
    int* order;       // scratch of the sort                                (2 n_entry)
    int* count;       // scratch of the sort                                (n + 1)
    int known;        // 1: the pattern of an earlier build is there
    int kept_entries; // contributions of that build
    int cap_row, cap_column, cap_value, cap_place, cap_col_begin, cap_row_index, cap_x;
    int cap_order, cap_count;
} CondMatrix;

// A, or A + sum_c weight_c Jc_c' Jc_c where weight (n_contact) is not NULL.
// COND_NOT_SUPPORTED: a kind of block that this library does not know, or too many entries.
CondStatus cond_matrix_build(CondMatrix* matrix, const CondProblem* problem, const CondJacobian* Jc,
                             const double* weight);
void cond_matrix_destroy(CondMatrix* matrix);

#endif
