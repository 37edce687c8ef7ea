// In place of soft_cg.cu where the library is built without CUDA: there is no device.
#include "cuda/soft_cg.h"

#include "base/error.h"

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
