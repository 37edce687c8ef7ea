// Pivoted Cholesky factor of a positive semi-definite matrix.
#include "record/fclib_factor.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

// D = W, dense and column-major, with row and column i moved to place[i] (NULL: left where they
// are).
static void fill_dense(const CondCsr* W, const int* place, double* D)
{
    size_t n = (size_t)W->n_row;
    memset(D, 0, n * n * sizeof *D);
    for (int i = 0; i < W->n_row; i++)
        for (int k = W->row_begin[i]; k < W->row_begin[i + 1]; k++) {
            int j = W->column[k];
            size_t row = (size_t)(place ? place[i] : i);
            size_t col = (size_t)(place ? place[j] : j);
            D[row + n * col] = W->value[k];
        }
}

// max |P'WP - F F'| / max |W| over the lower triangle; D is workspace (n x n).
static double factor_error(const CondCsr* W, const int* place, int rank, const double* F, double* D)
{
    int n = W->n_row;
    double scale = 0.0;
    for (int k = 0; k < W->row_begin[n]; k++)
        scale = fmax(scale, fabs(W->value[k]));
    fill_dense(W, place, D);
    if (rank > 0) // D = D - F F'
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, rank, -1.0, F, n, 1.0, D, n);
    double worst = 0.0;
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t i = j; i < (size_t)n; i++)
            worst = fmax(worst, fabs(D[i + (size_t)n * j]));
    return scale > 0.0 ? worst / scale : 0.0;
}

// Clears what dpstrf leaves above the diagonal and in the columns beyond the rank.
static void clear_rest(int n, int rank, double* F)
{
    for (size_t j = 0; j < (size_t)n; j++) {
        size_t end = j < (size_t)rank ? j : (size_t)n;
        memset(F + (size_t)n * j, 0, end * sizeof *F);
    }
}

// Row i of L is row place[i] of F.
static CondStatus compress(const CondContext* context, int n, int rank, const int* place,
                           const double* F, CondCsr* L)
{
    size_t n_entry = 0;
    for (size_t k = 0; k < (size_t)n * (size_t)rank; k++)
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
            double value = F[(size_t)place[i] + (size_t)n * (size_t)j];
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
    double* work = cond_allocate(context, 2 * n, sizeof *work);
    lapack_int* pivot = cond_allocate(context, n, sizeof *pivot);
    int* place = cond_allocate(context, n, sizeof *place);
    if (F && D && work && pivot && place) {
        lapack_int rank = 0;
        fill_dense(W, NULL, F);
        // P'WP = F F', stopping when the largest diagonal entry left is mere rounding (tol < 0).
        LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, F, (lapack_int)n, pivot, &rank,
                            -1.0, work);
        for (int k = 0; k < (int)n; k++)
            place[pivot[k] - 1] = k;
        clear_rest((int)n, (int)rank, F);
        *error = factor_error(W, place, (int)rank, F, D);
        status = compress(context, (int)n, (int)rank, place, F, L);
    }
    cond_release(context, F);
    cond_release(context, D);
    cond_release(context, work);
    cond_release(context, pivot);
    cond_release(context, place);
    return status;
}
