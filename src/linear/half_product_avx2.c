// A row of a block fills three of the four lanes. The fourth of x is zero, and what stands there in
// A, the first number of the next row, ends in the fourth lane of a sum, which nobody reads.
#include "linear/half.h"

#ifdef COND_BSR3_AVX2
#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define INLINE AVX2 static inline __attribute__((always_inline))
enum { AHEAD = 2048 }; // bytes

typedef struct Block {
    __m256d b0, b1, b2;
} Block;

INLINE Block load_block(const void* at, int single)
{
    Block b;
    if (single) {
        const float* B = at;
        b = (Block){_mm256_cvtps_pd(_mm_loadu_ps(B)), _mm256_cvtps_pd(_mm_loadu_ps(B + 3)),
                    _mm256_cvtps_pd(_mm_loadu_ps(B + 6))};
    } else {
        const double* B = at;
        b = (Block){_mm256_loadu_pd(B), _mm256_loadu_pd(B + 3), _mm256_loadu_pd(B + 6)};
    }
    // Compilers would rather load twice, as operands of both products, than keep a register.
    __asm__("" : "+x"(b.b0), "+x"(b.b1), "+x"(b.b2));
    return b;
}

INLINE const void* next_block(const void* at, int single)
{
    return (const char*)at + 9 * (single ? sizeof(float) : sizeof(double));
}

// The products of a block with its column's node, row by row.
typedef struct Sums {
    __m256d s0, s1, s2;
} Sums;

// y_j += B' x_i
INLINE void add_mirrored(const Block* b, __m256d x0, __m256d x1, __m256d x2, double* yj)
{
    __m256d add = _mm256_mul_pd(b->b0, x0);
    add = _mm256_fmadd_pd(b->b1, x1, add);
    add = _mm256_fmadd_pd(b->b2, x2, add);
    _mm256_store_pd(yj, _mm256_add_pd(_mm256_load_pd(yj), add));
}

// One row of n blocks, at least one; where the next one begins.
INLINE const void* multiply_row(const void* B, const uint16_t* column, int n, size_t i,
                                const double* x, double* y, int single)
{
    __m256d x0 = _mm256_broadcast_sd(x + i), x1 = _mm256_broadcast_sd(x + i + 1),
            x2 = _mm256_broadcast_sd(x + i + 2);
    __m256d xj = _mm256_load_pd(x + column[0]);
    Block b = load_block(B, single);
    Sums s = {_mm256_mul_pd(b.b0, xj), _mm256_mul_pd(b.b1, xj), _mm256_mul_pd(b.b2, xj)};
    add_mirrored(&b, x0, x1, x2, y + column[0]);
    B = next_block(B, single);
    for (int k = 1; k < n; k++) {
        xj = _mm256_load_pd(x + column[k]);
        b = load_block(B, single);
        s.s0 = _mm256_fmadd_pd(b.b0, xj, s.s0);
        s.s1 = _mm256_fmadd_pd(b.b1, xj, s.s1);
        s.s2 = _mm256_fmadd_pd(b.b2, xj, s.s2);
        add_mirrored(&b, x0, x1, x2, y + column[k]);
        _mm_prefetch((const char*)B + AHEAD, _MM_HINT_T0);
        B = next_block(B, single);
    }
    // s0, s1 and s2 summed over their lanes
    __m256d h01 = _mm256_hadd_pd(s.s0, s.s1), h2 = _mm256_hadd_pd(s.s2, s.s2);
    __m256d low = _mm256_permute2f128_pd(h01, h2, 0x20);
    __m256d high = _mm256_permute2f128_pd(h01, h2, 0x31);
    double* yi = y + i;
    _mm256_store_pd(yi, _mm256_add_pd(_mm256_load_pd(yi), _mm256_add_pd(low, high)));
    return B;
}

// x of the chunk's nodes, and what the diagonal blocks give, each being its own mirror image.
INLINE const void* start_chunk(const CondHalf* half, const CondHalfChunk* c, const void* B,
                               const double* x, double* local, double* y, int single)
{
    const int* node = half->node + c->node_begin;
    __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
    for (int i = 0; i < c->n_own; i++) {
        const double* xi = x + node[i];
        Block D = load_block(B, single);
        __m256d sum = _mm256_mul_pd(D.b0, _mm256_broadcast_sd(xi));
        sum = _mm256_fmadd_pd(D.b1, _mm256_broadcast_sd(xi + 1), sum);
        sum = _mm256_fmadd_pd(D.b2, _mm256_broadcast_sd(xi + 2), sum);
        _mm256_store_pd(local + 4 * i, _mm256_maskload_pd(xi, three));
        _mm256_store_pd(y + 4 * i, sum);
        _mm_prefetch((const char*)B + AHEAD, _MM_HINT_T0);
        B = next_block(B, single);
    }
    for (int i = c->n_own; i < c->n_node; i++) {
        _mm256_store_pd(local + 4 * i, _mm256_maskload_pd(x + node[i], three));
        _mm256_store_pd(y + 4 * i, _mm256_setzero_pd());
    }
    return B;
}

// Rows of n blocks each: the compiler unrolls the loop over those of a row.
#define ROWS(n)                                                                                    \
    case n:                                                                                        \
        for (int r = 0; r < run.n_row; r++, column += (n))                                         \
            B = multiply_row(B, column, n, row[r], x, y, single);                                  \
        break

INLINE void multiply_chunk(const CondHalf* half, const CondHalfTask* task, int chunk, int single)
{
    _Alignas(32) double x[4 * COND_HALF_NODES], y[4 * COND_HALF_NODES];
    const CondHalfChunk* c = &half->chunk[chunk];
    const uint16_t *row = half->row + c->row_begin, *column = half->column + c->column_begin;
    const void* B = (const char*)half->value +
                    9 * (size_t)c->block_begin * (single ? sizeof(float) : sizeof(double));
    B = start_chunk(half, c, B, task->x, x, y, single);
    for (int k = 0; k < c->n_run; k++) {
        CondHalfRun run = half->run[c->run_begin + k];
        switch (run.n_block) {
            ROWS(1);
            ROWS(2);
            ROWS(3);
            ROWS(4);
            ROWS(5);
            ROWS(6);
            ROWS(7);
            ROWS(8);
        default:
            for (int r = 0; r < run.n_row; r++, column += run.n_block)
                B = multiply_row(B, column, run.n_block, row[r], x, y, single);
        }
        row += run.n_row;
    }
    cond_half_close(half, task, chunk, y);
}

AVX2 static void multiply_double(const CondHalf* half, const CondHalfTask* task, int chunk)
{
    multiply_chunk(half, task, chunk, 0);
}

AVX2 static void multiply_single(const CondHalf* half, const CondHalfTask* task, int chunk)
{
    multiply_chunk(half, task, chunk, 1);
}

AVX2 void cond_half_chunk_avx2(const CondHalf* half, const CondHalfTask* task, int chunk)
{
    if (half->single)
        multiply_single(half, task, chunk);
    else
        multiply_double(half, task, chunk);
}

// As finish_nodes of half_product.c, a node at a time and without fused operations.
INLINE void finish_nodes(int n, const int* node, const double* sum, const CondHalfTask* task,
                         int shifted, int weighted)
{
    __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
    for (int i = 0; i < n; i++) {
        int at = node[i];
        __m256d g = _mm256_loadu_pd(sum + 4 * (size_t)i);
        if (shifted)
            g = _mm256_sub_pd(g, _mm256_maskload_pd(task->shift + at, three));
        if (weighted)
            g = _mm256_sub_pd(_mm256_maskload_pd(task->v + at, three),
                              _mm256_mul_pd(_mm256_maskload_pd(task->w + at, three), g));
        _mm_storeu_pd(task->y + at, _mm256_castpd256_pd128(g));
        _mm_store_sd(task->y + at + 2, _mm256_extractf128_pd(g, 1));
    }
}

AVX2 void cond_half_nodes_avx2(int n, const int* node, const double* sum, const CondHalfTask* task)
{
    if (task->shift && task->w)
        finish_nodes(n, node, sum, task, 1, 1);
    else if (task->w)
        finish_nodes(n, node, sum, task, 0, 1);
    else if (task->shift)
        finish_nodes(n, node, sum, task, 1, 0);
    else
        finish_nodes(n, node, sum, task, 0, 0);
}
#endif
