// Solver settings: how those of a program become the library's own.
#ifndef COND_LAW_SETTINGS_H
#define COND_LAW_SETTINGS_H

#include "cond/solver.h"

// Settings of a program of any age, with the defaults of what it does not know, once they are
// checked.
CondStatus cond_solver_settings_take(const CondSolverSettings* given, CondSolverSettings* own,
                                     CondError* error);

// 1: the accelerator combines iterates by least squares (Anderson).
int cond_accelerator_mixes(CondAcceleratorKind kind);

// 1 when W changes from iteration to iteration.
int cond_surrogate_varies(CondSurrogateKind kind);

#endif
