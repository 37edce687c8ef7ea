// Offsets and sorting on a CUDA device, in integers: the order is that of the plain loops.
#ifndef COND_CUDA_SORT_CUH
#define COND_CUDA_SORT_CUH

#include "cuda/launch.cuh"

#include <stdint.h>

namespace cond
{

enum {
    SORT_THREADS = 256,
    SORT_ROUNDS = 8,
    SORT_TILE = SORT_THREADS * SORT_ROUNDS, // items of a block
    SORT_DIGITS = 256                       // of eight bits, one a thread
};

static inline int sort_tiles(int n)
{
    return (n + SORT_TILE - 1) / SORT_TILE;
}

// The sum of what the threads before have, of a whole block; *total: of all.
static __device__ inline int scan_block(int a, int* total)
{
    __shared__ int of_warp[SORT_THREADS / 32];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, sum = a;
    for (int k = 1; k < 32; k *= 2) {
        int before = __shfl_up_sync(0xffffffffu, sum, (unsigned)k);
        sum += lane >= k ? before : 0;
    }
    __syncthreads(); // what was there has been read
    if (lane == 31)
        of_warp[warp] = sum;
    __syncthreads();
    int before = 0;
    *total = 0;
    for (int w = 0; w < SORT_THREADS / 32; w++) {
        before += w < warp ? of_warp[w] : 0;
        *total += of_warp[w];
    }
    return before + sum - a;
}

// Offsets within each tile, and its sum.
static __global__ void __launch_bounds__(SORT_THREADS) scan_tiles(int n, int* count, int* tile_sum)
{
    int begin = (int)blockIdx.x * SORT_TILE + (int)threadIdx.x * SORT_ROUNDS, own[SORT_ROUNDS];
    int sum = 0, total;
    for (int k = 0; k < SORT_ROUNDS; k++) {
        own[k] = begin + k < n ? count[begin + k] : 0;
        sum += own[k];
    }
    int at = scan_block(sum, &total);
    for (int k = 0; k < SORT_ROUNDS; k++) {
        if (begin + k < n)
            count[begin + k] = at;
        at += own[k];
    }
    if (threadIdx.x == 0)
        tile_sum[blockIdx.x] = total;
}

// Sums of tiles become offsets; one block. `total`: of all.
static __global__ void __launch_bounds__(SORT_THREADS) scan_sums(int n, int* tile_sum, int* total)
{
    int carry = 0;
    for (int first = 0; first < n; first += SORT_THREADS) {
        int i = first + (int)threadIdx.x, sum;
        int a = i < n ? tile_sum[i] : 0;
        int at = scan_block(a, &sum);
        if (i < n)
            tile_sum[i] = carry + at;
        carry += sum;
    }
    if (threadIdx.x == 0)
        *total = carry;
}

static __global__ void __launch_bounds__(SORT_THREADS)
    add_sums(int n, int* count, const int* tile_sum)
{
    int begin = (int)blockIdx.x * SORT_TILE + (int)threadIdx.x;
    for (int i = begin; i < (int)(blockIdx.x + 1) * SORT_TILE && i < n; i += SORT_THREADS)
        count[i] += tile_sum[blockIdx.x];
}

// n counts become n + 1 offsets.                                       tile_sum: (sort_tiles(n))
static inline void scan_counts(int n, int* count, int* tile_sum, cudaStream_t stream)
{
    int tiles = sort_tiles(n);
    if (tiles > 0)
        launch(scan_tiles, (unsigned)tiles, SORT_THREADS, stream, n, count, tile_sum);
    launch(scan_sums, 1, SORT_THREADS, stream, tiles, tile_sum, count + n);
    if (tiles > 1)
        launch(add_sums, (unsigned)tiles, SORT_THREADS, stream, n, count, tile_sum);
}

// How often each digit is in each tile, by digits.
static __global__ void __launch_bounds__(SORT_THREADS)
    count_digits(int n, int shift, const uint64_t* key, int* count)
{
    __shared__ int own[SORT_DIGITS];
    int tile = (int)blockIdx.x, begin = tile * SORT_TILE;
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = begin + (int)threadIdx.x; i < begin + SORT_TILE && i < n; i += SORT_THREADS)
        atomicAdd(&own[key[i] >> shift & (SORT_DIGITS - 1)], 1); // a count: no order matters
    __syncthreads();
    count[(int)threadIdx.x * (int)gridDim.x + tile] = own[threadIdx.x];
}

// Moves the items of a tile to their places, round by round, in a round by warps and lanes: equal
// digits stay in order.
static __global__ void __launch_bounds__(SORT_THREADS)
    move_items(int n, int shift, const int* begin_of, const uint64_t* key, const int* item,
               uint64_t* to_key, int* to_item)
{
    enum { WARPS_ = SORT_THREADS / 32 };
    __shared__ int next[SORT_DIGITS], of_warp[WARPS_][SORT_DIGITS];
    int tile = (int)blockIdx.x, lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    next[threadIdx.x] = begin_of[(int)threadIdx.x * (int)gridDim.x + tile];
    for (int round = 0; round < SORT_ROUNDS; round++) {
        int i = tile * SORT_TILE + round * SORT_THREADS + (int)threadIdx.x, there = i < n;
        for (int w = 0; w < WARPS_; w++)
            of_warp[w][threadIdx.x] = 0;
        __syncthreads();
        uint64_t own = there ? key[i] : 0;
        int digit = there ? (int)(own >> shift & (SORT_DIGITS - 1)) : SORT_DIGITS + lane;
        unsigned same = __match_any_sync(0xffffffffu, digit);
        int before = __popc(same & ((1u << lane) - 1u));
        if (there && before == 0)
            of_warp[warp][digit] = __popc(same);
        __syncthreads();
        int at = next[threadIdx.x];
        for (int w = 0; w < WARPS_; w++) { // thread d: where digit d of each warp goes
            int count = of_warp[w][threadIdx.x];
            of_warp[w][threadIdx.x] = at;
            at += count;
        }
        next[threadIdx.x] = at;
        __syncthreads();
        if (there) {
            int to = of_warp[warp][digit] + before;
            to_key[to] = own;
            to_item[to] = item[i];
        }
        __syncthreads();
    }
}

// Numbers of an int that sorting needs beside its arrays.
static inline size_t sort_room(int n)
{
    size_t counts = (size_t)SORT_DIGITS * (size_t)sort_tiles(n);
    return counts + 1 + (size_t)sort_tiles((int)counts);
}

// Eight passes, so that what is sorted ends where it was.                    room: (sort_room(n))
static inline void sort_items(int n, uint64_t* key, int* item, uint64_t* spare_key, int* spare_item,
                              int* room, cudaStream_t stream)
{
    int tiles = sort_tiles(n), n_count = SORT_DIGITS * tiles;
    uint64_t* keys[] = {key, spare_key};
    int* items[] = {item, spare_item};
    for (int pass = 0; pass < 8; pass++) {
        int from = pass % 2, to = 1 - from;
        launch(count_digits, (unsigned)tiles, SORT_THREADS, stream, n, 8 * pass, keys[from], room);
        scan_counts(n_count, room, room + n_count + 1, stream);
        launch(move_items, (unsigned)tiles, SORT_THREADS, stream, n, 8 * pass, room, keys[from],
               items[from], keys[to], items[to]);
    }
}

} // namespace cond
#endif
