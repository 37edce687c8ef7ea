// The host's side of soft_cg.h: keeps a system on the device, lays it out for warps, and runs the
// one kernel of a solve, in which the whole grid stays until the iterations have ended.
#include "cuda/launch.cuh"
#include "cuda/soft_cg_device.cuh"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace cond;

namespace
{

// Memory of the device that grows.
struct Buffer {
    void* data;
    size_t size;
};

// The arrays of a workspace, by name.
enum {
    PLACE_BEGIN,
    SLICE_BEGIN,
    COLUMN,
    VALUE,
    DIAGONAL_AT,
    B_LINES,
    X,
    R,
    Z,
    P,
    Q,
    JOIN_SIZE,
    JOIN_ROW,
    JOIN_GAIN,
    JOIN_CELL_BEGIN,
    JOIN_CELL,
    GAIN,
    SHARE,
    SHARE_VALUE,
    CELL_BEGIN,
    CELL_ROW,
    PART_CELL,
    NODE_SHARE_BEGIN,
    NODE_SHARE,
    CELL_SUM,
    FORCE,
    VELOCITY,
    ATTACHED,
    PART_BEGIN,
    PART_SUM,
    C_ROWS,
    BC_ROWS,
    S_MATRIX,
    S_INVERSE,
    PRODUCT_INTERFACE,
    STEP_INTERFACE,
    INTERFACE,
    GROUP_BEGIN,
    PART_GROUP,
    INVERSE,
    FRAME,
    SKEW_BEGIN,
    SKEW,
    SKEW_ROWS,
    MOTION_SUM,
    BLOCK_SUM,
    OUT,
    OUT_GOAL,
    RAW,
    RAW_2,
    RAW_3, // as the host has it
    LEVEL, // and behind it those of each level
    N_OF_LEVEL = 11,
    N_BUFFER = LEVEL + N_OF_LEVEL * COND_CUDA_LEVELS
};
enum { L_ROW, L_COLUMN, L_GROUP, L_MEMBER_BEGIN, L_MEMBER, L_A, L_D, L_ARM, L_X, L_R, L_Y };

} // namespace

struct CondCudaSoft {
    CondContext context;
    cudaStream_t stream;
    Buffer buffer[N_BUFFER];
    System system;
    uint64_t pattern, matrix, joins, groups, levels; // versions on the device
    int blocks;                                      // that the device holds at once
    int n_place;
    int n_column;
    size_t held, in, out;
    cudaEvent_t begins, ends; // of the iterations
    double ms, products;
    cudaError_t failed;
    size_t wanted; // bytes that the device had no room for
};

namespace
{

CondStatus set_error(CondError* error, CondStatus status, const char* format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

// Room for `size` bytes. What was there is lost when it grows.
void* reserve(CondCudaSoft* soft, int name, size_t size)
{
    Buffer* buffer = &soft->buffer[name];
    size = size > 0 ? size : 1;
    if (soft->failed || buffer->size >= size)
        return buffer->data;
    if (buffer->data)
        cudaFree(buffer->data);
    soft->held -= buffer->size;
    size_t grown = size + size / 8;
    buffer->size = 0;
    buffer->data = NULL;
    soft->failed = cudaMalloc(&buffer->data, grown);
    if (soft->failed) {
        soft->wanted = grown;
        cudaGetLastError();
        return NULL;
    }
    buffer->size = grown;
    soft->held += grown;
    return buffer->data;
}

template <typename T> T* room(CondCudaSoft* soft, int name, size_t n)
{
    return (T*)reserve(soft, name, n * sizeof(T));
}

// A copy of n items of the host.
template <typename T> T* put(CondCudaSoft* soft, int name, const T* from, size_t n)
{
    T* to = room<T>(soft, name, n);
    if (!soft->failed && n > 0)
        soft->failed =
            cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyHostToDevice, soft->stream);
    soft->in += n * sizeof(T);
    return to;
}

// The same of an array that may be on the device already.
template <typename T>
const T* show(CondCudaSoft* soft, const CondCudaSystem* system, int name, const T* from, size_t n)
{
    return system->resident ? from : put(soft, name, from, n);
}

void check(CondCudaSoft* soft)
{
    cudaError_t error = cudaGetLastError();
    if (!soft->failed)
        soft->failed = error;
}

// ---- layout for warps

// A part a warp: columns and blocks of its rows, those of a place in its lane.
__global__ void lay_out(int n_part, const int* part_four, const int* row_begin,
                        const int* slice_begin, const int* from_column, const float* from,
                        const int* diagonal, const int* order, const double* A, const int* A_begin,
                        const int* A_node, int* column, float* value, int* diagonal_at)
{
    int part = (int)(blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (part >= n_part)
        return;
    int place = 4 * part_four[part] + lane, four = place / 4;
    int there = place < 4 * part_four[part + 1];
    int begin = there ? row_begin[four] : 0, count = there ? row_begin[four + 1] - begin : 0;
    if (there && diagonal_at)
        diagonal_at[place] = order[place] < 0 ? -1 : diagonal[place] / 36 - begin;
    for (int k = 0; k < slice_begin[part + 1] - slice_begin[part]; k++) {
        size_t at = (size_t)slice_begin[part] + k;
        size_t source = (size_t)begin + k;
        if (column)
            column[WARP * at + lane] =
                k < count ? from_column[4 * source + place % 4] / 4 : 4 * part_four[part];
        int node = A && there ? A_node[place] : -1, own = -1;
        if (node >= 0 && A_begin[node] + k < A_begin[node + 1])
            own = A_begin[node] + k;
        for (int e = 0; e < 9; e++)
            value[(9 * at + e) * WARP + lane] =
                A           ? own >= 0 ? (float)A[(size_t)9 * own + e] : 0.0F
                : k < count ? from[36 * source + 12 * (e / 3) + 3 * (place % 4) + e % 3]
                            : 0.0F;
    }
}

// The blocks on the diagonal and their inverses.
__global__ void set_diagonal(int n_part, const int* place_begin, const int* slice_begin,
                             const int* diagonal_at, const float* on_diagonal, const float* pairs,
                             float* value, float* B)
{
    int part = (int)(blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (part >= n_part)
        return;
    int place = place_begin[part] + lane, there = place < place_begin[part + 1];
    int k = there ? diagonal_at[place] : -1;
    const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 9 && k >= 0; e++)
        value[(9 * ((size_t)slice_begin[part] + k) + e) * WARP + lane] =
            on_diagonal[(size_t)9 * place + e];
    for (int e = 0; e < 6; e++)
        B[((size_t)6 * part + e) * WARP + lane] =
            k >= 0 ? pairs[24 * (size_t)(place / 2) + 4 * (place % 2) + 8 * row[e] + column[e]]
                   : 0.0F;
}

// What is left of the motions of a node, and where it is in its group.
__global__ void set_frame(int n_part, const int* place_begin, const float* pairs, float* frame)
{
    int part = (int)(blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (part >= n_part)
        return;
    int place = place_begin[part] + lane, there = place < place_begin[part + 1];
    const float* from = pairs + 16 * (size_t)(place / 2) + 4 * (place % 2);
    const int source[7] = {0, 1, 2, 10, 8, 9, 11};
    for (int e = 0; e < 7; e++)
        frame[((size_t)7 * part + e) * WARP + lane] = there ? from[source[e]] : 0.0F;
}

int blocks_of(int n_part)
{
    return (n_part + WARPS - 1) / WARPS;
}

void update_matrix(CondCudaSoft* soft, const CondCudaSystem* from)
{
    System* S = &soft->system;
    int fresh = from->pattern != soft->pattern, n4 = from->n_four, np = from->n_part;
    size_t size = (size_t)from->row_begin[n4];
    if (fresh) {
        int* begin = (int*)malloc(2 * ((size_t)np + 1) * sizeof *begin);
        int* slice = begin + np + 1;
        if (!begin) {
            soft->failed = cudaErrorMemoryAllocation;
            return;
        }
        slice[0] = 0;
        for (int part = 0; part <= np; part++)
            begin[part] = 4 * from->part_four[part];
        for (int part = 0; part < np; part++) { // the first four of a part are the longest rows
            int four = from->part_four[part];
            slice[part + 1] = slice[part] + from->row_begin[four + 1] - from->row_begin[four];
        }
        soft->n_place = 4 * n4;
        soft->n_column = slice[np];
        S->n_part = np;
        S->place_begin = put(soft, PLACE_BEGIN, begin, (size_t)np + 1);
        S->slice_begin = put(soft, SLICE_BEGIN, slice, (size_t)np + 1);
        if (!soft->failed)
            soft->failed = cudaStreamSynchronize(soft->stream); // before `begin` goes
        free(begin);
        float4** vectors[] = {&S->x, &S->r, &S->z, &S->p, &S->q};
        for (int k = 0; k < 5; k++)
            *vectors[k] = room<float4>(soft, X + k, (size_t)soft->n_place);
        room<int>(soft, DIAGONAL_AT, (size_t)soft->n_place);
        S->column = room<int>(soft, COLUMN, (size_t)WARP * soft->n_column);
        S->value = room<float>(soft, VALUE, (size_t)9 * WARP * soft->n_column);
        S->B = room<float>(soft, B_LINES, (size_t)6 * WARP * np);
    }
    if (fresh || from->matrix != soft->matrix) {
        float* value = from->resident ? NULL : put(soft, RAW, from->value, 36 * size);
        const int *part_four = NULL, *row_begin = NULL, *column = NULL, *diagonal = NULL,
                  *order = NULL;
        // The host's layout comes again with it: it is needed for this copy alone.
        int* raw = room<int>(
            soft, RAW_2, (size_t)np + 1 + (size_t)n4 + 1 + (fresh ? 4 * size + 8 * (size_t)n4 : 0));
        if (soft->failed)
            return;
        struct {
            const int* from;
            size_t n;
            const int** to;
        } lists[] = {{from->part_four, (size_t)np + 1, &part_four},
                     {from->row_begin, (size_t)n4 + 1, &row_begin},
                     {from->column, fresh ? 4 * size : 0, &column},
                     {from->diagonal, fresh ? 4 * (size_t)n4 : 0, &diagonal},
                     {from->order, fresh ? 4 * (size_t)n4 : 0, &order}};
        for (int k = 0; k < 5; k++) {
            *lists[k].to = raw;
            if (lists[k].n > 0 && !soft->failed)
                soft->failed = cudaMemcpyAsync(raw, lists[k].from, lists[k].n * sizeof *raw,
                                               cudaMemcpyHostToDevice, soft->stream);
            soft->in += lists[k].n * sizeof *raw;
            raw += lists[k].n;
        }
        if (soft->failed)
            return;
        launch(lay_out, blocks_of(np), BLOCK, soft->stream, np, part_four, row_begin,
               S->slice_begin, column, value, diagonal, order, from->resident ? from->A : NULL,
               from->A_begin, from->A_node, fresh ? (int*)S->column : NULL, (float*)S->value,
               fresh ? (int*)soft->buffer[DIAGONAL_AT].data : NULL);
        check(soft);
    }
    soft->pattern = from->pattern;
    soft->matrix = from->matrix;
    const float* on_diagonal =
        show(soft, from, RAW_2, from->on_diagonal, (size_t)9 * soft->n_place);
    const float* pairs = show(soft, from, RAW_3, from->B, (size_t)48 * n4);
    if (soft->failed)
        return;
    launch(set_diagonal, blocks_of(np), BLOCK, soft->stream, np, S->place_begin, S->slice_begin,
           (const int*)soft->buffer[DIAGONAL_AT].data, on_diagonal, pairs, (float*)S->value,
           (float*)S->B);
    check(soft);
}

// Items by the list that each belongs to: offsets and items.
void list_by(int n_list, int n, int (*of)(const void* data, int item), const void* data, int* begin,
             int* item)
{
    memset(begin, 0, ((size_t)n_list + 1) * sizeof *begin);
    for (int k = 0; k < n; k++)
        begin[of(data, k) + 1]++;
    for (int l = 0; l < n_list; l++)
        begin[l + 1] += begin[l];
    for (int k = 0; k < n; k++)
        item[begin[of(data, k)]++] = k;
    for (int l = n_list; l > 0; l--)
        begin[l] = begin[l - 1];
    begin[0] = 0;
}

int node_of_share(const void* data, int k)
{
    return ((const CondCudaSystem*)data)->share[3 * k];
}

int join_of_cell(const void* data, int k)
{
    const CondCudaSystem* from = (const CondCudaSystem*)data;
    return from->share[3 * from->cell_begin[k] + 1];
}

void update_joins(CondCudaSoft* soft, const CondCudaSystem* from)
{
    System* S = &soft->system;
    int nj = from->n_join, ns = from->n_share, nc = from->n_cell, nb = from->n_interface;
    if (from->joins != soft->joins) {
        size_t size = (size_t)soft->n_place + 1 + ns + nj + 1 + nc;
        int* list = (int*)malloc(size * sizeof *list);
        if (!list) {
            soft->failed = cudaErrorMemoryAllocation;
            return;
        }
        int *node_begin = list, *node = node_begin + soft->n_place + 1, *cell_begin = node + ns,
            *cell = cell_begin + nj + 1;
        if (nj > 0) {
            list_by(soft->n_place, ns, node_of_share, from, node_begin, node);
            list_by(nj, nc, join_of_cell, from, cell_begin, cell);
            S->node_share_begin =
                put(soft, NODE_SHARE_BEGIN, node_begin, (size_t)soft->n_place + 1);
            S->node_share = put(soft, NODE_SHARE, node, (size_t)ns);
            S->join_cell_begin = put(soft, JOIN_CELL_BEGIN, cell_begin, (size_t)nj + 1);
            S->join_cell = put(soft, JOIN_CELL, cell, (size_t)nc);
            S->join_size = put(soft, JOIN_SIZE, from->join_size, (size_t)nj);
            S->join_row = put(soft, JOIN_ROW, from->join_row, (size_t)nj + 1);
            S->join_gain = put(soft, JOIN_GAIN, from->join_gain, (size_t)nj + 1);
            S->share = (const int3*)put(soft, SHARE, from->share, 3 * (size_t)ns);
            S->share_value = put(soft, SHARE_VALUE, from->share_value, (size_t)from->n_share_value);
            S->cell_begin = put(soft, CELL_BEGIN, from->cell_begin, (size_t)nc + 1);
            S->cell_row = put(soft, CELL_ROW, from->cell_row, (size_t)nc + 1);
            S->part_cell = put(soft, PART_CELL, from->part_cell, (size_t)from->n_part + 1);
            S->cell_sum = room<float>(soft, CELL_SUM, (size_t)from->cell_row[nc]);
            S->force = room<float>(soft, FORCE, (size_t)from->join_row[nj]);
            S->velocity = room<double>(soft, VELOCITY, (size_t)from->join_row[nj]);
            if (!soft->failed)
                soft->failed = cudaMemsetAsync(
                    S->force, 0, (size_t)from->join_row[nj] * sizeof(float), soft->stream);
        }
        S->attached = put(soft, ATTACHED, from->attached, (size_t)from->n_attached);
        S->part_begin = put(soft, PART_BEGIN, from->part_begin, (size_t)from->n_part + 1);
        S->part_sum = put(soft, PART_SUM, from->part_sum, (size_t)from->n_part);
        size = (size_t)from->n_interface_sum * from->wide;
        S->product_interface = room<float>(soft, PRODUCT_INTERFACE, size);
        S->step_interface = room<float>(soft, STEP_INTERFACE, size);
        if (!soft->failed)
            soft->failed = cudaStreamSynchronize(soft->stream); // before the lists go
        free(list);
        S->n_join = nj;
        S->n_cell = nc;
        S->n_interface = nb;
        S->wide = from->wide;
        S->n_interface_sum = from->n_interface_sum;
        soft->joins = from->joins;
    }
    size_t rows = (size_t)3 * from->n_attached * from->wide, square = (size_t)nb * nb;
    if (nj > 0)
        S->gain = show(soft, from, GAIN, from->gain, (size_t)from->join_gain[nj]);
    S->C = show(soft, from, C_ROWS, from->C, rows);
    S->BC = show(soft, from, BC_ROWS, from->BC, rows);
    S->S = show(soft, from, S_MATRIX, from->S, square);
    S->S_inverse = show(soft, from, S_INVERSE, from->S_inverse, square);
}

void update_level(CondCudaSoft* soft, const CondCudaSystem* from, int l, int fresh)
{
    const CondCudaLevel* f = &from->level[l];
    Level* L = &soft->system.level[l];
    int base = LEVEL + N_OF_LEVEL * l, last = l + 1 == from->n_level;
    size_t n = (size_t)f->n_node, blocks = last ? 0 : (size_t)f->row_begin[n];
    if (fresh) {
        L->n_node = f->n_node;
        L->n_group = f->n_group;
        L->r = room<float>(soft, base + L_R, 8 * n);
        L->y = room<float>(soft, base + L_Y, 8 * n);
        if (!last) {
            L->x = room<float>(soft, base + L_X, 8 * n);
            L->row_begin = put(soft, base + L_ROW, f->row_begin, n + 1);
            L->column = put(soft, base + L_COLUMN, f->column, blocks);
            L->group = put(soft, base + L_GROUP, f->group, n);
            L->member_begin =
                put(soft, base + L_MEMBER_BEGIN, f->member_begin, (size_t)f->n_group + 1);
            L->member = put(soft, base + L_MEMBER, f->member, n);
        }
    }
    L->step = f->step;
    L->ratio = f->ratio;
    if (last)
        return;
    L->A = show(soft, from, base + L_A, f->A, 36 * blocks);
    L->D = show(soft, from, base + L_D, f->D, 36 * n);
    L->arm = show(soft, from, base + L_ARM, f->arm, 3 * n);
}

void update_coarse(CondCudaSoft* soft, const CondCudaSystem* from)
{
    System* S = &soft->system;
    S->coarse = from->coarse;
    S->scale = from->scale;
    if (!from->coarse)
        return;
    int fresh = from->groups != soft->groups, np = from->n_part;
    if (fresh) {
        S->deep = from->deep;
        S->n_group = from->n_group;
        S->n_level = from->n_level;
        S->n_coarse = from->n_coarse;
        S->wide_coarse = from->wide_coarse;
        S->group_begin = put(soft, GROUP_BEGIN, from->group_begin, (size_t)from->n_group + 1);
        S->part_group = put(soft, PART_GROUP, from->part_group, (size_t)np);
        S->motion_sum = room<float>(soft, MOTION_SUM, (size_t)8 * np);
        S->frame = room<float>(soft, FRAME, (size_t)7 * WARP * np);
    }
    if (fresh || from->levels != soft->levels) {
        for (int l = 0; l < from->n_level; l++)
            update_level(soft, from, l, fresh);
        S->inverse =
            show(soft, from, INVERSE, from->inverse, (size_t)from->n_coarse * from->wide_coarse);
    }
    soft->groups = from->groups;
    soft->levels = from->levels;
    const float* pairs = show(soft, from, RAW, from->frame, (size_t)8 * soft->n_place);
    S->skew_begin = show(soft, from, SKEW_BEGIN, from->skew_begin, (size_t)np + 1);
    S->skew = show(soft, from, SKEW, from->skew, (size_t)from->n_skew);
    S->skew_rows = show(soft, from, SKEW_ROWS, from->skew_rows, (size_t)24 * from->n_skew);
    if (soft->failed)
        return;
    launch(set_frame, blocks_of(np), BLOCK, soft->stream, np, S->place_begin, pairs,
           (float*)S->frame);
    check(soft);
}

// ---- the solve

__global__ void __launch_bounds__(BLOCK) solve_kernel(const __grid_constant__ System S)
{
    __shared__ Shared sh;
    Grid grid = {cooperative_groups::this_grid(), (int)blockIdx.x, (int)gridDim.x, 0, 0, 0};
    grid.first_part = (int)((long long)S.n_part * grid.block / grid.n_block);
    grid.last_part = (int)((long long)S.n_part * (grid.block + 1) / grid.n_block);
    if ((int)threadIdx.x < S.n_interface) {
        sh.r[threadIdx.x] = S.interface[threadIdx.x];
        sh.x[threadIdx.x] = sh.p[threadIdx.x] = sh.q[threadIdx.x] = 0.0;
    }
    __syncthreads();
    iterate(grid, S, sh);
}

// As many blocks as have parts, at most those that fit on the device at once.
int grid_size(const CondCudaSoft* soft)
{
    int wanted = blocks_of(soft->system.n_part);
    return wanted < soft->blocks ? wanted : soft->blocks;
}

void run(CondCudaSoft* soft, CondCudaSolve* solve)
{
    System* S = &soft->system;
    size_t n = (size_t)soft->n_place;
    int blocks = grid_size(soft), out[2] = {0, 1};
    S->block_sum = room<double>(soft, BLOCK_SUM, (size_t)2 * N_SUM * blocks);
    S->interface = room<double>(soft, INTERFACE, (size_t)S->n_interface);
    S->out = room<int>(soft, OUT, 2);
    S->out_goal = room<double>(soft, OUT_GOAL, 1);
    room<float4>(soft, R, n);
    if (!soft->failed) // of the host or of the device
        soft->failed =
            cudaMemcpyAsync(S->r, solve->r, n * sizeof(float4), cudaMemcpyDefault, soft->stream);
    if (!soft->failed && S->n_interface > 0)
        soft->failed =
            cudaMemcpyAsync(S->interface, solve->interface, (size_t)S->n_interface * sizeof(double),
                            cudaMemcpyDefault, soft->stream);
    float4* clear[] = {S->x, S->p, S->q};
    for (int k = 0; k < 3 && !soft->failed; k++)
        soft->failed = cudaMemsetAsync(clear[k], 0, n * sizeof(float4), soft->stream);
    if (soft->failed)
        return;
    S->goal = solve->goal;
    S->reduction = solve->reduction;
    S->max_products = solve->max_products;
    void* arguments[] = {S};
    cudaEventRecord(soft->begins, soft->stream);
    soft->failed = cudaLaunchCooperativeKernel(solve_kernel, dim3((unsigned)blocks), dim3(BLOCK),
                                               arguments, 0, soft->stream);
    cudaEventRecord(soft->ends, soft->stream);
    struct {
        void* to;
        const void* from;
        size_t size;
    } back[] = {{solve->x, S->x, n * sizeof(float4)},
                {solve->interface, S->interface, (size_t)S->n_interface * sizeof(double)},
                {out, S->out, sizeof out},
                {&solve->goal, S->out_goal, sizeof solve->goal}};
    for (int k = 0; k < 4 && !soft->failed; k++) {
        if (back[k].size > 0)
            soft->failed = cudaMemcpyAsync(back[k].to, back[k].from, back[k].size,
                                           cudaMemcpyDefault, soft->stream);
        soft->out += back[k].size;
    }
    if (!soft->failed)
        soft->failed = cudaStreamSynchronize(soft->stream);
    float ms = 0.0F;
    if (!soft->failed && !cudaEventElapsedTime(&ms, soft->begins, soft->ends))
        soft->ms += (double)ms;
    soft->products += out[0];
    solve->products = out[0];
    solve->failed = out[1];
}

} // namespace

// ---- the interface

extern "C" int cond_cuda_is_built(void)
{
    return 1;
}

extern "C" const char* cond_cuda_name(const char** reason)
{
    static thread_local char name[256], why[160];
    int count = 0;
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (!error && count > 0)
        error = cudaGetDeviceProperties(&properties, 0);
    if (error || count == 0) {
        cudaGetLastError();
        snprintf(why, sizeof why, "%s", error ? cudaGetErrorString(error) : "no device");
        if (reason)
            *reason = why;
        return NULL;
    }
    snprintf(name, sizeof name, "%s", properties.name);
    return name;
}

extern "C" CondStatus cond_cuda_soft_create(const CondContext* context, CondCudaSoft** out,
                                            CondError* error)
{
    *out = NULL;
    const char* reason = "";
    if (!cond_cuda_name(&reason))
        return set_error(error, COND_NOT_SUPPORTED, "CUDA: %s", reason);
    CondCudaSoft* soft = (CondCudaSoft*)calloc(1, sizeof *soft);
    if (!soft)
        return set_error(error, COND_OUT_OF_MEMORY, "no memory for a workspace of the device");
    if (context)
        soft->context = *context;
    int multiprocessors = 0, each = 0;
    cudaError_t failed = cudaStreamCreateWithFlags(&soft->stream, cudaStreamNonBlocking);
    if (!failed)
        failed = cudaEventCreate(&soft->begins);
    if (!failed)
        failed = cudaEventCreate(&soft->ends);
    if (!failed)
        failed = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (!failed)
        failed = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, solve_kernel, BLOCK, 0);
    soft->blocks = multiprocessors * each;
    if (failed || soft->blocks == 0) {
        cond_cuda_soft_destroy(soft);
        return set_error(error, COND_NOT_SUPPORTED, "CUDA: %s",
                         failed ? cudaGetErrorString(failed) : "the device cannot hold a block");
    }
    *out = soft;
    return COND_OK;
}

extern "C" CondStatus cond_cuda_soft_solve(CondCudaSoft* soft, const CondCudaSystem* system,
                                           CondCudaSolve* solve, CondError* error)
{
    soft->failed = cudaSuccess;
    soft->wanted = 0;
    update_matrix(soft, system);
    if (!soft->failed)
        update_joins(soft, system);
    if (!soft->failed)
        update_coarse(soft, system);
    if (!soft->failed)
        run(soft, solve);
    if (!soft->failed)
        return COND_OK;
    soft->pattern = soft->matrix = soft->joins = soft->groups = soft->levels =
        0; // nothing is there
    if (soft->failed == cudaErrorMemoryAllocation)
        return set_error(error, COND_OUT_OF_MEMORY,
                         "the device has no room for %zu bytes more; %zu are held by this solver",
                         soft->wanted, soft->held);
    return set_error(error, COND_NOT_SUPPORTED, "CUDA: %s", cudaGetErrorString(soft->failed));
}

extern "C" void cond_cuda_soft_traffic(const CondCudaSoft* soft, size_t* held, size_t* in,
                                       size_t* out)
{
    *held = soft->held;
    *in = soft->in;
    *out = soft->out;
}

extern "C" void cond_cuda_soft_time(const CondCudaSoft* soft, double* ms, double* products)
{
    *ms = soft ? soft->ms : 0.0;
    *products = soft ? soft->products : 0.0;
}

extern "C" void cond_cuda_soft_destroy(CondCudaSoft* soft)
{
    if (!soft)
        return;
    for (int k = 0; k < N_BUFFER; k++)
        if (soft->buffer[k].data)
            cudaFree(soft->buffer[k].data);
    if (soft->begins)
        cudaEventDestroy(soft->begins);
    if (soft->ends)
        cudaEventDestroy(soft->ends);
    if (soft->stream)
        cudaStreamDestroy(soft->stream);
    free(soft);
}
