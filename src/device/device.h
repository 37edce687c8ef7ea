// A device: memory, and what runs loops on it. A stage of a step is written once against this
// table; its kernels are item functions (device/item.h). `threads` is the implementation of the
// processors; its memory is that of the program.
//
// Hot kernels (the packed product, the iteration of conjugate gradients, the aggregation cycle, the
// block factorisation) are no business of this table: each device has its own, which a test holds
// against the plain one.
#ifndef COND_DEVICE_DEVICE_H
#define COND_DEVICE_DEVICE_H

#include "cond/context.h"
#include "cond/status.h"
#include "device/item.h"

#include <stddef.h>
#include <stdint.h>

typedef struct CondDevice CondDevice;

// One loop of several that a device makes one after the other. Where `apart` is 0 the loop reads
// and writes nothing that the loop before it writes.
typedef struct CondDevicePhase {
    const CondKernel* kernel;
    const void* args;
    int n;       // items
    size_t work; // of an item, in multiply-adds
    int apart;   // 1: it begins when all before it are through
} CondDevicePhase;

// Every function but take returns COND_OK, or a status below 0 where the device fails.
typedef struct CondDeviceOps {
    const char* name;
    void* (*take)(CondDevice* device, size_t bytes); // NULL: there is not enough
    void (*give)(CondDevice* device, void* memory, size_t bytes);
    CondStatus (*write)(CondDevice* device, void* to, const void* from, size_t bytes);
    CondStatus (*read)(CondDevice* device, void* to, const void* from, size_t bytes);
    // item(args, i) for i = 0 .. n - 1, in any order
    CondStatus (*loop)(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                       const void* args);
    // *total = sum of term(args, i), in an order that n alone decides, and the largest of them
    // (-INFINITY: n is 0). What is in *total is known after `wait`.
    CondStatus (*sum)(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                      const void* args, double* total);
    CondStatus (*most)(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                       const void* args, double* total);
    CondStatus (*wait)(CondDevice* device);
    // n counts become n + 1 offsets: offset[i] = count[0] + .. + count[i - 1]
    CondStatus (*scan)(CondDevice* device, int n, int* count);
    // ascending by key; equal keys stay in their order. spare: room for as many again
    CondStatus (*sort)(CondDevice* device, int n, uint64_t* key, int* item, uint64_t* spare_key,
                       int* spare_item);
    CondStatus (*phases)(CondDevice* device, int n_phase, const CondDevicePhase* phase);
} CondDeviceOps;

struct CondDevice {
    const CondDeviceOps* ops;
    CondContext context;
    int threads; // of `threads`: 0: as base/cores.h says
    void* data;  // of the implementation
};

// Processors; `threads` of them at most, 0: the default.
CondDevice cond_device_threads(const CondContext* context, int threads);

// The same without memory of its own, for loops whose arrays belong to others: never fails.
void cond_threads_loop(const CondKernel* kernel, int n, size_t work, const void* args, int threads);
double cond_threads_sum(const CondKernel* kernel, int n, size_t work, const void* args,
                        int threads);

#endif
