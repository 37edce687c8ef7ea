// The inner iterations of a packed system on a CUDA device (cuda/soft_cg.h).
#ifndef COND_SOFT_SOFT_PACKED_DEVICE_H
#define COND_SOFT_SOFT_PACKED_DEVICE_H

#include "cuda/soft_cg.h"
#include "soft/soft_packed.h"

// Like cond_soft_packed_solve, on packed->device. If the device fails, returns COND_OUT_OF_MEMORY
// or COND_NOT_SUPPORTED with a message; there is no fall-back to the CPU.
CondStatus cond_soft_packed_solve_on_device(CondSoftPacked* packed, CondSoftPackedSolve* solve);

// Joins and interface of a packed system, but for the inverse of the Schur complement.
void cond_soft_packed_show_joins(const CondSoftPacked* packed, CondCudaSystem* to);

#endif
