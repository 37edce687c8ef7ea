// Pivoted Cholesky factor of a positive semi-definite matrix.
#include "fclib/fclib_factor.h"

#include "base/memory.h"
#include "linear/pivoted_cholesky.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// D = W, dense and row-major, with row and column i moved to place[i] (NULL: left where they are).
static void fill_dense(const CondCsr* W, const int* place, double* D)
{
    size_t n = (size_t)W->n_row;
    memset(D, 0, n * n * sizeof *D);
    for (int i = 0; i < W->n_row; i++)
        for (int k = W->row_begin[i]; k < W->row_begin[i + 1]; k++) {
            int j = W->column[k];
            size_t row = (size_t)(place ? place[i] : i);
            size_t col = (size_t)(place ? place[j] : j);
            D[n * row + col] = W->value[k];
        }
}

// max |P'WP - F F'| / max |W| over the lower triangle; D is workspace (n x n).
static double factor_error(const CondCsr* W, const int* place, int rank, const double* F, double* D,
                           double* work)
{
    int n = W->n_row;
    double scale = 0.0;
    for (int k = 0; k < W->row_begin[n]; k++)
        scale = fmax(scale, fabs(W->value[k]));
    fill_dense(W, place, D);
    cond_subtract_square(n, rank, F, D, work);
    double worst = 0.0;
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j <= i; j++)
            worst = fmax(worst, fabs(D[(size_t)n * i + j]));
    return scale > 0.0 ? worst / scale : 0.0;
}

// Clears what the factorisation leaves above the diagonal and in the columns beyond the rank.
static void clear_rest(int n, int rank, double* F)
{
    for (int i = 0; i < n; i++) {
        int begin = i + 1 < rank ? i + 1 : rank;
        memset(F + (size_t)n * (size_t)i + begin, 0, (size_t)(n - begin) * sizeof *F);
    }
}

// Row i of L is row place[i] of F.
static CondStatus compress(const CondContext* context, int n, int rank, const int* place,
                           const double* F, CondCsr* L)
{
    size_t n_entry = 0;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++)
        n_entry += F[k] != 0.0;
    if (n_entry > INT32_MAX)
        return COND_OUT_OF_MEMORY;
    L->row_begin = cond_allocate(context, (size_t)n + 1, sizeof *L->row_begin);
    L->column = cond_allocate(context, n_entry, sizeof *L->column);
    L->value = cond_allocate(context, n_entry, sizeof *L->value);
    if (!L->row_begin || !L->column || !L->value) {
        cond_csr_destroy(context, L);
        return COND_OUT_OF_MEMORY;
    }
    L->n_row = n;
    L->n_col = rank;
    int k = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < rank; j++) {
            double value = F[(size_t)n * (size_t)place[i] + (size_t)j];
            if (value != 0.0) {
                L->column[k] = j;
                L->value[k++] = value;
            }
        }
        L->row_begin[i + 1] = k;
    }
    return COND_OK;
}

CondStatus cond_fclib_factor(const CondContext* context, const CondCsr* W, CondCsr* L,
                             double* error)
{
    memset(L, 0, sizeof *L);
    size_t n = (size_t)W->n_row;
    CondStatus status = COND_OUT_OF_MEMORY;
    double* F = n > 0 && n > SIZE_MAX / n ? NULL : cond_allocate(context, n * n, sizeof *F);
    double* D = F ? cond_allocate(context, n * n, sizeof *D) : NULL;
    double* work = D ? cond_allocate(context, cond_pivoted_work(n), sizeof *work) : NULL;
    int* order = cond_allocate(context, n, sizeof *order);
    int* place = cond_allocate(context, n, sizeof *place);
    if (F && D && work && order && place) {
        fill_dense(W, NULL, F);
        int rank = cond_pivoted_cholesky((int)n, F, order, work);
        for (int k = 0; k < (int)n; k++)
            place[order[k]] = k;
        clear_rest((int)n, rank, F);
        *error = factor_error(W, place, rank, F, D, work);
        status = compress(context, (int)n, rank, place, F, L);
    }
    cond_release(context, F);
    cond_release(context, D);
    cond_release(context, work);
    cond_release(context, order);
    cond_release(context, place);
    return status;
}
