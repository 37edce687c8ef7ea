// The loops of the packed system over parts of its nodes, for the processor it runs on.
#include "soft/soft_packed_kernel.h"

#include "base/processor.h"
#include "base/tuning.h"

#include <stddef.h>
#include <string.h>

typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
#define INLINE static inline __attribute__((always_inline))

// The lanes of three rows' sums to the three numbers of each of the two nodes.
INLINE void fold(const Eight* s0, const Eight* s1, const Eight* s2, Eight* y)
{
    Eight zero = {0.0F};
    Eight a = __builtin_shufflevector(*s0, *s1, 0, 8, 1, 9, 4, 12, 5, 13);
    Eight b = __builtin_shufflevector(*s2, zero, 0, 8, 1, 9, 4, 12, 5, 13);
    Eight c = __builtin_shufflevector(*s0, *s1, 2, 10, 3, 11, 6, 14, 7, 15);
    Eight d = __builtin_shufflevector(*s2, zero, 2, 10, 3, 11, 6, 14, 7, 15);
    Eight first = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    Eight second = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    Eight third = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    *y = (first + second) + third;
}

// The same where the fourth lane counts.
INLINE void fold_all(const Eight* s0, const Eight* s1, const Eight* s2, Eight* y)
{
    Eight zero = {0.0F}, sum;
    Eight c = __builtin_shufflevector(*s0, *s1, 2, 10, 3, 11, 6, 14, 7, 15);
    Eight d = __builtin_shufflevector(*s2, zero, 2, 10, 3, 11, 6, 14, 7, 15);
    fold(s0, s1, s2, &sum);
    *y = sum + __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

INLINE double add_lanes(const Eight* a)
{
    Eight s = *a;
    return ((double)s[0] + (double)s[1] + (double)s[2]) +
           ((double)s[4] + (double)s[5] + (double)s[6]);
}

// s += (rows of two blocks, 3 + 3 numbers) x
#define ADD_ROW(s, value, x)                                                                       \
    do {                                                                                           \
        Eight row = *(const Eight*)(value);                                                        \
        (s) += __builtin_shufflevector(row, row, 0, 1, 2, 2, 3, 4, 5, 5) * (x);                    \
    } while (0)

// y = A x for four rows
INLINE void multiply_four(const CondSoftPacked* packed, int four, const float* x, Eight y[2])
{
    Eight s0 = {0.0F}, s1 = {0.0F}, s2 = {0.0F}, t0 = {0.0F}, t1 = {0.0F}, t2 = {0.0F};
    const int* column = packed->column + (ptrdiff_t)4 * packed->row_begin[four];
    const int* end = packed->column + (ptrdiff_t)4 * packed->row_begin[four + 1];
    const float* value = packed->value + (ptrdiff_t)36 * packed->row_begin[four];
    for (; column < end; column += 4, value += 36) {
        Four a = *(const Four*)(x + column[0]), b = *(const Four*)(x + column[1]);
        Four c = *(const Four*)(x + column[2]), d = *(const Four*)(x + column[3]);
        Eight ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
        Eight cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
        __builtin_prefetch(value + COND_PREFETCH_AHEAD / sizeof *value);
        __builtin_prefetch(value + COND_PREFETCH_AHEAD / sizeof *value + 16);
        ADD_ROW(s0, value, ab);
        ADD_ROW(t0, value + 6, cd);
        ADD_ROW(s1, value + 12, ab);
        ADD_ROW(t1, value + 18, cd);
        ADD_ROW(s2, value + 24, ab);
        ADD_ROW(t2, value + 30, cd);
    }
    fold(&s0, &s1, &s2, &y[0]);
    fold(&t0, &t1, &t2, &y[1]);
}

// sums += M' y, M of 3 x n numbers, n a multiple of eight.
INLINE void gather(const float* M, int n, const float* y, float* sums)
{
    for (int j = 0; j < n; j += 8)
        *(Eight*)(sums + j) += (*(const Eight*)(M + j) * y[0] + *(const Eight*)(M + n + j) * y[1]) +
                               *(const Eight*)(M + 2 * n + j) * y[2];
}

// y = M b
INLINE void spread(const float* M, int n, const float* b, Four* y)
{
    Eight s0 = {0.0F}, s1 = {0.0F}, s2 = {0.0F}, both;
    for (int j = 0; j < n; j += 8) {
        Eight bj = *(const Eight*)(b + j);
        s0 += *(const Eight*)(M + j) * bj;
        s1 += *(const Eight*)(M + n + j) * bj;
        s2 += *(const Eight*)(M + 2 * n + j) * bj;
    }
    fold_all(&s0, &s1, &s2, &both);
    *y = __builtin_shufflevector(both, both, 0, 1, 2, 3) +
         __builtin_shufflevector(both, both, 4, 5, 6, 7);
}

// G x over the shares of each cell of a part.
INLINE void sum_cells(const CondSoftPacked* packed, int part, const float* x)
{
    for (int c = packed->part_cell[part]; c < packed->part_cell[part + 1]; c++) {
        int rows = packed->cell_row[c + 1] - packed->cell_row[c];
        float* sum = packed->cell_sum + packed->cell_row[c];
        memset(sum, 0, (size_t)rows * sizeof *sum);
        for (int k = packed->cell_begin[c]; k < packed->cell_begin[c + 1]; k++)
            gather(packed->share_value + packed->share[k].value, rows,
                   x + (ptrdiff_t)4 * packed->share[k].node, sum);
    }
}

// y += G' f
INLINE void add_cells(const CondSoftPacked* packed, int part, const float* f, float* y)
{
    for (int c = packed->part_cell[part]; c < packed->part_cell[part + 1]; c++) {
        int rows = packed->cell_row[c + 1] - packed->cell_row[c];
        for (int k = packed->cell_begin[c]; k < packed->cell_begin[c + 1]; k++) {
            const CondSoftShare* share = &packed->share[k];
            Four add;
            spread(packed->share_value + share->value, rows, f + packed->join_row[share->join],
                   &add);
            *(Four*)(y + (ptrdiff_t)4 * share->node) += add;
        }
    }
}

// sum += C' y over the attached nodes of a part; y is a whole vector.
INLINE void sum_interface(const CondSoftPacked* packed, int part, const float* y, float* sums)
{
    int at = packed->part_sum[part], wide = cond_soft_packed_wide(packed->n_interface);
    if (at < 0)
        return;
    float* sum = sums + (ptrdiff_t)at * wide;
    memset(sum, 0, (size_t)wide * sizeof *sum);
    for (int k = packed->part_begin[part]; k < packed->part_begin[part + 1]; k++)
        gather(packed->C + (ptrdiff_t)3 * k * wide, wide, y + (ptrdiff_t)4 * packed->node[k], sum);
}

// q = H p on the nodes of a part, its share of p'q, and of the interface's rows.
INLINE void multiply_part(CondSoftPacked* packed, int part, const float* p, const float* interface,
                          float* q)
{
    int first = packed->part_four[part], last = packed->part_four[part + 1];
    int wide = cond_soft_packed_wide(packed->n_interface);
    Eight sum = {0.0F};
    for (int i = first; i < last; i++) {
        Eight y[2];
        multiply_four(packed, i, p, y);
        *(Eight*)(q + (ptrdiff_t)16 * i) = y[0];
        *(Eight*)(q + (ptrdiff_t)16 * i + 8) = y[1];
        sum += y[0] * *(const Eight*)(p + (ptrdiff_t)16 * i) +
               y[1] * *(const Eight*)(p + (ptrdiff_t)16 * i + 8);
    }
    for (int k = packed->part_begin[part]; k < packed->part_begin[part + 1]; k++) {
        ptrdiff_t at = (ptrdiff_t)4 * packed->node[k];
        Four add;
        spread(packed->C + (ptrdiff_t)3 * k * wide, wide, interface, &add);
        *(Four*)(q + at) += add;
        add *= *(const Four*)(p + at);
        Four zero = {0.0F, 0.0F, 0.0F, 0.0F};
        sum += __builtin_shufflevector(add, zero, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    packed->product_sum[part] = add_lanes(&sum);
    sum_interface(packed, part, p, packed->product_interface);
    sum_cells(packed, part, p);
}

// (x, y, z, w) of both nodes to (y, z, x, w) and to (z, x, y, w).
#define TURN_BACK(v) __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7)
#define TURN_ON(v) __builtin_shufflevector(v, v, 2, 0, 1, 3, 6, 4, 5, 7)

// P' r of a part, and the norm of r.
INLINE void sum_motions(const CondSoftPacked* packed, int part)
{
    const CondAggregation* coarse = &packed->coarse;
    Eight force = {0.0F}, moment = {0.0F}, left = {0.0F}, skew = {0.0F};
    int first = packed->part_four[part], last = packed->part_four[part + 1];
    for (int i = 2 * first; i < 2 * last; i++) {
        const float* frame = coarse->frame + (ptrdiff_t)16 * i;
        Eight r = *(const Eight*)(packed->r + (ptrdiff_t)8 * i), f = *(const Eight*)frame * r;
        Eight a = *(const Eight*)(frame + 8); // d x f = (d_y, d_z, d_x) (f_z, f_x, f_y) - ...
        force += f;
        moment += a * TURN_ON(f) - TURN_BACK(a) * TURN_BACK(f);
        left += __builtin_shufflevector(a, a, 3, 3, 3, 3, 7, 7, 7, 7) * r * r;
    }
    for (int k = 0; k < coarse->n_skew[part]; k++) {
        ptrdiff_t place = coarse->skew[4 * first + k];
        gather(coarse->rows + 24 * place, 8, packed->r + 4 * place, (float*)&skew);
    }
    float* sum = coarse->sum + (ptrdiff_t)8 * part;
    for (int k = 0; k < 3; k++) {
        sum[k] = (force[k] + force[4 + k]) + skew[k];
        sum[3 + k] = (moment[k] + moment[4 + k]) + skew[3 + k];
    }
    coarse->left[part] = add_lanes(&left);
}

// p += P x of the part's group, on some pairs of nodes
INLINE void add_motions(const CondSoftPacked* packed, int part, unsigned pairs, const float* x,
                        float* p)
{
    const CondAggregation* coarse = &packed->coarse;
    const float* m = x + (ptrdiff_t)8 * coarse->part_group[part];
    Eight shift = {m[0], m[1], m[2], 0.0F, m[0], m[1], m[2], 0.0F};
    Eight turn = {m[3], m[4], m[5], 0.0F, m[3], m[4], m[5], 0.0F};
    Eight on = TURN_ON(turn), back = TURN_BACK(turn);
    int first = packed->part_four[part], last = packed->part_four[part + 1];
    for (int i = 2 * first; i < 2 * last; i++) {
        const float* frame = coarse->frame + (ptrdiff_t)16 * i;
        if (!(pairs >> (i - 2 * first) & 1u))
            continue;
        Eight a = *(const Eight*)(frame + 8); // w x d = (w_y, w_z, w_x) (d_z, d_x, d_y) - ...
        *(Eight*)(p + (ptrdiff_t)8 * i) +=
            *(const Eight*)frame * (shift + (back * TURN_BACK(a) - on * a));
    }
    for (int k = 0; k < coarse->n_skew[part]; k++) {
        ptrdiff_t place = coarse->skew[4 * first + k];
        Four add;
        spread(coarse->rows + 24 * place, 8, m, &add);
        *(Four*)(p + 4 * place) += add;
    }
}

// x = inverse of the coarsest matrix times r, eight numbers a node.
INLINE void solve_motions(const CondAggregation* coarse, const float* r, float* x)
{
    for (int at = 0; at < coarse->wide; at += COND_COARSE_WIDE) {
        Eight s[COND_COARSE_WIDE / 8];
        memset(s, 0, sizeof s);
        const float* row = coarse->inverse + at;
        for (int j = 0; j < coarse->n; j++, row += coarse->wide)
            for (int k = 0; k < COND_COARSE_WIDE / 8; k++)
                s[k] += *(const Eight*)(row + (ptrdiff_t)8 * k) * r[8 * (j / 6) + j % 6];
        for (int k = 0; k < COND_COARSE_WIDE / 8; k++)
            *(Eight*)(x + at + (ptrdiff_t)8 * k) = s[k];
    }
}

// q += what the joins do, x += alpha p, r -= alpha q, z = B r and the shares of r'z and C'z.
INLINE void advance_part(CondSoftPacked* packed, int part, float alpha, const float* force,
                         const float* p)
{
    Eight sum = {0.0F};
    add_cells(packed, part, force, packed->q);
    for (int i = 2 * packed->part_four[part]; i < 2 * packed->part_four[part + 1]; i++) {
        ptrdiff_t at = (ptrdiff_t)8 * i;
        const float* B = packed->B + (ptrdiff_t)24 * i;
        *(Eight*)(packed->x + at) += alpha * *(const Eight*)(p + at);
        Eight r = *(const Eight*)(packed->r + at) - alpha * *(const Eight*)(packed->q + at), z;
        Eight s0 = *(const Eight*)B * r, s1 = *(const Eight*)(B + 8) * r,
              s2 = *(const Eight*)(B + 16) * r;
        fold(&s0, &s1, &s2, &z);
        *(Eight*)(packed->r + at) = r;
        *(Eight*)(packed->z + at) = z;
        sum += r * z;
    }
    packed->step_sum[part] = add_lanes(&sum);
    sum_interface(packed, part, packed->z, packed->step_interface);
    if (packed->coarse.on)
        sum_motions(packed, part);
}

// p = s z + P motion + beta p
INLINE void turn_part(const CondSoftPacked* packed, int part, unsigned pairs, float s, float beta,
                      const float* motion, float* p)
{
    int first = 2 * packed->part_four[part];
    for (int i = first; i < 2 * packed->part_four[part + 1]; i++) {
        if (!(pairs >> (i - first) & 1u))
            continue;
        Eight* to = (Eight*)(p + (ptrdiff_t)8 * i);
        *to = s * *(const Eight*)(packed->z + (ptrdiff_t)8 * i) + beta * *to;
    }
    if (motion)
        add_motions(packed, part, pairs, motion, p);
}

// y -= B C interface
INLINE void spread_interface_part(const CondSoftPacked* packed, int part, const float* interface,
                                  float* y)
{
    int wide = cond_soft_packed_wide(packed->n_interface);
    for (int k = packed->part_begin[part]; k < packed->part_begin[part + 1]; k++) {
        Four take;
        spread(packed->BC + (ptrdiff_t)3 * k * wide, wide, interface, &take);
        *(Four*)(y + (ptrdiff_t)4 * packed->node[k]) -= take;
    }
}

// The same loops for each processor. No fused operations: all give the same bits.
#define KERNELS(name, target)                                                                      \
    target static void multiply_##name(CondSoftPacked* packed, int first, int last,                \
                                       const float* p, const float* interface, float* q)           \
    {                                                                                              \
        for (int part = first; part < last; part++)                                                \
            multiply_part(packed, part, p, interface, q);                                          \
    }                                                                                              \
    target static void advance_##name(CondSoftPacked* packed, int first, int last, float alpha,    \
                                      const float* force, const float* p)                          \
    {                                                                                              \
        for (int part = first; part < last; part++)                                                \
            advance_part(packed, part, alpha, force, p);                                           \
    }                                                                                              \
    target static void turn_##name(const CondSoftPacked* packed, int part, unsigned pairs,         \
                                   float s, float beta, const float* motion, float* p)             \
    {                                                                                              \
        turn_part(packed, part, pairs, s, beta, motion, p);                                        \
    }                                                                                              \
    target static void spread_interface_##name(const CondSoftPacked* packed, int part,             \
                                               const float* interface, float* y)                   \
    {                                                                                              \
        spread_interface_part(packed, part, interface, y);                                         \
    }                                                                                              \
    target static void solve_##name(const CondAggregation* coarse, const float* r, float* x)       \
    {                                                                                              \
        solve_motions(coarse, r, x);                                                               \
    }                                                                                              \
    static const CondSoftPackedKernel name = {multiply_##name, advance_##name, turn_##name,        \
                                              spread_interface_##name, solve_##name};

KERNELS(generic, )
KERNELS(avx2, COND_AVX2)

const CondSoftPackedKernel* cond_soft_packed_kernel(void)
{
    return COND_HAS_AVX2 ? &avx2 : &generic;
}
