// In place of soft_cg.cu where the library is built without CUDA: there is no device.
#include "cuda/soft_cg.h"

#include "base/error.h"
#include "cuda/device_cuda.h"

int cond_cuda_is_built(void)
{
    return 0;
}

const char* cond_cuda_name(const char** reason)
{
    if (reason)
        *reason = "this library was built without it";
    return NULL;
}

CondStatus cond_cuda_soft_create(const CondContext* context, CondCudaSoft** soft, CondError* error)
{
    (void)context;
    *soft = NULL;
    return cond_error_set(error, COND_NOT_SUPPORTED, "CUDA: this library was built without it");
}

CondStatus cond_cuda_soft_solve(CondCudaSoft* soft, const CondCudaSystem* system,
                                CondCudaSolve* solve, CondError* error)
{
    (void)soft, (void)system, (void)solve;
    return cond_error_set(error, COND_NOT_SUPPORTED, "CUDA: this library was built without it");
}

void cond_cuda_soft_traffic(const CondCudaSoft* soft, size_t* held, size_t* in, size_t* out)
{
    (void)soft;
    *held = *in = *out = 0;
}

void cond_cuda_soft_destroy(CondCudaSoft* soft)
{
    (void)soft;
}

CondStatus cond_device_cuda_create(const CondContext* context, int threads, CondDevice* device,
                                   CondError* error)
{
    (void)context, (void)threads;
    *device = (CondDevice){.ops = NULL};
    return cond_error_set(error, COND_NOT_SUPPORTED, "CUDA: this library was built without it");
}

void cond_device_cuda_destroy(CondDevice* device)
{
    (void)device;
}

int cond_device_is_cuda(const CondDevice* device)
{
    (void)device;
    return 0;
}

const char* cond_device_cuda_failure(const CondDevice* device)
{
    (void)device;
    return "";
}

size_t cond_device_cuda_held(const CondDevice* device)
{
    (void)device;
    return 0;
}

void cond_device_cuda_measure(CondDevice* device, int on)
{
    (void)device, (void)on;
}

void cond_device_cuda_rows(const CondDevice* device,
                           void (*each)(void* data, const char* name, int calls, double ms,
                                        double bytes),
                           void* data)
{
    (void)device, (void)each, (void)data;
}

void cond_cuda_soft_time(const CondCudaSoft* soft, double* ms, double* products)
{
    (void)soft;
    *ms = *products = 0.0;
}
