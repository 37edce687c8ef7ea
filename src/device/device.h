// A device: memory, and functions that run loops on it. A stage of a step is written once for this
// table; its kernels are item functions (device/item.h). `threads` is the implementation for the
// CPU; its memory is that of the program.
//
// Hot kernels (the packed product, the iteration of conjugate gradients, the aggregation cycle, the
// block factorisation) are not in this table: each device has its own version, which a test
// compares with the plain one.
#ifndef COND_DEVICE_DEVICE_H
#define COND_DEVICE_DEVICE_H

#include "cond/context.h"
#include "cond/status.h"
#include "device/item.h"

#include <stddef.h>
#include <stdint.h>

typedef struct CondDevice CondDevice;

// One of several consecutive loops of a device. With `apart` 0 the loop must not read or write
// anything that the loop before it writes.
typedef struct CondDevicePhase {
    const CondKernel* kernel;
    const void* args;
    int n;       // items
    size_t work; // of an item, in multiply-adds
    int apart;   // 1: it begins after all before it have finished
} CondDevicePhase;

// Every function except take returns COND_OK, or a negative status if the device fails.
typedef struct CondDeviceOps {
    const char* name;
    void* (*take)(CondDevice* device, size_t bytes); // NULL: not enough memory
    void (*give)(CondDevice* device, void* memory, size_t bytes);
    CondStatus (*write)(CondDevice* device, void* to, const void* from, size_t bytes);
    CondStatus (*read)(CondDevice* device, void* to, const void* from, size_t bytes);
    // item(args, i) for i = 0 .. n - 1, in any order
    CondStatus (*loop)(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                       const void* args);
    // *total = sum of term(args, i), in an order that depends only on n; and their maximum
    // (-INFINITY if n is 0). *total is valid after `wait`.
    CondStatus (*sum)(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                      const void* args, double* total);
    CondStatus (*most)(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                       const void* args, double* total);
    // The same of each segment, the items begin[s] .. begin[s + 1] - 1 of n, in an order that
    // depends only on the lengths and the number of the segments. total[s] and begin are in the
    // memory of the device; total is there after the calls before, as the result of a loop is.
    CondStatus (*sums)(CondDevice* device, const CondKernel* kernel, int n_segment,
                       const int* begin, int n, size_t work, const void* args, double* total);
    CondStatus (*mosts)(CondDevice* device, const CondKernel* kernel, int n_segment,
                        const int* begin, int n, size_t work, const void* args, double* total);
    CondStatus (*wait)(CondDevice* device);
    // n counts become n + 1 offsets: offset[i] = count[0] + .. + count[i - 1]
    CondStatus (*scan)(CondDevice* device, int n, int* count);
    // ascending by key, stable; spare: scratch of the same size
    CondStatus (*sort)(CondDevice* device, int n, uint64_t* key, int* item, uint64_t* spare_key,
                       int* spare_item);
    CondStatus (*phases)(CondDevice* device, int n_phase, const CondDevicePhase* phase);
} CondDeviceOps;

struct CondDevice {
    const CondDeviceOps* ops;
    CondContext context;
    int threads; // of the CPU device; 0: as base/cores.h says
    void* data;  // of the implementation
};

// The CPU device, with at most `threads` threads; 0: the default.
CondDevice cond_device_threads(const CondContext* context, int threads);

// The same without a device object, for loops on arrays of the caller; they never fail.
void cond_threads_loop(const CondKernel* kernel, int n, size_t work, const void* args, int threads);
double cond_threads_sum(const CondKernel* kernel, int n, size_t work, const void* args,
                        int threads);

#endif
