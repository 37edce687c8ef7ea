// The ranks of a run, and the counts of what they exchanged.
#ifndef COND_MPI_WORLD_H
#define COND_MPI_WORLD_H

#include <mpi.h>

// Of this rank.
typedef struct CondMpiCount {
    double exchanges;    // of copies between neighbours
    double messages;     // sent in them
    double bytes;        // sent in them
    double gathers;      // of a few numbers of each rank to all
    double gather_bytes; // given to them by this rank
    double spreads;      // of whole vectors to all ranks: answers, elastic forces
    double spread_bytes; // given to them by this rank
    // Within PETSc: setting up preconditioners, and iterating with them.
    double setup_messages, setup_bytes, setup_reductions;
    double cycle_messages, cycle_bytes, cycle_reductions;
} CondMpiCount;

typedef struct CondMpiWorld {
    MPI_Comm comm;
    int rank, size;
    const int* owner;   // of the model's coordinates; NULL: a problem is dealt out when it comes
                        //                                                           (n_dof)
    int n_dof;          // of the model
    CondMpiCount count; //
    int neighbours;     // of the last problem
    int copies;         // of others' coordinates in it
} CondMpiWorld;

#endif
