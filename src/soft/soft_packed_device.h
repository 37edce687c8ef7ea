// The inner iterations of a packed system on a CUDA device (cuda/soft_cg.h).
#ifndef COND_SOFT_SOFT_PACKED_DEVICE_H
#define COND_SOFT_SOFT_PACKED_DEVICE_H

#include "soft/soft_packed.h"

// cond_soft_packed_solve by packed->device. COND_OUT_OF_MEMORY or COND_NOT_SUPPORTED, with a
// message, where the device fails: nothing takes its place.
CondStatus cond_soft_packed_solve_on_device(CondSoftPacked* packed, CondSoftPackedSolve* solve);

#endif
