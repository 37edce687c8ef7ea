// A = U'U, W = U'^-1, A^-1 = W'W, all three by adding multiples of rows to a row.
#include "linear/inverse.h"

#include "base/parallel.h"
#include "base/processor.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
#define INLINE static inline __attribute__((always_inline))

// y += sum of s_k x_k over `count` rows x_k, from column `first` to `last`; s_k are `step` apart.
// Where x is `lower`, row k has nothing beyond column k.
INLINE void add_rows(int count, const double* s, int step, const double* x, int stride, int lower,
                     int first, int last, double* y)
{
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *a = x + (ptrdiff_t)k * stride, *b = a + stride, *c = b + stride;
        const double *d = c + stride, *sk = s + (ptrdiff_t)k * step;
        double s0 = sk[0], s1 = sk[step], s2 = sk[2 * (ptrdiff_t)step],
               s3 = sk[3 * (ptrdiff_t)step];
        int j = first, end = lower && k + 4 < last ? k + 4 : last;
        for (; j + 4 <= end; j += 4)
            *(Four*)(y + j) += (s0 * *(const Four*)(a + j) + s1 * *(const Four*)(b + j)) +
                               (s2 * *(const Four*)(c + j) + s3 * *(const Four*)(d + j));
        for (; j < end; j++)
            y[j] += (s0 * a[j] + s1 * b[j]) + (s2 * c[j] + s3 * d[j]);
    }
    for (; k < count; k++)
        for (int j = first; j < last; j++)
            y[j] += s[(ptrdiff_t)k * step] * x[(ptrdiff_t)k * stride + j];
}

// What a team works on.
typedef struct Inversion {
    int n, stride;
    double least;
    double *A, *W;
} Inversion;

// Rows that are factored between two barriers: as many as add_rows adds at a time.
enum { PANEL = sizeof(Four) / sizeof(double) };

// The block on the diagonal of a panel, which each thread factors for itself.
typedef struct Panel {
    int first, size;
    double block[PANEL][PANEL]; // upper triangle: of A, then U above the diagonal
    double scale[PANEL];        // 1 / U_kk; 0 where a coordinate is left out
    double* column[PANEL];      // U above the panel, by columns              (first)
} Panel;

INLINE void factor_block(const Inversion* in, Panel* panel)
{
    for (int a = 0; a < panel->size; a++)
        for (int m = 0; m < panel->first; m++)
            panel->column[a][m] = -in->A[(ptrdiff_t)m * in->stride + panel->first + a];
    for (int a = 0; a < panel->size; a++) {
        double entry = panel->block[a][a];
        for (int b = a; b < panel->size; b++) {
            for (int m = 0; m < panel->first; m++)
                panel->block[a][b] -= panel->column[a][m] * panel->column[b][m];
            for (int c = 0; c < a; c++)
                panel->block[a][b] -= panel->block[c][a] * panel->block[c][b];
        }
        double pivot = panel->block[a][a];
        int keeps = pivot > in->least * entry && isfinite(pivot);
        panel->scale[a] = keeps ? 1.0 / sqrt(pivot) : 0.0;
        for (int b = a + 1; b < panel->size; b++)
            panel->block[a][b] *= panel->scale[a];
    }
}

// The block as the head of `factor` says.
INLINE void keep_block(const Inversion* in, const Panel* panel)
{
    for (int a = 0; a < panel->size; a++) {
        double* row = in->A + (ptrdiff_t)(panel->first + a) * in->stride + panel->first;
        row[a] = panel->scale[a];
        for (int b = a + 1; b < panel->size; b++)
            row[b] = -panel->block[a][b];
    }
}

// -U in the upper triangle of A, with 1 / U_kk on the diagonal; 0 there where a coordinate is left
// out. The threads share the columns of a panel of rows; what a thread needs of the columns of the
// panel itself stands in rows of W.
INLINE void factor(const Inversion* in, CondTeam* team, int rank, int size)
{
    int n = in->n;
    for (int k = 0; k < n; k += PANEL) {
        Panel panel = {.first = k, .size = n - k < PANEL ? n - k : PANEL};
        int end = k + panel.size;
        int first = end + cond_team_first(n - end, rank, size);
        int last = end + cond_team_first(n - end, rank + 1, size);
        for (int a = 0; a < panel.size; a++) {
            panel.column[a] = in->W + ((ptrdiff_t)PANEL * rank + a) * in->stride;
            for (int b = a; b < panel.size; b++)
                panel.block[a][b] = in->A[(ptrdiff_t)(k + a) * in->stride + k + b];
        }
        cond_team_wait(team, size); // the rows above are there, and all have the block
        factor_block(in, &panel);
        for (int a = 0; a < panel.size; a++) {
            double* row = in->A + (ptrdiff_t)(k + a) * in->stride;
            add_rows(k, panel.column[a], 1, in->A, in->stride, 0, first, last, row);
            for (int c = 0; c < a; c++)
                add_rows(1, &panel.block[c][a], 1, in->A + (ptrdiff_t)(k + c) * in->stride,
                         in->stride, 0, first, last, row);
            for (int j = first; j < last; j++)
                row[j] *= -panel.scale[a];
        }
        if (rank == 0)
            keep_block(in, &panel);
    }
}

// The first column of a thread: those before have its share of n^3 - (n - j)^3.
INLINE int column_begin(int n, int rank, int size)
{
    return rank == size ? n : (int)(n * (1.0 - cbrt(1.0 - (double)rank / size)));
}

// W, lower, from -U; zero above the diagonal up to full registers. No column needs another.
INLINE void invert_factor(const Inversion* in, int rank, int size)
{
    int n = in->n, stride = in->stride;
    int begin = column_begin(n, rank, size), end = column_begin(n, rank + 1, size);
    int wide = rank + 1 == size ? stride : end;
    for (int i = 0; i < n; i++) {
        double* row = in->W + (ptrdiff_t)i * stride;
        double scale = in->A[(ptrdiff_t)i * stride + i];
        int last = i < end ? i : end;
        memset(row + begin, 0, (size_t)(wide - begin) * sizeof *row);
        if (begin < last)
            add_rows(i, in->A + i, stride, in->W, stride, 1, begin, last, row);
        for (int j = begin; j < last; j++)
            row[j] *= scale;
        if (i >= begin && i < end)
            row[i] = scale;
    }
}

// The threads take turns at the rows of W'W, the lower triangle, and then at those of the other.
INLINE void invert(void* data, CondTeam* team, int rank, int size)
{
    const Inversion* in = data;
    int n = in->n, stride = in->stride;
    factor(in, team, rank, size);
    cond_team_wait(team, size);
    invert_factor(in, rank, size);
    cond_team_wait(team, size);
    for (int i = rank; i < n; i += size) {
        double *row = in->A + (ptrdiff_t)i * stride, *from = in->W + (ptrdiff_t)i * stride;
        memset(row, 0, (size_t)stride * sizeof *row);
        add_rows(n - i, from + i, stride, from, stride, 0, 0, i + 1, row);
    }
    cond_team_wait(team, size);
    for (int i = rank; i < n; i += size)
        for (int j = i + 1; j < n; j++)
            in->A[(ptrdiff_t)i * stride + j] = in->A[(ptrdiff_t)j * stride + i];
}

static void invert_generic(void* data, CondTeam* team, int rank, int size)
{
    invert(data, team, rank, size);
}

COND_AVX2 static void invert_avx2(void* data, CondTeam* team, int rank, int size)
{
    invert(data, team, rank, size);
}

void cond_inverse(int n, int stride, double least, double* A, double* work, int threads)
{
    Inversion in = {n, stride, least, A, work};
    int team =
        cond_threads(4 * PANEL * (size_t)n * (size_t)n, threads); // they meet for every panel
    int most = n > PANEL ? n / PANEL : 1;                         // with rows of `work` for each
    team = team < most ? team : most;
    cond_team(team, COND_HAS_AVX2 ? invert_avx2 : invert_generic, &in, __func__);
}
