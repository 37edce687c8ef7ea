// Launches of kernels by the functions of the run time alone, without <<< >>>: other compilers read
// the sources too, and the tests run them on the processor (test/cuda/emulation).
#ifndef COND_CUDA_LAUNCH_CUH
#define COND_CUDA_LAUNCH_CUH

#include <cuda_runtime.h>

#include <stddef.h>

namespace cond
{

// The type of a parameter; arguments are converted to it.
template <typename T> struct As {
    typedef T type;
};

// Errors are those of cudaGetLastError.
template <typename... P>
static inline void launch(void (*kernel)(P...), unsigned blocks, unsigned threads,
                          cudaStream_t stream, typename As<P>::type... arguments)
{
    void* each[] = {(void*)&arguments...};
    cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), each, 0, stream);
}

} // namespace cond
#endif
