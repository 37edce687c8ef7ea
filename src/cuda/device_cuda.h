// The device `cuda` of the table of devices (device/device.h): loops as kernels on one stream,
// memory of the device, sums in an order that the number of terms alone decides. What a loop is
// given must be in that memory; `write` and `read` copy through pinned memory of the host.
#ifndef COND_CUDA_DEVICE_CUDA_H
#define COND_CUDA_DEVICE_CUDA_H

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// COND_NOT_SUPPORTED with the reason where there is none. `threads` of the host copy.
CondStatus cond_device_cuda_create(const CondContext* context, int threads, CondDevice* device,
                                   CondError* error);
void cond_device_cuda_destroy(CondDevice* device);

// 1 where a device is that one: its memory is not the host's.
int cond_device_is_cuda(const CondDevice* device);
// What failed last, for messages, and the bytes that it holds.
const char* cond_device_cuda_failure(const CondDevice* device);
size_t cond_device_cuda_held(const CondDevice* device);

// Times of what the device does, by names: from here on each call waits for its end, until `on` is
// 0 again. Rows are handed to `each`; calls, and milliseconds of all.
void cond_device_cuda_measure(CondDevice* device, int on);
void cond_device_cuda_rows(const CondDevice* device,
                           void (*each)(void* data, const char* name, int calls, double ms,
                                        double bytes),
                           void* data);

// A copy by several threads of the host.
void cond_cuda_copy_by_threads(void* to, const void* from, size_t bytes, int threads);

#ifdef __cplusplus
}
#endif
#endif
