// The table of the device `cuda`.
#include "cuda/device_cuda.h"

#include "cuda/kernel.cuh"
#include "cuda/sort.cuh"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace cond;

namespace
{

enum {
    RESULTS = 64,          // sums that may be under way at once
    STAGES = 2,            // pinned pieces in turn,
    STAGE_BYTES = 8 << 20, // each of them so large
    KNOWN = 256            // kernels that are found by their pointer
};

Kernel* first_kernel = NULL; // of all; written before main alone

struct Known {
    const CondKernel* from;
    const Kernel* kernel;
};

// What calls of one name have taken.
struct Row {
    const char* name;
    int calls;
    double ms, bytes;
};

struct Data {
    int measures, n_row;
    Row row[KNOWN];
    cudaEvent_t begins, ends;
    cudaStream_t stream;
    cudaEvent_t done[STAGES]; // a piece has been copied
    char* stage[STAGES];      // pinned
    int turn;
    double *part, *result;  // of the device                        (TERM_BLOCKS), (RESULTS)
    double* arrived;        // pinned                               (RESULTS)
    double* total[RESULTS]; // where they go
    int n_result;
    void* spare; // of scan and sort
    size_t spare_size, held;
    cudaError_t failed;
    char message[200];
    Known known[KNOWN];
};

Data* data_of(CondDevice* device)
{
    return (Data*)device->data;
}

CondStatus outcome(Data* d, cudaError_t error, const char* what)
{
    if (!error)
        error = cudaGetLastError();
    if (!error)
        return COND_OK;
    cudaGetLastError();
    d->n_result = 0; // nobody waits for them any more
    d->failed = error;
    snprintf(d->message, sizeof d->message, "%s: %s", what, cudaGetErrorString(error));
    return error == cudaErrorMemoryAllocation ? COND_OUT_OF_MEMORY : COND_NOT_SUPPORTED;
}

void begin(Data* d)
{
    if (d->measures)
        cudaEventRecord(d->begins, d->stream);
}

void end(Data* d, const char* name, size_t bytes)
{
    float ms = 0.0F;
    int k = 0;
    if (!d->measures)
        return;
    cudaEventRecord(d->ends, d->stream);
    cudaEventSynchronize(d->ends);
    cudaEventElapsedTime(&ms, d->begins, d->ends);
    while (k < d->n_row && strcmp(d->row[k].name, name) != 0)
        k++;
    if (k == KNOWN)
        return;
    d->n_row = k < d->n_row ? d->n_row : k + 1;
    d->row[k].name = name;
    d->row[k].calls++;
    d->row[k].ms += (double)ms;
    d->row[k].bytes += (double)bytes;
}

const Kernel* find(Data* d, const CondKernel* from)
{
    size_t at = ((size_t)from / sizeof(void*)) % KNOWN;
    for (int k = 0; k < KNOWN; k++, at = (at + 1) % KNOWN) {
        if (d->known[at].from == from)
            return d->known[at].kernel;
        if (!d->known[at].from)
            break;
    }
    for (const Kernel* kernel = first_kernel; kernel; kernel = kernel->next)
        if (strcmp(kernel->name, from->name) == 0 && kernel->args_size == from->args_size) {
            if (!d->known[at].from)
                d->known[at] = {from, kernel};
            return kernel;
        }
    snprintf(d->message, sizeof d->message, "the device has no kernel %s", from->name);
    return NULL;
}

CondStatus take_bytes(Data* d, void** memory, size_t bytes)
{
    char what[80];
    snprintf(what, sizeof what, "no room for %zu bytes more", bytes);
    return outcome(d, cudaMalloc(memory, bytes > 0 ? bytes : 1), what);
}

void* take(CondDevice* device, size_t bytes)
{
    void* memory = NULL;
    Data* d = data_of(device);
    if (take_bytes(d, &memory, bytes))
        return NULL;
    d->held += bytes;
    return memory;
}

void give(CondDevice* device, void* memory, size_t bytes)
{
    if (memory) {
        cudaFree(memory);
        data_of(device)->held -= bytes;
    }
}

// Piece by piece through pinned memory: while one travels the next is filled.
CondStatus write(CondDevice* device, void* to, const void* from, size_t bytes)
{
    Data* d = data_of(device);
    cudaError_t error = cudaSuccess;
    begin(d);
    for (size_t at = 0; at < bytes && !error; at += STAGE_BYTES) {
        size_t size = bytes - at < STAGE_BYTES ? bytes - at : STAGE_BYTES;
        int k = d->turn;
        d->turn = (k + 1) % STAGES;
        error = cudaEventSynchronize(d->done[k]);
        cond_cuda_copy_by_threads(d->stage[k], (const char*)from + at, size, device->threads);
        if (!error)
            error = cudaMemcpyAsync((char*)to + at, d->stage[k], size, cudaMemcpyHostToDevice,
                                    d->stream);
        if (!error)
            error = cudaEventRecord(d->done[k], d->stream);
    }
    end(d, "copy to the device", bytes);
    return outcome(d, error, "copy to the device");
}

CondStatus read(CondDevice* device, void* to, const void* from, size_t bytes)
{
    Data* d = data_of(device);
    cudaError_t error = cudaSuccess;
    size_t n = (bytes + STAGE_BYTES - 1) / STAGE_BYTES;
    begin(d);
    for (size_t piece = 0; piece <= n && !error; piece++) { // one ahead of what is taken out
        if (piece < n) {
            size_t at = piece * STAGE_BYTES, rest = bytes - at;
            int k = (int)(piece % STAGES);
            error = cudaEventSynchronize(d->done[k]);
            if (!error)
                error = cudaMemcpyAsync(d->stage[k], (const char*)from + at,
                                        rest < STAGE_BYTES ? rest : STAGE_BYTES,
                                        cudaMemcpyDeviceToHost, d->stream);
            if (!error)
                error = cudaEventRecord(d->done[k], d->stream);
        }
        if (piece > 0 && !error) {
            size_t at = (piece - 1) * STAGE_BYTES, rest = bytes - at;
            int k = (int)((piece - 1) % STAGES);
            error = cudaEventSynchronize(d->done[k]);
            cond_cuda_copy_by_threads((char*)to + at, d->stage[k],
                                      rest < STAGE_BYTES ? rest : STAGE_BYTES, device->threads);
        }
    }
    end(d, "copy from the device", bytes);
    return outcome(d, error, "copy from the device");
}

CondStatus loop(CondDevice* device, const CondKernel* kernel, int n, size_t work, const void* args)
{
    Data* d = data_of(device);
    const Kernel* found = find(d, kernel);
    (void)work;
    if (!found || !found->loop)
        return COND_NOT_SUPPORTED;
    if (n <= 0)
        return COND_OK;
    begin(d);
    found->loop(n, args, d->stream);
    end(d, kernel->name, 0);
    return outcome(d, cudaSuccess, kernel->name);
}

template <typename Op>
__global__ void __launch_bounds__(TERM_THREADS)
    join_parts(int n, const double* part, double* result)
{
    double sum = Op::none();
    for (int i = (int)threadIdx.x; i < n; i += TERM_THREADS)
        sum = Op::join(sum, part[i]);
    sum = join_block<Op>(sum);
    if (threadIdx.x == 0)
        *result = sum;
}

CondStatus wait(CondDevice* device)
{
    Data* d = data_of(device);
    cudaError_t error = cudaSuccess;
    if (d->n_result > 0)
        error = cudaMemcpyAsync(d->arrived, d->result, (size_t)d->n_result * sizeof *d->result,
                                cudaMemcpyDeviceToHost, d->stream);
    if (!error)
        error = cudaStreamSynchronize(d->stream);
    for (int k = 0; k < d->n_result && !error; k++)
        *d->total[k] = d->arrived[k];
    d->n_result = 0;
    return outcome(d, error, "loops of the device");
}

CondStatus join(CondDevice* device, const CondKernel* kernel, int n, size_t work, const void* args,
                double* total)
{
    Data* d = data_of(device);
    const Kernel* found = find(d, kernel);
    (void)work;
    if (!found || !found->parts)
        return COND_NOT_SUPPORTED;
    if (d->n_result == RESULTS) {
        CondStatus status = wait(device);
        if (status)
            return status;
    }
    int blocks = (n + TERM_ITEMS - 1) / TERM_ITEMS;
    blocks = blocks < TERM_BLOCKS ? blocks : TERM_BLOCKS;
    double* result = d->result + d->n_result;
    begin(d);
    if (blocks > 0)
        found->parts(n, blocks, args, d->part, d->stream);
    if (found->most)
        launch(join_parts<Most>, 1, TERM_THREADS, d->stream, blocks, d->part, result);
    else
        launch(join_parts<Plus>, 1, TERM_THREADS, d->stream, blocks, d->part, result);
    end(d, kernel->name, 0);
    d->total[d->n_result++] = total;
    return outcome(d, cudaSuccess, kernel->name);
}

// Parts of the blocks of each segment.
template <typename Op>
__global__ void __launch_bounds__(TERM_THREADS)
    join_segments(int n_segment, int each, const double* part, double* total)
{
    int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    double sum = Op::none();
    for (int k = 0; k < each && s < n_segment; k++)
        sum = Op::join(sum, part[s * each + k]);
    if (s < n_segment)
        total[s] = sum;
}

// As many blocks a segment as there are parts for; where segments are many, one each.
CondStatus join_each(CondDevice* device, const CondKernel* kernel, int n_segment,
                     const int* begin_of, int n, size_t work, const void* args, double* total)
{
    Data* d = data_of(device);
    const Kernel* found = find(d, kernel);
    (void)work;
    (void)n;
    if (!found || !found->segments)
        return COND_NOT_SUPPORTED;
    if (n_segment <= 0)
        return COND_OK;
    int each = n_segment < TERM_BLOCKS ? TERM_BLOCKS / n_segment : 1;
    unsigned blocks = (unsigned)((n_segment + TERM_THREADS - 1) / TERM_THREADS);
    begin(d);
    found->segments(n_segment, each, begin_of, args, each > 1 ? d->part : total, d->stream);
    if (each > 1 && found->most)
        launch(join_segments<Most>, blocks, TERM_THREADS, d->stream, n_segment, each, d->part,
               total);
    else if (each > 1)
        launch(join_segments<Plus>, blocks, TERM_THREADS, d->stream, n_segment, each, d->part,
               total);
    end(d, kernel->name, 0);
    return outcome(d, cudaSuccess, kernel->name);
}

CondStatus make_room(Data* d, size_t size)
{
    if (size <= d->spare_size)
        return COND_OK;
    if (d->spare) {
        cudaStreamSynchronize(d->stream);
        cudaFree(d->spare);
    }
    d->held -= d->spare_size;
    d->spare = NULL;
    d->spare_size = 0;
    CondStatus status = take_bytes(d, &d->spare, size + size / 8);
    if (!status) {
        d->spare_size = size + size / 8;
        d->held += d->spare_size;
    }
    return status;
}

CondStatus scan(CondDevice* device, int n, int* count)
{
    Data* d = data_of(device);
    CondStatus status = make_room(d, ((size_t)sort_tiles(n) + 1) * sizeof(int));
    if (status)
        return status;
    scan_counts(n, count, (int*)d->spare, d->stream);
    return outcome(d, cudaSuccess, "scan");
}

CondStatus sort(CondDevice* device, int n, uint64_t* key, int* item, uint64_t* spare_key,
                int* spare_item)
{
    Data* d = data_of(device);
    if (n <= 0)
        return COND_OK;
    CondStatus status = make_room(d, sort_room(n) * sizeof(int));
    if (status)
        return status;
    sort_items(n, key, item, spare_key, spare_item, (int*)d->spare, d->stream);
    return outcome(d, cudaSuccess, "sort");
}

// A stream makes them one after the other.
CondStatus phases(CondDevice* device, int n_phase, const CondDevicePhase* phase)
{
    CondStatus status = COND_OK;
    for (int p = 0; p < n_phase && !status; p++)
        status = loop(device, phase[p].kernel, phase[p].n, phase[p].work, phase[p].args);
    return status;
}

const CondDeviceOps ops = {"cuda", take,      give,      write, read, loop, join,
                           join,   join_each, join_each, wait,  scan, sort, phases};

} // namespace

void cond::add_kernel(Kernel* kernel)
{
    kernel->next = first_kernel;
    first_kernel = kernel;
}

extern "C" CondStatus cond_device_cuda_create(const CondContext* context, int threads,
                                              CondDevice* device, CondError* error)
{
    link_kernels();
    Data* d = (Data*)calloc(1, sizeof *d);
    memset(device, 0, sizeof *device);
    if (context)
        device->context = *context;
    device->ops = &ops;
    device->threads = threads;
    device->data = d;
    if (!d)
        return COND_OUT_OF_MEMORY;
    cudaError_t failed = cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking);
    if (!failed)
        failed = cudaEventCreate(&d->begins);
    if (!failed)
        failed = cudaEventCreate(&d->ends);
    for (int k = 0; k < STAGES && !failed; k++) {
        failed = cudaEventCreateWithFlags(&d->done[k], cudaEventDisableTiming);
        if (!failed)
            failed = cudaMallocHost((void**)&d->stage[k], STAGE_BYTES);
    }
    if (!failed)
        failed = cudaMallocHost((void**)&d->arrived, RESULTS * sizeof *d->arrived);
    if (!failed)
        failed = cudaMalloc((void**)&d->part, TERM_BLOCKS * sizeof *d->part);
    if (!failed)
        failed = cudaMalloc((void**)&d->result, RESULTS * sizeof *d->result);
    CondStatus status = outcome(d, failed, "CUDA");
    if (status && error) {
        error->status = status;
        snprintf(error->message, sizeof error->message, "%s", d->message);
    }
    if (status)
        cond_device_cuda_destroy(device);
    return status;
}

extern "C" void cond_device_cuda_destroy(CondDevice* device)
{
    Data* d = data_of(device);
    if (!d)
        return;
    for (int k = 0; k < STAGES; k++) {
        if (d->done[k])
            cudaEventDestroy(d->done[k]);
        if (d->stage[k])
            cudaFreeHost(d->stage[k]);
    }
    if (d->arrived)
        cudaFreeHost(d->arrived);
    if (d->begins)
        cudaEventDestroy(d->begins);
    if (d->ends)
        cudaEventDestroy(d->ends);
    cudaFree(d->part);
    cudaFree(d->result);
    cudaFree(d->spare);
    if (d->stream)
        cudaStreamDestroy(d->stream);
    free(d);
    device->data = NULL;
    device->ops = NULL;
}

extern "C" int cond_device_is_cuda(const CondDevice* device)
{
    return device && device->ops == &ops;
}

extern "C" const char* cond_device_cuda_failure(const CondDevice* device)
{
    return device && device->data ? ((const Data*)device->data)->message : "";
}

extern "C" size_t cond_device_cuda_held(const CondDevice* device)
{
    return device && device->data ? ((const Data*)device->data)->held : 0;
}

extern "C" void cond_device_cuda_measure(CondDevice* device, int on)
{
    Data* d = data_of(device);
    if (!d)
        return;
    d->measures = on;
    if (on) {
        d->n_row = 0;
        memset(d->row, 0, sizeof d->row);
    }
}

extern "C" void cond_device_cuda_rows(const CondDevice* device,
                                      void (*each)(void* data, const char* name, int calls,
                                                   double ms, double bytes),
                                      void* data)
{
    const Data* d = (const Data*)device->data;
    for (int k = 0; d && k < d->n_row; k++)
        each(data, d->row[k].name, d->row[k].calls, d->row[k].ms, d->row[k].bytes);
}
