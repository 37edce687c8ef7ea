// V-FPI: the velocity fixed-point iteration of the paper (Alg. 1-3), with a certified stop.
#ifndef COND_SOLVE_VFPI_H
#define COND_SOLVE_VFPI_H

#include "cond/solver.h"

extern const CondSolverOps cond_solver_vfpi;

#endif
