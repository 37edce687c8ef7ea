// Inverse of a dense symmetric positive matrix, for the coarse unknowns of a preconditioner. Every
// variant for a processor and every number of threads gives the same bits.
#ifndef COND_LINEAR_INVERSE_H
#define COND_LINEAR_INVERSE_H

// A becomes its inverse, row-major, rows `stride` apart; of A the upper triangle is read. A
// coordinate that the ones before it determine but for rounding (its pivot is below `least` of its
// entry on the diagonal) is left out: its row and column are zero. `work` holds n rows as well.
void cond_inverse(int n, int stride, double least, double* A, double* work, int threads);

#endif
