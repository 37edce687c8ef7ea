// The elements of a model's soft bodies over ranks: each makes the forces, and in linear steps the
// rows of A, of the nodes that it owns.
#ifndef COND_MPI_ELEMENTS_H
#define COND_MPI_ELEMENTS_H

#include "deal.h"
#include "sim/sim.h"
#include "world.h"

// One soft body.
typedef struct CondMpiBody {
    CondFemOwn own[2];   // forces alone; with their rows
    unsigned char* node; // 1: its own                                   (n_node)
    struct CondMpiElements* elements;
    int dof_begin, n_dof;
} CondMpiBody;

typedef struct CondMpiElements {
    CondArena arena;
    CondMpiWorld* world;
    CondMpiDeal deal;
    CondMpiBody* body; //                                                (n_body)
    double* spread;    // scratch                                        (n_dof)
    int *lengths, *begins;
} CondMpiElements;

// Deals out the coordinates of a model, in world->owner, and tells the simulation which are here.
// Both must be there until the simulation is destroyed.
CondStatus cond_mpi_elements_begin(CondMpiElements* elements, CondMpiWorld* world,
                                   const CondModel* model, CondSim* sim);
void cond_mpi_elements_destroy(CondMpiElements* elements);

#endif
