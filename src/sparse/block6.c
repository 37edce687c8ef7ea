// A row of six numbers is a vector of four and one of two. A product with a row is summed in these
// lanes over all blocks, and the lanes once at the end.
#include "sparse/block6.h"

#include "base/lanes.h"
#include "base/parallel.h"

#include <stddef.h>

typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));

typedef float Floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef float FloatPair __attribute__((vector_size(8), aligned(4), may_alias));

// The first four and the last two numbers of a row of floats.
#define ROW_LANES(row) __builtin_convertvector(*(const Floats*)(row), CondLanes)
#define ROW_PAIR(row) __builtin_convertvector(*(const FloatPair*)((row) + 4), Pair)

typedef struct ResidualLoop {
    const CondBlock6Rows* A;
    const double *x, *r;
    double* y;
} ResidualLoop;

COND_LANES_INLINE double sum_lanes(const CondLanes* s, const Pair* t)
{
    return (((*s)[0] + (*s)[1]) + ((*s)[2] + (*s)[3])) + ((*t)[0] + (*t)[1]);
}

COND_LANES_INLINE void residual_rows(const void* loop, int first, int last)
{
    const ResidualLoop* l = loop;
    const CondBlock6Rows* A = l->A;
    for (int i = first; i < last; i++) {
        CondLanes s[6];
        Pair t[6];
        for (int a = 0; a < 6; a++) {
            s[a] = (CondLanes){0.0};
            t[a] = (Pair){0.0};
        }
        for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++) {
            const double* B = A->value + 36 * (size_t)k;
            const double* xj = l->x + 6 * (size_t)A->column[k];
            CondLanes x0 = *(const CondLanesAnywhere*)xj;
            Pair x4 = *(const Pair*)(xj + 4);
            for (int a = 0; a < 6; a++) {
                s[a] += *(const CondLanesAnywhere*)(B + 6 * a) * x0;
                t[a] += *(const Pair*)(B + 6 * a + 4) * x4;
            }
        }
        for (int a = 0; a < 6; a++)
            l->y[6 * i + a] = l->r[6 * i + a] - sum_lanes(&s[a], &t[a]);
    }
}

typedef struct MapLoop {
    const CondBlock6Map* P;
    const double* from;
    double* to;
} MapLoop;

COND_LANES_INLINE void restrict_groups(const void* loop, int first, int last)
{
    const MapLoop* l = loop;
    const CondBlock6Map* P = l->P;
    const int w = P->width;
    for (int g = first; g < last; g++) {
        CondLanes s = {0.0};
        Pair t = {0.0};
        for (int k = P->group_begin[g]; k < P->group_begin[g + 1]; k++) {
            const float* B = P->value + 6 * (size_t)w * (size_t)P->block[k];
            const double* r = l->from + (size_t)w * (size_t)P->node[k];
            for (int a = 0; a < w; a++) {
                s += ROW_LANES(B + 6 * a) * r[a];
                t += ROW_PAIR(B + 6 * a) * r[a];
            }
        }
        *(CondLanesAnywhere*)(l->to + 6 * (size_t)g) = s;
        *(Pair*)(l->to + 6 * (size_t)g + 4) = t;
    }
}

// The nodes of one width, which the compiler is to know.
COND_LANES_INLINE void prolong_width(const MapLoop* l, const int w, int first, int last)
{
    const CondBlock6Map* P = l->P;
    for (int i = first; i < last; i++) {
        CondLanes s[6];
        Pair t[6];
        for (int a = 0; a < w; a++) {
            s[a] = (CondLanes){0.0};
            t[a] = (Pair){0.0};
        }
        for (int k = P->node_begin[i]; k < P->node_begin[i + 1]; k++) {
            const float* B = P->value + 6 * (size_t)w * (size_t)k;
            const double* e = l->from + 6 * (size_t)P->group[k];
            CondLanes e0 = *(const CondLanesAnywhere*)e;
            Pair e4 = *(const Pair*)(e + 4);
            for (int a = 0; a < w; a++) {
                s[a] += ROW_LANES(B + 6 * a) * e0;
                t[a] += ROW_PAIR(B + 6 * a) * e4;
            }
        }
        for (int a = 0; a < w; a++)
            l->to[(size_t)w * (size_t)i + (size_t)a] += sum_lanes(&s[a], &t[a]);
    }
}

COND_LANES_INLINE void prolong_nodes(const void* loop, int first, int last)
{
    const MapLoop* l = loop;
    if (l->P->width == 3)
        prolong_width(l, 3, first, last);
    else
        prolong_width(l, 6, first, last);
}

typedef struct Kernels {
    CondLoopBody residual, restrict_to, prolong;
} Kernels;

static void residual_generic(const void* loop, int first, int last)
{
    residual_rows(loop, first, last);
}

static void restrict_generic(const void* loop, int first, int last)
{
    restrict_groups(loop, first, last);
}

static void prolong_generic(const void* loop, int first, int last)
{
    prolong_nodes(loop, first, last);
}

static const Kernels generic = {residual_generic, restrict_generic, prolong_generic};

#if defined(__x86_64__) && defined(__GNUC__)
#define AVX2 __attribute__((target("avx2")))

AVX2 static void residual_avx2(const void* loop, int first, int last)
{
    residual_rows(loop, first, last);
}

AVX2 static void restrict_avx2(const void* loop, int first, int last)
{
    restrict_groups(loop, first, last);
}

AVX2 static void prolong_avx2(const void* loop, int first, int last)
{
    prolong_nodes(loop, first, last);
}

static const Kernels avx2 = {residual_avx2, restrict_avx2, prolong_avx2};

static const Kernels* kernels(void)
{
    return __builtin_cpu_supports("avx2") ? &avx2 : &generic;
}
#else
static const Kernels* kernels(void)
{
    return &generic;
}
#endif

void cond_block6_residual(const CondBlock6Rows* A, const double* x, const double* r, double* y,
                          int threads)
{
    ResidualLoop loop = {A, x, r, y};
    int n_thread = cond_threads(36 * (size_t)A->row_begin[A->n_row], threads);
    cond_parallel(A->n_row, n_thread, kernels()->residual, &loop);
}

static int map_threads(const CondBlock6Map* P, int threads)
{
    return cond_threads(6 * (size_t)P->width * (size_t)P->node_begin[P->n_node], threads);
}

void cond_block6_restrict(const CondBlock6Map* P, const double* r, double* e, int threads)
{
    MapLoop loop = {P, r, e};
    cond_parallel(P->n_group, map_threads(P, threads), kernels()->restrict_to, &loop);
}

void cond_block6_prolong(const CondBlock6Map* P, const double* e, double* x, int threads)
{
    MapLoop loop = {P, e, x};
    cond_parallel(P->n_node, map_threads(P, threads), kernels()->prolong, &loop);
}
