// Elements of a body on a device: what of them never changes is there, positions come each time,
// and the rows of A, forces and the diagonal are made there by the items of fem_item.h.
#ifndef COND_MODEL_FEM_DEVICE_H
#define COND_MODEL_FEM_DEVICE_H

#include "device/device.h"
#include "model/fem.h"

enum { COND_FEM_DEVICE_ARRAYS = 16 };

typedef struct CondFemOnDevice {
    const CondFem* fem; // NULL: nothing is there
    void* array[COND_FEM_DEVICE_ARRAYS];
    size_t bytes[COND_FEM_DEVICE_ARRAYS];
    CondFemMaterial* material; // of the host, as masses and moduli have been copied (n_material)
} CondFemOnDevice;

// What a step asks for; x, A, f and d on the device.
typedef struct CondFemOnDeviceTask {
    double mass_scale, stiffness_scale; // see cond_fem_assemble
    CondFemPolicy policy;
    const double* x; // positions                                       (3 n_node)
    double* A;       // rows, on the pattern of the body
    double* f;       // elastic forces                                  (3 n_node)
    double* d;       // the diagonal of A                               (3 n_node)
} CondFemOnDeviceTask;

// Copies the body there; after a failure nothing of it is. `on` is zero before the first call.
CondStatus cond_fem_device_put(CondDevice* device, const CondFem* fem, CondFemOnDevice* on);
// Copies masses and moduli again where the materials have changed, and makes what is asked for. It
// may still run when this returns.
CondStatus cond_fem_device_make(CondDevice* device, CondFemOnDevice* on,
                                const CondFemOnDeviceTask* task);
void cond_fem_device_drop(CondDevice* device, CondFemOnDevice* on);

// 1 where the items serve the body with such a geometric stiffness.
int cond_fem_device_serves(const CondFem* fem, CondFemGeometric geometric);

#endif
