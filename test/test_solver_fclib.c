// Contact problems of other projects (test/data/fclib) with reference answers.
#include "cone.h"
#include "dense.h"
#include "gfc.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char* const names[] = {"GFC3D_Example00", "LMGC_GFC3D-i00001-1-00000",
                                    "LMGC_GFC3D-i00501-4-00000"};
enum { N_NAME = sizeof names / sizeof names[0] };

static void path_of(const char* name, const char* suffix, char* path, size_t size)
{
    snprintf(path, size, "%s/fclib/%s.%s", COND_TEST_DATA, name, suffix);
}

static void load(const char* name, Gfc* gfc)
{
    char path[512];
    path_of(name, "gfc", path, sizeof path);
    if (!gfc_read(path, gfc))
        fail_msg("cannot read %s", path);
}

// q = H' M^-1 f + w, the velocity without contact forces.
static double* free_velocity(const Gfc* gfc)
{
    int n = gfc->n_dof, m = 3 * gfc->n_contact;
    double *M = dense_zeros((size_t)n * n), *x = dense_zeros((size_t)n);
    double* q = dense_zeros((size_t)m);
    for (int k = 0; k < gfc->M.n_entry; k++)
        M[(size_t)gfc->M.row[k] * n + gfc->M.column[k]] += gfc->M.value[k];
    memcpy(x, gfc->f, (size_t)n * sizeof *x);
    assert_true(dense_cholesky(n, M));
    dense_cholesky_solve(n, M, x);
    gfc_multiply_transposed(&gfc->H, x, q);
    for (int i = 0; i < m; i++)
        q[i] += gfc->w[i];
    free(M);
    free(x);
    return q;
}

// u = H' v + w
static double* contact_velocity(const Gfc* gfc, const double* v)
{
    double* u = dense_zeros(3 * (size_t)gfc->n_contact);
    gfc_multiply_transposed(&gfc->H, v, u);
    for (int i = 0; i < 3 * gfc->n_contact; i++)
        u[i] += gfc->w[i];
    return u;
}

// |r - P(r - (u + mu |u_t| n))| / |q|; for the convex relaxation without mu |u_t| n.
static double natural_residual(const Gfc* gfc, int strict, const double* u, const double* r,
                               const double* q)
{
    double sum = 0.0;
    for (int c = 0; c < gfc->n_contact; c++) {
        double mu[2] = {gfc->mu[c], gfc->mu[c]}, trial[3], nearest[3];
        for (int i = 0; i < 3; i++)
            trial[i] = r[3 * c + i] - u[3 * c + i];
        if (strict)
            trial[0] -= mu[0] * hypot(u[3 * c + 1], u[3 * c + 2]);
        cone_nearest(mu, trial, nearest);
        for (int i = 0; i < 3; i++)
            sum += (r[3 * c + i] - nearest[i]) * (r[3 * c + i] - nearest[i]);
    }
    return sqrt(sum) / dense_norm(3 * gfc->n_contact, q);
}

// The answer of the default solver against the reference of the file.
static void check_answer(const Gfc* gfc, const CondProblem* problem, CondLaw law)
{
    int n = gfc->n_dof, m = 3 * gfc->n_contact, strict = law == COND_LAW_STRICT;
    double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m), *q = free_velocity(gfc);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.law = law;
    settings.tolerance = 1e-10;
    settings.max_outer = 2000;
    CondSolveInfo info;
    assert_int_equal(problem->n_dof, n);
    assert_int_equal(problem->n_contact, gfc->n_contact);
    assert_int_equal(verifier_solve(problem, &settings, v, lambda, &info), COND_OK);
    double* u = contact_velocity(gfc, v);
    const double* expected = strict ? gfc->u_ref : gfc->u_ccp;
    assert_non_null(expected);
    double far = 0.0;
    for (int i = 0; i < m; i++)
        far = fmax(far, fabs(u[i] - expected[i]));
    if (!(far <= 1e-6 * dense_largest(m, q)))
        fail_msg("%s law: u is %g off, the largest free velocity is %g", cond_law_name(law), far,
                 dense_largest(m, q));
    double residual = natural_residual(gfc, strict, u, lambda, q);
    if (!(residual <= 1e-8))
        fail_msg("%s law: natural residual %g", cond_law_name(law), residual);
    free(v);
    free(lambda);
    free(q);
    free(u);
}

// The references of the files obey their laws: the data are what they say.
static void references_are_solutions(void** state)
{
    (void)state;
    for (int k = 0; k < N_NAME; k++) {
        Gfc gfc;
        load(names[k], &gfc);
        double* q = free_velocity(&gfc);
        assert_true(natural_residual(&gfc, 1, gfc.u_ref, gfc.r_ref, q) < 1e-9);
        assert_true(natural_residual(&gfc, 0, gfc.u_ccp, gfc.r_ccp, q) < 1e-9);
        CondProblemFile* file = gfc_problem(&gfc);
        assert_non_null(file);
        const CondProblem* problem = cond_problem_file_problem(file);
        CondCertificate z;
        assert_int_equal(
            cond_certify(NULL, problem, COND_LAW_STRICT, 0.0, gfc.v_ref, gfc.r_ref, &z), COND_OK);
        verifier_check_certificate(problem, COND_LAW_STRICT, 0.0, gfc.v_ref, gfc.r_ref, &z);
        assert_true(cond_certificate_residual(&z) < 1e-8);
        cond_problem_file_destroy(file);
        free(q);
        gfc_free(&gfc);
    }
}

static void strict_law_on_text_files(void** state)
{
    (void)state;
    for (int k = 0; k < N_NAME; k++) {
        Gfc gfc;
        load(names[k], &gfc);
        CondProblemFile* file = gfc_problem(&gfc);
        assert_non_null(file);
        check_answer(&gfc, cond_problem_file_problem(file), COND_LAW_STRICT);
        cond_problem_file_destroy(file);
        gfc_free(&gfc);
    }
}

static void proximal_law_on_text_files(void** state)
{
    (void)state;
    for (int k = 0; k < N_NAME; k++) {
        Gfc gfc;
        load(names[k], &gfc);
        CondProblemFile* file = gfc_problem(&gfc);
        assert_non_null(file);
        check_answer(&gfc, cond_problem_file_problem(file), COND_LAW_PROXIMAL);
        cond_problem_file_destroy(file);
        gfc_free(&gfc);
    }
}

static void both_laws_on_hdf5_files(void** state)
{
    (void)state;
    for (int k = 1; k < N_NAME; k++) {
        Gfc gfc;
        CondError error;
        CondProblemFile* file = NULL;
        char path[512];
        load(names[k], &gfc);
        path_of(names[k], "hdf5", path, sizeof path);
        if (cond_fclib_read(NULL, path, &file, &error))
            fail_msg("%s", error.message);
        for (int law = 0; law < 2; law++)
            check_answer(&gfc, cond_problem_file_problem(file), (CondLaw)law);
        cond_problem_file_destroy(file);
        gfc_free(&gfc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_solutions),
        cmocka_unit_test(strict_law_on_text_files),
        cmocka_unit_test(proximal_law_on_text_files),
        cmocka_unit_test(both_laws_on_hdf5_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
