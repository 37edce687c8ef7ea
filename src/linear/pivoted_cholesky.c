// A panel of columns is factored column by column, each less the columns of the panel before it.
// Then the product of the panel with itself is taken from all that is left, in tiles of 4 x 4.
#include "linear/pivoted_cholesky.h"

#include "base/lanes.h"
#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

// C_ij -= sum_k F_ik F_jk for begin <= j <= i < n.
typedef struct Update {
    int n, begin, width; // columns of F
    size_t stride;       // of the rows of F and C
    const double* F;
    const double* T; // F', from row `begin` of F on      (width x stride_T)
    size_t stride_T;
    double* C;
} Update;

// Rows i .. i + 3 and columns j .. j + 3, as far as they are there.
static void update_tile(const Update* u, int i, int j)
{
    CondLanes sum[4] = {{0.0}};
    const double* F[4];
    for (int r = 0; r < 4; r++)
        F[r] = u->F + u->stride * (size_t)(i + r < u->n ? i + r : u->n - 1);
    const double* T = u->T + (j - u->begin);
    for (int k = 0; k < u->width; k++, T += u->stride_T) {
        CondLanes t = *(const CondLanesAnywhere*)T;
        for (int r = 0; r < 4; r++)
            sum[r] += F[r][k] * t;
    }
    for (int r = 0; r < 4 && i + r < u->n; r++)
        for (int c = 0; c < 4 && j + c <= i + r; c++)
            u->C[u->stride * (size_t)(i + r) + (size_t)(j + c)] -= sum[r][c];
}

static void update_rows(const Update* u, int tile)
{
    int i = u->begin + 4 * tile;
    for (int j = u->begin; j <= i; j += 4)
        update_tile(u, i, j);
}

// The first rows have few columns and the last have many: one of either makes equal parts.
static void update_pairs(const void* loop, int first, int last)
{
    const Update* u = loop;
    int n_tile = (u->n - u->begin + 3) / 4;
    for (int pair = first; pair < last; pair++) {
        update_rows(u, pair);
        if (n_tile - 1 - pair != pair)
            update_rows(u, n_tile - 1 - pair);
    }
}

// Columns of F from `width` on at F; T is scratch.
static void subtract_panel(int n, int begin, int width, size_t stride, const double* F, double* C,
                           double* T)
{
    int left = n - begin, n_tile = (left + 3) / 4;
    size_t stride_T = 4 * (size_t)n_tile;
    memset(T, 0, stride_T * (size_t)width * sizeof *T);
    for (int j = 0; j < left; j++)
        for (int k = 0; k < width; k++)
            T[stride_T * (size_t)k + (size_t)j] = F[stride * (size_t)(begin + j) + (size_t)k];
    const Update update = {n, begin, width, stride, F, T, stride_T, C};
    size_t work = (size_t)left * (size_t)left / 2 * (size_t)width;
    cond_parallel((n_tile + 1) / 2, cond_threads(work, 0), update_pairs, &update);
}

void cond_subtract_square(int n, int m, const double* F, double* C, double* work)
{
    for (int k = 0; k < m; k += COND_PIVOTED_BLOCK) {
        int width = m - k < COND_PIVOTED_BLOCK ? m - k : COND_PIVOTED_BLOCK;
        subtract_panel(n, 0, width, (size_t)n, F + k, C, work);
    }
}

static double dot(int n, const double* a, const double* b)
{
    CondLanes sum = {0.0};
    double rest = 0.0;
    int k = 0;
    for (; k + 4 <= n; k += 4)
        sum += *(const CondLanesAnywhere*)(a + k) * *(const CondLanesAnywhere*)(b + k);
    for (; k < n; k++)
        rest += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

static void swap(double* a, double* b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

// Rows and columns j and p > j of the lower triangle change places.
static void exchange(int n, int j, int p, double* A)
{
    size_t N = (size_t)n;
    double *Aj = A + N * (size_t)j, *Ap = A + N * (size_t)p;
    for (int k = 0; k < j; k++)
        swap(&Aj[k], &Ap[k]);
    swap(&Aj[j], &Ap[p]);
    for (int k = j + 1; k < p; k++)
        swap(&A[N * (size_t)k + (size_t)j], &Ap[k]);
    for (int k = p + 1; k < n; k++)
        swap(&A[N * (size_t)k + (size_t)j], &A[N * (size_t)k + (size_t)p]);
}

// The largest diagonal entry of what is left from j on, A_ii - taken_i; a NaN is found as well.
static int find_pivot(int n, int j, const double* A, const double* taken, double* largest)
{
    int pivot = j;
    *largest = -INFINITY;
    for (int i = j; i < n; i++) {
        double d = A[((size_t)n + 1) * (size_t)i] - taken[i];
        if (!(d <= *largest)) {
            *largest = d;
            pivot = i;
        }
        if (isnan(d))
            break;
    }
    return pivot;
}

int cond_pivoted_cholesky(int n, double* A, int* order, double* work)
{
    size_t N = (size_t)n;
    double *taken = work, *T = work + N, largest, stop = 0.0;
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int begin = 0; begin < n; begin += COND_PIVOTED_BLOCK) {
        int end = n - begin < COND_PIVOTED_BLOCK ? n : begin + COND_PIVOTED_BLOCK;
        memset(taken, 0, N * sizeof *taken); // sum of the squares of the panel's columns
        for (int j = begin; j < end; j++) {
            int p = find_pivot(n, j, A, taken, &largest);
            if (j == 0)
                stop = n * (0.5 * DBL_EPSILON) * largest;
            if (!(largest > stop) || !(largest > 0.0) || isinf(largest))
                return j;
            if (p != j) {
                exchange(n, j, p, A);
                taken[p] = taken[j];
                int kept = order[j];
                order[j] = order[p];
                order[p] = kept;
            }
            double* Aj = A + N * (size_t)j;
            Aj[j] = sqrt(largest);
            for (int i = j + 1; i < n; i++) { // L_ij = (A_ij - L_i L_j') / L_jj
                double* Ai = A + N * (size_t)i;
                Ai[j] = (Ai[j] - dot(j - begin, Ai + begin, Aj + begin)) / Aj[j];
                taken[i] += Ai[j] * Ai[j];
            }
        }
        if (end < n)
            subtract_panel(n, end, end - begin, N, A + begin, A, T);
    }
    return n;
}
