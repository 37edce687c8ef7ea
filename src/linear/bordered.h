// A band matrix with a dense border, factored by blocks of six:
//
//     [ B  C ] [x]   [f]      B: block tridiagonal, unsymmetric; B = P L U with the pivots of a
//     [ E  F ] [y] = [h]      block looked for in its own and in the next block's rows;
//                             then the Schur complement S = F - (E U^-1) (L^-1 P' C), dense.
//
// Rods make the band, what they are tied to (robots, rigid bodies) the border. O(n) in the band.
#ifndef COND_LINEAR_BORDERED_H
#define COND_LINEAR_BORDERED_H

#include "base/arena.h"
#include "cond/status.h"

#define COND_BAND 6 // coordinates of a block

typedef struct CondBordered {
    CondArena arena;
    int n_band;     // a multiple of COND_BAND
    int n_border;   //
    int first;      // first block with an entry in the border
    double* band;   // rows of B: three blocks, from the one before the diagonal on; after factor
                    // rows of U: three blocks, from the diagonal on           (n_band x 18)
    double* lower;  // columns of L, of the rows of two blocks                 (n_band x 12)
    int* pivot;     // row exchanged with row i                                (n_band)
    double* right;  // C, after factor L^-1 P' C                               (n_band x n_border)
    double* left;   // E', after factor (E U^-1)'                              (n_band x n_border)
    double* corner; // F, after factor the factor of S                         (n_border^2)
    int* corner_pivot; //                                                         (n_border)
} CondBordered;

// An empty matrix of that size, all zero; n_band is a multiple of COND_BAND.
CondStatus cond_bordered_begin(CondBordered* a, int n_band, int n_border);
void cond_bordered_destroy(CondBordered* a);

// 1 when the band holds entries between these two places of it.
static inline int cond_bordered_holds(int i, int j)
{
    int apart = i / COND_BAND - j / COND_BAND;
    return apart >= -1 && apart <= 1;
}

// Adds a value at (i, j): 0 .. n_band - 1 is the band, n_band .. n_band + n_border - 1 the border.
// The band must hold two places in it.
void cond_bordered_add(CondBordered* a, int i, int j, double value);

// Puts a block tridiagonal block of n rows (values as in CondBlock) at the places i .. i + n - 1 of
// the band. What stood there is gone.
void cond_bordered_put(CondBordered* a, int i, int n, const double* values);

// 0 when done, 1 when the matrix is singular.
int cond_bordered_factor(CondBordered* a);

// x = A \ x with the factor.                                                x (n_band + n_border)
void cond_bordered_solve(const CondBordered* a, double* x);

#endif
