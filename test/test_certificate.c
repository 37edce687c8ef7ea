// The certificate: every number by its definition, for answers good and bad.
#include "dense.h"
#include "random_problem.h"
#include "reference.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const CondLaw laws[] = {COND_LAW_STRICT, COND_LAW_PROXIMAL};

static CondCertificate certify(const CondProblem* problem, CondLaw law, double omega,
                               const double* v, const double* lambda)
{
    CondCertificate z;
    assert_int_equal(cond_certify(NULL, problem, law, omega, v, lambda, &z), COND_OK);
    verifier_check_certificate(problem, law, omega, v, lambda, &z);
    return z;
}

// Some contacts held to the proximal law, the others to the strict one: as the verifier has it.
static void mixed_laws(void** state)
{
    (void)state;
    int differ = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        RandomOptions options = random_options_default(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        const CondProblem* problem = &made.problem;
        int n = problem->n_dof, m = 3 * problem->n_contact;
        double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m);
        int* relaxed = calloc((size_t)problem->n_contact, sizeof *relaxed);
        Random random = random_start(seed);
        for (int i = 0; i < n; i++)
            v[i] = random_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < m; i++)
            lambda[i] = random_uniform(&random, 0.0, 1.0);
        for (int c = 0; c < problem->n_contact; c++)
            relaxed[c] = c % 2;
        CondCertificate z;
        assert_int_equal(
            cond_certify_relaxed(NULL, problem, COND_LAW_STRICT, 0.0, relaxed, v, lambda, &z),
            COND_OK);
        double residual = cond_certificate_residual(&z);
        double mine = verifier_relaxed_residual(problem, COND_LAW_STRICT, 0.0, relaxed, v, lambda);
        assert_true(fabs(residual - mine) <= 1e-9 * mine);
        CondCertificate strict = certify(problem, COND_LAW_STRICT, 0.0, v, lambda);
        differ += strict.contact != z.contact;
        free(v), free(lambda), free(relaxed);
        random_problem_free(&made);
    }
    assert_true(differ > 0);
}

// Any v and lambda, solutions of nothing.
static void arbitrary_pairs(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        RandomOptions options = random_options_default(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        int n = made.problem.n_dof, m = 3 * made.problem.n_contact;
        double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m);
        Random random = random_start(seed);
        for (int trial = 0; trial < 12; trial++) {
            double speed = pow(10.0, random_uniform(&random, -4.0, 4.0));
            for (int i = 0; i < n; i++)
                v[i] = speed * random_uniform(&random, -1.0, 1.0);
            for (int i = 0; i < m; i++)
                lambda[i] = trial == 0 ? 0.0 : random_uniform(&random, -2.0, 2.0);
            CondCertificate z = certify(&made.problem, laws[trial % 2], trial % 3 * 0.1, v, lambda);
            assert_true(cond_certificate_residual(&z) > 0.01); // and it says so
        }
        free(v);
        free(lambda);
        random_problem_free(&made);
    }
}

// The dense reference's answers pass; spoiling one contact force points at that contact.
static void reference_answers_pass_and_spoilt_ones_do_not(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (int l = 0; l < 2; l++) {
            RandomOptions options = random_options_default(seed);
            RandomProblem made;
            random_problem_make(&options, &made);
            int n = made.problem.n_dof, m = 3 * made.problem.n_contact;
            double *v = dense_zeros((size_t)n), *u = dense_zeros((size_t)m);
            double* lambda = dense_zeros((size_t)m);
            double omega = seed % 2 ? 0.0 : 0.1;
            assert_true(reference_solve(&made.problem, laws[l], omega, v, u, lambda) < 1e-13);
            CondCertificate z = certify(&made.problem, laws[l], omega, v, lambda);
            assert_true(cond_certificate_residual(&z) < 1e-11);
            assert_true(z.penetration < 1e-10 && z.pull == 0.0 && z.cone < 1e-10);
            assert_true(z.complementarity < 1e-10 && z.angle < 1e-4);
            int c = (int)seed % made.problem.n_contact;
            lambda[3 * c] -= 5.0; // pulls hard
            z = certify(&made.problem, laws[l], omega, v, lambda);
            assert_true(z.dynamics > 0.01 && z.contact > 0.01 && z.pull > 0.1);
            assert_int_equal(z.worst_contact, c);
            lambda[3 * c] += 5.0;
            v[n - 1] += 0.01; // the dynamics no longer hold
            z = certify(&made.problem, laws[l], omega, v, lambda);
            assert_true(z.dynamics > 1e-5);
            free(v);
            free(u);
            free(lambda);
            random_problem_free(&made);
        }
}

// The slip of virtual nodes is reported and is part of the problem only where kv is finite.
static void coupling_slip_is_the_virtual_nodes(void** state)
{
    (void)state;
    double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double b[3] = {-3.0, 0.0, 0.0}, kv[] = {10.0, 1000.0, INFINITY};
    int coordinate[3] = {0, 1, 2};
    CondBlock block = {COND_BLOCK_DENSE, 0, 3, mass, NULL, NULL, NULL};
    for (int k = 0; k < 3; k++)
        for (int general = 0; general < 2; general++) {
            CondContact contact = {.side = {{3, coordinate, general ? identity : NULL}},
                                   .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                   .friction = {0.5, 0.5},
                                   .kv = kv[k]};
            CondProblem problem = {3, 1, 0, 1, &block, NULL, &contact, b};
            double compliance = general && kv[k] < INFINITY ? 1.0 / kv[k] : 0.0;
            // v = b + lambda and v + compliance lambda = 0
            double lambda[3] = {3.0 / (1.0 + compliance), 0.0, 0.0};
            double v[3] = {-compliance * lambda[0], 0.0, 0.0};
            CondCertificate z = certify(&problem, COND_LAW_STRICT, 0.0, v, lambda);
            assert_true(cond_certificate_residual(&z) < 1e-15);
            assert_true(fabs(z.coupling_slip - compliance * lambda[0]) < 1e-15);
            int sides = -1;
            assert_int_equal(cond_problem_virtual_sides(NULL, &problem, &sides), COND_OK);
            assert_int_equal(sides, general);
        }
}

// Radians or degrees: scaling single coordinates (A -> D A D, b -> D b, J -> J D, v -> D^-1 v) or
// all forces leaves the relative numbers as they are.
static void units_do_not_matter(void** state)
{
    (void)state;
    enum { N = 6 };
    Random random = random_start(9);
    double A[N * N], b[N], J[3 * N], v[N], lambda[3] = {1.0, 0.3, -0.2};
    int coordinate[N] = {0, 1, 2, 3, 4, 5};
    random_spd(&random, N, 1.0, 0.5, A);
    for (int i = 0; i < N; i++) {
        b[i] = random_uniform(&random, -1.0, 1.0);
        v[i] = random_uniform(&random, -1.0, 1.0);
    }
    for (int i = 0; i < 3 * N; i++)
        J[i] = random_uniform(&random, -1.0, 1.0);
    CondContact contact = {.side = {{N, coordinate, J}},
                           .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .friction = {0.5, 0.2},
                           .kv = INFINITY};
    CondBlock block = {COND_BLOCK_DENSE, 0, N, A, NULL, NULL, NULL};
    CondProblem problem = {N, 1, 0, 1, &block, NULL, &contact, b};
    CondCertificate before = certify(&problem, COND_LAW_STRICT, 0.0, v, lambda);
    for (int i = 0; i < N; i++) {
        double d = i < 3 ? 1.0 : 57.3;
        b[i] *= d;
        v[i] /= d;
        for (int j = 0; j < N; j++)
            A[i * N + j] *= d * (j < 3 ? 1.0 : 57.3);
        for (int r = 0; r < 3; r++)
            J[r * N + i] *= d;
    }
    CondCertificate after = certify(&problem, COND_LAW_STRICT, 0.0, v, lambda);
    assert_true(fabs(after.dynamics - before.dynamics) < 1e-13);
    assert_true(fabs(after.contact - before.contact) < 1e-13);
    for (int i = 0; i < N * N; i++)
        A[i] *= 1e6; // meganewtons
    for (int i = 0; i < N; i++)
        b[i] *= 1e6;
    for (int i = 0; i < 3; i++)
        lambda[i] *= 1e6;
    after = certify(&problem, COND_LAW_STRICT, 0.0, v, lambda);
    assert_true(fabs(after.dynamics - before.dynamics) < 1e-13);
    assert_true(fabs(after.contact - before.contact) < 1e-13);
}

// NaN and infinity, wherever they come in, give an infinite residual and never a small one.
static void numbers_that_are_none(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(3);
    RandomProblem made;
    random_problem_make(&options, &made);
    int n = made.problem.n_dof, m = 3 * made.problem.n_contact;
    double *v = dense_zeros((size_t)n), *u = dense_zeros((size_t)m),
           *lambda = dense_zeros((size_t)m);
    reference_solve(&made.problem, COND_LAW_STRICT, 0.0, v, u, lambda);
    double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < 2; l++)
            for (int i = 0; i < n + m; i++) {
                double *at = i < n ? v + i : lambda + i - n, good = *at;
                *at = bad[k];
                CondCertificate z;
                assert_int_equal(cond_certify(NULL, &made.problem, laws[l], 0.0, v, lambda, &z), 0);
                assert_false(cond_certificate_residual(&z) < 1e-3);
                if (k < 3)
                    assert_true(isinf(cond_certificate_residual(&z)));
                *at = good;
            }
    free(v);
    free(u);
    free(lambda);
    random_problem_free(&made);
}

// A contact that slips under a large mu and sinks in: the natural map alone would hide it by 1/mu.
static void penetration_counts_in_full(void** state)
{
    (void)state;
    double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, v[3] = {-0.1, 1.0, 0.0};
    double lambda[3] = {0.001, -1.0, 0.0}, b[3] = {-0.101, 2.0, 0.0};
    int coordinate[3] = {0, 1, 2};
    CondBlock block = {COND_BLOCK_DENSE, 0, 3, mass, NULL, NULL, NULL};
    CondContact contact = {.side = {{3, coordinate, NULL}},
                           .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .friction = {1000.0, 1000.0},
                           .kv = INFINITY};
    CondProblem problem = {3, 1, 0, 1, &block, NULL, &contact, b};
    CondCertificate z = certify(&problem, COND_LAW_STRICT, 0.0, v, lambda);
    assert_true(z.dynamics < 1e-15 && z.contact_speed >= 0.1 && z.penetration == 0.1);
}

// Nothing at all is solved exactly.
static void empty_problems(void** state)
{
    (void)state;
    CondProblem nothing = {0};
    double none[1] = {0.0};
    CondCertificate z = certify(&nothing, COND_LAW_STRICT, 0.0, none, none);
    assert_true(cond_certificate_residual(&z) == 0.0);
    assert_int_equal(z.worst_contact, -1);
    assert_int_equal(cond_certify(NULL, &nothing, COND_LAW_STRICT, 0.0, NULL, NULL, &z), COND_OK);
    double one = 2.0, b = 6.0, v = 3.0;
    CondBlock block = {COND_BLOCK_DENSE, 0, 1, &one, NULL, NULL, NULL};
    CondProblem free_body = {1, 1, 0, 0, &block, NULL, NULL, &b};
    z = certify(&free_body, COND_LAW_STRICT, 0.0, &v, none);
    assert_true(cond_certificate_residual(&z) == 0.0);
    v = 0.0;
    z = certify(&free_body, COND_LAW_STRICT, 0.0, &v, none);
    assert_true(z.dynamics == 1.0 && z.contact == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_laws),
        cmocka_unit_test(arbitrary_pairs),
        cmocka_unit_test(reference_answers_pass_and_spoilt_ones_do_not),
        cmocka_unit_test(coupling_slip_is_the_virtual_nodes),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(penetration_counts_in_full),
        cmocka_unit_test(empty_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
