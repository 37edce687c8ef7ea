// Copies between pageable and pinned memory of the host: one thread is slower than the bus.
#include "base/parallel.h"
#include "cuda/device_cuda.h"

#include <string.h>

enum { SHARE = 1 << 16 }; // bytes of an item

typedef struct Copy {
    char* to;
    const char* from;
    size_t bytes;
} Copy;

static void copy_shares(const void* data, int first, int last)
{
    const Copy* copy = data;
    size_t begin = (size_t)first * SHARE, end = (size_t)last * SHARE;
    end = end < copy->bytes ? end : copy->bytes;
    memcpy(copy->to + begin, copy->from + begin, end - begin);
}

void cond_cuda_copy_by_threads(void* to, const void* from, size_t bytes, int threads)
{
    Copy copy = {to, from, bytes};
    cond_parallel((int)((bytes + SHARE - 1) / SHARE), cond_threads(bytes / 8, threads), copy_shares,
                  &copy);
}
