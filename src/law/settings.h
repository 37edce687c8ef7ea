// Solver settings: the cookie, and what the check needs to know of the parts.
#ifndef COND_LAW_SETTINGS_H
#define COND_LAW_SETTINGS_H

#include "cond/solver.h"

#define COND_SOLVER_COOKIE 0x56465049

// 1: the accelerator combines iterates by least squares (Anderson).
int cond_accelerator_mixes(CondAcceleratorKind kind);

// 1 when W changes from iteration to iteration.
int cond_surrogate_varies(CondSurrogateKind kind);

#endif
