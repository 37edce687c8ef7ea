// Item functions as kernels of CUDA (device/item.h): a thread an item. A kernel registers itself
// under its name, by which the table of the device (device_cuda.cu) finds it.
//
// Sums: a block adds its terms in the order of its threads, its warps and their lanes, and one
// block adds the parts of all in order. How many blocks there are depends on the number of terms
// alone, so the bits do too.
#ifndef COND_CUDA_KERNEL_CUH
#define COND_CUDA_KERNEL_CUH

#include "cuda/launch.cuh"

namespace cond
{

enum {
    ITEM_THREADS = 128, // of a block of a loop
    TERM_THREADS = 256, // of a block of a sum,
    TERM_BLOCKS = 1024, // so many of them at most,
    TERM_ITEMS = 512    // and so many terms each, as long as there are fewer blocks
};

// A kernel, by its name.
struct Kernel {
    const char* name;
    size_t args_size;
    void (*loop)(int n, const void* args, cudaStream_t stream);
    // Parts of a sum or maximum, one a block.
    void (*parts)(int n, int n_block, const void* args, double* part, cudaStream_t stream);
    // The same of segments, so many blocks each.
    void (*segments)(int n_segment, int each, const int* begin, const void* args, double* part,
                     cudaStream_t stream);
    int most; // 1: the largest, else the sum
    Kernel* next;
};

void add_kernel(Kernel* kernel);
void link_kernels();

struct AddKernel {
    explicit AddKernel(Kernel* kernel)
    {
        add_kernel(kernel);
    }
};

struct Plus {
    static __device__ double none()
    {
        return 0.0;
    }
    static __device__ double join(double a, double b)
    {
        return a + b;
    }
};

struct Most {
    static __device__ double none()
    {
        return -INFINITY;
    }
    static __device__ double join(double a, double b)
    {
        return a > b || a != a ? a : b;
    }
};

// The terms of a block's threads joined, on its first thread.
template <typename Op> static __device__ inline double join_block(double a)
{
    __shared__ double of_warp[TERM_THREADS / 32];
    for (int k = 16; k > 0; k /= 2)
        a = Op::join(a, __shfl_down_sync(0xffffffffu, a, (unsigned)k));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = a;
    __syncthreads();
    a = threadIdx.x < TERM_THREADS / 32 ? of_warp[threadIdx.x] : Op::none();
    if (threadIdx.x < 32)
        for (int k = TERM_THREADS / 64; k > 0; k /= 2)
            a = Op::join(a, __shfl_down_sync(0xffffffffu, a, (unsigned)k));
    return a;
}

} // namespace cond

#define COND_KERNEL(name_, Args, item)                                                             \
    static __global__ void __launch_bounds__(cond::ITEM_THREADS)                                   \
        name_##_items(int n, const __grid_constant__ Args a)                                       \
    {                                                                                              \
        int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                      \
        if (i < n)                                                                                 \
            item(&a, i);                                                                           \
    }                                                                                              \
    static void name_##_loop(int n, const void* args, cudaStream_t stream)                         \
    {                                                                                              \
        unsigned blocks = (unsigned)((n + cond::ITEM_THREADS - 1) / cond::ITEM_THREADS);           \
        cond::launch(name_##_items, blocks, cond::ITEM_THREADS, stream, n, *(const Args*)args);    \
    }                                                                                              \
    static cond::Kernel name_##_kernel = {                                                         \
        #name_, sizeof(Args), name_##_loop, NULL, NULL, 0, NULL};                                  \
    static const cond::AddKernel name_##_added(&name_##_kernel);

#define COND_TERM_KERNEL(name_, Args, term, Op, most)                                              \
    static __global__ void __launch_bounds__(cond::TERM_THREADS)                                   \
        name_##_terms(int n, const __grid_constant__ Args a, double* part)                         \
    {                                                                                              \
        double sum = Op::none();                                                                   \
        int step = (int)(gridDim.x * blockDim.x);                                                  \
        for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step)               \
            sum = Op::join(sum, term(&a, i));                                                      \
        sum = cond::join_block<Op>(sum);                                                           \
        if (threadIdx.x == 0)                                                                      \
            part[blockIdx.x] = sum;                                                                \
    }                                                                                              \
    static void name_##_parts(int n, int n_block, const void* args, double* part,                  \
                              cudaStream_t stream)                                                 \
    {                                                                                              \
        cond::launch(name_##_terms, (unsigned)n_block, cond::TERM_THREADS, stream, n,              \
                     *(const Args*)args, part);                                                    \
    }                                                                                              \
    static __global__ void __launch_bounds__(cond::TERM_THREADS) name_##_segment_terms(            \
        int each, const int* begin, const __grid_constant__ Args a, double* part)                  \
    {                                                                                              \
        double sum = Op::none();                                                                   \
        int segment = (int)blockIdx.x / each, step = each * (int)blockDim.x;                       \
        int first = begin[segment] + (int)blockIdx.x % each * (int)blockDim.x + (int)threadIdx.x;  \
        for (int i = first; i < begin[segment + 1]; i += step)                                     \
            sum = Op::join(sum, term(&a, i));                                                      \
        sum = cond::join_block<Op>(sum);                                                           \
        if (threadIdx.x == 0)                                                                      \
            part[blockIdx.x] = sum;                                                                \
    }                                                                                              \
    static void name_##_segments(int n_segment, int each, const int* begin, const void* args,      \
                                 double* part, cudaStream_t stream)                                \
    {                                                                                              \
        cond::launch(name_##_segment_terms, (unsigned)(n_segment * each), cond::TERM_THREADS,      \
                     stream, each, begin, *(const Args*)args, part);                               \
    }                                                                                              \
    static cond::Kernel name_##_kernel = {#name_,           sizeof(Args), NULL, name_##_parts,     \
                                          name_##_segments, most,         NULL};                   \
    static const cond::AddKernel name_##_added(&name_##_kernel);

#define COND_SUM_KERNEL(name_, Args, term) COND_TERM_KERNEL(name_, Args, term, cond::Plus, 0)
#define COND_MOST_KERNEL(name_, Args, term) COND_TERM_KERNEL(name_, Args, term, cond::Most, 1)

#endif
