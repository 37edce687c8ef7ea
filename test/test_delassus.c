// The parts of the baselines against dense algebra: Delassus operator and one-contact problem.
#include "base/memory.h"
#include "baseline_solve.h"
#include "baselines/delassus.h"
#include "baselines/one_contact.h"
#include "dense.h"
#include "random_problem.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Jc A^-1 Jc' + S and Jc A^-1 b + phi by dense algebra.
static void dense_delassus(const CondProblem* problem, double omega, double* Ac, double* q)
{
    int n = problem->n_dof, m = 3 * problem->n_contact;
    double *A = dense_zeros((size_t)n * (size_t)n), *J = dense_zeros((size_t)m * (size_t)n + 1);
    double* x = dense_zeros((size_t)n);
    int* sides = calloc((size_t)problem->n_contact + 1, sizeof *sides);
    assert_non_null(sides);
    verifier_virtual_sides(problem, sides);
    dense_problem_matrix(problem, A);
    assert_true(dense_cholesky(n, A));
    for (int c = 0; c < problem->n_contact; c++)
        dense_contact_jacobian(&problem->contact[c], n, J + (size_t)(3 * c) * (size_t)n);
    for (int j = 0; j <= m; j++) { // column m is q
        memcpy(x, j < m ? J + (size_t)j * (size_t)n : problem->b, (size_t)n * sizeof *x);
        dense_cholesky_solve(n, A, x);
        for (int i = 0; i < m; i++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += J[(size_t)i * (size_t)n + (size_t)k] * x[k];
            if (j == m)
                q[i] = sum + problem->contact[i / 3].phi[i % 3];
            else
                Ac[(size_t)i * (size_t)m + (size_t)j] = sum;
        }
    }
    for (int i = 0; i < m; i++) {
        double kv = problem->contact[i / 3].kv;
        Ac[(size_t)i * (size_t)(m + 1)] += omega + (isfinite(kv) ? sides[i / 3] / kv : 0.0);
    }
    free(A);
    free(J);
    free(x);
    free(sides);
}

static void check_delassus(const CondProblem* problem, double omega)
{
    size_t m = 3 * (size_t)problem->n_contact;
    double *Ac = dense_zeros(m * m), *q = dense_zeros(m);
    CondContext context = cond_context_or_default(NULL);
    dense_delassus(problem, omega, Ac, q);
    for (int kind = 0; kind < 2; kind++) {
        CondDelassus d;
        cond_delassus_create(&d, &context, (CondFactorKind)kind);
        for (int again = 0; again < 2; again++) { // the second time with the analysis kept
            assert_int_equal(cond_delassus_build(&d, problem, omega), COND_OK);
            double size = dense_largest((int)(m * m), Ac), far = 0.0;
            for (size_t i = 0; i < m * m; i++)
                far = fmax(far, fabs(Ac[i] - d.Ac[i]));
            assert_true(far <= 1e-11 * size);
            assert_true(dense_distance((int)m, q, d.q) <= 1e-11 * dense_norm((int)m, q));
        }
        assert_int_equal(d.factor.n_analyses, 1);
        cond_delassus_destroy(&d);
    }
    free(Ac);
    free(q);
}

static void delassus_is_the_dense_one(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        RandomProblem made;
        RandomOptions options = random_options_default(seed);
        random_problem_make(&options, &made);
        check_delassus(&made.problem, seed % 2 ? 0.0 : 1e-3);
        random_problem_free(&made);
    }
    // Many contacts on one large sparse body: fronts of all sizes.
    RandomOptions options = random_options_default(99);
    options.n_cloth = 2;
    options.cloth_nodes = 60;
    options.n_contact = 45;
    RandomProblem made;
    random_problem_make(&options, &made);
    check_delassus(&made.problem, 0.0);
    random_problem_free(&made);
}

// A square cloth of 3x3 blocks, its corner nodes on the ground: the elimination tree branches.
static void delassus_of_blocked_rows(void** state)
{
    (void)state;
    enum { SIDE = 12, N = SIDE * SIDE, MOST = 5 * N };
    static const int step[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}}; // columns ascending
    int row_begin[N + 1], column[MOST], n_entry = 0;
    double *values = dense_zeros(9 * (size_t)MOST), *b = dense_zeros(3 * (size_t)N);
    Random random = random_start(5);
    for (int i = 0; i < N; i++) {
        row_begin[i] = n_entry;
        for (int k = 0; k < 5; k++) {
            int x = i / SIDE + step[k][0], y = i % SIDE + step[k][1];
            if (x < 0 || y < 0 || x >= SIDE || y >= SIDE)
                continue;
            for (int r = 0; r < 3; r++)
                values[9 * (size_t)n_entry + 4 * (size_t)r] = k == 2 ? 4.1 + r : -1.0;
            if (k == 2) // something off the diagonal as well
                values[9 * (size_t)n_entry + 1] = values[9 * (size_t)n_entry + 3] = 0.3;
            column[n_entry++] = SIDE * x + y;
        }
        for (int r = 0; r < 3; r++)
            b[3 * i + r] = random_uniform(&random, -1.0, 1.0);
    }
    row_begin[N] = n_entry;
    CondBlock block = {COND_BLOCK_BSR3, 0, 3 * N, values, row_begin, column, NULL};
    enum { N_CONTACT = 40 };
    CondContact contact[N_CONTACT] = {0};
    int coordinate[N_CONTACT][3];
    for (int c = 0; c < N_CONTACT; c++) {
        for (int k = 0; k < 3; k++)
            coordinate[c][k] = 3 * (c * N / N_CONTACT) + k;
        contact[c].side[0] = (CondSide){3, coordinate[c], NULL};
        random_rotation(&random, contact[c].frame);
        contact[c].friction[0] = contact[c].friction[1] = 0.4;
        contact[c].kv = INFINITY;
    }
    CondProblem problem = {.n_dof = 3 * N,
                           .n_block = 1,
                           .n_contact = N_CONTACT,
                           .block = &block,
                           .contact = contact,
                           .b = b};
    assert_int_equal(cond_problem_check(NULL, &problem, NULL), COND_OK);
    check_delassus(&problem, 0.0);
    CondSolverSettings settings = baseline_settings(COND_LAW_STRICT);
    BaselineAnswer pgs = baseline_solve("pgs", &problem, &settings),
                   vfpi = baseline_vfpi(&problem, &settings);
    baseline_same_motion("pgs", &problem, &pgs, &vfpi, 1e-7);
    baseline_free(&pgs);
    baseline_free(&vfpi);
    free(values);
    free(b);
}

// Every answer of the one-contact problem obeys the law, whatever the block and the cone.
static void one_contact_obeys_the_law(void** state)
{
    (void)state;
    Random random = random_start(7);
    int count[3] = {0};
    for (int k = 0; k < 3000; k++) {
        double D[9], q[3], lambda[3] = {0.0, 0.0, 0.0}, u[3];
        double mu[2] = {random_uniform(&random, 0.0, 1.5), random_uniform(&random, 0.0, 1.5)};
        if (k % 3 == 0)
            mu[1] = mu[0];
        if (k % 7 == 0)
            mu[k % 2] = 0.0;
        random_spd(&random, 3, pow(10.0, random_uniform(&random, -4.0, 4.0)), 0.05, D);
        for (int i = 0; i < 3; i++)
            q[i] = random_uniform(&random, -1.0, i == 0 ? 0.3 : 1.0);
        CondLaw law = k % 5 == 0 ? COND_LAW_PROXIMAL : COND_LAW_STRICT;
        if (law == COND_LAW_STRICT)
            cond_one_contact_strict(mu, D, q, lambda);
        else
            for (int again = 0; again < 200; again++)
                cond_one_contact_proximal(mu, D, q, lambda);
        dense_multiply(3, 3, D, lambda, u);
        for (int i = 0; i < 3; i++)
            u[i] += q[i];
        CondLawError e = cond_law_error(law, mu, D[0], u, lambda);
        if (!(e.natural <= 1e-11))
            fail_msg("case %d, %s law: natural error %g", k, cond_law_name(law), e.natural);
        count[lambda[0] == 0.0 ? 0 : hypot(u[1], u[2]) < 1e-9 ? 1 : 2]++;
    }
    for (int i = 0; i < 3; i++)
        assert_true(count[i] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delassus_is_the_dense_one),
        cmocka_unit_test(delassus_of_blocked_rows),
        cmocka_unit_test(one_contact_obeys_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
