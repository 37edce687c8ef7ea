// Which rank owns which coordinate of a problem. Coordinates that belong together have one owner:
// the three of a node of a mesh, all of a rigid body or a robot.
#ifndef COND_MPI_DEAL_H
#define COND_MPI_DEAL_H

#include "base/arena.h"
#include "cond/problem.h"

typedef struct CondMpiDeal {
    CondArena arena;
    int n_dof;
    int* owner;          //                                                        (n_dof)
    int* unit;           // first coordinate of those that belong together         (n_dof)
    unsigned char* node; // 1: three of a mesh                                      (n_dof)
} CondMpiDeal;

// The units of a problem. COND_NOT_SUPPORTED: a rod.
CondStatus cond_mpi_deal_units(CondMpiDeal* deal, const CondProblem* problem);

// Their owners among n_rank ranks: nodes by METIS, on the graph of the meshes, so that few
// neighbours have different owners; everything else in turn. The same on every rank.
CondStatus cond_mpi_deal_out(CondMpiDeal* deal, const CondProblem* problem, int n_rank);

void cond_mpi_deal_destroy(CondMpiDeal* deal);

#endif
