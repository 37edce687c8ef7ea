// Loops of the block factorisation over the columns of a panel, for nodes of six coordinates: rigid
// bodies and links. Every column is a chain of operations of its own, in the same order in each
// variant and without fused operations, so all give the same bits.
#ifndef COND_LINEAR_BLOCK_LU_KERNEL_H
#define COND_LINEAR_BLOCK_LU_KERNEL_H

enum { COND_SIX = 6 };

// X = D \ X with the factor of D (linear/lu.h).             D (6 x 6), X (6 x n) by rows
void cond_six_divide(const double* D, const int* pivot, int n, double* X);

// Y = M' X, M the six columns from where it points to on.   M, X (6 rows of a panel), Y (6 x n)
void cond_six_multiply(int width, const double* M, int n, const double* X, double* Y);

// y = M' x.                                                 M (6 x n) by rows, x (6), y (n)
void cond_six_combine(int n, const double* M, const double* x, double* y);

#endif
