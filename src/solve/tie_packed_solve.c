#include "base/parallel.h"
#include "solve/tie_packed.h"
#include "sparse/cholesky.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <xmmintrin.h>
#endif

typedef float Four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
enum { AHEAD = 1024 }; // numbers of the matrix to ask for ahead: rows are too short to be foreseen
#define INLINE static inline __attribute__((always_inline))

// What each thread knows of the border: the same numbers on all of them.
typedef struct Border {
    double r[COND_LARGEST_BORDER], p[COND_LARGEST_BORDER], x[COND_LARGEST_BORDER],
        q[COND_LARGEST_BORDER], z[COND_LARGEST_BORDER];
    float single[COND_LARGEST_BORDER]; // z or p for the nodes
} Border;

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
INLINE void multiply_four(const CondTiePacked* packed, int four, const float* x, Eight y[2])
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
        __builtin_prefetch(value + AHEAD);
        __builtin_prefetch(value + AHEAD + 16);
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
INLINE void sum_cells(const CondTiePacked* packed, int part, const float* x)
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
INLINE void add_cells(const CondTiePacked* packed, int part, const float* f, float* y)
{
    for (int c = packed->part_cell[part]; c < packed->part_cell[part + 1]; c++) {
        int rows = packed->cell_row[c + 1] - packed->cell_row[c];
        for (int k = packed->cell_begin[c]; k < packed->cell_begin[c + 1]; k++) {
            const CondTieShare* share = &packed->share[k];
            Four add;
            spread(packed->share_value + share->value, rows, f + packed->join_row[share->join],
                   &add);
            *(Four*)(y + (ptrdiff_t)4 * share->node) += add;
        }
    }
}

// sum += C' y over the bordered nodes of a part; y is a whole vector.
INLINE void sum_border(const CondTiePacked* packed, int part, const float* y, float* sums)
{
    int at = packed->part_sum[part], wide = cond_tie_packed_wide(packed->n_border);
    if (at < 0)
        return;
    float* sum = sums + (ptrdiff_t)at * wide;
    memset(sum, 0, (size_t)wide * sizeof *sum);
    for (int k = packed->part_begin[part]; k < packed->part_begin[part + 1]; k++)
        gather(packed->C + (ptrdiff_t)3 * k * wide, wide, y + (ptrdiff_t)4 * packed->node[k], sum);
}

INLINE int part_end(const CondTiePacked* packed, int part)
{
    int end = (part + 1) * COND_PACKED_PART;
    return end < packed->n_four ? end : packed->n_four;
}

// q = H p on the nodes of a part, its share of p'q, and of the border's rows.
INLINE void multiply_part(CondTiePacked* packed, int part, const float* p, const float* border,
                          float* q)
{
    int first = part * COND_PACKED_PART, last = part_end(packed, part);
    int wide = cond_tie_packed_wide(packed->n_border);
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
        spread(packed->C + (ptrdiff_t)3 * k * wide, wide, border, &add);
        *(Four*)(q + at) += add;
        add *= *(const Four*)(p + at);
        Four zero = {0.0F, 0.0F, 0.0F, 0.0F};
        sum += __builtin_shufflevector(add, zero, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    packed->product_sum[part] = add_lanes(&sum);
    sum_border(packed, part, p, packed->product_border);
    sum_cells(packed, part, p);
}

// q += what the joins do, x += alpha p, r -= alpha q, z = B r and the shares of r'z and C'z.
INLINE void advance_part(CondTiePacked* packed, int part, float alpha, const float* force)
{
    Eight sum = {0.0F};
    add_cells(packed, part, force, packed->q);
    for (int i = 2 * part * COND_PACKED_PART, last = 2 * part_end(packed, part); i < last; i++) {
        ptrdiff_t at = (ptrdiff_t)8 * i;
        const float* B = packed->B + (ptrdiff_t)24 * i;
        *(Eight*)(packed->x + at) += alpha * *(const Eight*)(packed->p + at);
        Eight r = *(const Eight*)(packed->r + at) - alpha * *(const Eight*)(packed->q + at), z;
        Eight s0 = *(const Eight*)B * r, s1 = *(const Eight*)(B + 8) * r,
              s2 = *(const Eight*)(B + 16) * r;
        fold(&s0, &s1, &s2, &z);
        *(Eight*)(packed->r + at) = r;
        *(Eight*)(packed->z + at) = z;
        sum += r * z;
    }
    packed->step_sum[part] = add_lanes(&sum);
    sum_border(packed, part, packed->z, packed->step_border);
}

// p = z - B C border + beta p
INLINE void turn_part(CondTiePacked* packed, int part, float beta, const float* border)
{
    for (int i = 2 * part * COND_PACKED_PART, last = 2 * part_end(packed, part); i < last; i++) {
        Eight* p = (Eight*)(packed->p + (ptrdiff_t)8 * i);
        *p = *(const Eight*)(packed->z + (ptrdiff_t)8 * i) + beta * *p;
    }
    int wide = cond_tie_packed_wide(packed->n_border);
    for (int k = packed->part_begin[part]; k < packed->part_begin[part + 1]; k++) {
        Four take;
        spread(packed->BC + (ptrdiff_t)3 * k * wide, wide, border, &take);
        *(Four*)(packed->p + (ptrdiff_t)4 * packed->node[k]) -= take;
    }
}

typedef struct Kernels {
    void (*multiply)(CondTiePacked* packed, int first, int last, const float* p,
                     const float* border, float* q);
    void (*advance)(CondTiePacked* packed, int first, int last, float alpha, const float* force);
    void (*turn)(CondTiePacked* packed, int first, int last, float beta, const float* border);
} Kernels;

// The same loops for each processor. No fused operations: all give the same bits.
#define KERNELS(name, target)                                                                      \
    target static void multiply_##name(CondTiePacked* packed, int first, int last, const float* p, \
                                       const float* border, float* q)                              \
    {                                                                                              \
        for (int part = first; part < last; part++)                                                \
            multiply_part(packed, part, p, border, q);                                             \
    }                                                                                              \
    target static void advance_##name(CondTiePacked* packed, int first, int last, float alpha,     \
                                      const float* force)                                          \
    {                                                                                              \
        for (int part = first; part < last; part++)                                                \
            advance_part(packed, part, alpha, force);                                              \
    }                                                                                              \
    target static void turn_##name(CondTiePacked* packed, int first, int last, float beta,         \
                                   const float* border)                                            \
    {                                                                                              \
        for (int part = first; part < last; part++)                                                \
            turn_part(packed, part, beta, border);                                                 \
    }                                                                                              \
    static const Kernels name = {multiply_##name, advance_##name, turn_##name};

KERNELS(generic, )
#if defined(__x86_64__) && defined(__GNUC__)
KERNELS(avx2, __attribute__((target("avx2"))))
#endif

static const Kernels* kernels(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2"))
        return &avx2;
#endif
    return &generic;
}

static double add_parts(const CondTiePacked* packed, const double* sums)
{
    double sum = 0.0;
    for (int i = 0; i < packed->n_part; i++)
        sum += sums[i];
    return sum;
}

// out += s (sums over the parts)
static void add_border_sums(const CondTiePacked* packed, const float* sums, double s, double* out)
{
    int nb = packed->n_border, wide = cond_tie_packed_wide(nb);
    for (int k = 0; k < packed->n_border_sum; k++)
        for (int j = 0; j < nb; j++)
            out[j] += s * (double)sums[(ptrdiff_t)k * wide + j];
}

// q = S p + sums of C' p; returns p'q.
static double multiply_border(const CondTiePacked* packed, Border* border)
{
    int nb = packed->n_border;
    double sum = 0.0;
    for (int i = 0; i < nb; i++) {
        border->q[i] = 0.0;
        for (int j = 0; j < nb; j++)
            border->q[i] += packed->S[(ptrdiff_t)i * nb + j] * border->p[j];
    }
    add_border_sums(packed, packed->product_border, 1.0, border->q);
    for (int i = 0; i < nb; i++)
        sum += border->p[i] * border->q[i];
    return sum;
}

// x += alpha p, r -= alpha q, z = Schur^-1 (r - sums of C' z); returns its share of r'z.
static double advance_border(const CondTiePacked* packed, const double* factor, double alpha,
                             Border* border)
{
    int nb = packed->n_border;
    double s[COND_LARGEST_BORDER], sum = 0.0;
    if (nb == 0)
        return 0.0;
    for (int i = 0; i < nb; i++) {
        border->x[i] += alpha * border->p[i];
        border->r[i] -= alpha * border->q[i];
        s[i] = border->r[i];
    }
    add_border_sums(packed, packed->step_border, -1.0, s);
    memcpy(border->z, s, (size_t)nb * sizeof *s);
    cond_cholesky_solve(nb, factor, border->z);
    for (int i = 0; i < nb; i++)
        sum += s[i] * border->z[i];
    return sum;
}

// The forces of the joins, f = K w with w = G p; returns w'f.
static double join_forces(const CondTiePacked* packed, double* w, float* f)
{
    int n = packed->n_join, rows = n > 0 ? packed->join_row[n] : 0;
    double total = 0.0;
    memset(w, 0, (size_t)rows * sizeof *w);
    for (int c = 0; c < packed->n_cell; c++) {
        double* at = w + packed->join_row[packed->share[packed->cell_begin[c]].join];
        for (int k = packed->cell_row[c]; k < packed->cell_row[c + 1]; k++)
            *at++ += (double)packed->cell_sum[k];
    }
    for (int j = 0; j < n; j++) {
        int first = packed->join_row[j], size = packed->join_size[j];
        const double* K = packed->gain + packed->join_gain[j];
        for (int r = 0; r < size; r++) {
            double sum = 0.0;
            for (int c = 0; c < size; c++)
                sum += K[r * size + c] * w[first + c];
            total += w[first + r] * sum;
            f[first + r] = (float)sum;
        }
    }
    return total;
}

typedef struct Team {
    CondTiePacked* packed;
    CondTiePackedSolve* solve;
    CondTiePackedSmooth* smooth;
} Team;

static void start_border(int nb, const double* r, Border* border)
{
    size_t size = (size_t)nb * sizeof *r;
    memcpy(border->r, r, size);
    memset(border->x, 0, size);
    memset(border->p, 0, size);
    memset(border->q, 0, size);
}

// Numbers too small for single precision's exponent count as zero here: far from where something
// happens a residual dies away below any bound, and a processor takes a hundred times as long for
// such numbers. Returns what was set before.
static unsigned flush_tiny(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040U);
    return before;
#else
    return 0;
#endif
}

static void unflush(unsigned before)
{
#if defined(__x86_64__) && defined(__GNUC__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

// The share of a thread in a step: its parts, and room for the forces of the joins.
typedef struct Share {
    CondTiePacked* packed;
    const Kernels* kernel;
    int first, last, size;
    double* velocity;
    float* force;
    Border border;
} Share;

static void share_start(Share* share, CondTiePacked* packed, int rank, int size)
{
    int rows = packed->n_join > 0 ? packed->join_row[packed->n_join] : 0;
    share->packed = packed;
    share->kernel = kernels();
    share->first = cond_team_first(packed->n_part, rank, size);
    share->last = cond_team_first(packed->n_part, rank + 1, size);
    share->size = size;
    share->velocity = packed->velocity + (ptrdiff_t)rows * rank;
    share->force = packed->force + (ptrdiff_t)rows * rank;
    memset(share->force, 0, (size_t)rows * sizeof *share->force);
    memset(share->border.single, 0, sizeof share->border.single);
}

static void to_single(int n, const double* from, float* to)
{
    for (int i = 0; i < n; i++)
        to[i] = (float)from[i];
}

// x += alpha p, r -= alpha q, z = arrow(r) but for the border's part in the nodes; returns r'z.
static double advance(Share* share, const double* factor, double alpha)
{
    CondTiePacked* packed = share->packed;
    share->kernel->advance(packed, share->first, share->last, (float)alpha, share->force);
    cond_team_wait(share->size);
    return advance_border(packed, factor, alpha, &share->border) +
           add_parts(packed, packed->step_sum);
}

// p = z + beta p
static void turn(Share* share, double beta)
{
    Border* border = &share->border;
    to_single(share->packed->n_border, border->z, border->single);
    share->kernel->turn(share->packed, share->first, share->last, (float)beta, border->single);
    for (int i = 0; i < share->packed->n_border; i++)
        border->p[i] = border->z[i] + beta * border->p[i];
    cond_team_wait(share->size);
}

// q = H p, but for what the joins do; returns p'H p.
static double multiply(Share* share)
{
    CondTiePacked* packed = share->packed;
    to_single(packed->n_border, share->border.p, share->border.single);
    share->kernel->multiply(packed, share->first, share->last, packed->p, share->border.single,
                            packed->q);
    cond_team_wait(share->size);
    return multiply_border(packed, &share->border) + add_parts(packed, packed->product_sum) +
           join_forces(packed, share->velocity, share->force);
}

// Three loops an iteration: product, step with preconditioner, direction. Every thread has the
// scalars and the border for itself, from the same partial sums.
static void iterate(void* data, int rank, int size)
{
    CondTiePackedSolve* solve = ((Team*)data)->solve;
    int failed = 0, products = 0, nb = ((Team*)data)->packed->n_border;
    double alpha = 0.0, rz = 0.0, start = 0.0, goal = 0.0;
    unsigned before = flush_tiny();
    Share share;
    share_start(&share, ((Team*)data)->packed, rank, size);
    start_border(nb, solve->border, &share.border);
    for (int steps = 0;; steps++) {
        double next = advance(&share, solve->factor, alpha);
        double beta = steps > 0 ? next / rz : 0.0;
        rz = next;
        if (steps == 0)
            start = rz;
        if (steps == 1) // the first step takes out what the gains of the ties blow up
            goal = solve->reduction * solve->reduction * fmin(rz, start);
        failed = !isfinite(rz);
        if (failed || !(rz > goal) || products >= solve->max_products)
            break;
        turn(&share, beta);
        double pq = multiply(&share);
        products++;
        failed = !(pq > 0.0);
        if (failed)
            break;
        alpha = rz / pq;
    }
    unflush(before);
    if (rank > 0)
        return;
    solve->products = products;
    solve->failed = failed;
    solve->goal = goal;
    memcpy(solve->border, share.border.x, (size_t)nb * sizeof *solve->border);
}

// Work at the end of a step that all threads have come to.
static void smooth_end(const Share* share, int rank, CondTiePackedSmooth* smooth, double s)
{
    if (rank > 0)
        return;
    for (int i = 0; i < share->packed->n_border; i++) {
        smooth->r_border[i] = share->border.r[i];
        smooth->x_border[i] = share->border.x[i] + s * share->border.z[i];
    }
}

static void smooth_down(void* data, int rank, int size)
{
    CondTiePackedSmooth* smooth = ((Team*)data)->smooth;
    unsigned before = flush_tiny();
    Share share;
    share_start(&share, ((Team*)data)->packed, rank, size);
    start_border(share.packed->n_border, smooth->r_border, &share.border);
    advance(&share, smooth->factor, 0.0);
    turn(&share, 0.0);
    multiply(&share);
    advance(&share, smooth->factor, smooth->s);
    unflush(before);
    smooth_end(&share, rank, smooth, 0.0);
}

static void smooth_up(void* data, int rank, int size)
{
    CondTiePackedSmooth* smooth = ((Team*)data)->smooth;
    unsigned before = flush_tiny();
    Share share;
    share_start(&share, ((Team*)data)->packed, rank, size);
    int nb = share.packed->n_border;
    start_border(nb, smooth->r_border, &share.border);
    memcpy(share.border.x, smooth->x_border, (size_t)nb * sizeof *smooth->x_border);
    multiply(&share);
    advance(&share, smooth->factor, 1.0);
    turn(&share, 0.0);
    unflush(before);
    smooth_end(&share, rank, smooth, smooth->s);
}

static void clear_vectors(CondTiePacked* packed)
{
    size_t size = 16 * (size_t)packed->n_four * sizeof *packed->x;
    memset(packed->x, 0, size);
    memset(packed->p, 0, size);
    memset(packed->q, 0, size);
}

void cond_tie_packed_solve(CondTiePacked* packed, CondTiePackedSolve* solve)
{
    Team team = {.packed = packed, .solve = solve};
    clear_vectors(packed);
    cond_team(packed->n_team, iterate, &team);
}

void cond_tie_packed_smooth_down(CondTiePacked* packed, CondTiePackedSmooth* smooth)
{
    Team team = {.packed = packed, .smooth = smooth};
    clear_vectors(packed);
    cond_team(packed->n_team, smooth_down, &team);
}

void cond_tie_packed_smooth_up(CondTiePacked* packed, CondTiePackedSmooth* smooth)
{
    Team team = {.packed = packed, .smooth = smooth};
    cond_team(packed->n_team, smooth_up, &team);
}
