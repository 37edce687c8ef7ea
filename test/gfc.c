// Contact problems as plain text with reference answers (test/data/fclib/README.md), for tests.
#include "gfc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fclib/fclib_problem.h"

static int read_matrix(FILE* stream, GfcMatrix* A)
{
    if (fscanf(stream, "%d %d %d", &A->n_row, &A->n_col, &A->n_entry) != 3 || A->n_entry < 0)
        return 0;
    size_t n = (size_t)A->n_entry + 1; // one more, so that an empty matrix is no special case
    A->row = calloc(n, sizeof *A->row);
    A->column = calloc(n, sizeof *A->column);
    A->value = calloc(n, sizeof *A->value);
    if (!A->row || !A->column || !A->value)
        return 0;
    for (int k = 0; k < A->n_entry; k++)
        if (fscanf(stream, "%d %d %lf", &A->row[k], &A->column[k], &A->value[k]) != 3)
            return 0;
    return 1;
}

static int read_vector(FILE* stream, int expected, double** x)
{
    int n;
    if (*x || fscanf(stream, "%d", &n) != 1 || n != expected)
        return 0;
    *x = calloc((size_t)n + 1, sizeof **x);
    if (!*x)
        return 0;
    for (int k = 0; k < n; k++)
        if (fscanf(stream, "%lf", &(*x)[k]) != 1)
            return 0;
    return 1;
}

static int read_item(FILE* stream, const char* name, Gfc* gfc)
{
    int nv = gfc->n_dof;
    int nc = gfc->n_contact;
    const struct {
        const char* name;
        int n;
        double** x;
    } vector[] = {
        {"f", nv, &gfc->f},
        {"w", 3 * nc, &gfc->w},
        {"mu", nc, &gfc->mu},
        {"r_ref", 3 * nc, &gfc->r_ref},
        {"u_ref", 3 * nc, &gfc->u_ref},
        {"v_ref", nv, &gfc->v_ref},
        {"r_ccp", 3 * nc, &gfc->r_ccp},
        {"u_ccp", 3 * nc, &gfc->u_ccp},
        {"v_ccp", nv, &gfc->v_ccp},
    };
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        if (strcmp(name, vector[k].name) == 0)
            return read_vector(stream, vector[k].n, vector[k].x);
    if (strcmp(name, "M") == 0)
        return read_matrix(stream, &gfc->M);
    if (strcmp(name, "H") == 0)
        return read_matrix(stream, &gfc->H);
    if (strcmp(name, "residual_natural") == 0)
        return fscanf(stream, "%lf", &gfc->residual_natural) == 1;
    if (strcmp(name, "residual_ccp") == 0)
        return fscanf(stream, "%lf", &gfc->residual_ccp) == 1;
    return 0;
}

int gfc_read(const char* path, Gfc* gfc)
{
    memset(gfc, 0, sizeof *gfc);
    FILE* stream = fopen(path, "r");
    if (!stream)
        return 0;
    char name[32];
    int fine = fscanf(stream, "global nc %d nv %d", &gfc->n_contact, &gfc->n_dof) == 2;
    while (fine && fscanf(stream, "%31s", name) == 1)
        fine = read_item(stream, name, gfc);
    fclose(stream);
    return fine && gfc->M.value && gfc->H.value && gfc->f && gfc->w && gfc->mu;
}

void gfc_free(Gfc* gfc)
{
    void* arrays[] = {gfc->M.row,   gfc->M.column, gfc->M.value, gfc->H.row, gfc->H.column,
                      gfc->H.value, gfc->f,        gfc->w,       gfc->mu,    gfc->r_ref,
                      gfc->u_ref,   gfc->v_ref,    gfc->r_ccp,   gfc->u_ccp, gfc->v_ccp};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    memset(gfc, 0, sizeof *gfc);
}

CondProblemFile* gfc_problem(const Gfc* gfc)
{
    CondContext context = cond_context_or_default(NULL);
    const GfcMatrix* M = &gfc->M;
    const GfcMatrix* H = &gfc->H;
    CondCsr A = {0};
    CondCsr Jc = {0};
    CondProblemFile* file = NULL;
    int idle = -1;
    if (cond_csr_create(&context, M->n_row, M->n_col, M->n_entry, M->row, M->column, M->value,
                        &A) == COND_OK &&
        cond_csr_create(&context, H->n_col, H->n_row, H->n_entry, H->column, H->row, H->value,
                        &Jc) == COND_OK) {
        CondProblemParts parts = {
            .A = &A, .Jc = &Jc, .b = gfc->f, .phi = gfc->w, .mu = gfc->mu, .kv = NULL, .split = 1};
        cond_problem_file_create(&context, &parts, &file, &idle);
    }
    cond_csr_destroy(&context, &A);
    cond_csr_destroy(&context, &Jc);
    return file;
}

void gfc_multiply(const GfcMatrix* A, const double* x, double* y)
{
    memset(y, 0, (size_t)A->n_row * sizeof *y);
    for (int k = 0; k < A->n_entry; k++)
        y[A->row[k]] += A->value[k] * x[A->column[k]];
}

void gfc_multiply_transposed(const GfcMatrix* A, const double* x, double* y)
{
    memset(y, 0, (size_t)A->n_col * sizeof *y);
    for (int k = 0; k < A->n_entry; k++)
        y[A->column[k]] += A->value[k] * x[A->row[k]];
}
