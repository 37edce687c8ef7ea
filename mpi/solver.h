// The velocity solver over ranks: Newton's method of libcond on shares of the problem, with its
// linear systems by PETSc.
#ifndef COND_MPI_SOLVER_H
#define COND_MPI_SOLVER_H

#include "cond/solver.h"
#include "world.h"

// A solver that all ranks call with the same problem, of which each needs the rows of A of its own
// coordinates alone, and which all get the same answer from. PETSc must have been initialised.
CondStatus cond_mpi_solver_create(CondMpiWorld* world, const CondSolverSettings* settings,
                                  CondSolver** solver, CondError* error);

#endif
