// W = alpha I: alpha from the spectrum (fixed), or by Barzilai and Borwein (a new one each time).
#include "vfpi/surrogate.h"

#include "base/memory.h"
#include "device/sum.h"
#include "linear/lanczos.h"
#include "vfpi/tuning.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void fill(CondSurrogate* W, int n, double alpha)
{
    for (int i = 0; i < n; i++)
        W->w[i] = alpha;
}

typedef struct Product {
    CondNodal* nodal;
    int threads;
    int* count;
} Product;

static void multiply(const void* data, const double* x, double* y)
{
    const Product* product = data;
    cond_nodal_multiply(product->nodal, x, y, product->threads);
    ++*product->count;
}

// alpha = 2 / (sigma_min + sigma_max), which makes |I - alpha A| smallest.
static CondStatus build_spectrum(CondSurrogate* W, CondNodal* nodal,
                                 const CondSolverSettings* settings)
{
    int count = 0;
    Product product = {nodal, settings->threads, &count};
    CondOperator A = {nodal->n, multiply, &product};
    double low = 1.0, high = 1.0;
    if (nodal->n > 0) {
        int steps = nodal->n < COND_LANCZOS ? nodal->n : COND_LANCZOS;
        size_t size = COND_LANCZOS_WORK(nodal->n, steps);
        if (size > INT_MAX || COND_RESERVE(&W->arena, W->lanczos, (int)size))
            return COND_OUT_OF_MEMORY;
        CondStatus status = cond_lanczos_extremes(&A, steps, W->lanczos, &low, &high);
        W->products = count;
        if (status)
            return status;
    }
    fill(W, nodal->n, 2.0 / (low + high));
    return COND_OK;
}

const CondSurrogateOps cond_surrogate_spectrum = {COND_SURROGATE_SPECTRUM, build_spectrum, NULL,
                                                  NULL};

// The first alpha minimises |I - alpha A|_F: sum a_ii / sum |A_i*|^2.
static CondStatus build_bb(CondSurrogate* W, CondNodal* nodal, const CondSolverSettings* settings)
{
    CondArena* m = &W->arena;
    int n = nodal->n;
    if (COND_RESERVE(m, W->v_old, n) || COND_RESERVE(m, W->g_old, n))
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_surrogate_rows(W, nodal, NULL, settings->threads);
    if (status)
        return status;
    double a = 0.0, norm2 = 0.0;
    for (int i = 0; i < n; i++) {
        a += W->diagonal[i];
        norm2 += W->norm2[i];
    }
    fill(W, n, n > 0 ? a / norm2 : 1.0);
    return COND_OK;
}

// s = v - v_old, z = A s = g - g_old (g = A v - b, so no product is spent);
// bb1: s's / s'z, bb2: s'z / z'z.
static void update_bb(CondSurrogate* W, const CondNodal* nodal, CondSurrogateKind kind,
                      const double* v, const double* g, int threads)
{
    int n = nodal->n;
    if (W->updates > 0) {
        for (int i = 0; i < n; i++) {
            W->v_old[i] = v[i] - W->v_old[i];
            W->g_old[i] = g[i] - W->g_old[i];
        }
        double ss = cond_dot(n, W->v_old, W->v_old, threads);
        double sz = cond_dot(n, W->v_old, W->g_old, threads);
        double zz = cond_dot(n, W->g_old, W->g_old, threads);
        int first = kind == COND_SURROGATE_BB1 ||
                    (kind == COND_SURROGATE_BB_ALTERNATING && W->updates % 2 == 1);
        double alpha = first ? ss / sz : sz / zz;
        if (isfinite(alpha) && alpha > 0.0) // s = 0 leaves the last alpha
            fill(W, n, alpha);
    }
    memcpy(W->v_old, v, (size_t)n * sizeof *v);
    memcpy(W->g_old, g, (size_t)n * sizeof *g);
    W->updates++;
}

const CondSurrogateOps cond_surrogate_bb = {COND_SURROGATE_BB1, build_bb, update_bb, NULL};
