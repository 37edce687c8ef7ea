// The linear system of a Newton step over ranks by a factorisation, MUMPS': for problems on which
// conjugate gradients stall, as those of soft bodies that rub on each other. H is assembled, D as
// it is, symmetric or not.
#ifndef COND_MPI_FACTORED_H
#define COND_MPI_FACTORED_H

#include "newton/linear_law.h"
#include "share.h"

#include <petscksp.h>

typedef struct CondMpiFactored {
    CondArena arena;
    CondMpiShare* share;
    int planned;          // 1: PETSc's objects are there
    Mat H;                //
    KSP ksp;              //
    Vec f, x;             // own coordinates, arrays are put in
    PetscInt* index;      // among all coordinates                      (problem n_dof)
    double* p;            // scratch                                    (problem n_dof)
    int* list;            // scratch: coordinates of a term
    double* entry;        // scratch: its Jacobian, then K J
    PetscInt *near, *far; // scratch: entries of the rows               (n_own)
} CondMpiFactored;

// Lays out the system of a share.
CondStatus cond_mpi_factored_plan(CondMpiFactored* factored, CondMpiShare* share);

// Takes the linearised law and factors.
CondStatus cond_mpi_factored_build(CondMpiFactored* factored, const CondLinearLaw* law);

// x = H^-1 f on own coordinates and copies, f becomes f - H x. Products made, or a status.
int cond_mpi_factored_solve(CondMpiFactored* factored, double* f, double* x);

void cond_mpi_factored_clear(CondMpiFactored* factored);
void cond_mpi_factored_destroy(CondMpiFactored* factored);

#endif
