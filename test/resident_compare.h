// Problems solved by Newton's method on the host and on the device of the processors
// (newton/resident.h), whose answers are compared.
#ifndef COND_TEST_RESIDENT_COMPARE_H
#define COND_TEST_RESIDENT_COMPARE_H

#include "cond/solver.h"
#include "scene_make.h"

// The problem of the next step.
const CondProblem* resident_assemble(Trial* trial);

typedef struct ResidentCounts {
    int host, device; // Newton steps

} ResidentCounts;

// By the host, and by the device with one thread and with three: the velocities are the same to
// 1e-5, those of the device to the bit. Everything is asserted.
ResidentCounts resident_compare(const CondProblem* problem, CondLaw law,
                                CondMultilevelUse multilevel, double tolerance);

#endif
