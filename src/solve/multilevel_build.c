#include "base/parallel.h"
#include "math/eigen.h"
#include "solve/multilevel_part.h"
#include "sparse/cholesky.h"

#include <math.h>
#include <string.h>

static const double HELD = 10.0;   // a tie this many times as stiff as the node holds it
static const double SHIFT = 1e-10; // on coarse diagonals: rotations of a group of two nodes
static const double SAFETY = 1.15; // on the largest eigenvalue found by powers
static const double ELEMENT = 4.0; // bound of it for tetrahedra: the nodes of one
static const double CHANGE = 0.2;  // of a tie, below which what was built with it stays
enum { POWERS = 7 };               // steps of the power method

typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
#define INLINE static inline __attribute__((always_inline))

// Inverse of a block on the diagonal, symmetric. 1: not positive definite.
static int invert(int n, const double* A, double* out)
{
    double L[36], trace = 0.0;
    memcpy(L, A, (size_t)(n * n) * sizeof *L);
    for (int i = 0; i < n; i++)
        trace += A[i * n + i];
    for (int i = 0; i < n; i++)
        L[i * n + i] += SHIFT * trace;
    if (!(trace > 0.0) || cond_cholesky_factor(n, L))
        return 1;
    for (int j = 0; j < n; j++) {
        double x[6] = {0.0};
        x[j] = 1.0;
        cond_cholesky_solve(n, L, x);
        for (int i = 0; i < n; i++)
            out[i * n + j] = x[i];
    }
    return 0;
}

static const double* diagonal_block(const CondLevel* level, int i)
{
    int size = level->width * level->width;
    for (int k = level->row_begin[i]; k < level->row_begin[i + 1]; k++)
        if (level->column[k] == i)
            return level->row[i] + (size_t)(k - level->row_begin[i]) * (size_t)size;
    return NULL; // not in a matrix that was checked
}

static int invert_diagonal(CondLevel* level)
{
    int size = level->width * level->width;
    for (int i = 0; i < level->n_node; i++) {
        const double* block = diagonal_block(level, i);
        if (!block || invert(level->width, block, level->D + (size_t)i * (size_t)size))
            return 1;
    }
    return 0;
}

// Centres and size of the groups: places of the nodes of the next level.
static void place_groups(const CondLevel* fine, CondLevel* coarse)
{
    memset(coarse->place, 0, 3 * (size_t)coarse->n_node * sizeof *coarse->place);
    double* members = coarse->x; // free until a cycle begins
    memset(members, 0, (size_t)coarse->n_node * sizeof *members);
    for (int i = 0; i < fine->n_node; i++) {
        int g = fine->group[i];
        members[g] += 1.0;
        for (int k = 0; k < 3; k++)
            coarse->place[3 * g + k] += fine->place[3 * i + k];
    }
    for (int g = 0; g < coarse->n_node; g++)
        for (int k = 0; k < 3; k++)
            coarse->place[3 * g + k] /= members[g];
    double sum = 0.0;
    for (int i = 0; i < fine->n_node; i++)
        for (int k = 0; k < 3; k++) {
            double d = fine->place[3 * i + k] - coarse->place[3 * fine->group[i] + k];
            sum += d * d;
        }
    coarse->length = sqrt(sum / fine->n_node);
    if (!(coarse->length > 0.0))
        coarse->length = 1.0;
}

// Rigid motion of group g at node i: v + omega x d, and omega itself on the coarse levels; angular
// velocities count times the length of their level.               out (width x 6)
INLINE void rigid_motion(const CondLevel* fine, const CondLevel* coarse, int i, double* out)
{
    int g = fine->group[i];
    const double *x = fine->place + 3 * (size_t)i, *c = coarse->place + 3 * (size_t)g;
    double s = 1.0 / coarse->length;
    double d[3] = {s * (x[0] - c[0]), s * (x[1] - c[1]), s * (x[2] - c[2])};
    memset(out, 0, (size_t)(6 * fine->width) * sizeof *out);
    for (int k = 0; k < fine->width; k++)
        out[6 * k + k] = k < 3 ? 1.0 : fine->length * s;
    out[0 * 6 + 4] = d[2];
    out[0 * 6 + 5] = -d[1];
    out[1 * 6 + 3] = -d[2];
    out[1 * 6 + 5] = d[0];
    out[2 * 6 + 3] = d[1];
    out[2 * 6 + 4] = -d[0];
}

// C += A B, with A (n x m) and B (m x 6); n and m are known where it is called, so that the
// compiler unrolls it.
INLINE void add_product(int n, int m, const double* restrict A, const double* restrict B,
                        double* restrict C)
{
    for (int i = 0; i < n; i++) {
        Four head = *(const Four*)(C + (ptrdiff_t)6 * i);
        Two tail = *(const Two*)(C + (ptrdiff_t)6 * i + 4);
        for (int k = 0; k < m; k++) {
            head += A[i * m + k] * *(const Four*)(B + (ptrdiff_t)6 * k);
            tail += A[i * m + k] * *(const Two*)(B + (ptrdiff_t)6 * k + 4);
        }
        *(Four*)(C + (ptrdiff_t)6 * i) = head;
        *(Two*)(C + (ptrdiff_t)6 * i + 4) = tail;
    }
}

INLINE void add_square_product(int w, const double* A, const double* B, double* C)
{
    if (w == 3)
        add_product(3, 3, A, B, C);
    else
        add_product(6, 6, A, B, C);
}

// n numbers of P.
INLINE void take(size_t n, const float* P, double* out)
{
    for (size_t k = 0; k < n; k++)
        out[k] = P[k];
}

INLINE void keep(size_t n, const double* from, float* P)
{
    for (size_t k = 0; k < n; k++)
        P[k] = (float)from[k];
}

// C += P' W, with P and W (w x 6).
INLINE void add_transposed_product(int w, const float* P, const double* W, double* C)
{
    double transposed[36];
    for (int a = 0; a < w; a++)
        for (int b = 0; b < 6; b++)
            transposed[b * w + a] = P[6 * a + b];
    if (w == 3)
        add_product(6, 3, transposed, W, C);
    else
        add_product(6, 6, transposed, W, C);
}

typedef struct Build {
    CondLevel *fine, *coarse;
    const int* due;     // groups whose rows are to be made
    const double* soft; // level 0: ties of the nodes (n_node x 9)
    double omega;
} Build;

INLINE void smooth(const void* loop, int first, int last)
{
    const Build* build = loop;
    CondLevel *fine = build->fine, *coarse = build->coarse;
    int w = fine->width;
    size_t size = 6 * (size_t)w;
    for (int i = first; i < last; i++) {
        for (int l = fine->p_begin[i]; l < fine->p_begin[i + 1]; l++) {
            int g = fine->p_column[l];
            double motion[36], sum[36] = {0.0}, product[36] = {0.0};
            for (int k = fine->row_begin[i]; k < fine->row_begin[i + 1]; k++) {
                int j = fine->column[k];
                if (fine->group[j] != g)
                    continue;
                rigid_motion(fine, coarse, j, motion);
                add_square_product(
                    w, fine->row[i] + (size_t)(k - fine->row_begin[i]) * (size_t)(w * w), motion,
                    sum);
            }
            add_square_product(w, fine->D + (size_t)i * (size_t)(w * w), sum, product);
            rigid_motion(fine, coarse, i, motion);
            for (size_t e = 0; e < size; e++)
                sum[e] = (g == fine->group[i] ? motion[e] : 0.0) - build->omega * product[e];
            keep(size, sum, fine->P + size * (size_t)l);
        }
    }
}

// The block of W = (A + soft) P at node i and group h.                         W (width x 6)
INLINE void multiply_block(const Build* build, int i, int h, double* W)
{
    const CondLevel* fine = build->fine;
    int w = fine->width;
    size_t size = 6 * (size_t)w;
    memset(W, 0, size * sizeof *W);
    for (int k = fine->row_begin[i]; k < fine->row_begin[i + 1]; k++) {
        int j = fine->column[k], l = fine->p_begin[j], end = fine->p_begin[j + 1];
        while (l < end && fine->p_column[l] != h)
            l++;
        if (l == end)
            continue;
        double P[36];
        take(size, fine->P + size * (size_t)l, P);
        add_square_product(w, fine->row[i] + (size_t)(k - fine->row_begin[i]) * (size_t)(w * w), P,
                           W);
        if (i == j && build->soft)
            add_product(3, 3, build->soft + 9 * (size_t)i, P, W);
    }
}

// Keeps a block on the diagonal positive definite where a group has motions that move none of its
// nodes: rotations of one or two nodes, or of nodes all held.
static void lift(double* block)
{
    double trace = 0.0;
    for (int k = 0; k < 6; k++)
        trace += block[7 * k];
    for (int k = 0; k < 6; k++)
        block[7 * k] += trace > 0.0 ? SHIFT * trace : 1.0;
}

// Adds P_i' W_i to the rows of the groups first .. last - 1 that are due, from the diagonal on.
INLINE void add_node(const Build* build, int i, int first, int last)
{
    CondLevel *fine = build->fine, *coarse = build->coarse;
    size_t size = 6 * (size_t)fine->width;
    int begin = fine->p_begin[i], end = fine->p_begin[i + 1];
    for (int k = fine->w_begin[i]; k < fine->w_begin[i + 1]; k++) {
        int h = fine->w_column[k], made = 0;
        double W[36];
        for (int l = begin; l < end; l++) {
            int g = fine->p_column[l], at;
            if (g < first || g >= last || g > h || !build->due[g])
                continue;
            if (!made)
                multiply_block(build, i, h, W);
            made = 1;
            for (at = coarse->row_begin[g]; coarse->column[at] != h;)
                at++;
            add_transposed_product(fine->width, fine->P + size * (size_t)l, W,
                                   coarse->A + 36 * (size_t)at);
        }
    }
}

// Rows of P' W of the groups that are due, from the diagonal on. Every thread goes through all
// nodes, so that each sum is taken in their order.
INLINE void coarsen(const void* loop, int first, int last)
{
    const Build* build = loop;
    CondLevel *fine = build->fine, *coarse = build->coarse;
    for (int g = first; g < last; g++)
        for (int k = coarse->row_begin[g]; k < coarse->row_begin[g + 1] && build->due[g]; k++)
            memset(coarse->A + 36 * (size_t)k, 0, 36 * sizeof *coarse->A);
    for (int i = 0; i < fine->n_node; i++)
        add_node(build, i, first, last);
    for (int g = first; g < last; g++)
        for (int k = coarse->row_begin[g]; k < coarse->row_begin[g + 1] && build->due[g]; k++)
            if (coarse->column[k] == g)
                lift(coarse->A + 36 * (size_t)k);
}

// The same loops for each processor. No fused operations: all give the same bits.
static void smooth_generic(const void* loop, int first, int last)
{
    smooth(loop, first, last);
}

static void coarsen_generic(const void* loop, int first, int last)
{
    coarsen(loop, first, last);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void smooth_avx2(const void* loop, int first, int last)
{
    smooth(loop, first, last);
}

__attribute__((target("avx2"))) static void coarsen_avx2(const void* loop, int first, int last)
{
    coarsen(loop, first, last);
}

static CondLoopBody smoother(void)
{
    return __builtin_cpu_supports("avx2") ? smooth_avx2 : smooth_generic;
}

static CondLoopBody coarsener(void)
{
    return __builtin_cpu_supports("avx2") ? coarsen_avx2 : coarsen_generic;
}
#else
static CondLoopBody smoother(void)
{
    return smooth_generic;
}

static CondLoopBody coarsener(void)
{
    return coarsen_generic;
}
#endif

// Groups with a node whose row of W changed; all of them where `changed` is NULL.
static void find_due(const CondLevel* fine, const int* changed, int* due)
{
    for (int g = 0; g < fine->n_coarse; g++) {
        due[g] = !changed;
        for (int t = fine->t_begin[g]; t < fine->t_begin[g + 1] && !due[g]; t++)
            due[g] = (changed[fine->t_node[t]] & 2) != 0;
    }
}

// The part before the diagonal of a coarse matrix, from that behind.
static void mirror(CondLevel* coarse)
{
    for (int g = 0; g < coarse->n_node; g++)
        for (int k = coarse->row_begin[g]; k < coarse->row_begin[g + 1]; k++) {
            int h = coarse->column[k], at = coarse->row_begin[h];
            if (h <= g)
                continue;
            while (coarse->column[at] != g)
                at++;
            const double* from = coarse->A + 36 * (size_t)k;
            double* to = coarse->A + 36 * (size_t)at;
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++)
                    to[6 * b + a] = from[6 * a + b];
        }
}

// The largest eigenvalue of D A by the power method, from a fixed start.
static double largest_eigenvalue(CondLevel* level)
{
    int w = level->width, n = level->n_node * w;
    double *x = level->x, *y = level->y, value = 1.0;
    for (int i = 0; i < n; i++)
        x[i] = 1.0 + 0.5 * sin(3.0 * i); // no symmetry of the mesh
    for (int step = 0; step < POWERS; step++) {
        double norm = 0.0;
        for (int i = 0; i < n; i++)
            norm += x[i] * x[i];
        norm = 1.0 / sqrt(norm);
        for (int i = 0; i < level->n_node; i++) {
            double sum[6] = {0.0};
            for (int k = level->row_begin[i]; k < level->row_begin[i + 1]; k++) {
                const double* block =
                    level->row[i] + (size_t)(k - level->row_begin[i]) * (size_t)(w * w);
                const double* xj = x + (size_t)level->column[k] * (size_t)w;
                for (int a = 0; a < w; a++)
                    for (int b = 0; b < w; b++)
                        sum[a] += norm * block[a * w + b] * xj[b];
            }
            const double* D = level->D + (size_t)i * (size_t)(w * w);
            for (int a = 0; a < w; a++) {
                y[i * w + a] = 0.0;
                for (int b = 0; b < w; b++)
                    y[i * w + a] += D[a * w + b] * sum[b];
            }
        }
        double length = 0.0;
        for (int i = 0; i < n; i++)
            length += y[i] * y[i];
        value = sqrt(length);
        double* swap = x;
        x = y;
        y = swap;
    }
    return value;
}

// Splits the ties of the nodes: directions that are held are cut from P, the rest is `soft`. Marks
// in `changed` the nodes whose ties differ from those built on (1) and their neighbours (2).
static int take_ties(CondMultilevel* multi, const double* tied)
{
    CondLevel* level = multi->level;
    Build build = {level, level + 1, NULL, NULL, COND_MULTILEVEL_DAMPING / level->high};
    int any = 0;
    for (int i = 0; i < level->n_node; i++) {
        const double* A = diagonal_block(level, i);
        double T[9], w[3], Q[9], change = 0.0, old = 0.0;
        for (int e = 0; e < 9; e++) {
            double d = tied[9 * i + e] - multi->tied[9 * i + e];
            change += d * d;
            old += multi->tied[9 * i + e] * multi->tied[9 * i + e];
        }
        // A tie that is stronger by a little holds as well.
        multi->changed[i] = multi->fresh || change > CHANGE * CHANGE * old;
        if (!multi->changed[i])
            continue;
        any = 1;
        memcpy(multi->tied + 9 * i, tied + 9 * i, 9 * sizeof *tied);
        double scale = (A[0] + A[4] + A[8]) / 3.0, most = 0.0;
        for (int e = 0; e < 9; e++) {
            T[e] = tied[9 * i + e] - A[e];
            most = fmax(most, fabs(T[e]));
        }
        memset(multi->soft + 9 * i, 0, 9 * sizeof *multi->soft);
        if (!multi->fresh) // as it was before ties cut it
            smoother()(&build, i, i + 1);
        if (!(most > 1e-12 * scale))
            continue;
        cond_eigen_symmetric(3, T, w, Q);
        double free_part[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        for (int e = 0; e < 3; e++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    double qq = Q[3 * a + e] * Q[3 * b + e];
                    if (w[e] > HELD * scale)
                        free_part[3 * a + b] -= qq;
                    else
                        multi->soft[9 * i + 3 * a + b] += fmax(w[e], 0.0) * qq;
                }
        for (int k = level->p_begin[i]; k < level->p_begin[i + 1]; k++) {
            double whole[18], left[18] = {0.0};
            take(18, level->P + 18 * (size_t)k, whole);
            add_product(3, 3, free_part, whole, left);
            keep(18, left, level->P + 18 * (size_t)k);
        }
    }
    for (int i = 0; i < level->n_node && any; i++)
        for (int k = level->row_begin[i]; k < level->row_begin[i + 1]; k++)
            if (multi->changed[level->column[k]] & 1)
                multi->changed[i] |= 2;
    return any;
}

static size_t smoothing_work(const CondLevel* level)
{
    return (size_t)level->row_begin[level->n_node] * (size_t)(6 * level->width * level->width);
}

// The level below `fine`, and what its smoother needs.
static CondStatus build_next(CondMultilevel* multi, int l, const int* changed)
{
    CondLevel *fine = &multi->level[l], *coarse = fine + 1;
    Build build = {fine, coarse, multi->mark, l == 0 ? multi->soft : NULL, 0.0};
    int threads = cond_threads(smoothing_work(fine), multi->threads);
    find_due(fine, changed, multi->mark);
    cond_parallel(coarse->n_node, threads, coarsener(), &build);
    mirror(coarse);
    if (invert_diagonal(coarse))
        return COND_DIVERGED;
    coarse->high = fmax(1.0, SAFETY * largest_eigenvalue(coarse));
    return COND_OK;
}

static void smooth_level(CondMultilevel* multi, int l)
{
    CondLevel *fine = &multi->level[l], *coarse = fine + 1;
    Build build = {fine, coarse, NULL, NULL, COND_MULTILEVEL_DAMPING / fine->high};
    place_groups(fine, coarse);
    cond_parallel(fine->n_node, cond_threads(smoothing_work(fine), multi->threads), smoother(),
                  &build);
}

static CondStatus factor_coarsest(CondMultilevel* multi)
{
    const CondLevel* level = &multi->level[multi->n_level - 1];
    int n = 6 * level->n_node;
    memset(multi->factor, 0, (size_t)n * (size_t)n * sizeof *multi->factor);
    for (int i = 0; i < level->n_node; i++)
        for (int k = level->row_begin[i]; k < level->row_begin[i + 1]; k++)
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++)
                    multi->factor[(size_t)(6 * i + a) * (size_t)n +
                                  (size_t)(6 * level->column[k] + b)] =
                        level->A[36 * (size_t)k + (size_t)(6 * a + b)];
    return cond_cholesky_factor(n, multi->factor) ? COND_DIVERGED : COND_OK;
}

CondStatus cond_multilevel_build(CondMultilevel* multi, const double* tied)
{
    CondLevel* top = multi->level;
    if (multi->fresh) {
        if (invert_diagonal(top))
            return COND_DIVERGED;
        top->high = fmin(ELEMENT, fmax(1.0, SAFETY * largest_eigenvalue(top)));
        smooth_level(multi, 0);
    }
    if (!take_ties(multi, tied))
        return COND_OK;
    CondStatus status = build_next(multi, 0, multi->fresh ? NULL : multi->changed);
    for (int l = 1; l + 1 < multi->n_level && !status; l++) {
        smooth_level(multi, l);
        status = build_next(multi, l, NULL);
    }
    if (!status)
        status = factor_coarsest(multi);
    multi->fresh = status != COND_OK;
    return status;
}
