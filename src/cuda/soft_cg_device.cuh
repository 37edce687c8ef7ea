// What one grid of threads does in a solve (soft_cg.h): a warp to a part of the nodes, a lane to a
// node. All blocks of the grid go through the iterations together and meet after each loop.
//
//     advance   q += what the joins do, x += alpha p, r -= alpha q, z = B r, with the shares of
//     r'z,
//               of the sums of the interface and of P' r
//     correct   the motions of the groups: y = (P' H P)^-1 P' r, by levels or by one inverse
//     turn      p = s z + P y + beta p
//     multiply  q = H p but for what the joins do, with the shares of p'q
//
// Sums are made in an order that depends on the sizes and on the number of blocks alone: the same
// device gives the same bits.
#ifndef COND_CUDA_SOFT_CG_DEVICE_CUH
#define COND_CUDA_SOFT_CG_DEVICE_CUH

#include "cuda/soft_cg.h"

#include <cooperative_groups.h>

namespace cond
{

enum {
    WARP = 32,
    WARPS = 8, // of a block
    BLOCK = WARP * WARPS,
    GROUP = 8,         // lanes to a node of six coordinates
    BLOCK_LEVEL = 256, // nodes up to which a level is made by one block
    N_SUM = 4          // sums of a block
};

struct Level {
    int n_node, n_group;
    const int *row_begin, *column, *group, *member_begin, *member;
    const float *A, *D, *arm;
    float step, ratio;
    float *x, *r, *y; // 8 a node
};

// All pointers are to the device.
struct System {
    int n_part;
    const int* place_begin; // first place of each part                          (n_part + 1)
    const int* slice_begin; // first column of blocks of each part               (n_part + 1)
    const int* column;      // places                                            (32 a column)
    const float* value;     // nine lines of 32 numbers a column
    const float* B;         // six lines of 32 numbers a part: 00 01 02 11 12 22
    float4 *x, *r, *z, *p, *q;
    // Joins.
    int n_join, n_cell;
    const int *join_size, *join_row, *join_gain, *join_cell_begin, *join_cell;
    const double* gain;
    const int3* share; // node, join, value
    const float* share_value;
    const int *cell_begin, *cell_row, *part_cell;
    const int *node_share_begin, *node_share; // of each place
    float *cell_sum, *force;                  // of the cells; of the joins
    double* velocity;                         // of the joins
    // Interface.
    int n_interface, wide, n_interface_sum;
    const int *attached, *part_begin, *part_sum;
    const float *C, *BC;
    const double *S, *S_inverse;
    // Sums of a product and of a step. Apart: one may be written while a slower block still reads
    // the other. (n_interface_sum x wide)
    float *product_interface, *step_interface;
    double* interface; // right-hand side, then the answer
    // Coarse correction.
    int coarse, deep, n_group, n_level, n_coarse, wide_coarse;
    const int *group_begin, *part_group;
    Level level[COND_CUDA_LEVELS];
    const float* inverse;
    const float* frame; // seven lines of 32 numbers a part: what is left (3), d (3), weight
    const int *skew_begin, *skew;
    const float* skew_rows;
    float* motion_sum; // P' r of each part                                      (8 n_part)
    float scale;
    double* block_sum; // N_SUM of each block, two sets in turn
    // The end.
    double goal, reduction;
    int max_products;
    int* out; // products, failed
    double* out_goal;
};

// What each block keeps for itself; the same numbers in all blocks.
struct Shared {
    double sum[N_SUM][WARPS];
    double total[N_SUM];
    double r[COND_CUDA_INTERFACE], p[COND_CUDA_INTERFACE], x[COND_CUDA_INTERFACE],
        q[COND_CUDA_INTERFACE], z[COND_CUDA_INTERFACE], s[COND_CUDA_INTERFACE];
    double part[BLOCK];
    float single[COND_CUDA_INTERFACE];
};

struct Grid {
    cooperative_groups::grid_group all;
    int block, n_block, set;
    int first_part, last_part; // of this block
    __device__ void meet()
    {
        all.sync();
    }
};

static __device__ inline double warp_sum(double a)
{
    for (int k = WARP / 2; k > 0; k /= 2)
        a += __shfl_xor_sync(0xffffffffu, a, k);
    return a;
}

// Writes the sums of a block over its threads; they are read after the grid has met.
static __device__ inline void give_sums(Grid& grid, const System& S, Shared& sh, int n,
                                        const double* mine)
{
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    __syncthreads(); // the sums before have been read
    for (int k = 0; k < n; k++) {
        double a = warp_sum(mine[k]);
        if (lane == 0)
            sh.sum[k][warp] = a;
    }
    __syncthreads();
    if ((int)threadIdx.x < n) {
        double a = 0.0;
        for (int w = 0; w < WARPS; w++)
            a += sh.sum[threadIdx.x][w];
        S.block_sum[(size_t)(grid.set * grid.n_block + grid.block) * N_SUM + threadIdx.x] = a;
    }
}

// The totals of all blocks, in sh.total. Sets alternate, so that one is written while another block
// still reads the other.
static __device__ inline void take_sums(Grid& grid, const System& S, Shared& sh, int n)
{
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const double* sums = S.block_sum + (size_t)grid.set * grid.n_block * N_SUM;
    if (warp < n) {
        double a = 0.0;
        for (int b = lane; b < grid.n_block; b += WARP)
            a += __ldcg(sums + (size_t)b * N_SUM + warp);
        a = warp_sum(a);
        if (lane == 0)
            sh.total[warp] = a;
    }
    grid.set ^= 1;
    __syncthreads();
}

// out[j] += s (sums over the parts), for all j of the interface.
static __device__ inline void add_interface_sums(const System& S, Shared& sh, const float* sums,
                                                 double s, double* out)
{
    int wide = S.wide, slices = BLOCK / wide, j = threadIdx.x % wide, slice = threadIdx.x / wide;
    double a = 0.0;
    if (slice < slices)
        for (int k = slice; k < S.n_interface_sum; k += slices)
            a += (double)__ldcg(sums + (size_t)k * wide + j);
    sh.part[threadIdx.x] = a;
    __syncthreads();
    if ((int)threadIdx.x < S.n_interface) {
        double sum = 0.0;
        for (int k = 0; k < slices; k++)
            sum += sh.part[k * wide + threadIdx.x];
        out[threadIdx.x] += s * sum;
    }
    __syncthreads();
}

// y = M x, square; all of a block.
static __device__ inline void interface_product(int n, const double* M, const double* x, double* y)
{
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    for (int i = warp; i < n; i += WARPS) {
        double a = 0.0;
        for (int j = lane; j < n; j += WARP)
            a += M[(size_t)i * n + j] * x[j];
        a = warp_sum(a);
        if (lane == 0)
            y[i] = a;
    }
    __syncthreads();
}

// a'b over the interface, the same in all threads of a block.
static __device__ inline double interface_dot(const System& S, Shared& sh, const double* a,
                                              const double* b)
{
    double sum = 0.0;
    for (int j = 0; j < S.n_interface; j++)
        sum += a[j] * b[j];
    return sum;
}

static __device__ inline float dot3(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// C' y over the attached nodes of a part; y is a whole vector, written by this warp.
static __device__ inline void sum_interface(const System& S, int part, const float4* y, float* sums)
{
    int at = S.part_sum[part], lane = threadIdx.x % WARP, wide = S.wide;
    if (at < 0)
        return;
    __syncwarp();
    for (int j = lane; j < wide; j += WARP) {
        float sum = 0.0F;
        for (int k = S.part_begin[part]; k < S.part_begin[part + 1]; k++) {
            const float* C = S.C + (size_t)3 * k * wide + j;
            float4 v = y[S.attached[k]];
            sum += C[0] * v.x + C[wide] * v.y + C[2 * wide] * v.z;
        }
        sums[(size_t)at * wide + j] = sum;
    }
}

// M b of an attached node, a lane each.
static __device__ inline float4 spread(const float* M, int n, const float* b)
{
    float4 y = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    for (int j = 0; j < n; j++) {
        y.x += M[j] * b[j];
        y.y += M[n + j] * b[j];
        y.z += M[2 * n + j] * b[j];
    }
    return y;
}

// G' f of the joins at a place.
static __device__ inline float4 join_force(const System& S, int place)
{
    float4 y = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    for (int k = S.node_share_begin[place]; k < S.node_share_begin[place + 1]; k++) {
        int3 share = S.share[S.node_share[k]];
        int row = S.join_row[share.y], wide = S.join_row[share.y + 1] - row;
        const float* G = S.share_value + share.z;
        for (int i = 0; i < wide; i++) {
            float f = __ldcg(S.force + row + i);
            y.x += G[i] * f;
            y.y += G[wide + i] * f;
            y.z += G[2 * wide + i] * f;
        }
    }
    return y;
}

// G p of the cells of a part: eight lanes to a cell.
static __device__ inline void sum_cells(const System& S, int part)
{
    int lane = threadIdx.x % WARP, row = lane % GROUP;
    for (int c = S.part_cell[part] + lane / GROUP; c < S.part_cell[part + 1]; c += WARP / GROUP) {
        int wide = S.cell_row[c + 1] - S.cell_row[c];
        for (int i = row; i < wide; i += GROUP) {
            float sum = 0.0F;
            for (int k = S.cell_begin[c]; k < S.cell_begin[c + 1]; k++) {
                int3 share = S.share[k];
                const float* G = S.share_value + share.z;
                float4 v = S.p[share.x];
                sum += G[i] * v.x + G[wide + i] * v.y + G[2 * wide + i] * v.z;
            }
            S.cell_sum[S.cell_row[c] + i] = sum;
        }
    }
}

// f = K w, w = G p, of each join; the share of w'f.
static __device__ inline double join_forces(const Grid& grid, const System& S)
{
    double total = 0.0;
    int first = grid.block * BLOCK + threadIdx.x, stride = grid.n_block * BLOCK;
    for (int j = first; j < S.n_join; j += stride) {
        int row = S.join_row[j], size = S.join_size[j];
        double* w = S.velocity + row;
        const double* K = S.gain + S.join_gain[j];
        for (int i = 0; i < size; i++) {
            double sum = 0.0;
            for (int k = S.join_cell_begin[j]; k < S.join_cell_begin[j + 1]; k++)
                sum += (double)__ldcg(S.cell_sum + S.cell_row[S.join_cell[k]] + i);
            w[i] = sum;
        }
        for (int i = 0; i < size; i++) {
            double sum = 0.0;
            for (int c = 0; c < size; c++)
                sum += K[i * size + c] * w[c];
            total += w[i] * sum;
            S.force[row + i] = (float)sum;
        }
    }
    return total;
}

// ---- the coarse correction

// The motions of a part that a vector r makes: P' r, and the weighted square of r.
static __device__ inline void sum_motions(const System& S, int part, int place, float4 r, int there,
                                          double* left)
{
    int lane = threadIdx.x % WARP;
    float m[6] = {0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F};
    const float* frame = S.frame + (size_t)7 * WARP * part + lane;
    if (there) {
        float d0 = frame[3 * WARP], d1 = frame[4 * WARP], d2 = frame[5 * WARP];
        float f0 = frame[0] * r.x, f1 = frame[WARP] * r.y, f2 = frame[2 * WARP] * r.z;
        m[0] = f0;
        m[1] = f1;
        m[2] = f2;
        m[3] = d1 * f2 - d2 * f1;
        m[4] = d2 * f0 - d0 * f2;
        m[5] = d0 * f1 - d1 * f0;
        *left += (double)frame[6 * WARP] * (double)dot3(r, r);
    }
    __syncwarp();
    int k = S.skew_begin[part] + lane;
    if (k < S.skew_begin[part + 1]) {
        const float* rows = S.skew_rows + (size_t)24 * k;
        float4 v = S.r[S.skew[k]];
        for (int i = 0; i < 6; i++)
            m[i] += rows[i] * v.x + rows[8 + i] * v.y + rows[16 + i] * v.z;
    }
    for (int i = 0; i < 6; i++)
        for (int s = WARP / 2; s > 0; s /= 2)
            m[i] += __shfl_xor_sync(0xffffffffu, m[i], s);
    if (lane < 8)
        S.motion_sum[(size_t)8 * part + lane] = lane == 0   ? m[0]
                                                : lane == 1 ? m[1]
                                                : lane == 2 ? m[2]
                                                : lane == 3 ? m[3]
                                                : lane == 4 ? m[4]
                                                : lane == 5 ? m[5]
                                                            : 0.0F;
}

// Those who make a level: all of the grid, or one block. Eight lanes make a node.
struct Makers {
    Grid* grid;     // NULL: one block
    int rank, size; // groups of eight lanes
    __device__ void meet() const
    {
        if (grid)
            grid->meet();
        else
            __syncthreads();
    }
};

// y_i = x_i + s D_i r_i; x NULL: zeros. Lane m of eight makes number m.
static __device__ inline void relax(const Makers& who, const Level& L, const float* x,
                                    const float* r, float s, float* y)
{
    int m = threadIdx.x % GROUP;
    for (int i = who.rank; i < L.n_node; i += who.size) {
        const float* D = L.D + (size_t)36 * i;
        float sum = 0.0F;
        for (int c = 0; c < 6 && m < 6; c++)
            sum += D[6 * c + m] * r[(size_t)8 * i + c];
        sum = (x ? x[(size_t)8 * i + m] : 0.0F) + s * sum;
        __syncwarp(
            0xffu << (threadIdx.x % WARP / GROUP * GROUP)); // r may be y: all eight have read it
        y[(size_t)8 * i + m] = m < 6 ? sum : 0.0F;
    }
}

// y = r - A x
static __device__ inline void residual(const Makers& who, const Level& L)
{
    int m = threadIdx.x % GROUP;
    for (int i = who.rank; i < L.n_node; i += who.size) {
        float sum = 0.0F;
        for (int k = L.row_begin[i]; k < L.row_begin[i + 1] && m < 6; k++) {
            const float* A = L.A + (size_t)36 * k + m;
            const float* x = L.x + (size_t)8 * L.column[k];
            for (int c = 0; c < 6; c++)
                sum += A[6 * c] * x[c];
        }
        L.y[(size_t)8 * i + m] = m < 6 ? L.r[(size_t)8 * i + m] - sum : 0.0F;
    }
}

// r of the next level = P' y
static __device__ inline void restrict_level(const Makers& who, const Level& L, float* r)
{
    int m = threadIdx.x % GROUP, k = m % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    for (int g = who.rank; g < L.n_group; g += who.size) {
        float sum = 0.0F;
        for (int j = L.member_begin[g]; j < L.member_begin[g + 1]; j++) {
            const float* f = L.y + (size_t)8 * L.member[j];
            const float* a = L.arm + (size_t)3 * L.member[j];
            sum += m < 3 ? f[m] : (a[k1] * f[k2] - a[k2] * f[k1]) + L.ratio * f[3 + k];
        }
        r[(size_t)8 * g + m] = m < 6 ? sum : 0.0F;
    }
}

// x += P (y of the next level)
static __device__ inline void prolong_level(const Makers& who, const Level& L, const float* y)
{
    int m = threadIdx.x % GROUP, k = m % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    for (int i = who.rank; i < L.n_node; i += who.size) {
        const float* e = y + (size_t)8 * L.group[i];
        const float* a = L.arm + (size_t)3 * i;
        float add = m < 3   ? e[m] + (e[3 + k1] * a[k2] - e[3 + k2] * a[k1])
                    : m < 6 ? L.ratio * e[m]
                            : 0.0F;
        L.x[(size_t)8 * i + m] += add;
    }
}

// y = inverse of the coarsest matrix times r, a warp to a number; the share of r'y.
static __device__ inline double solve_coarsest(const Makers& who, const System& S, const float* r,
                                               float* y)
{
    int lane = threadIdx.x % WARP;
    double share = 0.0;
    for (int i = who.rank / (WARP / GROUP); i < S.n_coarse; i += who.size / (WARP / GROUP)) {
        const float* row = S.inverse + (size_t)i * S.wide_coarse;
        float sum = 0.0F;
        for (int j = lane; j < S.n_coarse / 6 * 8; j += WARP)
            sum += j % 8 < 6 ? row[j] * r[j] : 0.0F;
        for (int s = WARP / 2; s > 0; s /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, s);
        if (lane == 0) {
            y[8 * (i / 6) + i % 6] = sum;
            share += (double)r[8 * (i / 6) + i % 6] * (double)sum;
        }
    }
    return share;
}

// The part of a visit of level l that goes down: what is left becomes r of the next level.
static __device__ inline void descend(const Makers& who, const System& S, int l)
{
    residual(who, S.level[l]);
    who.meet();
    restrict_level(who, S.level[l], S.level[l + 1].r);
    who.meet();
}

// Smooths y = x + s D (r - A x) at the end of a visit.
static __device__ inline void finish(const Makers& who, const Level& L)
{
    residual(who, L);
    __syncwarp(); // the eight numbers of a node are made by eight lanes of one warp
    relax(who, L, L.x, L.y, L.step, L.y);
}

// y = about A^-1 r on level `top`, symmetric: goes down and up through the levels below it, twice
// through all but the coarsest, which is solved. small: the first level that one block makes
// alone, while the others wait; n_level: none.
template <bool GRID>
static __device__ void cycle(const Makers& who, const System& S, int top, int small, double* share)
{
    int visit[COND_CUDA_LEVELS], l = top, last = S.n_level - 1, down = 1;
    while (l >= top) {
        const Level& L = S.level[l];
        if (down && l == last) {
            *share = solve_coarsest(who, S, L.r, L.y);
            who.meet();
            down = 0;
            l--;
            continue;
        }
        if (GRID && down && l == small) {
            if (who.grid->block == 0) {
                Makers one = {NULL, (int)threadIdx.x / GROUP, BLOCK / GROUP};
                cycle<false>(one, S, l, S.n_level, share);
            }
            who.meet();
            down = 0;
            l--;
            continue;
        }
        if (down) {
            relax(who, L, NULL, L.r, L.step, L.x);
            who.meet();
            visit[l] = 0;
        } else {
            prolong_level(who, L, S.level[l + 1].y);
            who.meet();
            visit[l]++;
        }
        if (down || visit[l] < (l + 2 < S.n_level ? 2 : 1)) {
            descend(who, S, l++);
            down = 1;
        } else {
            finish(who, L);
            who.meet();
            l--;
        }
    }
}

// The motions of the groups from the sums of the parts, in y of the first level. Returns r'y.
static __device__ double correct(Grid& grid, const System& S, Shared& sh)
{
    const Level& L = S.level[0];
    int lane = threadIdx.x % WARP, m = lane % GROUP;
    int warp = grid.block * WARPS + threadIdx.x / WARP, warps = grid.n_block * WARPS;
    for (int g = warp; g < S.n_group; g += warps) { // four parts at a time
        double sum = 0.0;
        for (int part = S.group_begin[g] + lane / GROUP; part < S.group_begin[g + 1];
             part += WARP / GROUP)
            sum += (double)__ldcg(S.motion_sum + (size_t)8 * part + m);
        sum += __shfl_xor_sync(0xffffffffu, sum, GROUP);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2 * GROUP);
        if (lane < GROUP)
            L.r[(size_t)8 * g + m] = (float)sum;
    }
    grid.meet();
    Makers all = {&grid, (grid.block * BLOCK + (int)threadIdx.x) / GROUP,
                  grid.n_block * BLOCK / GROUP};
    double share = 0.0;
    if (S.n_level == 1) {
        share = solve_coarsest(all, S, L.r, L.y);
    } else {
        int small = 1;
        while (small < S.n_level && S.level[small].n_node > BLOCK_LEVEL)
            small++;
        cycle<true>(all, S, 0, small, &share);
        share = 0.0;
        for (int i = all.rank; i < L.n_node && m < 6; i += all.size)
            share += (double)L.r[(size_t)8 * i + m] * (double)L.y[(size_t)8 * i + m];
    }
    give_sums(grid, S, sh, 1, &share);
    grid.meet();
    take_sums(grid, S, sh, 1);
    return sh.total[0];
}

// p += P y of the part's group; this warp has written p.
static __device__ inline void add_motions(const System& S, int part, int place, int there)
{
    int lane = threadIdx.x % WARP;
    const float* y = S.level[0].y + (size_t)8 * S.part_group[part];
    float e0 = __ldcg(y), e1 = __ldcg(y + 1), e2 = __ldcg(y + 2);
    float w0 = __ldcg(y + 3), w1 = __ldcg(y + 4), w2 = __ldcg(y + 5);
    const float* frame = S.frame + (size_t)7 * WARP * part + lane;
    if (there) {
        float d0 = frame[3 * WARP], d1 = frame[4 * WARP], d2 = frame[5 * WARP];
        float4 p = S.p[place];
        p.x += frame[0] * (e0 + (w1 * d2 - w2 * d1));
        p.y += frame[WARP] * (e1 + (w2 * d0 - w0 * d2));
        p.z += frame[2 * WARP] * (e2 + (w0 * d1 - w1 * d0));
        S.p[place] = p;
    }
    __syncwarp();
    int k = S.skew_begin[part] + lane;
    if (k < S.skew_begin[part + 1]) {
        const float* rows = S.skew_rows + (size_t)24 * k;
        float4 p = S.p[S.skew[k]];
        p.x +=
            rows[0] * e0 + rows[1] * e1 + rows[2] * e2 + rows[3] * w0 + rows[4] * w1 + rows[5] * w2;
        rows += 8;
        p.y +=
            rows[0] * e0 + rows[1] * e1 + rows[2] * e2 + rows[3] * w0 + rows[4] * w1 + rows[5] * w2;
        rows += 8;
        p.z +=
            rows[0] * e0 + rows[1] * e1 + rows[2] * e2 + rows[3] * w0 + rows[4] * w1 + rows[5] * w2;
        S.p[S.skew[k]] = p;
    }
    __syncwarp();
}

// ---- the loops over the parts of a block

static __device__ inline int place_of(const System& S, int part, int* there)
{
    int place = S.place_begin[part] + (int)threadIdx.x % WARP;
    *there = place < S.place_begin[part + 1];
    return place;
}

// rz and left: the shares of this thread.
static __device__ inline void advance(const Grid& grid, const System& S, float alpha, int joins,
                                      double* rz, double* left)
{
    int lane = threadIdx.x % WARP;
    for (int part = grid.first_part + (int)threadIdx.x / WARP; part < grid.last_part;
         part += WARPS) {
        int there, place = place_of(S, part, &there);
        float4 r = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
        if (there) {
            float4 q = S.q[place], p = S.p[place], x = S.x[place];
            r = S.r[place];
            if (joins) {
                float4 add = join_force(S, place);
                q.x += add.x;
                q.y += add.y;
                q.z += add.z;
            }
            x.x += alpha * p.x;
            x.y += alpha * p.y;
            x.z += alpha * p.z;
            r.x -= alpha * q.x;
            r.y -= alpha * q.y;
            r.z -= alpha * q.z;
            const float* B = S.B + (size_t)6 * WARP * part + lane;
            float4 z;
            z.x = B[0] * r.x + B[WARP] * r.y + B[2 * WARP] * r.z;
            z.y = B[WARP] * r.x + B[3 * WARP] * r.y + B[4 * WARP] * r.z;
            z.z = B[2 * WARP] * r.x + B[4 * WARP] * r.y + B[5 * WARP] * r.z;
            z.w = 0.0F;
            S.x[place] = x;
            S.r[place] = r;
            S.z[place] = z;
            *rz += (double)(r.x * z.x) + (double)(r.y * z.y) + (double)(r.z * z.z);
        }
        sum_interface(S, part, S.z, S.step_interface);
        if (S.coarse)
            sum_motions(S, part, place, r, there, left);
    }
}

static __device__ inline void turn(const Grid& grid, const System& S, Shared& sh, float beta)
{
    int lane = threadIdx.x % WARP;
    for (int part = grid.first_part + (int)threadIdx.x / WARP; part < grid.last_part;
         part += WARPS) {
        int there, place = place_of(S, part, &there);
        if (there) {
            float4 p = S.p[place], z = S.z[place];
            p.x = S.scale * z.x + beta * p.x;
            p.y = S.scale * z.y + beta * p.y;
            p.z = S.scale * z.z + beta * p.z;
            S.p[place] = p;
        }
        if (S.coarse)
            add_motions(S, part, place, there);
        int k = S.part_begin[part] + lane;
        __syncwarp();
        if (S.n_interface > 0 && k < S.part_begin[part + 1]) {
            float4 take = spread(S.BC + (size_t)3 * k * S.wide, S.wide, sh.single);
            float4 p = S.p[S.attached[k]];
            p.x -= take.x;
            p.y -= take.y;
            p.z -= take.z;
            S.p[S.attached[k]] = p;
        }
    }
}

static __device__ inline double multiply(const Grid& grid, const System& S, Shared& sh)
{
    int lane = threadIdx.x % WARP;
    double pq = 0.0;
    for (int part = grid.first_part + (int)threadIdx.x / WARP; part < grid.last_part;
         part += WARPS) {
        int there, place = place_of(S, part, &there);
        float4 q = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
        size_t at = (size_t)S.slice_begin[part], end = (size_t)S.slice_begin[part + 1];
        const int* column = S.column + WARP * at + lane;
        const float* A = S.value + 9 * WARP * at + lane;
        for (; at < end; at++, column += WARP, A += 9 * WARP) {
            float4 p = S.p[*column];
            q.x += A[0] * p.x + A[WARP] * p.y + A[2 * WARP] * p.z;
            q.y += A[3 * WARP] * p.x + A[4 * WARP] * p.y + A[5 * WARP] * p.z;
            q.z += A[6 * WARP] * p.x + A[7 * WARP] * p.y + A[8 * WARP] * p.z;
        }
        if (there) {
            float4 p = S.p[place];
            S.q[place] = q;
            pq += (double)(q.x * p.x) + (double)(q.y * p.y) + (double)(q.z * p.z);
        }
        int k = S.part_begin[part] + lane;
        __syncwarp();
        if (S.n_interface > 0 && k < S.part_begin[part + 1]) {
            float4 add = spread(S.C + (size_t)3 * k * S.wide, S.wide, sh.single);
            int node = S.attached[k];
            float4 y = S.q[node];
            y.x += add.x;
            y.y += add.y;
            y.z += add.z;
            S.q[node] = y;
            pq += (double)dot3(add, S.p[node]);
        }
        sum_interface(S, part, S.p, S.product_interface);
        if (S.n_join > 0)
            sum_cells(S, part);
    }
    return pq;
}

// ---- the iteration: linear/conjugate_gradients.c, all blocks with the same scalars

static __device__ inline double advance_interface(const System& S, Shared& sh, double alpha)
{
    int j = threadIdx.x;
    if (S.n_interface == 0)
        return 0.0;
    if (j < S.n_interface) {
        sh.x[j] += alpha * sh.p[j];
        sh.r[j] -= alpha * sh.q[j];
        sh.s[j] = sh.r[j];
    }
    __syncthreads();
    add_interface_sums(S, sh, S.step_interface, -1.0, sh.s);
    interface_product(S.n_interface, S.S_inverse, sh.s, sh.z);
    return interface_dot(S, sh, sh.s, sh.z);
}

static __device__ inline void turn_interface(const System& S, Shared& sh, double beta)
{
    int j = threadIdx.x;
    __syncthreads();
    if (j < S.n_interface) {
        sh.z[j] *= (double)S.scale;
        sh.p[j] = sh.z[j] + beta * sh.p[j];
    }
    if (j < S.wide)
        sh.single[j] = j < S.n_interface ? (float)sh.z[j] : 0.0F;
    __syncthreads();
}

static __device__ inline double multiply_interface(const System& S, Shared& sh)
{
    if (S.n_interface == 0)
        return 0.0;
    interface_product(S.n_interface, S.S, sh.p, sh.q);
    add_interface_sums(S, sh, S.product_interface, 1.0, sh.q);
    return interface_dot(S, sh, sh.p, sh.q);
}

static __device__ void iterate(Grid& grid, const System& S, Shared& sh)
{
    double alpha = 0.0, rz = 0.0, first = 0.0, goal = S.goal;
    int products = 0, failed = 0, counts = goal < 0.0;
    for (int k = 0;; k++) {
        double mine[2] = {0.0, 0.0};
        advance(grid, S, (float)alpha, k > 0 && S.n_join > 0, &mine[0], &mine[1]);
        give_sums(grid, S, sh, 2, mine);
        grid.meet();
        take_sums(grid, S, sh, 2);
        double blocks = sh.total[0], left = sh.total[1];
        double interface = advance_interface(S, sh, alpha);
        double next = interface + blocks, norm = next;
        if (S.coarse) {
            norm = interface + left;
            next = (double)S.scale * next + correct(grid, S, sh);
        }
        double beta = k > 0 ? next / rz : 0.0;
        rz = next;
        if (k == 0)
            first = norm;
        if (k == 1 && counts)
            goal = S.reduction * S.reduction * fmin(norm, first);
        failed = !isfinite(rz);
        if (failed || !(norm > fmax(goal, 0.0)) || products >= S.max_products)
            break;
        turn_interface(S, sh, beta);
        turn(grid, S, sh, (float)beta);
        grid.meet();
        if ((int)threadIdx.x < S.wide)
            sh.single[threadIdx.x] =
                (int)threadIdx.x < S.n_interface ? (float)sh.p[threadIdx.x] : 0.0F;
        __syncthreads();
        double share = multiply(grid, S, sh);
        if (S.n_join > 0) {
            grid.meet();
            share += join_forces(grid, S);
        }
        give_sums(grid, S, sh, 1, &share);
        grid.meet();
        take_sums(grid, S, sh, 1);
        double pq = sh.total[0] + multiply_interface(S, sh);
        products++;
        failed = !(pq > 0.0);
        if (failed)
            break;
        alpha = rz / pq;
    }
    if (grid.block == 0 && threadIdx.x == 0) {
        S.out[0] = products;
        S.out[1] = failed;
        *S.out_goal = goal;
    }
    if (grid.block == 0 && (int)threadIdx.x < S.n_interface)
        S.interface[threadIdx.x] = sh.x[threadIdx.x];
}

} // namespace cond
#endif
