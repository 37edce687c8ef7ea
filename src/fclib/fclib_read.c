// Reads FCLib files: global problems M v = H r + f, u = H' v + w and local ones u = W r + q.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fclib/fclib_factor.h"
#include "fclib/fclib_matrix.h"
#include "fclib/fclib_problem.h"
#include "fclib/tuning.h"
#include "hdf5/data_file.h"

// Everything read on the way to a problem; released together.
typedef struct FclibParts {
    CondFclibMatrix H;
    CondCsr A;                    // M, or I of a local problem
    CondCsr Jc;                   // H', or L of a local problem
    CondCsr W;                    // of a local problem
    double* b;                    // f, or zeros of a local problem
    double* phi;                  // w or q
    double* mu;                   //
    double* kv;                   // NULL: not in the file
    CondFclibIntervals intervals; // ours, among the contacts above
} FclibParts;

static void release_parts(const CondContext* context, FclibParts* parts)
{
    cond_fclib_matrix_destroy(context, &parts->H);
    cond_csr_destroy(context, &parts->A);
    cond_csr_destroy(context, &parts->Jc);
    cond_csr_destroy(context, &parts->W);
    cond_release(context, parts->b);
    cond_release(context, parts->phi);
    cond_release(context, parts->mu);
    cond_release(context, parts->kv);
    cond_fclib_intervals_destroy(context, &parts->intervals);
}

static CondStatus check_dimension(const CondDataFile* file, const char* location)
{
    int dimension;
    CondStatus status = cond_data_read_int(file, location, &dimension);
    if (status == COND_OK && dimension == 2)
        status = cond_data_fail(file, COND_NOT_SUPPORTED, location,
                                "problems in the plane (2) are not supported, only 3");
    else if (status == COND_OK && dimension != 3)
        status = cond_data_fail(file, COND_BAD_INPUT, location, "is %d, expected 3", dimension);
    return status;
}

// Bilateral constraints would be a further set of unknowns; an empty group of them is harmless.
static CondStatus refuse_bilateral(const CondDataFile* file, const char* location)
{
    int m, n;
    CondStatus status = cond_fclib_matrix_size(file, location, &m, &n);
    if (status == COND_OK && m > 0 && n > 0)
        status = cond_data_fail(file, COND_NOT_SUPPORTED, location,
                                "bilateral constraints (%d x %d) are not supported", m, n);
    return status;
}

// A vector of finite numbers.
static CondStatus read_vector(const CondDataFile* file, const char* location, int n, double** x)
{
    CondStatus status = cond_data_read_doubles(file, location, n, n, x, NULL);
    for (int k = 0; status == COND_OK && k < n; k++)
        if (!isfinite((*x)[k]))
            status = cond_data_fail(file, COND_BAD_INPUT, location,
                                    "entry %d is not a finite number", k);
    return status;
}

static CondStatus read_friction(const CondDataFile* file, const char* location, int n, double** mu)
{
    CondStatus status = read_vector(file, location, n, mu);
    for (int k = 0; status == COND_OK && k < n; k++)
        if ((*mu)[k] < 0.0)
            status = cond_data_fail(file, COND_BAD_INPUT, location,
                                    "entry %d is %g, friction cannot be negative", k, (*mu)[k]);
    return status;
}

// kv is this library's addition to the layout: gains of virtual nodes, INFINITY allowed.
static CondStatus read_gains(const CondDataFile* file, const char* location, int n, double** kv)
{
    *kv = NULL;
    if (!cond_data_exists(file, location))
        return COND_OK;
    CondStatus status = cond_data_read_doubles(file, location, n, n, kv, NULL);
    for (int k = 0; status == COND_OK && k < n; k++)
        if (!((*kv)[k] > 0.0))
            status = cond_data_fail(file, COND_BAD_INPUT, location,
                                    "entry %d is %g, expected a positive number", k, (*kv)[k]);
    return status;
}

// M and f. f bounds the size of M before anything of that size is allocated.
static CondStatus read_dynamics(const CondDataFile* file, FclibParts* parts)
{
    CondFclibMatrix M;
    CondStatus status = cond_fclib_matrix_read(file, "/fclib_global/M", &M);
    if (status < 0)
        return status;
    if (M.m != M.n || M.m == 0)
        status = cond_data_fail(file, COND_BAD_INPUT, "/fclib_global/M",
                                "is %d x %d, expected a square matrix", M.m, M.n);
    if (status == COND_OK)
        status = read_vector(file, "/fclib_global/vectors/f", M.m, &parts->b);
    if (status == COND_OK)
        status = cond_fclib_matrix_symmetric(file, "/fclib_global/M", &M, 0, &parts->A);
    cond_fclib_matrix_destroy(file->context, &M);
    return status;
}

// H, w, mu and kv, with the intervals of forces put in their places.
static CondStatus read_contacts(const CondDataFile* file, FclibParts* parts)
{
    CondFclibMatrix* H = &parts->H;
    CondStatus status = cond_fclib_matrix_read(file, "/fclib_global/H", H);
    if (status == COND_OK && H->m != parts->A.n_row)
        status = cond_data_fail(file, COND_BAD_INPUT, "/fclib_global/H",
                                "has %d rows, expected %d as M has", H->m, parts->A.n_row);
    if (status == COND_OK && H->n % 3 != 0)
        status = cond_data_fail(file, COND_BAD_INPUT, "/fclib_global/H",
                                "has %d columns, expected three per contact", H->n);
    if (status == COND_OK)
        status = read_vector(file, "/fclib_global/vectors/w", H->n, &parts->phi);
    if (status == COND_OK)
        status = read_friction(file, "/fclib_global/vectors/mu", H->n / 3, &parts->mu);
    if (status == COND_OK)
        status = read_gains(file, "/fclib_global/vectors/kv", H->n / 3, &parts->kv);
    if (status == COND_OK)
        status = cond_fclib_intervals_read(file, H->m, H->n / 3, &parts->intervals);
    if (status == COND_OK)
        status = cond_fclib_intervals_join(file, &parts->intervals, H, &parts->phi, &parts->mu,
                                           &parts->kv);
    if (status == COND_OK && // Jc = H'
        cond_csr_create(file->context, H->n, H->m, H->n_entry, H->column, H->row, H->value,
                        &parts->Jc) < 0)
        status = cond_data_out_of_memory(file);
    return status;
}

static CondStatus read_global(const CondDataFile* file, FclibParts* parts)
{
    CondStatus status = check_dimension(file, "/fclib_global/spacedim");
    if (status == COND_OK)
        status = refuse_bilateral(file, "/fclib_global/G");
    if (status == COND_OK)
        status = read_dynamics(file, parts);
    if (status == COND_OK)
        status = read_contacts(file, parts);
    return status;
}

// W, q and mu.
static CondStatus read_delassus(const CondDataFile* file, FclibParts* parts)
{
    CondFclibMatrix W;
    CondStatus status = cond_fclib_matrix_read(file, "/fclib_local/W", &W);
    if (status < 0)
        return status;
    if (W.m != W.n || W.m == 0)
        status = cond_data_fail(file, COND_BAD_INPUT, "/fclib_local/W",
                                "is %d x %d, expected a square matrix", W.m, W.n);
    else if (W.m % 3 != 0)
        status = cond_data_fail(file, COND_BAD_INPUT, "/fclib_local/W",
                                "has %d rows, expected three per contact", W.m);
    if (status == COND_OK)
        status = read_vector(file, "/fclib_local/vectors/q", W.m, &parts->phi);
    if (status == COND_OK)
        status = read_friction(file, "/fclib_local/vectors/mu", W.m / 3, &parts->mu);
    if (status == COND_OK)
        status = cond_fclib_matrix_symmetric(file, "/fclib_local/W", &W, 1, &parts->W);
    cond_fclib_matrix_destroy(file->context, &W);
    return status;
}

// A = I of size n and b = 0.
static CondStatus make_identity(const CondContext* context, int n, FclibParts* parts)
{
    CondCsr* A = &parts->A;
    parts->b = cond_allocate(context, (size_t)n, sizeof *parts->b);
    A->row_begin = cond_allocate(context, (size_t)n + 1, sizeof *A->row_begin);
    A->column = cond_allocate(context, (size_t)n, sizeof *A->column);
    A->value = cond_allocate(context, (size_t)n, sizeof *A->value);
    if (!parts->b || !A->row_begin || !A->column || !A->value)
        return COND_OUT_OF_MEMORY; // whatever there is goes with the parts
    A->n_row = A->n_col = n;
    for (int i = 0; i < n; i++) {
        A->row_begin[i + 1] = i + 1;
        A->column[i] = i;
        A->value[i] = 1.0;
    }
    return COND_OK;
}

// u = W r + q with W = L L' is the global problem v = L' r, u = L v + q: A = I, Jc = L, b = 0.
static CondStatus read_local(const CondDataFile* file, FclibParts* parts)
{
    CondStatus status = check_dimension(file, "/fclib_local/spacedim");
    if (status == COND_OK)
        status = refuse_bilateral(file, "/fclib_local/V");
    if (status == COND_OK)
        status = refuse_bilateral(file, "/fclib_local/R");
    if (status == COND_OK)
        status = read_delassus(file, parts);
    if (status < 0)
        return status;
    double error = 0.0;
    status = cond_fclib_factor(file->context, &parts->W, &parts->Jc, &error);
    if (status == COND_OK && !(error <= COND_FACTOR_ERROR))
        return cond_data_fail(file, COND_BAD_INPUT, "/fclib_local/W",
                              "is not positive semi-definite (no factor nearer than %.1e)", error);
    if (status == COND_OK)
        status = make_identity(file->context, parts->Jc.n_col, parts);
    return status < 0 ? cond_data_out_of_memory(file) : status;
}

// The problem and its texts from all that has been read.
static CondStatus make_problem(const CondDataFile* file, const FclibParts* parts, int local,
                               CondProblemFile** result)
{
    CondProblemParts plain = {.A = &parts->A,
                              .Jc = &parts->Jc,
                              .b = parts->b,
                              .phi = parts->phi,
                              .mu = parts->mu,
                              .kv = parts->kv,
                              .intervals = &parts->intervals,
                              .split = !local};
    int idle = -1;
    CondStatus status = cond_problem_file_create(file->context, &plain, result, &idle);
    if (status == COND_BAD_INPUT)
        return cond_data_fail(file, status, local ? "/fclib_local/W" : "/fclib_global/H",
                              "contact %d touches nothing that can move", idle);
    if (status < 0)
        return cond_data_out_of_memory(file);
    (*result)->local = local;
    status = cond_data_read_text(
        file, local ? "/fclib_local/info/title" : "/fclib_global/info/title", &(*result)->title);
    if (status == COND_OK)
        status = cond_data_read_text(
            file, local ? "/fclib_local/info/description" : "/fclib_global/info/description",
            &(*result)->description);
    if (status < 0) {
        cond_problem_file_destroy(*result);
        *result = NULL;
    }
    return status;
}

static CondStatus read_file(CondDataFile* file, CondProblemFile** result)
{
    CondStatus status = cond_data_open(file);
    if (status < 0)
        return status;
    FclibParts parts;
    memset(&parts, 0, sizeof parts);
    int local = 0;
    if (cond_data_exists(file, "/fclib_global")) {
        status = read_global(file, &parts);
    } else if (cond_data_exists(file, "/fclib_local")) {
        local = 1;
        status = read_local(file, &parts);
    } else {
        status = cond_data_fail(file, COND_BAD_INPUT, "",
                                "holds neither /fclib_global nor /fclib_local");
    }
    if (status == COND_OK)
        status = make_problem(file, &parts, local, result);
    release_parts(file->context, &parts);
    H5Fclose(file->id);
    return status;
}

CondStatus cond_fclib_read(const CondContext* context, const char* path, CondProblemFile** file,
                           CondError* error)
{
    if (!file)
        return cond_error_set(error, COND_BAD_ARGUMENT, "cond_fclib_read: file is NULL");
    *file = NULL;
    if (!path)
        return cond_error_set(error, COND_BAD_ARGUMENT, "cond_fclib_read: path is NULL");
    CondContext own = cond_context_or_default(context);
    CondDataFile source = {&own, path, -1, error};
    CondStatus status;
    // HDF5 prints its errors unless told otherwise; ours go to the caller.
    H5E_BEGIN_TRY
    {
        status = read_file(&source, file);
    }
    H5E_END_TRY;
    return status;
}
