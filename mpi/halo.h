// Exchange of copied coordinates: which rank sends which coordinates to which.
#ifndef COND_MPI_HALO_H
#define COND_MPI_HALO_H

#include "base/arena.h"
#include "world.h"

typedef struct CondMpiHalo {
    CondArena arena;
    CondMpiWorld* world;
    int n_own;
    int n_in, n_out;      // ranks that copies come from, and go to
    int *in, *in_begin;   // these, and where their copies begin behind the own ones
                          //                                            (n_in), (n_in + 1)
    int *out, *out_begin; // these, and where what they get begins      (n_out), (n_out + 1)
    int* list;            // own coordinates that go out                (out_begin[n_out])
    int *wanted, *given;  // scratch: numbers by rank                   (world size)
    double* buffer;       // of what goes out
    MPI_Request* request; //                                            (n_in + n_out)
} CondMpiHalo;

// copy: the coordinates of the whole problem that are copied here, by ascending owner; local: where
// one of them is here.                                        copy, owner (n_copy)
CondStatus cond_mpi_halo_plan(CondMpiHalo* halo, CondMpiWorld* world, int n_own, int n_copy,
                              const int* copy, const int* owner, const int* local);

// The copies behind x[n_own] become those of their owners.
void cond_mpi_halo_exchange(CondMpiHalo* halo, double* x);

void cond_mpi_halo_destroy(CondMpiHalo* halo);

#endif
