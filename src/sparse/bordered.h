// A band matrix with a dense border, factored by rows:
//
//     [ B  C ] [x]   [f]      B: band of half width COND_BAND, unsymmetric, partial pivoting;
//     [ E  F ] [y] = [h]      then the Schur complement S = F - E B^-1 C, dense.
//
// Rods make the band, what they are tied to (robots, rigid bodies) the border. O(n) in the band.
#ifndef COND_SPARSE_BORDERED_H
#define COND_SPARSE_BORDERED_H

#include "cond/context.h"
#include "cond/status.h"

#define COND_BAND 11 // two blocks of six beside each other

typedef struct CondBordered {
    CondContext context;
    int n_band;     //
    int n_border;   //
    double* band;   // rows of B, from column i - COND_BAND on, room for fill  (n_band x 34)
    int* pivot;     // row exchanged with row i                                (n_band)
    double* right;  // C, after factor B^-1 C                                  (n_band x n_border)
    double* left;   // E'                                                      (n_band x n_border)
    double* corner; // F, after factor the factor of S                         (n_border^2)
    int* corner_pivot; //                                                         (n_border)
    int cap_band, cap_pivot, cap_right, cap_left, cap_corner, cap_corner_pivot;
} CondBordered;

// An empty matrix of that size, all zero.
CondStatus cond_bordered_begin(CondBordered* a, int n_band, int n_border);
void cond_bordered_destroy(CondBordered* a);

// Adds a value at (i, j): 0 .. n_band - 1 is the band, n_band .. n_band + n_border - 1 the border.
// Two band places must be at most COND_BAND apart.
void cond_bordered_add(CondBordered* a, int i, int j, double value);

// 0 when done, 1 when the matrix is singular.
int cond_bordered_factor(CondBordered* a);

// x = A \ x with the factor.                                                x (n_band + n_border)
void cond_bordered_solve(const CondBordered* a, double* x);

#endif
