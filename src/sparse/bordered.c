#include "sparse/bordered.h"

#include "base/memory.h"
#include "sparse/lu.h"

#include <math.h>
#include <string.h>

// Row i of U reaches from column i to i + 2 COND_BAND: row exchanges widen it.
enum { REACH = 2 * COND_BAND, WIDTH = 3 * COND_BAND + 1 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

// Row i, such that row(i)[j] is the entry at column j.
static double* row_of(const CondBordered* a, int i)
{
    return a->band + (ptrdiff_t)i * WIDTH + COND_BAND - i;
}

CondStatus cond_bordered_begin(CondBordered* a, int n_band, int n_border)
{
    const CondContext* m = &a->context;
    int size = n_band * n_border;
    if (cond_reserve(m, &a->band, &a->cap_band, n_band * WIDTH, sizeof *a->band) ||
        cond_reserve(m, &a->pivot, &a->cap_pivot, n_band, sizeof *a->pivot) ||
        cond_reserve(m, &a->right, &a->cap_right, size, sizeof *a->right) ||
        cond_reserve(m, &a->left, &a->cap_left, size, sizeof *a->left) ||
        cond_reserve(m, &a->corner, &a->cap_corner, n_border * n_border, sizeof *a->corner) ||
        cond_reserve(m, &a->corner_pivot, &a->cap_corner_pivot, n_border, sizeof *a->corner_pivot))
        return COND_OUT_OF_MEMORY;
    a->n_band = n_band;
    a->n_border = n_border;
    memset(a->band, 0, (size_t)n_band * WIDTH * sizeof *a->band);
    memset(a->right, 0, (size_t)size * sizeof *a->right);
    memset(a->left, 0, (size_t)size * sizeof *a->left);
    memset(a->corner, 0, (size_t)n_border * (size_t)n_border * sizeof *a->corner);
    return COND_OK;
}

void cond_bordered_destroy(CondBordered* a)
{
    void* arrays[] = {a->band, a->pivot, a->right, a->left, a->corner, a->corner_pivot};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&a->context, arrays[i]);
}

void cond_bordered_add(CondBordered* a, int i, int j, double value)
{
    int n = a->n_band, m = a->n_border;
    if (i < n && j < n)
        row_of(a, i)[j] += value;
    else if (i < n)
        a->right[(size_t)i * (size_t)m + (size_t)(j - n)] += value;
    else if (j < n)
        a->left[(size_t)j * (size_t)m + (size_t)(i - n)] += value;
    else
        a->corner[(size_t)(i - n) * (size_t)m + (size_t)(j - n)] += value;
}

// B = P L U, the factors in place of B.
static int factor_band(CondBordered* a)
{
    int n = a->n_band;
    for (int k = 0; k < n; k++) {
        int last = least(k + COND_BAND, n - 1), end = least(k + REACH, n - 1), best = k;
        for (int i = k + 1; i <= last; i++)
            if (fabs(row_of(a, i)[k]) > fabs(row_of(a, best)[k]))
                best = i;
        a->pivot[k] = best;
        double *Ak = row_of(a, k), *Ab = row_of(a, best);
        if (!(fabs(Ab[k]) > 0.0) || !isfinite(Ab[k]))
            return 1;
        for (int j = k; j <= end && best != k; j++) {
            double swap = Ak[j];
            Ak[j] = Ab[j];
            Ab[j] = swap;
        }
        for (int i = k + 1; i <= last; i++) {
            double* Ai = row_of(a, i);
            if (Ai[k] == 0.0)
                continue;
            double l = Ai[k] /= Ak[k];
            for (int j = k + 1; j <= end; j++)
                Ai[j] -= l * Ak[j];
        }
    }
    return 0;
}

// X = B \ X for m columns side by side.                                     X (n_band x m)
static void solve_band(const CondBordered* a, int m, double* X)
{
    int n = a->n_band;
    for (int k = 0; k < n; k++) {
        double* Xk = X + (size_t)k * (size_t)m;
        double* Xp = X + (size_t)a->pivot[k] * (size_t)m;
        for (int c = 0; c < m && Xp != Xk; c++) {
            double swap = Xk[c];
            Xk[c] = Xp[c];
            Xp[c] = swap;
        }
        for (int i = k + 1; i <= least(k + COND_BAND, n - 1); i++) {
            double l = row_of(a, i)[k], *Xi = X + (size_t)i * (size_t)m;
            for (int c = 0; c < m && l != 0.0; c++)
                Xi[c] -= l * Xk[c];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double* Ak = row_of(a, k);
        double* Xk = X + (size_t)k * (size_t)m;
        for (int j = k + 1; j <= least(k + REACH, n - 1); j++) {
            const double* Xj = X + (size_t)j * (size_t)m;
            for (int c = 0; c < m; c++)
                Xk[c] -= Ak[j] * Xj[c];
        }
        for (int c = 0; c < m; c++)
            Xk[c] /= Ak[k];
    }
}

int cond_bordered_factor(CondBordered* a)
{
    size_t m = (size_t)a->n_border;
    if (factor_band(a))
        return 1;
    if (m == 0)
        return 0;
    solve_band(a, a->n_border, a->right);
    for (int k = 0; k < a->n_band; k++) { // S = F - E (B^-1 C)
        const double *E = a->left + (size_t)k * m, *C = a->right + (size_t)k * m;
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m && E[i] != 0.0; j++)
                a->corner[i * m + j] -= E[i] * C[j];
    }
    return cond_lu_factor(a->n_border, a->corner, a->corner_pivot);
}

void cond_bordered_solve(const CondBordered* a, double* x)
{
    size_t m = (size_t)a->n_border;
    double* y = x + a->n_band;
    solve_band(a, 1, x);
    if (m == 0)
        return;
    for (int k = 0; k < a->n_band; k++)
        for (size_t i = 0; i < m; i++)
            y[i] -= a->left[(size_t)k * m + i] * x[k];
    cond_lu_solve(a->n_border, a->corner, a->corner_pivot, y);
    for (int k = 0; k < a->n_band; k++)
        for (size_t i = 0; i < m; i++)
            x[k] -= a->right[(size_t)k * m + i] * y[i];
}
