// The global ADMM of Siconos on a CondProblem: M v = H r + q, u = H' v + b, with M = A, H = Jc',
// q = b of the problem, b = phi and r = lambda.
#include "cond/baselines.h"

#include "base/memory.h"
#include "base/timer.h"
#include "matrix.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>

int cond_siconos_available(void)
{
    return 1;
}

static NumericsMatrix* make_M(const CondMatrix* A)
{
    NumericsMatrix* M = NM_create(NM_SPARSE, A->n, A->n);
    NM_triplet_alloc(M, 2 * (CS_INT)A->col_begin[A->n]);
    for (int j = 0; j < A->n; j++)
        for (int k = A->col_begin[j]; k < A->col_begin[j + 1]; k++) {
            int i = A->row_index[k];
            NM_entry(M, i, j, A->x[k]);
            if (i != j)
                NM_entry(M, j, i, A->x[k]);
        }
    return M;
}

static NumericsMatrix* make_H(const CondJacobian* Jc, int n_dof)
{
    NumericsMatrix* H = NM_create(NM_SPARSE, n_dof, 3 * Jc->n_contact);
    NM_triplet_alloc(H, 3 * (CS_INT)Jc->begin[Jc->n_contact] + 1);
    for (int c = 0; c < Jc->n_contact; c++)
        for (int k = Jc->begin[c]; k < Jc->begin[c + 1]; k++)
            for (int r = 0; r < 3; r++)
                NM_entry(H, Jc->coordinate[k], 3 * c + r, Jc->value[3 * k + r]);
    return H;
}

// What it cannot say: elliptic cones, intervals of forces and the slip of virtual nodes.
static CondStatus check(const CondContext* context, const CondProblem* problem)
{
    int* sides = cond_allocate(context, (size_t)problem->n_contact, sizeof *sides);
    if (!sides)
        return COND_OUT_OF_MEMORY;
    CondStatus status = cond_problem_virtual_sides(context, problem, sides);
    for (int c = 0; c < problem->n_contact && !status; c++) {
        const CondContact* contact = &problem->contact[c];
        if (contact->set != COND_FORCE_CONE || contact->friction[0] != contact->friction[1] ||
            (sides[c] > 0 && contact->kv < INFINITY))
            status = COND_NOT_SUPPORTED;
    }
    cond_release(context, sides);
    return status;
}

static int drive(GlobalFrictionContactProblem* global, double tolerance, CondSiconosWay way,
                 int max_iterations, double* lambda, double* u, double* v, double* seconds)
{
    SolverOptions* options = solver_options_create(SICONOS_GLOBAL_FRICTION_3D_ADMM);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
    options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_SYMMETRY] =
        SICONOS_FRICTION_3D_ADMM_ASSUME_SYMMETRY;
    if (way != COND_SICONOS_GIVEN)
        options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO] =
            SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF;
    if (way == COND_SICONOS_BALANCED)
        options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
            SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
    numerics_set_verbose(0);
    double start = cond_seconds();
    gfc3d_driver(global, lambda, u, v, options);
    *seconds = cond_seconds() - start;
    int iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    return iterations;
}

CondStatus cond_siconos_solve(const CondContext* context, const CondProblem* problem,
                              double tolerance, CondSiconosWay way, int max_iterations, double* v,
                              double* lambda, double* seconds, int* iterations)
{
    CondContext m = cond_context_or_default(context);
    CondJacobian Jc = {.context = m};
    CondMatrix A = {.context = m};
    size_t n = (size_t)problem->n_dof, nc = (size_t)problem->n_contact;
    double* work = cond_allocate(&m, n + 7 * nc, sizeof *work);
    CondStatus status = work ? check(&m, problem) : COND_OUT_OF_MEMORY;
    if (!status)
        status = cond_jacobian_build(&Jc, problem);
    if (!status)
        status = cond_matrix_build(&A, problem, &Jc, NULL);
    if (!status) {
        double *q = work, *b = q + n, *u = b + 3 * nc, *mu = u + 3 * nc;
        memcpy(q, problem->b, n * sizeof *q);
        for (size_t c = 0; c < nc; c++) {
            memcpy(b + 3 * c, problem->contact[c].phi, 3 * sizeof *b);
            mu[c] = problem->contact[c].friction[0];
            cond_contact_velocity(&problem->contact[c], v, u + 3 * c);
        }
        GlobalFrictionContactProblem global = {
            .dimension = 3,
            .numberOfContacts = (int)nc,
            .M = make_M(&A),
            .H = make_H(&Jc, (int)n),
            .q = q,
            .norm_q = cblas_dnrm2((int)n, q, 1),
            .b = b,
            .norm_b = cblas_dnrm2(3 * (int)nc, b, 1),
            .mu = mu,
        };
        *iterations = drive(&global, tolerance, way, max_iterations, lambda, u, v, seconds);
        NM_clear(global.M);
        NM_clear(global.H);
        free(global.M);
        free(global.H);
    }
    cond_jacobian_destroy(&Jc);
    cond_matrix_destroy(&A);
    cond_release(&m, work);
    return status;
}
