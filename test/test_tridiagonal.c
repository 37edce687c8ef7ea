// Block tridiagonal blocks: product, rows, the exact surrogate and the primal-dual passes against
// the dense reference.
#include "base/memory.h"
#include "cond/solver.h"
#include "dense.h"
#include "failing_allocator.h"
#include "nodalize/nodal.h"
#include "random_problem.h"
#include "reference.h"
#include "verifier.h"
#include "vfpi/surrogate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static RandomOptions chains(uint64_t seed)
{
    RandomOptions options = random_options_default(seed);
    options.n_particle = 1;
    options.n_cloth = 0;
    options.n_rigid = 2;
    options.n_chain = 2;
    options.chain_links = 4;
    options.n_coupling = 3;
    options.n_contact = 6;
    options.general = 1;
    options.friction = 0.5;
    options.anisotropic = 0;
    return options;
}

// A x by blocks, by the nodalized view and by rows against the dense matrix.
static void product(void** state)
{
    (void)state;
    for (int links = 1; links <= 3; links++) {
        RandomOptions options = chains((uint64_t)links);
        RandomProblem made;
        options.chain_links = links;
        random_problem_make(&options, &made);
        const CondProblem* problem = &made.problem;
        assert_int_equal(cond_problem_check(NULL, problem, NULL), COND_OK);
        int n = problem->n_dof;
        double *A = dense_zeros((size_t)n * (size_t)n), *x = dense_zeros((size_t)n);
        double *y = dense_zeros((size_t)n), *d = dense_zeros((size_t)n);
        dense_problem_matrix(problem, A);
        for (int i = 0; i < n; i++)
            x[i] = sin(i + 1.0);
        cond_problem_multiply(problem, x, y);
        cond_problem_diagonal(problem, d);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += A[(size_t)i * (size_t)n + (size_t)j] * x[j];
            assert_true(fabs(sum - y[i]) < 1e-12 * (1.0 + fabs(sum)));
            assert_true(fabs(d[i] - A[(size_t)i * (size_t)n + (size_t)i]) < 1e-12);
        }
        free(A);
        free(x);
        free(y);
        free(d);
        random_problem_free(&made);
    }
}

// W of the chain is the exact inverse of its part of the nodalized A where no term is cut: all
// eigenvalues of W A then lie in (0, 2), which is seen by V-FPI's linear part contracting.
static void surrogate_inverts(void** state)
{
    (void)state;
    RandomOptions options = chains(3);
    options.n_chain = 1;
    options.n_particle = 0; // one rod and two rigid bodies coupled to it: all of A in the chain
    options.n_contact = 0;
    RandomProblem made;
    random_problem_make(&options, &made);
    CondNodal nodal = {.arena.context = cond_context_or_default(NULL)};
    CondSurrogate W = {.arena.context = cond_context_or_default(NULL)};
    CondSolverSettings settings = cond_solver_settings_default();
    assert_int_equal(cond_nodal_build(&nodal, &made.problem, 3.0), COND_OK);
    assert_int_equal(cond_surrogate_build(&W, &nodal, &settings), COND_OK);
    int n = nodal.n;
    double *x = dense_zeros((size_t)n), *g = dense_zeros((size_t)n), *out = dense_zeros((size_t)n);
    for (int i = 0; i < n; i++)
        x[i] = cos(3.0 * i);
    cond_nodal_multiply(&nodal, x, g, 1);
    cond_surrogate_apply(&W, &nodal, g, x, out, 1); // x - W A x
    int in = 0;
    for (int i = 0; i < n; i++) {
        in += W.chain.place[i] >= 0;
        assert_true(fabs(out[i]) < 1e-10);
    }
    assert_int_equal(in, n);
    free(x);
    free(g);
    free(out);
    cond_surrogate_destroy(&W);
    cond_nodal_destroy(&nodal);
    random_problem_free(&made);
}

static void answers_are_those_of_the_reference(void** state)
{
    (void)state;
    for (int law = 0; law < 2; law++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            RandomOptions options = chains(seed);
            options.n_contact = law == COND_LAW_STRICT ? 4 : 6;
            RandomProblem made;
            random_problem_make(&options, &made);
            int n = made.problem.n_dof, m = 3 * made.problem.n_contact;
            double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m);
            double *v_ref = dense_zeros((size_t)n), *u_ref = dense_zeros((size_t)m);
            double* lambda_ref = dense_zeros((size_t)m);
            assert_true(reference_solve(&made.problem, (CondLaw)law, 0.0, v_ref, u_ref,
                                        lambda_ref) < 1e-13);
            for (int way = 0; way < 2; way++) { // V-FPI alone, V-FPI and passes
                CondSolverSettings settings = cond_solver_settings_default();
                CondSolveInfo info;
                settings.law = (CondLaw)law;
                settings.tolerance = 1e-10;
                settings.fallback = way;
                settings.max_iterations = 40000;
                settings.max_outer = 4000;
                settings.kv_scale = 3.0;
                memset(v, 0, (size_t)n * sizeof *v);
                memset(lambda, 0, (size_t)m * sizeof *lambda);
                CondStatus status = verifier_solve(&made.problem, &settings, v, lambda, &info);
                if (status)
                    fail_msg("seed %d law %d way %d: %g after %d, %d", (int)seed, law, way,
                             cond_certificate_residual(&info.certificate), info.iterations,
                             info.passes);
                assert_true(dense_distance(n, v, v_ref) < 1e-7 * dense_norm(n, v_ref));
            }
            free(v);
            free(lambda);
            free(v_ref);
            free(u_ref);
            free(lambda_ref);
            random_problem_free(&made);
        }
}

static void bad_size_is_refused(void** state)
{
    (void)state;
    double values[18 * 5] = {0.0}, b[5] = {0.0};
    CondBlock block = {COND_BLOCK_TRIDIAGONAL, 0, 5, values, NULL, NULL, NULL};
    CondProblem problem = {.n_dof = 5, .n_block = 1, .block = &block, .b = b};
    CondError error;
    assert_int_equal(cond_problem_check(NULL, &problem, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "6x6"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product),
        cmocka_unit_test(surrogate_inverts),
        cmocka_unit_test(answers_are_those_of_the_reference),
        cmocka_unit_test(bad_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
