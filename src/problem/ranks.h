// One rank's share of a problem that is distributed over MPI ranks: its own coordinates first, then
// copies of coordinates of other ranks that its rows, couplings and contacts read. Every rank that
// owns a coordinate of a coupling or a contact has it; all of them evaluate it from the same
// numbers to the same bits, and one of them counts it.
//
// Ranks communicate only through the function pointers below.
#ifndef COND_PROBLEM_RANKS_H
#define COND_PROBLEM_RANKS_H

#include <stddef.h>

typedef struct CondRanks {
    int n_rank;
    int n_own;                    // coordinates of its own
    const int* contact;           // numbers of the contacts in the whole problem    (n_contact)
    const unsigned char* counted; // 1: this rank counts the contact                 (n_contact)
    void* data;
    // y = A x in its own rows, couplings included; copies in x have the owners' values.
    void (*multiply)(void* data, const double* x, double* y);
    // sum_j |a_ij| of these rows, couplings left out.
    void (*sum_rows)(void* data, double* sum);
    // Updates the copies in x to the owners' values.                                x (n_dof)
    void (*exchange)(void* data, double* x);
    // Gathers the data of all ranks, in their order; valid until the next call.   (n_rank x bytes)
    const void* (*gather)(void* data, size_t bytes, const void* mine);
} CondRanks;

#endif
