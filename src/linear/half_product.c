#include "linear/half.h"

#include "base/lanes.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

int cond_half_serves(void)
{
#if defined(COND_BSR3_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(FP_FAST_FMA)
    return 1;
#else
    return 0;
#endif
}

static double number(const CondHalf* half, size_t i)
{
    return half->single ? (double)((const float*)half->value)[i] : ((const double*)half->value)[i];
}

// B' x
static void mirrored(const double B[9], const double* x, double y[3])
{
    for (int c = 0; c < 3; c++)
        y[c] = fma(B[6 + c], x[2], fma(B[3 + c], x[1], B[c] * x[0]));
}

static void take_block(const CondHalf* half, size_t block, double B[9])
{
    for (size_t k = 0; k < 9; k++)
        B[k] = number(half, 9 * block + k);
}

void cond_half_chunk_generic(const CondHalf* half, const CondHalfTask* task, int chunk)
{
    const double* x = task->x;
    const CondHalfChunk* c = &half->chunk[chunk];
    const int* node = half->node + c->node_begin;
    const uint16_t *row = half->row + c->row_begin, *column = half->column + c->column_begin;
    double y[4 * COND_HALF_NODES], B[9], add[3];
    size_t block = (size_t)c->block_begin;
    memset(y, 0, 4 * (size_t)c->n_node * sizeof *y);
    for (int i = 0; i < c->n_own; i++) { // a diagonal block is its own mirror image
        take_block(half, block++, B);
        mirrored(B, x + node[i], y + 4 * i);
    }
    for (int k = 0; k < c->n_run; k++) {
        CondHalfRun run = half->run[c->run_begin + k];
        for (int r = 0; r < run.n_row; r++) {
            int i = *row++;
            double sum[9] = {0.0};
            for (int b = 0; b < run.n_block; b++) {
                int j = *column++;
                take_block(half, block++, B);
                mirrored(B, x + node[i / 4], add);
                for (int a = 0; a < 9; a++)
                    sum[a] = fma(B[a], x[node[j / 4] + a % 3], sum[a]);
                for (int a = 0; a < 3; a++)
                    y[j + a] += add[a];
            }
            for (int a = 0; a < 3; a++)
                y[i + a] += (sum[3 * a] + sum[3 * a + 1]) + sum[3 * a + 2];
        }
    }
    cond_half_close(half, task, chunk, y);
}

// Coordinate by coordinate: what comes after the third one may be another thread's.
static inline __attribute__((always_inline)) void finish_nodes(int n, const int* node,
                                                               const double* sum,
                                                               const CondHalfTask* task,
                                                               const double* shift, const double* w)
{
    for (int i = 0; i < n; i++)
        for (int a = 0, at = node[i]; a < 3; a++, at++) {
            double g = shift ? sum[4 * i + a] - shift[at] : sum[4 * i + a];
            task->y[at] = w ? task->v[at] - w[at] * g : g;
        }
}

// The cases apart, so that the compiler knows which it is.
static void finish(int n, const int* node, const double* sum, const CondHalfTask* task)
{
#ifdef COND_BSR3_AVX2
    if (cond_half_serves()) {
        cond_half_nodes_avx2(n, node, sum, task);
        return;
    }
#endif
    if (task->w && task->shift)
        finish_nodes(n, node, sum, task, task->shift, task->w);
    else if (task->w)
        finish_nodes(n, node, sum, task, NULL, task->w);
    else if (task->shift)
        finish_nodes(n, node, sum, task, task->shift, NULL);
    else
        finish_nodes(n, node, sum, task, NULL, NULL);
}

void cond_half_close(const CondHalf* half, const CondHalfTask* task, int chunk, const double* y)
{
    const CondHalfChunk* c = &half->chunk[chunk];
    finish(c->n_inner, half->node + c->node_begin, y, task);
    memcpy(half->sum + 4 * (size_t)c->sum_begin, y + 4 * (size_t)c->n_inner,
           4 * (size_t)(c->n_node - c->n_inner) * sizeof *y);
}

void cond_half_add_up(const CondHalf* half, const CondHalfTask* task, int first, int last)
{
    for (int c = first; c < last; c++) {
#ifdef COND_BSR3_AVX2
        if (cond_half_serves()) {
            cond_half_chunk_avx2(half, task, c);
            continue;
        }
#endif
        cond_half_chunk_generic(half, task, c);
    }
}

void cond_half_finish(const CondHalf* half, const CondHalfTask* task, int first, int last)
{
    for (int k = first; k < last; k++) {
        const CondHalfChunk* c = &half->chunk[k];
        const CondHalfShare* share = half->share + c->share_begin;
        double* sum = half->sum + 4 * (size_t)c->sum_begin;
        for (int i = 0; i < c->n_share; i++)
            cond_lanes_add_to(sum + share[i].to, (const CondLanes*)(half->sum + share[i].from));
        finish(c->n_own - c->n_inner, half->node + c->node_begin + c->n_inner, sum, task);
    }
}

typedef struct HalfLoop {
    const CondHalf* half;
    CondHalfTask task;
} HalfLoop;

static void add_up(const void* loop, int first, int last)
{
    const HalfLoop* l = loop;
    cond_half_add_up(l->half, &l->task, first, last);
}

static void finish_chunks(const void* loop, int first, int last)
{
    const HalfLoop* l = loop;
    cond_half_finish(l->half, &l->task, first, last);
}

void cond_half_product(const CondHalf* half, const double* x, const double* shift, double* y,
                       int threads)
{
    HalfLoop loop = {half, {.x = x, .shift = shift, .y = y}};
    CondPhase phase[] = {{add_up, &loop, half->n_chunk, 0},
                         {finish_chunks, &loop, half->n_chunk, 1}};
    cond_parallel_phases(2, phase, cond_threads(9 * (size_t)half->n_block, threads));
}
