// Solver settings: conversion of a program's settings to those of the library.
#ifndef COND_LAW_SETTINGS_H
#define COND_LAW_SETTINGS_H

#include "cond/solver.h"

// Checks the settings of a program of any version, and adds the defaults of fields that it does not
// have.
CondStatus cond_solver_settings_take(const CondSolverSettings* given, CondSolverSettings* own,
                                     CondError* error);

// 1: the accelerator combines iterates by least squares (Anderson).
int cond_accelerator_mixes(CondAcceleratorKind kind);

// 1 if W changes from iteration to iteration.
int cond_surrogate_varies(CondSurrogateKind kind);

#endif
