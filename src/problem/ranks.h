// A problem that is spread over the ranks of a parallel machine, as one of them sees it:
// coordinates of its own first, and behind them copies of others' that its rows, couplings and
// contacts read. A coupling or a contact is with every rank that owns one of its coordinates, and
// all of these evaluate it, from the same numbers to the same bits; one of them counts it.
//
// Communication between ranks is behind three functions; libcond uses no other.
#ifndef COND_PROBLEM_RANKS_H
#define COND_PROBLEM_RANKS_H

#include <stddef.h>

typedef struct CondRanks {
    int n_rank;
    int n_own;                    // coordinates of its own
    const int* contact;           // numbers of the contacts in the whole problem    (n_contact)
    const unsigned char* counted; // 1: this rank counts the contact                 (n_contact)
    void* data;
    // y = A x in the rows of its own, couplings included; copies in x are those of the owners.
    void (*multiply)(void* data, const double* x, double* y);
    // sum_j |a_ij| of these rows, couplings left out.
    void (*sum_rows)(void* data, double* sum);
    // Copies in x become those of the owners.                                           x (n_dof)
    void (*exchange)(void* data, double* x);
    // What all ranks give, in their order; stands until the next call.          (n_rank x bytes)
    const void* (*gather)(void* data, size_t bytes, const void* mine);
} CondRanks;

#endif
