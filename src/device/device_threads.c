// The device `threads`: loops by the threads of base/parallel.h.
#include "base/memory.h"
#include "base/parallel.h"
#include "device/device.h"
#include "device/sum.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void* take(CondDevice* device, size_t bytes)
{
    return cond_allocate(&device->context, bytes, 1);
}

static void give(CondDevice* device, void* memory, size_t bytes)
{
    (void)bytes;
    cond_release(&device->context, memory);
}

static CondStatus copy(CondDevice* device, void* to, const void* from, size_t bytes)
{
    (void)device;
    memmove(to, from, bytes);
    return COND_OK;
}

void cond_threads_loop(const CondKernel* kernel, int n, size_t work, const void* args, int threads)
{
    cond_parallel_named(n, cond_threads(work * (size_t)n, threads), kernel->body, args,
                        kernel->name);
}

static CondStatus loop(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                       const void* args)
{
    cond_threads_loop(kernel, n, work, args, device->threads);
    return COND_OK;
}

// Partial sums of COND_SUM_BLOCK terms, which do not depend on the number of threads, are added in
// order; so many of them at a time that no memory is needed beyond the stack.
enum { PARTIALS = 2048 };

typedef struct Partials {
    const CondKernel* kernel;
    const void* args;
    int begin, n;
    double* part; //                                            (PARTIALS)
} Partials;

static void sum_blocks(const void* data, int first, int last)
{
    const Partials* p = data;
    for (int k = first; k < last; k++) {
        int begin = p->begin + k * COND_SUM_BLOCK, rest = p->n - begin;
        int end = begin + (rest < COND_SUM_BLOCK ? rest : COND_SUM_BLOCK);
        p->part[k] = p->kernel->partial(p->args, begin, end);
    }
}

double cond_threads_sum(const CondKernel* kernel, int n, size_t work, const void* args, int threads)
{
    double total = 0.0, part[PARTIALS];
    if (n <= COND_SUM_BLOCK) // one block
        return n > 0 ? total + kernel->partial(args, 0, n) : total;
    int n_block = cond_sum_parts(n), n_thread = cond_threads(work * (size_t)n, threads);
    for (int first = 0; first < n_block; first += PARTIALS) {
        int count = n_block - first < PARTIALS ? n_block - first : PARTIALS;
        Partials partials = {kernel, args, first * COND_SUM_BLOCK, n, part};
        cond_parallel_named(count, n_thread, sum_blocks, &partials, kernel->name);
        for (int k = 0; k < count; k++)
            total += part[k];
    }
    return total;
}

static CondStatus most(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                       const void* args, double* total)
{
    double part[PARTIALS];
    int n_block = cond_sum_parts(n), n_thread = cond_threads(work * (size_t)n, device->threads);
    *total = -INFINITY;
    for (int first = 0; first < n_block; first += PARTIALS) {
        int count = n_block - first < PARTIALS ? n_block - first : PARTIALS;
        Partials partials = {kernel, args, first * COND_SUM_BLOCK, n, part};
        cond_parallel_named(count, n_thread, sum_blocks, &partials, kernel->name);
        for (int k = 0; k < count; k++)
            *total = cond_most_of(*total, part[k]);
    }
    return COND_OK;
}

// Segments side by side, each in blocks from its own beginning.
typedef struct Segments {
    const CondKernel* kernel;
    const void* args;
    const int* begin;
    double* total;
    int largest; // 1: the largest of a segment, else its sum
} Segments;

static void join_segments(const void* data, int first, int last)
{
    const Segments* s = data;
    for (int k = first; k < last; k++) {
        double total = s->largest ? -INFINITY : 0.0;
        for (int i = s->begin[k]; i < s->begin[k + 1]; i += COND_SUM_BLOCK) {
            int rest = s->begin[k + 1] - i;
            double part =
                s->kernel->partial(s->args, i, i + (rest < COND_SUM_BLOCK ? rest : COND_SUM_BLOCK));
            total = s->largest ? cond_most_of(total, part) : total + part;
        }
        s->total[k] = total;
    }
}

static CondStatus sums(CondDevice* device, const CondKernel* kernel, int n_segment,
                       const int* begin, int n, size_t work, const void* args, double* total)
{
    Segments segments = {kernel, args, begin, total, 0};
    cond_parallel(n_segment, cond_threads(work * (size_t)n, device->threads), join_segments,
                  &segments);
    return COND_OK;
}

static CondStatus mosts(CondDevice* device, const CondKernel* kernel, int n_segment,
                        const int* begin, int n, size_t work, const void* args, double* total)
{
    Segments segments = {kernel, args, begin, total, 1};
    cond_parallel(n_segment, cond_threads(work * (size_t)n, device->threads), join_segments,
                  &segments);
    return COND_OK;
}

static CondStatus wait(CondDevice* device)
{
    (void)device;
    return COND_OK;
}

static CondStatus sum(CondDevice* device, const CondKernel* kernel, int n, size_t work,
                      const void* args, double* total)
{
    *total = cond_threads_sum(kernel, n, work, args, device->threads);
    return COND_OK;
}

// ---- offsets: sums of blocks side by side, then those of the blocks in a row

enum { BLOCK = COND_SUM_BLOCK, BLOCKS = 4096 }; // items of a block; blocks at a time

typedef struct Scan {
    int n, *count;
    int begin[BLOCKS + 1]; // of each block
} Scan;

static void add_blocks(const void* data, int first, int last)
{
    Scan* scan = *(Scan* const*)data;
    for (int b = first; b < last; b++) {
        int sum = 0;
        for (int i = b * BLOCK; i < (b + 1) * BLOCK && i < scan->n; i++)
            sum += scan->count[i];
        scan->begin[b + 1] = sum;
    }
}

static void place_blocks(const void* data, int first, int last)
{
    Scan* scan = *(Scan* const*)data;
    for (int b = first; b < last; b++) {
        int next = scan->begin[b];
        for (int i = b * BLOCK; i < (b + 1) * BLOCK && i < scan->n; i++) {
            int count = scan->count[i];
            scan->count[i] = next;
            next += count;
        }
    }
}

static CondStatus scan(CondDevice* device, int n, int* count)
{
    int total = 0;
    for (int from = 0; from < n; from += BLOCK * BLOCKS) {
        Scan some = {.n = n - from < BLOCK * BLOCKS ? n - from : BLOCK * BLOCKS,
                     .count = count + from};
        Scan* own = &some;
        int n_block = (some.n + BLOCK - 1) / BLOCK;
        int n_thread = cond_threads((size_t)some.n, device->threads);
        cond_parallel(n_block, n_thread, add_blocks, &own);
        some.begin[0] = total;
        for (int b = 0; b < n_block; b++)
            some.begin[b + 1] += some.begin[b];
        total = some.begin[n_block];
        cond_parallel(n_block, n_thread, place_blocks, &own);
    }
    count[n] = total;
    return COND_OK;
}

// ---- radix sort by bytes of the key. Each part counts its own, and places them behind those of
// the parts before it: the same order for any number of parts.

enum { RADIX = 1 << CHAR_BIT, PARTS = 64 };

typedef struct Sort {
    int n, n_part, shift;
    const uint64_t* key;
    const int* item;
    uint64_t* to_key;
    int* to_item;
    int place[PARTS][RADIX];
} Sort;

static void count_digits(const void* data, int first, int last)
{
    Sort* sort = *(Sort* const*)data;
    for (int p = first; p < last; p++) {
        memset(sort->place[p], 0, sizeof sort->place[p]);
        for (int i = cond_team_first(sort->n, p, sort->n_part);
             i < cond_team_first(sort->n, p + 1, sort->n_part); i++)
            sort->place[p][sort->key[i] >> sort->shift & (RADIX - 1)]++;
    }
}

static void move_items(const void* data, int first, int last)
{
    Sort* sort = *(Sort* const*)data;
    for (int p = first; p < last; p++)
        for (int i = cond_team_first(sort->n, p, sort->n_part);
             i < cond_team_first(sort->n, p + 1, sort->n_part); i++) {
            int to = sort->place[p][sort->key[i] >> sort->shift & (RADIX - 1)]++;
            sort->to_key[to] = sort->key[i];
            sort->to_item[to] = sort->item[i];
        }
}

// Counts become places; 1 where all keys have the same digit.
static int place_digits(Sort* sort)
{
    int next = 0, same = 0;
    for (int d = 0; d < RADIX; d++) {
        int before = next;
        for (int p = 0; p < sort->n_part; p++) {
            int count = sort->place[p][d];
            sort->place[p][d] = next;
            next += count;
        }
        same |= next - before == sort->n;
    }
    return same;
}

static CondStatus sort(CondDevice* device, int n, uint64_t* key, int* item, uint64_t* spare_key,
                       int* spare_item)
{
    Sort some = {.n = n, .key = key, .item = item, .to_key = spare_key, .to_item = spare_item};
    Sort* own = &some;
    int n_thread = cond_threads(4 * (size_t)n, device->threads);
    some.n_part = n_thread < PARTS ? n_thread : PARTS;
    for (some.shift = 0; some.shift < CHAR_BIT * (int)sizeof *key; some.shift += CHAR_BIT) {
        cond_parallel(some.n_part, n_thread, count_digits, &own);
        if (place_digits(&some))
            continue;
        cond_parallel(some.n_part, n_thread, move_items, &own);
        uint64_t* sorted_key = some.to_key;
        int* sorted_item = some.to_item;
        some.to_key = sorted_key == key ? spare_key : key;
        some.to_item = sorted_item == item ? spare_item : item;
        some.key = sorted_key;
        some.item = sorted_item;
    }
    if (some.key != key) {
        memcpy(key, spare_key, (size_t)n * sizeof *key);
        memcpy(item, spare_item, (size_t)n * sizeof *item);
    }
    return COND_OK;
}

// ---- phases

enum { PHASES = 32 };

static CondStatus phases(CondDevice* device, int n_phase, const CondDevicePhase* phase)
{
    size_t work = 0;
    CondPhase own[PHASES];
    if (n_phase > PHASES)
        return COND_BAD_ARGUMENT;
    for (int p = 0; p < n_phase; p++) {
        own[p] = (CondPhase){phase[p].kernel->body, phase[p].args, phase[p].n, phase[p].apart};
        work += phase[p].work * (size_t)phase[p].n;
    }
    cond_parallel_phases(n_phase, own, cond_threads_chained(work, device->threads),
                         phase->kernel->name);
    return COND_OK;
}

CondDevice cond_device_threads(const CondContext* context, int threads)
{
    static const CondDeviceOps ops = {"threads", take, give,  copy, copy, loop, sum,
                                      most,      sums, mosts, wait, scan, sort, phases};
    return (CondDevice){
        .ops = &ops, .context = cond_context_or_default(context), .threads = threads};
}
