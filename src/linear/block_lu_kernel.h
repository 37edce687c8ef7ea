// Loops of the block factorisation. Every number of a result is a chain of operations of its own,
// in the same order in each variant and without fused operations, so all give the same bits.
#ifndef COND_LINEAR_BLOCK_LU_KERNEL_H
#define COND_LINEAR_BLOCK_LU_KERNEL_H

#include <stddef.h>

enum { COND_SIX = 6 };

// A matrix within another: the number at row i, column j is value[i * row + j * column].
typedef struct CondPanel {
    const double* value;
    ptrdiff_t row, column;
} CondPanel;

// C -= A B, each number a sum over the `depth` products and then one difference. Columns of B and C
// are next to each other.                      A (rows x depth), B (depth x columns), C alike
void cond_panel_subtract(int rows, int columns, int depth, CondPanel A, const double* B,
                         ptrdiff_t b_row, double* C, ptrdiff_t c_row);

// P D = L U in place as cond_lu_factor makes it (linear/lu.h), but with the reciprocals of the
// diagonal of U; 0 when done, 1 when D is singular.                          D (6 x 6), pivot (6)
int cond_six_factor(double* D, int* pivot);

// X = D \ X with the factor of D that cond_six_factor makes.     D (6 x 6), X (6 x n), rows apart
void cond_six_divide(const double* D, const int* pivot, int n, double* X, ptrdiff_t row);

// y = M' x.                                        M (depth x n) by rows, x (depth), y (n)
void cond_panel_combine(int depth, int n, const double* M, ptrdiff_t row, const double* x,
                        double* y);

// x -= M y.                                        M (rows x n) by rows, y (n), x (rows)
void cond_panel_reduce(int rows, int n, const double* M, ptrdiff_t row, const double* y, double* x);

#endif
