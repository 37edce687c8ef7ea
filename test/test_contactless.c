// Contact-free conjugate gradients, the yardstick of the convergence benchmark, against dense
// algebra and the verifier.
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
#include <string.h>

#include <cmocka.h>

static RandomOptions mixed_options(uint64_t seed)
{
    RandomOptions options = random_options_default(seed);
    options.bsr3 = (int)(seed % 2);
    options.n_chain = 1;
    options.chain_links = 7;
    options.n_coupling = 3;
    return options;
}

// v is A^-1 b, and its certificate without contacts is what the history says.
static void answer_is_that_of_dense_algebra(void** state)
{
    (void)state;
    enum { MOST = 2000 };
    for (uint64_t seed = 1; seed <= 10; seed++) {
        RandomOptions options = mixed_options(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        CondProblem alone = made.problem;
        alone.n_contact = 0;
        int n = alone.n_dof, products = 0;
        double *A = dense_zeros((size_t)n * (size_t)n), *x = dense_zeros((size_t)n);
        double *v = dense_zeros((size_t)n), *history = dense_zeros(MOST);
        Random random = random_start(seed);
        for (int i = 0; i < n; i++)
            v[i] = random_uniform(&random, -1.0, 1.0);
        double first = verifier_certificate(&alone, COND_LAW_STRICT, 0.0, v, NULL).dynamics;
        dense_problem_matrix(&alone, A);
        memcpy(x, alone.b, (size_t)n * sizeof *x);
        assert_true(dense_cholesky(n, A));
        dense_cholesky_solve(n, A, x);
        assert_int_equal(
            cond_contactless_solve(NULL, &made.problem, 1e-11, MOST, 1, v, &products, history),
            COND_OK);
        assert_true(dense_distance(n, v, x) <= 1e-7 * dense_norm(n, x));
        double last = verifier_certificate(&alone, COND_LAW_STRICT, 0.0, v, NULL).dynamics;
        assert_in_range(products, 2, MOST);
        assert_true(fabs(history[0] - first) <= 1e-10 * first);
        assert_true(history[products - 1] <= 1e-11 && last <= 1e-10);
        assert_true(history[products - 2] > 1e-11);
        free(A);
        free(x);
        free(v);
        free(history);
        random_problem_free(&made);
    }
}

// Bodies that nothing joins are their own preconditioner: one product for the residual, one more.
static void dense_bodies_take_one_iteration(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(3);
    options.n_cloth = options.n_chain = options.n_coupling = 0;
    RandomProblem made;
    random_problem_make(&options, &made);
    double* v = dense_zeros((size_t)made.problem.n_dof);
    int products = 0;
    assert_int_equal(cond_contactless_solve(NULL, &made.problem, 1e-10, 100, 1, v, &products, NULL),
                     COND_OK);
    assert_int_equal(products, 2);
    assert_int_equal(cond_contactless_solve(NULL, &made.problem, 1e-10, 100, 1, v, &products, NULL),
                     COND_OK);
    assert_int_equal(products, 1); // it was there already
    free(v);
    random_problem_free(&made);
}

static void limits_and_threads(void** state)
{
    (void)state;
    RandomOptions options = mixed_options(5);
    options.n_cloth = 2;
    options.cloth_nodes = 800; // enough for threads to matter
    RandomProblem made;
    random_problem_make(&options, &made);
    size_t size = (size_t)made.problem.n_dof * sizeof(double);
    double *a = dense_zeros((size_t)made.problem.n_dof), *b = dense_zeros(size / sizeof(double));
    int products[2];
    assert_int_equal(cond_contactless_solve(NULL, &made.problem, 1e-12, 7, 1, a, products, NULL),
                     COND_NOT_CONVERGED);
    assert_int_equal(products[0], 7);
    cond_contactless_solve(NULL, &made.problem, 1e-9, 5000, 1, a, &products[0], NULL);
    cond_contactless_solve(NULL, &made.problem, 1e-12, 7, 3, b, &products[1], NULL);
    cond_contactless_solve(NULL, &made.problem, 1e-9, 5000, 3, b, &products[1], NULL);
    assert_int_equal(products[0], products[1]);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
    random_problem_free(&made);
}

static void memory_runs_out(void** state)
{
    (void)state;
    RandomOptions options = mixed_options(7);
    RandomProblem made;
    random_problem_make(&options, &made);
    double* v = dense_zeros((size_t)made.problem.n_dof);
    int products, failures = 0;
    for (int call = 1; call < 100; call++, failures++) {
        FailingAllocator allocator = {.fail_at = call};
        CondContext context = failing_allocator_context(&allocator);
        CondStatus status =
            cond_contactless_solve(&context, &made.problem, 1e-6, 500, 1, v, &products, NULL);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
    }
    assert_in_range(failures, 3, 50);
    free(v);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer_is_that_of_dense_algebra),
        cmocka_unit_test(dense_bodies_take_one_iteration),
        cmocka_unit_test(limits_and_threads),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
