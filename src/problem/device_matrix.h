// A of a problem that a device has made from positions: it stays there, and the host has its
// diagonal alone until it asks for the rest. The blocks are those of soft bodies.
//
// Who makes it: sim/device_load.h. Who reads it there: newton/resident.h. Every other reader of the
// blocks calls cond_device_matrix_fetch first; until then they hold a NaN, which no product misses.
#ifndef COND_PROBLEM_DEVICE_MATRIX_H
#define COND_PROBLEM_DEVICE_MATRIX_H

#include "cond/problem.h"
#include "device/device.h"

typedef struct CondDeviceMatrix {
    CondDevice* device;
    const CondBlock* whole; // blocks of the problems of a step
    const CondBlock* block; // the same while their A is on the device; else NULL
    const double* A;        // of all bodies, one after the other                       (size)
    const double* position; // of their nodes                                          (n_dof)
    double* values;         // where the host has it                                    (size)
    size_t size;            //
    int there;              // 1: the host has all of it
    int wanted;             // 1: the last solve of such a problem read A on the device
    int n_made, n_fetched;  // so far
} CondDeviceMatrix;

// 1 where a device has A of the problem. matrix may be NULL.
int cond_device_matrix_is_of(const CondDeviceMatrix* matrix, const CondProblem* problem);

// Copies A to the host if a device has that of the problem and the host has not. A negative status
// if the device fails. matrix may be NULL.
CondStatus cond_device_matrix_fetch(CondDeviceMatrix* matrix, const CondProblem* problem);

// Notes that a solve of the problem reads A on a device: if it is that of a step, and not of an
// island alone, the next one is made there. matrix may be NULL.
void cond_device_matrix_want(CondDeviceMatrix* matrix, const CondProblem* problem);

// That of a simulation (sim/device_load.c), with its counts.
struct CondSim;
const CondDeviceMatrix* cond_sim_device_matrix(const struct CondSim* sim);

#endif
