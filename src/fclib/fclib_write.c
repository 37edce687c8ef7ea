// Writes any CondProblem as an FCLib global problem.
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/enum_name.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "cond/certificate.h"
#include "fclib/fclib_interval.h"
#include "fclib/fclib_matrix.h"
#include "hdf5/data_file.h"
#include "problem/term.h"

COND_ENUM_TABLE(CondFclibLayout, cond_fclib_layout, {COND_FCLIB_TRIPLET, "triplet"},
                {COND_FCLIB_COLUMNS, "columns"}, {COND_FCLIB_ROWS, "rows"})

// Entries of a matrix on the way to compressed rows.
typedef struct Triplets {
    int n;
    int* row;
    int* column;
    double* value;
} Triplets;

// What is written, apart from what the problem holds already; released together. The layout's own
// groups have the friction cones alone.
typedef struct FclibParts {
    CondProblem cones;    // the problem with these contacts
    CondContact* contact; //                                   (n_contact)
    double* lambda;       // their forces; NULL: not given     (3 n_contact)
    double* kv_interval;  // of intervals; NULL: all INFINITY
    CondCsr M;
    CondCsr H;
    double* w;  //                                             (3 n_contact)
    double* mu; //                                             (n_contact)
    double* kv; // NULL: all INFINITY                          (n_contact)
    double* u;  // NULL: no v given                            (3 n_contact)
} FclibParts;

static void release_parts(const CondContext* context, FclibParts* parts)
{
    cond_csr_destroy(context, &parts->M);
    cond_csr_destroy(context, &parts->H);
    cond_release(context, parts->contact);
    cond_release(context, parts->lambda);
    cond_release(context, parts->kv_interval);
    cond_release(context, parts->w);
    cond_release(context, parts->mu);
    cond_release(context, parts->kv);
    cond_release(context, parts->u);
}

static void release_triplets(const CondContext* context, Triplets* t)
{
    cond_release(context, t->row);
    cond_release(context, t->column);
    cond_release(context, t->value);
}

static CondStatus reserve_triplets(const CondDataFile* file, size_t count, Triplets* t)
{
    memset(t, 0, sizeof *t);
    if (count > INT_MAX)
        return cond_data_fail(file, COND_NOT_SUPPORTED, "", "%zu matrix entries are too many",
                              count);
    t->row = cond_allocate(file->context, count, sizeof *t->row);
    t->column = cond_allocate(file->context, count, sizeof *t->column);
    t->value = cond_allocate(file->context, count, sizeof *t->value);
    if (t->row && t->column && t->value)
        return COND_OK;
    release_triplets(file->context, t);
    return cond_data_out_of_memory(file);
}

static void add_triplet(Triplets* t, int row, int column, double value)
{
    if (value == 0.0)
        return;
    t->row[t->n] = row;
    t->column[t->n] = column;
    t->value[t->n++] = value;
}

static void add_block(const CondBlock* block, Triplets* t)
{
    int begin = block->dof_begin;
    for (int i = 0; i < block->n_dof; i++) {
        int n = cond_block_row_size(block, i), j;
        for (int k = 0; k < n; k++) {
            double value = cond_block_entry(block, i, k, &j);
            add_triplet(t, begin + i, begin + j, value);
        }
    }
}

// Adds J' K J. Both halves get the same number, so that rounding cannot make M unsymmetric.
static void add_coupling(const CondCoupling* coupling, Triplets* t)
{
    CondTerm term = cond_term_coupling(coupling);
    for (int i = 0; i < coupling->n_coordinate; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = cond_term_entry(&term, i, j);
            add_triplet(t, coupling->coordinate[i], coupling->coordinate[j], sum);
            if (i != j)
                add_triplet(t, coupling->coordinate[j], coupling->coordinate[i], sum);
        }
    }
}

// M = blocks + couplings.
static CondStatus assemble_dynamics(const CondDataFile* file, const CondProblem* problem,
                                    CondCsr* M)
{
    size_t count = 0;
    for (int i = 0; i < problem->n_block; i++) {
        const CondBlock* block = &problem->block[i];
        for (int k = 0; k < block->n_dof; k++)
            count += (size_t)cond_block_row_size(block, k);
    }
    for (int i = 0; i < problem->n_coupling; i++)
        count +=
            (size_t)problem->coupling[i].n_coordinate * (size_t)problem->coupling[i].n_coordinate;
    Triplets t;
    CondStatus status = reserve_triplets(file, count, &t);
    if (status < 0)
        return status;
    for (int i = 0; i < problem->n_block; i++)
        add_block(&problem->block[i], &t);
    for (int i = 0; i < problem->n_coupling; i++)
        add_coupling(&problem->coupling[i], &t);
    status = cond_csr_create(file->context, problem->n_dof, problem->n_dof, t.n, t.row, t.column,
                             t.value, M);
    release_triplets(file->context, &t);
    return status < 0 ? cond_data_out_of_memory(file) : COND_OK;
}

// Adds (sign R J)' of one side to the three columns of contact c.
static void add_side(const CondSide* side, const double* R, double sign, int c, Triplets* t)
{
    int n = side->n_coordinate;
    for (int k = 0; k < n; k++) {
        for (int r = 0; r < 3; r++) {
            double sum = 0.0; // (R J)_rk
            if (side->jacobian)
                for (int s = 0; s < 3; s++)
                    sum += R[3 * r + s] * side->jacobian[s * n + k];
            else
                sum = R[3 * r + k];
            add_triplet(t, side->coordinate[k], 3 * c + r, sign * sum);
        }
    }
}

// H = Jc', frames multiplied in.
static CondStatus assemble_contacts(const CondDataFile* file, const CondProblem* problem,
                                    CondCsr* H)
{
    size_t count = 0;
    for (int c = 0; c < problem->n_contact; c++)
        for (int s = 0; s < 2; s++)
            count += 3 * (size_t)problem->contact[c].side[s].n_coordinate;
    if (problem->n_contact > INT_MAX / 3)
        return cond_data_fail(file, COND_NOT_SUPPORTED, "", "%d contacts are too many",
                              problem->n_contact);
    Triplets t;
    CondStatus status = reserve_triplets(file, count, &t);
    if (status < 0)
        return status;
    for (int c = 0; c < problem->n_contact; c++) {
        const CondContact* contact = &problem->contact[c];
        add_side(&contact->side[0], contact->frame, 1.0, c, &t);
        add_side(&contact->side[1], contact->frame, -1.0, c, &t);
    }
    status = cond_csr_create(file->context, problem->n_dof, 3 * problem->n_contact, t.n, t.row,
                             t.column, t.value, H);
    release_triplets(file->context, &t);
    return status < 0 ? cond_data_out_of_memory(file) : COND_OK;
}

// w, mu, and u = Jc v + phi where v is given.
static CondStatus gather_vectors(const CondDataFile* file, const CondProblem* problem,
                                 const double* v, FclibParts* parts)
{
    size_t n = (size_t)problem->n_contact;
    parts->w = cond_allocate(file->context, 3 * n, sizeof *parts->w);
    parts->mu = cond_allocate(file->context, n, sizeof *parts->mu);
    parts->u = v ? cond_allocate(file->context, 3 * n, sizeof *parts->u) : NULL;
    if (!parts->w || !parts->mu || (v && !parts->u))
        return cond_data_out_of_memory(file);
    for (size_t c = 0; c < n; c++) {
        const CondContact* contact = &problem->contact[c];
        if (contact->friction[0] != contact->friction[1])
            return cond_data_fail(file, COND_NOT_SUPPORTED, "",
                                  "contact %zu has anisotropic friction (%g, %g), for which the "
                                  "FCLib layout has no place",
                                  c, contact->friction[0], contact->friction[1]);
        memcpy(parts->w + 3 * c, contact->phi, sizeof contact->phi);
        parts->mu[c] = contact->friction[0];
        if (v)
            cond_contact_velocity(contact, v, parts->u + 3 * c);
    }
    return COND_OK;
}

// The problem without intervals of forces, and the forces of the contacts that are left.
static CondStatus select_cones(const CondDataFile* file, const CondProblem* problem,
                               const double* lambda, FclibParts* parts)
{
    size_t n = (size_t)problem->n_contact;
    CondProblem* cones = &parts->cones;
    parts->contact = cond_allocate(file->context, n, sizeof *parts->contact);
    parts->lambda = lambda ? cond_allocate(file->context, 3 * n, sizeof *parts->lambda) : NULL;
    if (!parts->contact || (lambda && !parts->lambda))
        return cond_data_out_of_memory(file);
    *cones = *problem;
    cones->contact = parts->contact;
    cones->n_contact = 0;
    for (size_t c = 0; c < n; c++) {
        if (problem->contact[c].set != COND_FORCE_CONE)
            continue;
        size_t k = (size_t)cones->n_contact++;
        parts->contact[k] = problem->contact[c];
        for (int i = 0; i < 3 && lambda; i++)
            parts->lambda[3 * k + (size_t)i] = lambda[3 * c + (size_t)i];
    }
    return COND_OK;
}

// Gains of the contacts with this set of forces. H no longer shows how many sides of a contact have
// virtual nodes, so kv becomes that of a single one with the same compliance, sides / kv, and
// INFINITY where there is none.
static CondStatus gather_gains(const CondDataFile* file, const CondProblem* problem,
                               CondForceSet set, double** kv)
{
    size_t n = (size_t)problem->n_contact;
    int* sides = cond_allocate(file->context, n, sizeof *sides);
    *kv = cond_allocate(file->context, n, sizeof **kv);
    CondStatus status = sides && *kv ? COND_OK : COND_OUT_OF_MEMORY;
    if (status == COND_OK)
        status = cond_problem_virtual_sides(file->context, problem, sides);
    int any_finite = 0;
    for (size_t c = 0, k = 0; status == COND_OK && c < n; c++) {
        if (problem->contact[c].set != set)
            continue;
        (*kv)[k] = sides[c] > 0 ? problem->contact[c].kv / sides[c] : INFINITY;
        any_finite |= isfinite((*kv)[k++]) != 0;
    }
    cond_release(file->context, sides);
    if (status < 0 || !any_finite) {
        cond_release(file->context, *kv);
        *kv = NULL;
    }
    return status < 0 ? cond_data_out_of_memory(file) : COND_OK;
}

static CondStatus write_info(const CondDataFile* file, const char* title)
{
    char description[64];
    snprintf(description, sizeof description, "written by COND %s", cond_version());
    CondStatus status = cond_data_write_group(file, "/fclib_global/info");
    if (status == COND_OK)
        status = cond_data_write_text(file, "/fclib_global/info/title", title ? title : "");
    if (status == COND_OK)
        status = cond_data_write_text(file, "/fclib_global/info/description", description);
    if (status == COND_OK)
        status = cond_data_write_text(file, "/fclib_global/info/math_info", "");
    return status;
}

static CondStatus write_vectors(const CondDataFile* file, const CondProblem* problem,
                                const FclibParts* parts)
{
    int n = problem->n_contact;
    CondStatus status = cond_data_write_group(file, "/fclib_global/vectors");
    if (status == COND_OK)
        status =
            cond_data_write_doubles(file, "/fclib_global/vectors/f", problem->n_dof, problem->b);
    if (status == COND_OK)
        status = cond_data_write_doubles(file, "/fclib_global/vectors/w", 3 * n, parts->w);
    if (status == COND_OK)
        status = cond_data_write_doubles(file, "/fclib_global/vectors/mu", n, parts->mu);
    if (status == COND_OK && parts->kv)
        status = cond_data_write_doubles(file, "/fclib_global/vectors/kv", n, parts->kv);
    return status;
}

static CondStatus write_solution(const CondDataFile* file, const CondProblem* problem,
                                 const FclibParts* parts, const double* v, const double* lambda)
{
    if (!v && !lambda)
        return COND_OK;
    int n = 3 * problem->n_contact;
    CondStatus status = cond_data_write_group(file, "/solution");
    if (status == COND_OK && v)
        status = cond_data_write_doubles(file, "/solution/v", problem->n_dof, v);
    if (status == COND_OK && v)
        status = cond_data_write_doubles(file, "/solution/u", n, parts->u);
    if (status == COND_OK && lambda)
        status = cond_data_write_doubles(file, "/solution/r", n, lambda);
    return status;
}

static CondStatus write_content(const CondDataFile* file, const CondProblem* problem,
                                const FclibParts* parts, CondFclibLayout layout, const char* title,
                                const double* v, const double* lambda)
{
    const int dimension = 3;
    CondStatus status = cond_data_write_group(file, "/fclib_global");
    if (status == COND_OK)
        status = cond_data_write_ints(file, "/fclib_global/spacedim", 1, &dimension);
    if (status == COND_OK)
        status = cond_fclib_matrix_write(file, "/fclib_global/M", &parts->M, layout);
    if (status == COND_OK)
        status = cond_fclib_matrix_write(file, "/fclib_global/H", &parts->H, layout);
    if (status == COND_OK)
        status = write_vectors(file, &parts->cones, parts);
    if (status == COND_OK)
        status = write_info(file, title);
    if (status == COND_OK)
        status = write_solution(file, &parts->cones, parts, v, parts->lambda);
    if (status == COND_OK)
        status = cond_fclib_intervals_write(file, problem, parts->kv_interval, layout, v, lambda);
    return status;
}

// The bytes of an open file that is only in memory.
static CondStatus take_image(const CondDataFile* file, CondFilePart* image, void** bytes)
{
    ssize_t size =
        H5Fflush(file->id, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(file->id, NULL, 0) : -1;
    *bytes = size > 0 ? cond_allocate(file->context, (size_t)size, 1) : NULL;
    if (size > 0 && !*bytes)
        return cond_data_out_of_memory(file);
    if (size <= 0 || H5Fget_file_image(file->id, *bytes, (size_t)size) != size)
        return cond_data_fail(file, COND_NO_FILE, "", "cannot be made");
    *image = (CondFilePart){*bytes, (size_t)size};
    return COND_OK;
}

// The file is made in memory and written as a whole: a disk that is full is then no matter of
// HDF5's, and an older file of the same name stays as it was until the new one is complete.
static CondStatus write_file(CondDataFile* file, const CondProblem* problem,
                             const FclibParts* parts, CondFclibLayout layout, const char* title,
                             const double* v, const double* lambda)
{
    enum { GROWTH = 1 << 16 }; // bytes that the memory grows by
    CondFilePart image = {NULL, 0};
    void* bytes = NULL;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, GROWTH, 0);
    file->id = H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (file->id < 0)
        return cond_data_out_of_memory(file);
    CondStatus status = write_content(file, problem, parts, layout, title, v, lambda);
    if (status == COND_OK)
        status = take_image(file, &image, &bytes);
    H5Fclose(file->id);
    if (status == COND_OK)
        status = cond_file_replace(file->context, file->path, 1, &image, file->error);
    cond_release(file->context, bytes);
    return status;
}

static CondStatus check_solution(const CondProblem* problem, const double* v, const double* lambda,
                                 CondError* error)
{
    double sum = 0.0; // infinity and NaN survive a product with 0
    for (int k = 0; v && k < problem->n_dof; k++)
        sum += 0.0 * v[k];
    for (size_t k = 0; lambda && k < 3 * (size_t)problem->n_contact; k++)
        sum += 0.0 * lambda[k];
    if (sum == 0.0)
        return COND_OK;
    return cond_error_set(error, COND_BAD_ARGUMENT,
                          "cond_fclib_write: the solution has numbers that are not finite");
}

static CondStatus check_arguments(const CondContext* context, const char* path,
                                  const CondProblem* problem, CondFclibLayout layout,
                                  CondError* error)
{
    if (!path || !problem)
        return cond_error_set(error, COND_BAD_ARGUMENT, "cond_fclib_write: %s is NULL",
                              path ? "problem" : "path");
    if (layout != COND_FCLIB_TRIPLET && layout != COND_FCLIB_COLUMNS && layout != COND_FCLIB_ROWS)
        return cond_error_set(error, COND_BAD_ARGUMENT, "cond_fclib_write: unknown layout %d",
                              (int)layout);
    if (problem->n_dof < 1)
        return cond_error_set(error, COND_BAD_ARGUMENT,
                              "cond_fclib_write: the problem has no coordinates");
    return cond_problem_check(context, problem, error);
}

CondStatus cond_fclib_write(const CondContext* context, const char* path,
                            const CondProblem* problem, CondFclibLayout layout, const char* title,
                            const double* v, const double* lambda, CondError* error)
{
    CondContext own = cond_context_or_default(context);
    CondStatus status = check_arguments(&own, path, problem, layout, error);
    if (status == COND_OK)
        status = check_solution(problem, v, lambda, error);
    if (status < 0)
        return status;
    CondDataFile file = {&own, path, -1, error};
    FclibParts parts;
    memset(&parts, 0, sizeof parts);
    status = select_cones(&file, problem, lambda, &parts);
    if (status == COND_OK)
        status = assemble_dynamics(&file, problem, &parts.M);
    if (status == COND_OK)
        status = assemble_contacts(&file, &parts.cones, &parts.H);
    if (status == COND_OK)
        status = gather_vectors(&file, &parts.cones, v, &parts);
    if (status == COND_OK)
        status = gather_gains(&file, problem, COND_FORCE_CONE, &parts.kv);
    if (status == COND_OK)
        status = gather_gains(&file, problem, COND_FORCE_INTERVAL, &parts.kv_interval);
    if (status == COND_OK) {
        // HDF5 prints its errors unless told otherwise; ours go to the caller.
        H5E_BEGIN_TRY
        {
            status = write_file(&file, problem, &parts, layout, title, v, lambda);
        }
        H5E_END_TRY;
    }
    release_parts(&own, &parts);
    return status;
}
