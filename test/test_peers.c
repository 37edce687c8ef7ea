// What is timed beside COND: Siconos, where it is built in, as a referee of our answers, and
// CHOLMOD's factorisation.
#include "cond/baselines.h"

#include "dense.h"
#include "failing_allocator.h"
#include "random_problem.h"
#include "verifier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 20000 };

// What Siconos can pose: circular cones, nothing that slips by a finite kv.
static RandomOptions plain_options(uint64_t seed)
{
    RandomOptions options = random_options_default(seed);
    options.anisotropic = 0;
    options.finite_kv = 0.0;
    options.friction = 0.4;
    return options;
}

static void siconos_finds_the_same_motion(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6 && cond_siconos_available(); seed++) {
        RandomOptions options = plain_options(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        int n = made.problem.n_dof, m = 3 * made.problem.n_contact, iterations = 0;
        double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m), seconds = -1.0;
        double *ours = dense_zeros((size_t)n), *forces = dense_zeros((size_t)m);
        CondSolverSettings settings = cond_solver_settings_default();
        CondSolveInfo info;
        settings.tolerance = 1e-10;
        assert_int_equal(verifier_solve(&made.problem, &settings, ours, forces, &info), COND_OK);
        assert_int_equal(cond_siconos_solve(NULL, &made.problem, 1e-10, (CondSiconosWay)(seed % 3),
                                            MOST, v, lambda, &seconds, &iterations),
                         COND_OK);
        assert_in_range(iterations, 1, MOST - 1);
        assert_true(seconds > 0.0);
        CondCertificate theirs =
            verifier_certificate(&made.problem, COND_LAW_STRICT, 0.0, v, lambda);
        assert_true(fmax(theirs.dynamics, theirs.contact) < 1e-6);
        assert_true(dense_distance(n, v, ours) < 1e-6 * dense_norm(n, ours));
        free(v);
        free(lambda);
        free(ours);
        free(forces);
        random_problem_free(&made);
    }
}

// Elliptic cones and finite kv are not its problem; neither is anything where it is not built in.
static void siconos_refuses(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        RandomOptions options = plain_options(11);
        options.anisotropic = k == 0;
        options.finite_kv = k == 0 ? 0.0 : 1.0;
        RandomProblem made;
        random_problem_make(&options, &made);
        double *v = dense_zeros((size_t)made.problem.n_dof), seconds = 0.0;
        double* lambda = dense_zeros(3 * (size_t)made.problem.n_contact);
        int iterations = 0;
        assert_int_equal(cond_siconos_solve(NULL, &made.problem, 1e-8, COND_SICONOS_GIVEN, MOST, v,
                                            lambda, &seconds, &iterations),
                         COND_NOT_SUPPORTED);
        assert_true(dense_norm(made.problem.n_dof, v) == 0.0);
        free(v);
        free(lambda);
        random_problem_free(&made);
    }
}

static void siconos_runs_out_of_memory(void** state)
{
    (void)state;
    RandomOptions options = plain_options(5);
    RandomProblem made;
    random_problem_make(&options, &made);
    for (long fail_at = 1; cond_siconos_available(); fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        double *v = dense_zeros((size_t)made.problem.n_dof), seconds;
        double* lambda = dense_zeros(3 * (size_t)made.problem.n_contact);
        int iterations;
        CondStatus status = cond_siconos_solve(&context, &made.problem, 1e-4, COND_SICONOS_GIVEN,
                                               MOST, v, lambda, &seconds, &iterations);
        free(v);
        free(lambda);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_true(fail_at < 100);
    }
    random_problem_free(&made);
}

static void factorisation_is_timed(void** state)
{
    (void)state;
    RandomOptions options = plain_options(7);
    RandomProblem made;
    random_problem_make(&options, &made);
    double seconds[3] = {-1.0, -1.0, -1.0};
    int before = cond_baseline_set_threads(1);
    assert_int_equal(cond_baseline_factorise(NULL, &made.problem, 3, seconds), COND_OK);
    for (int k = 0; k < 3; k++)
        assert_true(seconds[k] >= 0.0);
    assert_int_equal(cond_baseline_set_threads(before), 1);
    ((double*)made.problem.block[0].values)[0] = -1.0; // no longer positive definite
    assert_int_equal(cond_baseline_factorise(NULL, &made.problem, 3, seconds), COND_DIVERGED);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siconos_finds_the_same_motion),
        cmocka_unit_test(siconos_refuses),
        cmocka_unit_test(siconos_runs_out_of_memory),
        cmocka_unit_test(factorisation_is_timed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
