// The run time of CUDA on the processor: memory, streams, events, launches.
//
// Memory of the device is accessible only while kernels and copies run, lies between pages that
// nothing may touch, and is full of NaN at first; its addresses are never used again. The host and
// kernels end with a signal, and a message that names the array, where they miss it.
//
// What a stream is given runs when somebody waits for it, and no earlier: a host that does not wait
// sees old numbers. Copies of pageable memory wait, as CUDA's do.
//
// COND_EMULATED_MEMORY: bytes of the device.
#include "block.h"

#include <sys/mman.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>

using namespace emulation;

namespace
{

enum { PAGE = 4096, ALIGN = 16, FULL = 0xff };

const size_t SPACE = (size_t)1 << 38; // addresses

struct Array {
    char* pages;  // accessible ones,
    size_t size;  // so many bytes,
    size_t bytes; // of which the last are the array's
};

typedef std::chrono::steady_clock Clock;

} // namespace

struct CUstream_st {
    std::deque<std::function<void()>> waiting;
    uint64_t given, made; // so far
};

struct CUevent_st {
    cudaStream_t stream; // NULL: never recorded
    uint64_t place;
    Clock::time_point time;
};

namespace
{

struct Device {
    std::recursive_mutex mutex;
    char *space, *next;
    size_t held, most;
    std::map<char*, Array> array; // by the first byte of the array
    std::map<char*, size_t> pinned;
    std::set<cudaStream_t> stream;
    int open;
};

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t note(cudaError_t error)
{
    if (error)
        last_error = error;
    return error;
}

Device& device();

// Async-signal-safe enough for a program that ends here.
void explain(int number, siginfo_t* info, void* context)
{
    (void)context;
    Device& d = device();
    char* at = (char*)info->si_addr;
    if (at >= d.space && at < d.space + SPACE) {
        const char* by = d.open ? "a kernel or a copy" : "the host";
        fprintf(stderr, "emulated CUDA: %s reads or writes memory of the device at %p", by,
                (void*)at);
        auto found = d.array.upper_bound(at);
        if (found != d.array.begin()) {
            --found;
            fprintf(stderr, ", %td bytes behind the begin of an array of %zu", at - found->first,
                    found->second.bytes);
        }
        fprintf(stderr, "\n");
        abort();
    }
    signal(number, SIG_DFL);
    raise(number);
}

Device& device()
{
    static Device* only = [] {
        Device* d = new Device();
        const char* most = getenv("COND_EMULATED_MEMORY");
        d->space =
            (char*)mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (d->space == MAP_FAILED)
            fail("no addresses for the memory of the device");
        d->next = d->space;
        d->held = 0;
        d->most = most ? (size_t)strtoull(most, NULL, 10) : SIZE_MAX;
        d->open = 0;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = explain;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, NULL);
        return d;
    }();
    return *only;
}

typedef std::lock_guard<std::recursive_mutex> Lock;

void protect(Device& d, int open)
{
    if (open == d.open)
        return;
    d.open = open;
    for (auto& a : d.array)
        mprotect(a.second.pages, a.second.size, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

// Everything that a stream was given before that place.
void make(Device& d, cudaStream_t stream, uint64_t place)
{
    if (stream->made >= place)
        return;
    protect(d, 1);
    while (stream->made < place) {
        std::function<void()> work = std::move(stream->waiting.front());
        stream->waiting.pop_front();
        work();
        stream->made++;
    }
    protect(d, 0);
}

void give(cudaStream_t stream, std::function<void()> work)
{
    if (!stream)
        fail("the default stream is not emulated");
    stream->waiting.push_back(std::move(work));
    stream->given++;
}

void make_all(Device& d)
{
    for (cudaStream_t stream : d.stream)
        make(d, stream, stream->given);
}

int of_device(const Device& d, const void* at)
{
    return (const char*)at >= d.space && (const char*)at < d.space + SPACE;
}

// Bytes of the device that a copy names must be within one array.
void check_range(const Device& d, const void* at, size_t bytes, const char* what)
{
    auto found = d.array.upper_bound((char*)at);
    if (found == d.array.begin())
        fail("%s: no array begins before %p", what, at);
    --found;
    if ((const char*)at + bytes > found->first + found->second.bytes)
        fail("%s of %zu bytes ends %td bytes behind an array of %zu", what, bytes,
             (const char*)at + bytes - (found->first + found->second.bytes), found->second.bytes);
}

int is_pinned(const Device& d, const void* at, size_t bytes)
{
    auto found = d.pinned.upper_bound((char*)at);
    if (found == d.pinned.begin())
        return 0;
    --found;
    return (const char*)at + bytes <= found->first + found->second;
}

} // namespace

// ---- memory

cudaError_t cudaMalloc(void** memory, size_t bytes)
{
    Device& d = device();
    Lock lock(d.mutex);
    *memory = NULL;
    if (bytes > d.most - d.held)
        return note(cudaErrorMemoryAllocation);
    size_t own = (bytes + ALIGN - 1) / ALIGN * ALIGN, size = (own + PAGE - 1) / PAGE * PAGE;
    char* pages = d.next + PAGE;
    if (pages + size + PAGE > d.space + SPACE || mprotect(pages, size, PROT_READ | PROT_WRITE))
        return note(cudaErrorMemoryAllocation);
    d.next = pages + size;
    memset(pages, FULL, size);
    if (!d.open)
        mprotect(pages, size, PROT_NONE);
    d.held += bytes;
    d.array[pages + size - own] = {pages, size, bytes};
    *memory = pages + size - own;
    return cudaSuccess;
}

cudaError_t cudaFree(void* memory)
{
    Device& d = device();
    Lock lock(d.mutex);
    if (!memory)
        return cudaSuccess;
    make_all(d); // cudaFree waits
    auto found = d.array.find((char*)memory);
    if (found == d.array.end())
        fail("cudaFree of %p, which is no array", memory);
    Array a = found->second;
    mprotect(a.pages, a.size, PROT_READ);
    for (char* p = a.pages; p < (char*)memory; p++)
        if ((unsigned char)*p != FULL)
            fail("something wrote %td bytes before an array of %zu", (char*)memory - p, a.bytes);
    d.held -= a.bytes;
    d.array.erase(found);
    if (mmap(a.pages, a.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
             -1, 0) == MAP_FAILED)
        fail("an array cannot be given back");
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void** memory, size_t bytes)
{
    Device& d = device();
    Lock lock(d.mutex);
    *memory = malloc(bytes);
    if (!*memory)
        return note(cudaErrorMemoryAllocation);
    memset(*memory, FULL, bytes);
    d.pinned[(char*)*memory] = bytes;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory)
{
    Device& d = device();
    Lock lock(d.mutex);
    make_all(d);
    d.pinned.erase((char*)memory);
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    Device& d = device();
    Lock lock(d.mutex);
    if (bytes == 0)
        return cudaSuccess;
    int to_device = of_device(d, to), from_device = of_device(d, from);
    if ((kind == cudaMemcpyHostToDevice && (!to_device || from_device)) ||
        (kind == cudaMemcpyDeviceToHost && (to_device || !from_device)))
        fail("a copy whose kind %d is not that of its pointers %p, %p", (int)kind, to, from);
    if (to_device)
        check_range(d, to, bytes, "a copy to the device");
    if (from_device)
        check_range(d, from, bytes, "a copy from the device");
    give(stream, [=] { memmove(to, from, bytes); });
    if ((!to_device && !is_pinned(d, to, bytes)) || (!from_device && !is_pinned(d, from, bytes)))
        make(d, stream, stream->given);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream)
{
    Device& d = device();
    Lock lock(d.mutex);
    if (bytes == 0)
        return cudaSuccess;
    check_range(d, to, bytes, "a memset");
    give(stream, [=] { memset(to, value, bytes); });
    return cudaSuccess;
}

// ---- streams and events

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags)
{
    Device& d = device();
    Lock lock(d.mutex);
    (void)flags;
    *stream = new CUstream_st();
    d.stream.insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    Device& d = device();
    Lock lock(d.mutex);
    make(d, stream, stream->given);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    Device& d = device();
    Lock lock(d.mutex);
    make(d, stream, stream->given);
    d.stream.erase(stream);
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    *event = new CUevent_st();
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags)
{
    (void)flags;
    return cudaEventCreate(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    Device& d = device();
    Lock lock(d.mutex);
    give(stream, [=] { event->time = Clock::now(); });
    event->stream = stream;
    event->place = stream->given;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    Device& d = device();
    Lock lock(d.mutex);
    if (event->stream)
        make(d, event->stream, event->place);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to)
{
    Device& d = device();
    Lock lock(d.mutex);
    if (!from->stream || !to->stream || to->stream->made < to->place)
        return note(cudaErrorInvalidValue);
    *ms = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    Device& d = device();
    Lock lock(d.mutex);
    if (event->stream && d.stream.count(event->stream))
        make(d, event->stream, event->place);
    delete event;
    return cudaSuccess;
}

// ---- launches

// Words that are no addresses, or those of nothing, are numbers.
void emulation::check_argument(const void* argument, size_t bytes)
{
    const Device& d = device();
    for (size_t at = 0; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, (const char*)argument + at, sizeof word);
        if (word < ((uintptr_t)1 << 32) || word >> 47 || of_device(d, (const void*)word))
            continue;
        if (msync((void*)(word / PAGE * PAGE), PAGE, MS_ASYNC) == 0)
            fail("an argument of a kernel has the address %p of the host at byte %zu of %zu",
                 (void*)word, at, bytes);
    }
}

cudaError_t emulation::launch(Body body, dim3 grid, dim3 block, int cooperative,
                              cudaStream_t stream)
{
    Device& d = device();
    Lock lock(d.mutex);
    if (grid.x == 0 || block.x == 0 || block.x > 1024 || grid.y * grid.z * block.y * block.z != 1)
        return note(cudaErrorInvalidConfiguration);
    if (cooperative && (int)grid.x > blocks_at_once())
        return note(cudaErrorCooperativeLaunchTooLarge);
    give(stream, [=] { run(body, grid, block, cooperative); });
    return cudaSuccess;
}

// ---- the device

const char* cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess                     ? "no error"
           : error == cudaErrorMemoryAllocation     ? "out of memory"
           : error == cudaErrorInvalidConfiguration ? "invalid configuration argument"
                                                    : "invalid argument";
}

cudaError_t cudaGetLastError()
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetDeviceCount(int* count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number)
{
    (void)number;
    snprintf(properties->name, sizeof properties->name, "emulated on the processor, for tests");
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number)
{
    (void)number, (void)attribute;
    *value = blocks_at_once();
    return cudaSuccess;
}
