// Matrix groups of FCLib files.
#include "fclib/fclib_matrix.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/tuning.h"

// How far a_ij and a_ji may differ, relative to sqrt(a_ii a_jj), and still count as equal.
void cond_fclib_matrix_destroy(const CondContext* context, CondFclibMatrix* matrix)
{
    cond_release(context, matrix->row);
    cond_release(context, matrix->column);
    cond_release(context, matrix->value);
    memset(matrix, 0, sizeof *matrix);
}

static CondStatus read_member(const CondDataFile* file, const char* group, const char* name,
                              int* value)
{
    char location[COND_DATA_LOCATION];
    cond_data_join(group, name, location);
    return cond_data_read_int(file, location, value);
}

static CondStatus read_size(const CondDataFile* file, const char* group, int* m, int* n)
{
    CondStatus status = read_member(file, group, "m", m);
    if (status == COND_OK)
        status = read_member(file, group, "n", n);
    if (status == COND_OK && (*m < 0 || *n < 0))
        status = cond_data_fail(file, COND_BAD_INPUT, group, "size %d x %d makes no sense", *m, *n);
    return status;
}

CondStatus cond_fclib_matrix_size(const CondDataFile* file, const char* location, int* m, int* n)
{
    *m = *n = 0;
    return cond_data_exists(file, location) ? read_size(file, location, m, n) : COND_OK;
}

// Every index of an array must lie in 0 .. bound - 1.
static CondStatus check_indices(const CondDataFile* file, const char* location, int count,
                                const int* index, int bound)
{
    for (int k = 0; k < count; k++)
        if (index[k] < 0 || index[k] >= bound)
            return cond_data_fail(file, COND_BAD_INPUT, location,
                                  "entry %d is %d, expected 0 to %d", k, index[k], bound - 1);
    return COND_OK;
}

// Triplets: i holds rows, p columns, nz of each; x has room for nzmax.
static CondStatus read_triplets(const CondDataFile* file, const char* group, int nz, int nzmax,
                                CondFclibMatrix* matrix)
{
    char location[COND_DATA_LOCATION];
    cond_data_join(group, "i", location);
    CondStatus status = cond_data_read_ints(file, location, nz, nzmax, &matrix->row, NULL);
    if (status == COND_OK)
        status = check_indices(file, location, nz, matrix->row, matrix->m);
    if (status < 0)
        return status;
    cond_data_join(group, "p", location);
    status = cond_data_read_ints(file, location, nz, nzmax, &matrix->column, NULL);
    if (status == COND_OK)
        status = check_indices(file, location, nz, matrix->column, matrix->n);
    matrix->n_entry = nz;
    return status;
}

// Offsets of a compressed matrix start at 0, never fall and end within nzmax.
static CondStatus check_offsets(const CondDataFile* file, const char* location, int n,
                                const int* offset, int nzmax)
{
    if (offset[0] != 0)
        return cond_data_fail(file, COND_BAD_INPUT, location, "starts with %d, expected 0",
                              offset[0]);
    for (int k = 0; k < n; k++)
        if (offset[k + 1] < offset[k] || offset[k + 1] > nzmax)
            return cond_data_fail(file, COND_BAD_INPUT, location,
                                  "entry %d is %d, expected %d to %d", k + 1, offset[k + 1],
                                  offset[k], nzmax);
    return COND_OK;
}

// Compressed columns or rows: p holds the offsets of the n_major columns (rows), i the row (column)
// of every entry. *major becomes the column (row) of every entry, *minor its row (column).
static CondStatus read_compressed(const CondDataFile* file, const char* group, int n_major,
                                  int n_minor, int nzmax, int** major, int** minor, int* n_entry)
{
    char location[COND_DATA_LOCATION];
    int* offset = NULL;
    cond_data_join(group, "p", location);
    if (n_major == INT32_MAX)
        return cond_data_fail(file, COND_BAD_INPUT, group, "is too large");
    CondStatus status =
        cond_data_read_ints(file, location, n_major + 1, n_major + 1, &offset, NULL);
    if (status == COND_OK)
        status = check_offsets(file, location, n_major, offset, nzmax);
    if (status == COND_OK) {
        *n_entry = offset[n_major];
        cond_data_join(group, "i", location);
        status = cond_data_read_ints(file, location, *n_entry, nzmax, minor, NULL);
    }
    if (status == COND_OK)
        status = check_indices(file, location, *n_entry, *minor, n_minor);
    if (status == COND_OK) {
        *major = cond_allocate(file->context, (size_t)*n_entry, sizeof **major);
        if (!*major)
            status = cond_data_out_of_memory(file);
    }
    for (int j = 0; status == COND_OK && j < n_major; j++)
        for (int k = offset[j]; k < offset[j + 1]; k++)
            (*major)[k] = j;
    cond_release(file->context, offset);
    return status;
}

static CondStatus read_values(const CondDataFile* file, const char* group, int nzmax,
                              CondFclibMatrix* matrix)
{
    char location[COND_DATA_LOCATION];
    cond_data_join(group, "x", location);
    CondStatus status =
        cond_data_read_doubles(file, location, matrix->n_entry, nzmax, &matrix->value, NULL);
    if (status < 0)
        return status;
    for (int k = 0; k < matrix->n_entry; k++)
        if (!isfinite(matrix->value[k]))
            return cond_data_fail(file, COND_BAD_INPUT, location, "entry %d is not a finite number",
                                  k);
    return COND_OK;
}

CondStatus cond_fclib_matrix_read(const CondDataFile* file, const char* location,
                                  CondFclibMatrix* matrix)
{
    memset(matrix, 0, sizeof *matrix);
    if (!cond_data_exists(file, location))
        return cond_data_fail(file, COND_BAD_INPUT, location, "is missing");
    int nzmax = 0;
    int nz = 0;
    CondStatus status = read_size(file, location, &matrix->m, &matrix->n);
    if (status == COND_OK)
        status = read_member(file, location, "nzmax", &nzmax);
    if (status == COND_OK)
        status = read_member(file, location, "nz", &nz);
    if (status == COND_OK) {
        if (nzmax < 0 || nz > nzmax)
            status = cond_data_fail(file, COND_BAD_INPUT, location,
                                    "nz = %d and nzmax = %d make no sense", nz, nzmax);
        else if (nz >= 0)
            status = read_triplets(file, location, nz, nzmax, matrix);
        else if (nz == -1)
            status = read_compressed(file, location, matrix->n, matrix->m, nzmax, &matrix->column,
                                     &matrix->row, &matrix->n_entry);
        else if (nz == -2)
            status = read_compressed(file, location, matrix->m, matrix->n, nzmax, &matrix->row,
                                     &matrix->column, &matrix->n_entry);
        else
            status = cond_data_fail(file, COND_BAD_INPUT, location,
                                    "nz = %d is none of the known layouts", nz);
    }
    if (status == COND_OK)
        status = read_values(file, location, nzmax, matrix);
    if (status < 0)
        cond_fclib_matrix_destroy(file->context, matrix);
    return status;
}

// d = diag(A) and whether entries other than zero lie below and above the diagonal.
static void read_triangles(const CondCsr* A, double* d, int* lower, int* upper)
{
    *lower = *upper = 0;
    for (int i = 0; i < A->n_row; i++) {
        for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++) {
            if (A->column[k] == i)
                d[i] = A->value[k];
            else if (A->value[k] != 0.0)
                *(A->column[k] < i ? lower : upper) = 1;
        }
    }
}

static CondStatus check_diagonal(const CondDataFile* file, const char* location, int n,
                                 const double* d, int allow_zero)
{
    for (int i = 0; i < n; i++) {
        if (d[i] < 0.0 || (d[i] == 0.0 && !allow_zero))
            return cond_data_fail(file, COND_BAD_INPUT, location,
                                  "diagonal entry %d is %g, expected a %s number", i, d[i],
                                  allow_zero ? "non-negative" : "positive");
        if (!isfinite(d[i]))
            return cond_data_fail(file, COND_BAD_INPUT, location,
                                  "diagonal entry %d is not a finite number", i);
    }
    return COND_OK;
}

// Compares row i of A with row i of T = A' entry by entry.
static CondStatus check_symmetry(const CondDataFile* file, const char* location, const CondCsr* A,
                                 const CondCsr* T, const double* d)
{
    for (int i = 0; i < A->n_row; i++) {
        int k = A->row_begin[i];
        int l = T->row_begin[i];
        while (k < A->row_begin[i + 1] || l < T->row_begin[i + 1]) {
            int in_A = k < A->row_begin[i + 1] ? A->column[k] : A->n_col;
            int in_T = l < T->row_begin[i + 1] ? T->column[l] : A->n_col;
            int j = in_A < in_T ? in_A : in_T;
            double a = in_A == j ? A->value[k++] : 0.0; // a_ij
            double t = in_T == j ? T->value[l++] : 0.0; // a_ji
            double scale = fmax(fmax(fabs(a), fabs(t)), sqrt(d[i]) * sqrt(d[j]));
            if (!(fabs(a - t) <= COND_INPUT_ROUNDING * scale))
                return cond_data_fail(
                    file, COND_BAD_INPUT, location,
                    "is not symmetric: entry (%d, %d) is %.17g, (%d, %d) is %.17g", i, j, a, j, i,
                    t);
        }
    }
    return COND_OK;
}

// S = (A + A') / 2 for a full matrix, A + A' - D for a single triangle. Halves are exact, so a
// matrix that is symmetric already comes out with the same bits. Zeros off the diagonal are left
// out: they would tie bodies together that have nothing to do with each other.
static CondStatus add_transpose(const CondDataFile* file, const CondCsr* A, int mirror, CondCsr* S)
{
    const CondContext* context = file->context;
    int n_entry = A->row_begin[A->n_row];
    if (n_entry > INT32_MAX / 2)
        return cond_data_out_of_memory(file);
    int* row = cond_allocate(context, 2 * (size_t)n_entry, sizeof *row);
    int* column = cond_allocate(context, 2 * (size_t)n_entry, sizeof *column);
    double* value = cond_allocate(context, 2 * (size_t)n_entry, sizeof *value);
    CondStatus status = COND_OUT_OF_MEMORY;
    if (row && column && value) {
        int n = 0;
        for (int i = 0; i < A->n_row; i++) {
            for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++) {
                int j = A->column[k];
                if (i != j && A->value[k] == 0.0)
                    continue;
                double part = mirror && i != j ? A->value[k] : 0.5 * A->value[k];
                row[n] = column[n + 1] = i;
                column[n] = row[n + 1] = j;
                value[n] = value[n + 1] = part;
                n += 2;
            }
        }
        status = cond_csr_create(context, A->n_row, A->n_col, n, row, column, value, S);
    }
    cond_release(context, row);
    cond_release(context, column);
    cond_release(context, value);
    return status == COND_OUT_OF_MEMORY ? cond_data_out_of_memory(file) : status;
}

CondStatus cond_fclib_matrix_symmetric(const CondDataFile* file, const char* location,
                                       const CondFclibMatrix* matrix, int allow_zero, CondCsr* S)
{
    const CondContext* context = file->context;
    CondCsr A = {0};
    CondCsr T = {0};
    memset(S, 0, sizeof *S);
    double* d = cond_allocate(context, (size_t)matrix->m, sizeof *d);
    CondStatus status = d ? cond_csr_create(context, matrix->m, matrix->n, matrix->n_entry,
                                            matrix->row, matrix->column, matrix->value, &A)
                          : COND_OUT_OF_MEMORY;
    int lower = 0;
    int upper = 0;
    if (status == COND_OK) {
        read_triangles(&A, d, &lower, &upper);
        status = check_diagonal(file, location, matrix->m, d, allow_zero);
    }
    int mirror = lower != upper;
    if (status == COND_OK && !mirror) {
        status = cond_csr_transpose(context, &A, &T);
        if (status == COND_OK)
            status = check_symmetry(file, location, &A, &T, d);
    }
    if (status == COND_OUT_OF_MEMORY)
        cond_data_out_of_memory(file);
    if (status == COND_OK)
        status = add_transpose(file, &A, mirror, S);
    cond_csr_destroy(context, &A);
    cond_csr_destroy(context, &T);
    cond_release(context, d);
    return status;
}

static CondStatus write_member(const CondDataFile* file, const char* group, const char* name,
                               int count, const int* values)
{
    char location[COND_DATA_LOCATION];
    cond_data_join(group, name, location);
    return cond_data_write_ints(file, location, count, values);
}

// Writes the compressed rows of B: those of A, or its columns when B = A'.
static CondStatus write_arrays(const CondDataFile* file, const char* group, const CondCsr* B,
                               CondFclibLayout layout)
{
    char location[COND_DATA_LOCATION];
    int n_entry = B->row_begin[B->n_row];
    CondStatus status;
    if (layout == COND_FCLIB_TRIPLET) {
        int* row = cond_allocate(file->context, (size_t)n_entry, sizeof *row);
        if (!row)
            return cond_data_out_of_memory(file);
        for (int i = 0; i < B->n_row; i++)
            for (int k = B->row_begin[i]; k < B->row_begin[i + 1]; k++)
                row[k] = i;
        status = write_member(file, group, "i", n_entry, row);
        cond_release(file->context, row);
        if (status == COND_OK)
            status = write_member(file, group, "p", n_entry, B->column);
    } else {
        status = write_member(file, group, "p", B->n_row + 1, B->row_begin);
        if (status == COND_OK)
            status = write_member(file, group, "i", n_entry, B->column);
    }
    if (status < 0)
        return status;
    cond_data_join(group, "x", location);
    return cond_data_write_doubles(file, location, n_entry, B->value);
}

CondStatus cond_fclib_matrix_write(const CondDataFile* file, const char* location, const CondCsr* A,
                                   CondFclibLayout layout)
{
    int n_entry = A->row_begin[A->n_row];
    int nz = layout == COND_FCLIB_TRIPLET ? n_entry : layout == COND_FCLIB_COLUMNS ? -1 : -2;
    CondStatus status = cond_data_write_group(file, location);
    if (status == COND_OK)
        status = write_member(file, location, "nzmax", 1, &n_entry);
    if (status == COND_OK)
        status = write_member(file, location, "m", 1, &A->n_row);
    if (status == COND_OK)
        status = write_member(file, location, "n", 1, &A->n_col);
    if (status == COND_OK)
        status = write_member(file, location, "nz", 1, &nz);
    if (status < 0)
        return status;
    if (layout != COND_FCLIB_COLUMNS)
        return write_arrays(file, location, A, layout);
    CondCsr T;
    if (cond_csr_transpose(file->context, A, &T) < 0)
        return cond_data_out_of_memory(file);
    status = write_arrays(file, location, &T, layout);
    cond_csr_destroy(file->context, &T);
    return status;
}
