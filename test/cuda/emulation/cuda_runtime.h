// The part of CUDA that src/cuda uses, for an ordinary C++ compiler: kernels run on the processor.
// For tests only; block.h and memory.cpp say what it detects.
#ifndef COND_EMULATION_CUDA_RUNTIME_H
#define COND_EMULATION_CUDA_RUNTIME_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <functional>
#include <tuple>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(threads)
// A block runs on a thread of its own (block.cpp).
#define __shared__ static thread_local

struct int3 {
    int x, y, z;
};
struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct dim3 {
    unsigned x, y, z;
    explicit dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

extern thread_local uint3 threadIdx, blockIdx;
extern thread_local dim3 blockDim, gridDim;

// ---- what threads do together

namespace emulation
{

// Where a thread waits.
struct Place {
    const char* file;
    int line;
};

enum Collective { SYNC, SHUFFLE, MATCH };

void meet_block(Place place);
void meet_grid(Place place);
// The value of lane `from` of the warp, or the lanes with the same value, once all lanes of the
// mask are here.
uint64_t meet_warp(unsigned mask, Collective kind, uint64_t value, int from, Place place);
int lane();

template <typename T> T shuffle(unsigned mask, T value, int from, Place place)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "shuffles take at most eight bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = meet_warp(mask, SHUFFLE, bits, from, place);
    memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace emulation

#define EMULATION_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void __syncthreads(EMULATION_PLACE)
{
    emulation::meet_block({file, line});
}

static inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATION_PLACE)
{
    emulation::meet_warp(mask, emulation::SYNC, 0, emulation::lane(), {file, line});
}

template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int with, EMULATION_PLACE)
{
    return emulation::shuffle(mask, value, emulation::lane() ^ with, {file, line});
}

template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, EMULATION_PLACE)
{
    int from = emulation::lane() + (int)by;
    return emulation::shuffle(mask, value, from < 32 ? from : emulation::lane(), {file, line});
}

template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, EMULATION_PLACE)
{
    int from = emulation::lane() - (int)by;
    return emulation::shuffle(mask, value, from >= 0 ? from : emulation::lane(), {file, line});
}

static inline unsigned __match_any_sync(unsigned mask, int value, EMULATION_PLACE)
{
    return (unsigned)emulation::meet_warp(mask, emulation::MATCH, (uint64_t)value,
                                          emulation::lane(), {file, line});
}

static inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}

static inline int atomicAdd(int* to, int value) // one thread runs at a time
{
    int before = *to;
    *to = before + value;
    return before;
}

template <typename T> static inline T __ldcg(const T* from)
{
    return *from;
}

// ---- the run time

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorCooperativeLaunchTooLarge = 720
};
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDefault = 4
};
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };

struct cudaDeviceProp {
    char name[256];
};

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);

cudaError_t cudaMalloc(void** memory, size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventDestroy(cudaEvent_t event);

template <typename T> cudaError_t cudaMalloc(T** memory, size_t bytes)
{
    return cudaMalloc((void**)memory, bytes);
}

namespace emulation
{

// The work of one thread, with a copy of the arguments of the launch.
typedef std::function<void()> Body;

cudaError_t launch(Body body, dim3 grid, dim3 block, int cooperative, cudaStream_t stream);
// Fails where an argument of a kernel has a pointer to memory of the host.
void check_argument(const void* argument, size_t bytes);

template <typename... P, size_t... I>
Body bind(void (*kernel)(P...), void** arguments, std::index_sequence<I...>)
{
    std::tuple<P...> own(*(P*)arguments[I]...);
    (check_argument(arguments[I], sizeof(P)), ...);
    return [kernel, own] { std::apply(kernel, own); };
}

int blocks_at_once();

} // namespace emulation

template <typename... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream)
{
    (void)shared;
    return emulation::launch(emulation::bind(kernel, arguments, std::index_sequence_for<P...>()),
                             grid, block, 0, stream);
}

template <typename... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                        void** arguments, size_t shared, cudaStream_t stream)
{
    (void)shared;
    return emulation::launch(emulation::bind(kernel, arguments, std::index_sequence_for<P...>()),
                             grid, block, 1, stream);
}

template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel kernel, int threads,
                                                          size_t shared)
{
    (void)kernel, (void)threads, (void)shared;
    *blocks = 1;
    return cudaSuccess;
}

#endif
