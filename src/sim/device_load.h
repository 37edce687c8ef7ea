// A and the forces of elements made on a device, of models of soft bodies alone: positions go
// there, forces and the diagonal of A come back, and A comes when somebody reads it on the host
// (problem/device_matrix.h).
#ifndef COND_SIM_DEVICE_LOAD_H
#define COND_SIM_DEVICE_LOAD_H

#include "assemble/assemble.h"
#include "model/fem_device.h"
#include "problem/device_matrix.h"

struct CondSim;

typedef struct CondDeviceLoad {
    CondContext context;
    CondDevice own;     // that of CUDA, where `opened`
    CondDevice* device; // what it runs on; NULL: none so far
    int opened, apart;  // apart: its memory is not the host's
    int n_body;
    CondDeviceMatrix matrix;
    CondFemOnDevice* body; //                                                   (n_body)
    double *A, *x, *f, *d; // on the device    (matrix.size, n_dof, n_dof, n_dof)
    double* host;          // forces, then the diagonal, as they come back            (2 n_dof)
    size_t n_dof;
} CondDeviceLoad;

// 1 where the model and its settings can have it: soft bodies of linear tetrahedra alone, each of
// whose blocks the items make, by a step that poses one linear problem.
int cond_device_load_serves(const CondModel* model, const CondKinematics* kinematics);

// Blocks of the assembly for step (n_body), and the elastic forces added to f, as
// cond_assembly_begin. The body is copied to the device in the first call.
CondStatus cond_device_load_make(CondDeviceLoad* load, CondAssembly* assembly,
                                 const CondKinematics* kinematics, const double* step, double* f);

// What CUDA has, in a simulation: makes A there if the last solve read it there, and says so in
// *made. COND_OUT_OF_MEMORY and COND_NOT_SUPPORTED with the device's message.
CondStatus cond_device_load_try(struct CondSim* sim, int* made);

void cond_device_load_destroy(CondDeviceLoad* load);

#endif
