// At place k of the order the matrix that is left is
//     [ D  U ]      D = P' L_D U_D, dense with partial pivoting,
//     [ L  S ]      S <- S - L (D^-1 U),
// U and L' are panels with one row per coordinate of the node and the columns of all later places
// that it meets. D^-1 U takes the place of U. The product for one later place i,
//     rows of U and columns of L of i:   - L_i (D^-1 U_j),  - (L_j (D^-1 U_i))' = - (D^-1 U_i)'
//     L_j',
// is made for all j at once, in long rows, and then scattered.
#include "linear/block_lu.h"

#include "base/memory.h"
#include "linear/block_lu_kernel.h"
#include "linear/lu.h"

#include <limits.h>
#include <string.h>

#define RESERVE(array, count) COND_RESERVE(&lu->order.arena, lu->array, count)

CondStatus cond_block_lu_begin(CondBlockLu* lu, int n_node, const int* size)
{
    if (RESERVE(size, n_node) || RESERVE(first, n_node + 1))
        return COND_OUT_OF_MEMORY;
    lu->n_node = n_node;
    lu->first[0] = 0;
    for (int i = 0; i < n_node; i++) {
        lu->size[i] = size[i];
        lu->first[i + 1] = lu->first[i] + size[i];
    }
    cond_block_order_begin(&lu->order, n_node, lu->size);
    return COND_OK;
}

void cond_block_lu_destroy(CondBlockLu* lu)
{
    cond_block_order_destroy(&lu->order);
}

// Where everything lies, what the scratch of factor takes, and how many multiply-adds it makes.
static void lay_out(CondBlockLu* lu, size_t* scratch)
{
    const CondBlockOrder* o = &lu->order;
    size_t at = 0, tallest = 0, widest = 0;
    lu->work = 0.0;
    for (int k = 0; k < lu->n_node; k++) {
        size_t size = (size_t)lu->size[o->node[k]];
        int width = 0;
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++) {
            lu->column[a] = width;
            width += lu->size[o->node[o->later[a]]];
        }
        lu->width[k] = width;
        lu->diagonal[k] = at;
        lu->panel[k] = at + size * size;
        at = lu->panel[k] + 2 * size * (size_t)width;
        tallest = size > tallest ? size : tallest;
        widest = (size_t)width > widest ? (size_t)width : widest;
        double s = (double)size, w = (double)width;
        lu->work += s * (s * s / 3.0 + s * w + w * w);
    }
    lu->n_value = at;
    *scratch = tallest * widest;
}

CondStatus cond_block_lu_plan(CondBlockLu* lu, double most_work, int* fits)
{
    int n = lu->n_node;
    *fits = 0;
    CondStatus status = cond_block_order_make(&lu->order);
    if (status)
        return status;
    if (RESERVE(width, n) || RESERVE(diagonal, n) || RESERVE(panel, n) ||
        RESERVE(column, lu->order.begin[n]) || RESERVE(pivot, lu->first[n]) ||
        RESERVE(y, lu->first[n]))
        return COND_OUT_OF_MEMORY;
    size_t scratch;
    lay_out(lu, &scratch);
    if (!(lu->work <= most_work) || lu->n_value > INT_MAX || scratch > INT_MAX)
        return COND_OK;
    if (RESERVE(value, (int)lu->n_value) || RESERVE(product, (int)scratch))
        return COND_OUT_OF_MEMORY;
    *fits = 1;
    return COND_OK;
}

void cond_block_lu_clear(CondBlockLu* lu)
{
    memset(lu->value, 0, lu->n_value * sizeof *lu->value);
}

// Which of the later places of place k is j.
static int find_later(const CondBlockOrder* o, int k, int j)
{
    int low = o->begin[k], high = o->begin[k + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (o->later[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

CondBlockLuEntry cond_block_lu_block(const CondBlockLu* lu, int i, int j)
{
    const CondBlockOrder* o = &lu->order;
    int a = o->place[i], b = o->place[j];
    if (a == b)
        return (CondBlockLuEntry){lu->value + lu->diagonal[a], lu->size[i], 1};
    int k = a < b ? a : b, width = lu->width[k];
    size_t at = lu->panel[k] + (size_t)lu->column[find_later(o, k, a < b ? b : a)];
    if (a < b)
        return (CondBlockLuEntry){lu->value + at, width, 1};
    at += (size_t)lu->size[j] * (size_t)width;
    return (CondBlockLuEntry){lu->value + at, 1, width};
}

// X = D \ X for n columns, X row-major (size x n).
static void divide(int size, const double* D, const int* pivot, int n, double* X)
{
    if (size == COND_SIX) {
        cond_six_divide(D, pivot, n, X);
        return;
    }
    for (int k = 0; k < size; k++) {
        double *a = X + (ptrdiff_t)k * n, *b = X + (ptrdiff_t)pivot[k] * n;
        for (int j = 0; j < n && a != b; j++) {
            double swap = a[j];
            a[j] = b[j];
            b[j] = swap;
        }
    }
    for (int i = 1; i < size; i++)
        for (int k = 0; k < i; k++) {
            double l = D[i * size + k], *restrict x = X + (ptrdiff_t)i * n;
            const double* restrict y = X + (ptrdiff_t)k * n;
            for (int j = 0; j < n; j++)
                x[j] -= l * y[j];
        }
    for (int i = size - 1; i >= 0; i--) {
        double* restrict x = X + (ptrdiff_t)i * n, scale = D[i * size + i];
        for (int k = i + 1; k < size; k++) {
            double u = D[i * size + k];
            const double* restrict y = X + (ptrdiff_t)k * n;
            for (int j = 0; j < n; j++)
                x[j] -= u * y[j];
        }
        for (int j = 0; j < n; j++)
            x[j] /= scale;
    }
}

// Y = M' X, M the first columns of a panel: row r of Y is the sum over c of M[c][r] X[c].
//                                 M (size, leading dimension width), X likewise, Y (rows x columns)
static void multiply(int size, int width, int rows, const double* M, int columns, const double* X,
                     double* Y)
{
    if (size == COND_SIX && rows == COND_SIX) {
        cond_six_multiply(width, M, columns, X, Y);
        return;
    }
    for (int r = 0; r < rows; r++) {
        double* restrict y = Y + (ptrdiff_t)r * columns;
        int c = 0;
        memset(y, 0, (size_t)columns * sizeof *y);
        for (; c + 2 < size; c += 3) { // three rows at once: y is loaded and stored less often
            double a = M[c * width + r], b = M[(c + 1) * width + r], d = M[(c + 2) * width + r];
            const double* restrict x0 = X + (ptrdiff_t)c * width, * restrict x1 = x0 + width, * restrict x2 = x1 + width;
            for (int j = 0; j < columns; j++)
                y[j] += a * x0[j] + b * x1[j] + d * x2[j];
        }
        for (; c < size; c++) {
            double a = M[c * width + r];
            const double* restrict x = X + (ptrdiff_t)c * width;
            for (int j = 0; j < columns; j++)
                y[j] += a * x[j];
        }
    }
}

// A block of `rows` rows: to -= from.
static void subtract(int rows, int columns, const double* from, int from_width, double* to,
                     int to_width)
{
    for (int r = 0; r < rows && columns == COND_SIX; r++)
        for (int j = 0; j < COND_SIX; j++)
            to[(ptrdiff_t)r * to_width + j] -= from[(ptrdiff_t)r * from_width + j];
    for (int r = 0; r < rows && columns != COND_SIX; r++) {
        const double* restrict x = from + (ptrdiff_t)r * from_width;
        double* restrict y = to + (ptrdiff_t)r * to_width;
        for (int j = 0; j < columns; j++)
            y[j] -= x[j];
    }
}

// Takes the product of one later place out of what is left. `a` is that place's number among those
// of k; with `lower` the panel L' of i is meant and the columns of i itself are left out.
static void update(CondBlockLu* lu, int k, int a, int lower)
{
    const CondBlockOrder* o = &lu->order;
    int i = o->later[a], size = lu->size[o->node[k]], rows = lu->size[o->node[i]];
    int width = lu->width[k], begin = a + lower;
    if (begin == o->begin[k + 1])
        return;
    const double *U = lu->value + lu->panel[k], *L = U + (ptrdiff_t)size * width;
    int from = lu->column[begin], columns = width - from;
    // U rows of i: L_i (D^-1 U_j); L' rows of i: (D^-1 U_i)' L_j'.
    multiply(size, width, rows, (lower ? U : L) + lu->column[a], columns, (lower ? L : U) + from,
             lu->product);
    double* panel = lu->value + lu->panel[i] + (lower ? (ptrdiff_t)rows * lu->width[i] : 0);
    for (int b = begin, at = o->begin[i]; b < o->begin[k + 1]; b++) {
        int j = o->later[b], n = lu->size[o->node[j]];
        const double* Y = lu->product + (lu->column[b] - from);
        if (j == i) {
            subtract(rows, n, Y, columns, lu->value + lu->diagonal[i], rows);
            continue;
        }
        while (o->later[at] < j)
            at++;
        subtract(rows, n, Y, columns, panel + lu->column[at], lu->width[i]);
    }
}

int cond_block_lu_factor(CondBlockLu* lu)
{
    const CondBlockOrder* o = &lu->order;
    for (int k = 0; k < lu->n_node; k++) {
        int node = o->node[k], size = lu->size[node], *pivot = lu->pivot + lu->first[node];
        double* D = lu->value + lu->diagonal[k];
        if (cond_lu_factor(size, D, pivot))
            return 1;
        divide(size, D, pivot, lu->width[k], lu->value + lu->panel[k]);
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++) {
            update(lu, k, a, 0);
            update(lu, k, a, 1);
        }
    }
    return 0;
}

// y = M' x                                                                   M (size x width)
static void combine(int size, int width, const double* M, const double* x, double* y)
{
    if (size == COND_SIX) {
        cond_six_combine(width, M, x, y);
        return;
    }
    memset(y, 0, (size_t)width * sizeof *y);
    for (int c = 0; c < size; c++)
        for (int j = 0; j < width; j++)
            y[j] += M[(ptrdiff_t)c * width + j] * x[c];
}

// x -= M y; three sums at once, which do not wait for each other.            M (size x width)
static void subtract_product(int size, int width, const double* M, const double* y, double* x)
{
    int c = 0;
    for (; c + 2 < size; c += 3) {
        const double *m = M + (ptrdiff_t)c * width, *n = m + width, *o = n + width;
        double a = 0.0, b = 0.0, d = 0.0;
        for (int j = 0; j < width; j++) {
            a += m[j] * y[j];
            b += n[j] * y[j];
            d += o[j] * y[j];
        }
        x[c] -= a, x[c + 1] -= b, x[c + 2] -= d;
    }
    for (; c < size; c++) {
        double sum = 0.0;
        for (int j = 0; j < width; j++)
            sum += M[(ptrdiff_t)c * width + j] * y[j];
        x[c] -= sum;
    }
}

void cond_block_lu_solve(const CondBlockLu* lu, double* x)
{
    const CondBlockOrder* o = &lu->order;
    for (int k = 0; k < lu->n_node; k++) { // x_k = D \ x_k, x_i -= L_i x_k
        int node = o->node[k], size = lu->size[node], width = lu->width[k];
        double* xk = x + lu->first[node];
        const double* L = lu->value + lu->panel[k] + (ptrdiff_t)size * width;
        cond_lu_solve(size, lu->value + lu->diagonal[k], lu->pivot + lu->first[node], xk);
        combine(size, width, L, xk, lu->y);
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++) {
            int i = o->node[o->later[a]];
            for (int j = 0; j < lu->size[i]; j++)
                x[lu->first[i] + j] -= lu->y[lu->column[a] + j];
        }
    }
    for (int k = lu->n_node - 1; k >= 0; k--) { // x_k -= D^-1 U x
        int node = o->node[k], size = lu->size[node], width = lu->width[k];
        const double* U = lu->value + lu->panel[k];
        for (int a = o->begin[k]; a < o->begin[k + 1]; a++) {
            int i = o->node[o->later[a]];
            memcpy(lu->y + lu->column[a], x + lu->first[i], (size_t)lu->size[i] * sizeof *x);
        }
        subtract_product(size, width, U, lu->y, x + lu->first[node]);
    }
}
