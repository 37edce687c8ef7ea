// Anderson acceleration, type II, in the W^-1 norm. With the residuals f^l = v** - v^l and the
// differences dF = (f^{j+1} - f^j), dG = (v**^{j+1} - v**^j) of the last `depth` iterations,
//     gamma = argmin | f^l - dF gamma |,     v^{l+1} = v** - dG gamma.
// dF is kept as Q R: a new difference is orthogonalised against Q, the oldest one leaves by plane
// rotations, and so do older ones while R says that the differences are all but dependent. The map
// has kinks where contacts open or begin to slip, and a step across one may land anywhere: when the
// residual has grown fivefold over the best one, the memory is emptied and the iteration goes on
// from the plain iterate that was best.
#include "vfpi/accelerate.h"

#include "base/parallel.h"
#include "device/sum.h"
#include "vfpi/tuning.h"

#include <math.h>
#include <string.h>

static double* column_of(const CondAccelerator* a, double* base, int j)
{
    return base + (size_t)j * (size_t)a->n;
}

// Difference j of dG, which is a ring: the oldest one leaves without the others being moved.
static double* difference_of(const CondAccelerator* a, int j)
{
    return column_of(a, a->dG, (a->oldest + j) % a->depth);
}

// R(i, j), stored by columns.
static double* entry(const CondAccelerator* a, int i, int j)
{
    return &a->R[(size_t)j * (size_t)a->depth + (size_t)i];
}

// A loop over all coordinates: two vectors and two factors, or v and v**.
typedef struct VectorLoop {
    const CondAccelerator* a;
    double *p, *q;
    const double *v, *plain;
    double c, s;
} VectorLoop;

static void each(const CondAccelerator* a, CondLoopBody body, const VectorLoop* loop)
{
    cond_parallel(a->n, cond_threads(2 * (size_t)a->n, a->threads), body, loop);
}

// (q, p) turned: c q + s p, c p - s q
static void rotate(const void* loop, int first, int last)
{
    const VectorLoop* l = loop;
    for (int k = first; k < last; k++) {
        double upper = l->q[k], lower = l->p[k];
        l->q[k] = l->c * upper + l->s * lower;
        l->p[k] = l->c * lower - l->s * upper;
    }
}

// q -= c p
static void subtract(const void* loop, int first, int last)
{
    const VectorLoop* l = loop;
    for (int k = first; k < last; k++)
        l->q[k] -= l->c * l->p[k];
}

// q /= c
static void divide(const void* loop, int first, int last)
{
    const VectorLoop* l = loop;
    for (int k = first; k < last; k++)
        l->q[k] /= l->c;
}

// q = W^-1/2 (f - f_old), p = v** - v**_old
static void take_differences(const void* loop, int first, int last)
{
    const VectorLoop* l = loop;
    const CondAccelerator* a = l->a;
    for (int i = first; i < last; i++) {
        l->q[i] = (l->plain[i] - l->v[i] - a->f_old[i]) / sqrt(a->w[i]);
        l->p[i] = l->plain[i] - a->g_old[i];
    }
}

// f_old = f, g_old = v**, q = W^-1/2 f
static void take_residual(const void* loop, int first, int last)
{
    const VectorLoop* l = loop;
    const CondAccelerator* a = l->a;
    for (int i = first; i < last; i++) {
        a->f_old[i] = l->plain[i] - l->v[i];
        a->g_old[i] = l->plain[i];
        l->q[i] = a->f_old[i] / sqrt(a->w[i]);
    }
}

// Removes the oldest difference: R without its first column is upper Hessenberg; rotations of
// neighbouring rows make it triangular again and turn the columns of Q along.
static void drop_oldest(CondAccelerator* a)
{
    int m = a->columns;
    for (int j = 1; j < m; j++)
        for (int i = 0; i <= j; i++)
            *entry(a, i, j - 1) = *entry(a, i, j);
    for (int i = 0; i + 1 < m; i++) {
        double x = *entry(a, i, i), y = *entry(a, i + 1, i), r = hypot(x, y);
        double c = r > 0.0 ? x / r : 1.0, s = r > 0.0 ? y / r : 0.0;
        for (int j = i; j + 1 < m; j++) {
            double upper = *entry(a, i, j), lower = *entry(a, i + 1, j);
            *entry(a, i, j) = c * upper + s * lower;
            *entry(a, i + 1, j) = c * lower - s * upper;
        }
        VectorLoop turn = {
            .q = column_of(a, a->Q, i), .p = column_of(a, a->Q, i + 1), .c = c, .s = s};
        each(a, rotate, &turn);
    }
    a->oldest = (a->oldest + 1) % a->depth;
    a->columns = m - 1;
}

// Appends the difference of residuals held in the next free column of Q (already scaled).
static void append(CondAccelerator* a)
{
    int m = a->columns, n = a->n;
    double* q = column_of(a, a->Q, m);
    for (int j = 0; j <= m; j++)
        *entry(a, j, m) = 0.0;
    for (int pass = 0; pass < 2; pass++) // the second pass restores what rounding took
        for (int j = 0; j < m; j++) {
            double* old = column_of(a, a->Q, j);
            double overlap = cond_dot(n, old, q, a->threads);
            *entry(a, j, m) += overlap;
            each(a, subtract, &(VectorLoop){.q = q, .p = old, .c = overlap});
        }
    double norm = sqrt(cond_dot(n, q, q, a->threads));
    *entry(a, m, m) = norm;
    if (norm > 0.0)
        each(a, divide, &(VectorLoop){.q = q, .c = norm});
    a->columns = m + 1;
}

// 1 when the largest and the smallest diagonal entry of R are too far apart.
static int ill_conditioned(const CondAccelerator* a)
{
    double largest = 0.0, smallest = INFINITY;
    for (int j = 0; j < a->columns; j++) {
        double r = fabs(*entry(a, j, j));
        largest = fmax(largest, r);
        smallest = fmin(smallest, r);
    }
    return !(smallest * COND_ANDERSON_CONDITION > largest);
}

static void restart(CondAccelerator* a)
{
    cond_accelerator_restart(a);
    a->restarts++;
}

typedef struct MixLoop {
    const CondAccelerator* a;
    const double* plain;
    double* next;
} MixLoop;

// next = plain - dG gamma
static void mix(const void* loop, int first, int last)
{
    const MixLoop* l = loop;
    const CondAccelerator* a = l->a;
    for (int begin = first; begin < last; begin += COND_SUM_BLOCK) {
        int end = begin + COND_SUM_BLOCK < last ? begin + COND_SUM_BLOCK : last;
        memcpy(l->next + begin, l->plain + begin, (size_t)(end - begin) * sizeof *l->next);
        for (int j = 0; j < a->columns; j++) {
            const double* g = difference_of(a, j);
            for (int i = begin; i < end; i++)
                l->next[i] -= a->gamma[j] * g[i];
        }
    }
}

void cond_accelerate_anderson(CondAccelerator* a, const double* v, const double* plain,
                              double residual, double* next)
{
    int n = a->n;
    if (residual >
        COND_ANDERSON_GROWTH * a->smallest) { // back to where it was best, with an empty memory
        memcpy(next, a->g_best, (size_t)n * sizeof *next);
        restart(a);
        return;
    }
    if (residual < a->smallest) {
        a->smallest = residual;
        memcpy(a->g_best, plain, (size_t)n * sizeof *plain);
    }
    if (a->count > 0) {
        if (a->columns == a->depth)
            drop_oldest(a);
        VectorLoop change = {.a = a,
                             .q = column_of(a, a->Q, a->columns),
                             .p = difference_of(a, a->columns),
                             .v = v,
                             .plain = plain};
        each(a, take_differences, &change);
        append(a);
        while (a->columns > 1 && ill_conditioned(a))
            drop_oldest(a);
        if (a->columns == 1 && !(*entry(a, 0, 0) > 0.0))
            a->columns = 0;
    }
    a->count++;
    // next is scratch: the scaled residual
    each(a, take_residual, &(VectorLoop){.a = a, .q = next, .v = v, .plain = plain});
    int m = a->columns;
    for (int j = 0; j < m; j++)
        a->gamma[j] = cond_dot(n, column_of(a, a->Q, j), next, a->threads);
    for (int i = m - 1; i >= 0; i--) { // R gamma = Q' f
        for (int j = i + 1; j < m; j++)
            a->gamma[i] -= *entry(a, i, j) * a->gamma[j];
        a->gamma[i] /= *entry(a, i, i);
    }
    MixLoop loop = {a, plain, next};
    cond_parallel(n, cond_threads((size_t)(m + 1) * (size_t)n, a->threads), mix, &loop);
}
