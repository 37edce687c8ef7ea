// Kernels and copies with a fault each, which the emulated device must find: the program ends with
// a message, or, of `order`, prints numbers that depend on the order of the lanes.
//     cond_cuda_faults barrier|exit|collective|grid|overrun|host|pointer|wait|order
#include "cuda/launch.cuh"

#include <cooperative_groups.h>

#include <stdio.h>

using namespace cond;

enum { N = 64 };

static __global__ void barrier(int* a)
{
    if (threadIdx.x < N / 2)
        __syncthreads();
    a[threadIdx.x] = 1;
    __syncthreads();
}

static __global__ void leave(int* a)
{
    if (threadIdx.x == 5)
        return;
    __syncthreads();
    a[threadIdx.x] = 1;
}

static __global__ void collective(int* a)
{
    int own = (int)threadIdx.x;
    if (threadIdx.x != 7)
        own += __shfl_down_sync(0xffffffffu, own, 1);
    a[threadIdx.x] = own;
}

static __global__ void grid(int* a)
{
    cooperative_groups::this_grid().sync();
    a[threadIdx.x] = 1;
}

static __global__ void overrun(int* a)
{
    a[threadIdx.x + 4] = 1;
}

// Without a barrier between them.
static __global__ void order(int* a)
{
    __shared__ int own[N];
    own[threadIdx.x] = (int)threadIdx.x;
    a[threadIdx.x] = own[(threadIdx.x + 33) % N];
}

static __global__ void fill(int* a)
{
    a[threadIdx.x] = 3;
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        void (*kernel)(int*);
    } faults[] = {{"barrier", barrier}, {"exit", leave},      {"collective", collective},
                  {"grid", grid},       {"overrun", overrun}, {"order", order},
                  {"host", fill},       {"wait", fill}};
    cudaStream_t stream;
    int *a = NULL, *back = NULL, sum = 0;
    if (argc < 2 || cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
        cudaMalloc((void**)&a, N * sizeof *a) || cudaMallocHost((void**)&back, N * sizeof *a))
        return 1;
    if (strcmp(argv[1], "pointer") == 0)
        launch(fill, 1, N, stream, back);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (strcmp(argv[1], faults[k].name) == 0)
            launch(faults[k].kernel, 1, N, stream, a);
    cudaMemcpyAsync(back, a, N * sizeof *a, cudaMemcpyDeviceToHost, stream);
    if (strcmp(argv[1], "wait") != 0)
        cudaStreamSynchronize(stream);
    for (int i = 0; i < N; i++)
        sum += (strcmp(argv[1], "host") == 0 ? a : back)[i] * i;
    printf("sum %d\n", sum);
    return strcmp(argv[1], "wait") == 0 && sum != 3 * N * (N - 1) / 2;
}
