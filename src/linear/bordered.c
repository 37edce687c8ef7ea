#include "linear/bordered.h"

#include "base/memory.h"
#include "linear/lu.h"

#include <math.h>
#include <string.h>

// While block k is eliminated its six rows, as far as earlier blocks have changed them, and the six
// of the next block make a panel: they are all that has an entry in its columns. A row reaches over
// three blocks, also when rows are exchanged.
enum { SIZE = COND_BAND, ROW = 3 * SIZE, PANEL = 2 * SIZE };

CondStatus cond_bordered_begin(CondBordered* a, int n_band, int n_border)
{
    int size = n_band * n_border;
#define RESERVE(array, count) COND_RESERVE(&a->arena, a->array, count)
    if (RESERVE(band, n_band * ROW) || RESERVE(lower, n_band * PANEL) || RESERVE(pivot, n_band) ||
        RESERVE(right, size) || RESERVE(left, size) || RESERVE(corner, n_border * n_border) ||
        RESERVE(corner_pivot, n_border))
        return COND_OUT_OF_MEMORY;
    a->n_band = n_band;
    a->n_border = n_border;
    a->first = n_band / SIZE;
    memset(a->band, 0, (size_t)n_band * ROW * sizeof *a->band);
    memset(a->right, 0, (size_t)size * sizeof *a->right);
    memset(a->left, 0, (size_t)size * sizeof *a->left);
    memset(a->corner, 0, (size_t)n_border * (size_t)n_border * sizeof *a->corner);
    return COND_OK;
}

void cond_bordered_destroy(CondBordered* a)
{
    cond_arena_release(&a->arena);
}

void cond_bordered_add(CondBordered* a, int i, int j, double value)
{
    int n = a->n_band, m = a->n_border;
    if (i < n && j < n) {
        a->band[(ptrdiff_t)i * ROW + j - (i / SIZE - 1) * SIZE] += value;
        return;
    }
    if (i < n || j < n) {
        int block = (i < n ? i : j) / SIZE;
        a->first = block < a->first ? block : a->first;
    }
    if (i < n)
        a->right[(size_t)i * (size_t)m + (size_t)(j - n)] += value;
    else if (j < n)
        a->left[(size_t)j * (size_t)m + (size_t)(i - n)] += value;
    else
        a->corner[(size_t)(i - n) * (size_t)m + (size_t)(j - n)] += value;
}

void cond_bordered_put(CondBordered* a, int i, int n, const double* values)
{
    double* rows = a->band + (size_t)i * ROW;
    memcpy(rows, values, (size_t)n * ROW * sizeof *rows);
    for (int r = 0; r < SIZE; r++) { // what sticks out at both ends
        memset(rows + r * ROW, 0, SIZE * sizeof *rows);
        memset(rows + (ptrdiff_t)(n - SIZE + r) * ROW + 2 * SIZE, 0, SIZE * sizeof *rows);
    }
}

static void exchange(int n, double* restrict x, double* restrict y)
{
    for (int j = 0; j < n; j++) {
        double swap = x[j];
        x[j] = y[j];
        y[j] = swap;
    }
}

// y -= l x for rows of the panel; all of them, which leaves rounding where zeros belong.
static void subtract(double l, const double* restrict x, double* restrict y)
{
    for (int j = 0; j < ROW; j++)
        y[j] -= l * x[j];
}

// Eliminates the first six columns of a panel of n rows; the diagonal of U is left inverted. The
// columns of L are those between two exchanges: a solve exchanges and subtracts in turns.
static int eliminate(double (*P)[ROW], int n, double* lower, int* pivot)
{
    for (int c = 0; c < SIZE; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(P[r][c]) > fabs(P[best][c]))
                best = r;
        pivot[c] = best;
        if (!(fabs(P[best][c]) > 0.0) || !isfinite(P[best][c]))
            return 1;
        if (best != c)
            exchange(ROW, P[c], P[best]);
        double scale = 1.0 / P[c][c], *L = lower + c * PANEL;
        memset(L, 0, PANEL * sizeof *L);
        for (int r = c + 1; r < n; r++) {
            L[r] = P[r][c] * scale;
            subtract(L[r], P[c], P[r]);
        }
        P[c][c] = scale; // what solves want to know
    }
    return 0;
}

// The same exchanges and subtractions on m numbers beside each row.
static void follow(int n, const double* lower, const int* pivot, int m, double* X)
{
    for (int c = 0; c < SIZE; c++) {
        double* Xc = X + (ptrdiff_t)c * m;
        if (pivot[c] != c)
            exchange(m, Xc, X + (ptrdiff_t)pivot[c] * m);
        for (int r = c + 1; r < n; r++) {
            double l = lower[c * PANEL + r], *Xr = X + (ptrdiff_t)r * m;
            for (int j = 0; j < m && l != 0.0; j++)
                Xr[j] -= l * Xc[j];
        }
    }
}

// Rows of the panel of block k: two blocks, or one at the end.
static int panel_rows(const CondBordered* a, int k)
{
    return (k + 1) * SIZE < a->n_band ? PANEL : SIZE;
}

// B = P L U, and C becomes L^-1 P' C on the way.
static int factor_band(CondBordered* a)
{
    double P[PANEL][ROW];
    int n_block = a->n_band / SIZE;
    for (int r = 0; r < SIZE && n_block > 0; r++) { // the first block has none before it
        memcpy(P[r], a->band + r * ROW + SIZE, 2 * SIZE * sizeof(double));
        memset(P[r] + 2 * SIZE, 0, SIZE * sizeof(double));
    }
    for (int k = 0; k < n_block; k++) {
        double *rows = a->band + (size_t)k * SIZE * ROW, *L = a->lower + (size_t)k * SIZE * PANEL;
        int n = panel_rows(a, k), *pivot = a->pivot + k * SIZE;
        if (n == PANEL)
            memcpy(P[SIZE], rows + SIZE * ROW, SIZE * sizeof P[0]);
        if (eliminate(P, n, L, pivot))
            return 1;
        memcpy(rows, P, SIZE * sizeof P[0]);
        if (k + 1 >= a->first) // its first rows may be exchanged with those of the block before
            follow(n, L, pivot, a->n_border, a->right + (ptrdiff_t)k * SIZE * a->n_border);
        for (int r = 0; r < SIZE; r++) { // what is left of the other rows begins a block further on
            memcpy(P[r], P[SIZE + r] + SIZE, 2 * SIZE * sizeof(double));
            memset(P[r] + 2 * SIZE, 0, SIZE * sizeof(double));
        }
    }
    return 0;
}

// left = (E U^-1)': row by row of U, what is known of it is taken out of the columns behind.
static void divide_left(CondBordered* a)
{
    int m = a->n_border;
    for (int i = a->first * SIZE; i < a->n_band; i++) {
        int c = i % SIZE, end = a->n_band - (i - c) < ROW ? a->n_band - (i - c) : ROW;
        const double* U = a->band + (size_t)i * ROW;
        double* Z = a->left + (ptrdiff_t)i * m;
        for (int j = 0; j < m; j++)
            Z[j] *= U[c];
        for (int k = c + 1; k < end; k++) {
            double *Y = a->left + (ptrdiff_t)(i - c + k) * m, u = U[k];
            for (int j = 0; j < m && u != 0.0; j++)
                Y[j] -= u * Z[j];
        }
    }
}

int cond_bordered_factor(CondBordered* a)
{
    size_t m = (size_t)a->n_border;
    if (factor_band(a))
        return 1;
    if (m == 0)
        return 0;
    // Exchanges may carry an entry of C into the block before.
    a->first = a->first > 0 ? a->first - 1 : 0;
    divide_left(a);
    for (int k = a->first * SIZE; k < a->n_band; k++) { // S = F - (E U^-1) (L^-1 P' C)
        const double *E = a->left + (size_t)k * m, *C = a->right + (size_t)k * m;
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m && E[i] != 0.0; j++)
                a->corner[i * m + j] -= E[i] * C[j];
    }
    return cond_lu_factor(a->n_border, a->corner, a->corner_pivot);
}

// x = L^-1 P' x; t holds the numbers beside the rows of a panel.
static void solve_lower(const CondBordered* a, double* x)
{
    double t[PANEL] = {0.0};
    if (a->n_band > 0)
        memcpy(t, x, SIZE * sizeof *x);
    for (int i = 0; i < a->n_band; i += SIZE) {
        if (i + SIZE < a->n_band)
            memcpy(t + SIZE, x + i + SIZE, SIZE * sizeof *x);
        for (int c = 0; c < SIZE; c++) {
            const double* restrict L = a->lower + (size_t)(i + c) * PANEL;
            int p = a->pivot[i + c];
            double pivot = t[p];
            t[p] = t[c];
            t[c] = pivot;
            for (int r = 0; r < PANEL; r++) // zero up to the diagonal
                t[r] -= L[r] * pivot;
        }
        memcpy(x + i, t, SIZE * sizeof *x);
        memcpy(t, t + SIZE, SIZE * sizeof *x);
    }
}

// x = U^-1 x; t holds the six numbers sought and the twelve behind.
static void solve_upper(const CondBordered* a, double* x)
{
    double t[ROW] = {0.0};
    for (int i = a->n_band - SIZE; i >= 0; i -= SIZE) {
        for (int c = SIZE - 1; c >= 0; c--) {
            const double* U = a->band + (size_t)(i + c) * ROW;
            double s0 = x[i + c], s1 = 0.0, s2 = 0.0;
            for (int k = SIZE; k < ROW; k += 2) {
                s1 += U[k] * t[k];
                s2 += U[k + 1] * t[k + 1];
            }
            s0 -= s1 + s2;
            for (int k = c + 1; k < SIZE; k++)
                s0 -= U[k] * t[k];
            t[c] = s0 * U[c];
        }
        memcpy(x + i, t, SIZE * sizeof *x);
        memcpy(t + 2 * SIZE, t + SIZE, SIZE * sizeof *x);
        memcpy(t + SIZE, t, SIZE * sizeof *x);
    }
}

void cond_bordered_solve(const CondBordered* a, double* x)
{
    size_t m = (size_t)a->n_border;
    double* y = x + a->n_band;
    solve_lower(a, x);
    for (int k = a->first * SIZE; k < a->n_band && m > 0; k++)
        for (size_t i = 0; i < m; i++)
            y[i] -= a->left[(size_t)k * m + i] * x[k];
    if (m > 0)
        cond_lu_solve(a->n_border, a->corner, a->corner_pivot, y);
    for (int k = a->first * SIZE; k < a->n_band && m > 0; k++)
        for (size_t i = 0; i < m; i++)
            x[k] -= a->right[(size_t)k * m + i] * y[i];
    solve_upper(a, x);
}
