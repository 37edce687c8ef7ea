// Forms and applies the Delassus operator in dense storage (delassus.h). Reads the problem;
// writes its own arrays.
#include "delassus.h"

#include "base/memory.h"
#include "cond/certificate.h"
#include "law/contact_law.h"

#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { PANEL = 64 }; // right-hand sides at a time where the columns are taken as dense

void cond_delassus_create(CondDelassus* d, const CondContext* context, CondFactorKind kind)
{
    memset(d, 0, sizeof *d);
    d->context = d->Jc.context = d->front.context = *context;
    cond_factor_create(&d->factor, context, kind);
}

void cond_delassus_destroy(CondDelassus* d)
{
    cond_factor_destroy(&d->factor);
    cond_front_destroy(&d->front);
    cond_jacobian_destroy(&d->Jc);
    void* arrays[] = {d->Ac, d->q, d->softness, d->scale, d->panel, d->force, d->virtual_sides};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cond_release(&d->context, arrays[i]);
}

CondStatus cond_contact_scales(const CondContext* context, const CondProblem* problem, double omega,
                               int* virtual_sides, double* softness, double* scale,
                               double* diagonal, int* n_virtual)
{
    CondStatus status = cond_problem_virtual_sides(context, problem, virtual_sides);
    if (status)
        return status;
    cond_problem_diagonal(problem, diagonal);
    *n_virtual = 0;
    for (int c = 0; c < problem->n_contact; c++) {
        double kv = problem->contact[c].kv;
        softness[c] = cond_contact_law_slip(&problem->contact[c], omega) +
                      (isfinite(kv) ? virtual_sides[c] / kv : 0.0);
        scale[c] = cond_contact_delassus(&problem->contact[c], diagonal) + softness[c];
        *n_virtual += virtual_sides[c];
    }
    return COND_OK;
}

static CondStatus reserve(CondDelassus* d, const CondProblem* problem)
{
    const CondContext* m = &d->context;
    int n = 3 * problem->n_contact, nc = problem->n_contact, n_dof = problem->n_dof;
    size_t panel = d->factor.kind == COND_FACTOR_SIMPLICIAL ? PANEL : 1;
    if (panel * (size_t)n_dof > INT_MAX)
        return COND_NOT_SUPPORTED;
#define RESERVE(array, count) cond_reserve(m, &d->array, &d->cap_##array, count, sizeof *d->array)
    int failed = RESERVE(q, n) || RESERVE(softness, nc) || RESERVE(scale, nc) ||
                 RESERVE(force, n_dof) || RESERVE(virtual_sides, nc) ||
                 RESERVE(panel, (int)panel * n_dof);
#undef RESERVE
    return failed || cond_front_reserve(m, &d->Ac, &d->cap_Ac, (size_t)n * (size_t)n, 0) != COND_OK
               ? COND_OUT_OF_MEMORY
               : COND_OK;
}

// Ac = Jc (A \ Jc') with dense columns, a panel at a time: the straightforward way.
static CondStatus multiply_panels(CondDelassus* d)
{
    const CondJacobian* Jc = &d->Jc;
    size_t n_dof = (size_t)d->problem->n_dof;
    for (int first = 0; first < d->n; first += PANEL) {
        int width = d->n - first < PANEL ? d->n - first : PANEL;
        if (cond_cancelled(&d->context))
            return COND_CANCELLED;
        memset(d->panel, 0, n_dof * (size_t)width * sizeof *d->panel);
        for (int j = 0; j < width; j++) {
            int c = (first + j) / 3, r = (first + j) % 3;
            for (int k = Jc->begin[c]; k < Jc->begin[c + 1]; k++)
                d->panel[n_dof * (size_t)j + (size_t)Jc->coordinate[k]] += Jc->value[3 * k + r];
        }
        CondStatus status = cond_factor_solve(&d->factor, width, d->panel);
        if (status)
            return status;
        for (int j = 0; j < width; j++)
            cond_jacobian_multiply(Jc, d->panel + n_dof * (size_t)j,
                                   d->Ac + (size_t)d->n * (size_t)(first + j));
    }
    return COND_OK;
}

// Copies the lower triangle to the upper one, in tiles that stay in the cache, and adds S.
static void complete(CondDelassus* d)
{
    enum { TILE = 32 };
    int n = d->n;
    for (int bi = 0; bi < n; bi += TILE)
        for (int bj = 0; bj <= bi; bj += TILE)
            for (int i = bi; i < bi + TILE && i < n; i++)
                for (int j = bj; j < bj + TILE && j < i; j++)
                    d->Ac[(size_t)n * (size_t)i + (size_t)j] =
                        d->Ac[(size_t)n * (size_t)j + (size_t)i];
    for (int i = 0; i < n; i++)
        d->Ac[((size_t)n + 1) * (size_t)i] += d->softness[i / 3];
}

CondStatus cond_delassus_build(CondDelassus* d, const CondProblem* problem, double omega)
{
    d->problem = problem;
    d->n = 3 * problem->n_contact;
    CondStatus status = reserve(d, problem);
    if (!status)
        status = cond_contact_scales(&d->context, problem, omega, d->virtual_sides, d->softness,
                                     d->scale, d->force, &d->n_virtual);
    if (!status)
        status = cond_jacobian_build(&d->Jc, problem);
    if (!status)
        status = cond_factor_build(&d->factor, problem, &d->Jc, NULL);
    if (status)
        return status;
    // q = Jc A^-1 b + phi
    memcpy(d->panel, problem->b, (size_t)problem->n_dof * sizeof *d->panel);
    status = cond_factor_solve(&d->factor, 1, d->panel);
    if (status)
        return status;
    cond_jacobian_multiply(&d->Jc, d->panel, d->q);
    for (int i = 0; i < d->n; i++) {
        d->q[i] += problem->contact[i / 3].phi[i % 3];
        if (!isfinite(d->q[i]))
            return COND_DIVERGED;
    }
    if (d->factor.kind == COND_FACTOR_SUPERNODAL) {
        memset(d->Ac, 0, (size_t)d->n * (size_t)d->n * sizeof *d->Ac);
        status = cond_front_add(&d->front, &d->factor, &d->Jc, d->Ac);
    } else {
        status = multiply_panels(d);
    }
    if (status)
        return status;
    complete(d);
    for (int i = 0; i < d->n; i++)
        if (!isfinite(d->Ac[((size_t)d->n + 1) * (size_t)i]))
            return COND_DIVERGED;
    return COND_OK;
}

void cond_delassus_velocity(const CondDelassus* d, const double* lambda, double* u)
{
    if (d->n == 0)
        return;
    memcpy(u, d->q, (size_t)d->n * sizeof *u);
    cblas_dsymv(CblasColMajor, CblasLower, d->n, 1.0, d->Ac, d->n, lambda, 1, 1.0, u, 1);
}

CondStatus cond_delassus_motion(CondDelassus* d, const double* lambda, double* v)
{
    int n_dof = d->problem->n_dof;
    double* f = d->force;
    memcpy(v, d->problem->b, (size_t)n_dof * sizeof *v);
    cond_jacobian_add_transposed(&d->Jc, lambda, v);
    memcpy(f, v, (size_t)n_dof * sizeof *f);
    CondStatus status = cond_factor_solve(&d->factor, 1, v);
    if (status)
        return status;
    // v += A^-1 (f - A v)
    cond_problem_multiply(d->problem, v, d->panel);
    for (int i = 0; i < n_dof; i++)
        f[i] -= d->panel[i];
    status = cond_factor_solve(&d->factor, 1, f);
    for (int i = 0; i < n_dof && !status; i++)
        v[i] += f[i];
    return status;
}

CondStatus cond_delassus_step(CondDelassus* d, const double* change, double* length)
{
    int n_dof = d->problem->n_dof;
    memset(d->force, 0, (size_t)n_dof * sizeof *d->force);
    cond_jacobian_add_transposed(&d->Jc, change, d->force);
    CondStatus status = cond_factor_solve(&d->factor, 1, d->force);
    *length = cblas_dnrm2(n_dof, d->force, 1);
    return status;
}
