// Problems without contacts by one factorisation, against dense algebra and the verifier; the
// layout that is kept from one to the next.
#include "dense.h"
#include "failing_allocator.h"
#include "random_problem.h"
#include "verifier.h"

#include "newton/direct.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make_solid(uint64_t seed, RandomProblem* made)
{
    RandomOptions options = random_options_default(seed);
    options.n_cloth = 0;
    options.n_chain = 1;
    options.chain_links = 4;
    options.n_coupling = 5;
    random_problem_make(&options, made);
    made->problem.n_contact = 0;
}

static CondDirect begin(const CondContext* context)
{
    CondDirect direct;
    CondContext memory = cond_context_or_default(context);
    cond_direct_create(&memory, &direct);
    return direct;
}

// Solves from zero and holds the answer against a dense one.
static void check(CondDirect* direct, const CondProblem* problem)
{
    int n = problem->n_dof;
    double *A = dense_zeros((size_t)n * (size_t)n), *x = dense_zeros((size_t)n);
    double* v = dense_zeros((size_t)n);
    CondSolveInfo info = {.passes = 0};
    dense_problem_matrix(problem, A);
    memcpy(x, problem->b, (size_t)n * sizeof *x);
    assert_true(dense_cholesky(n, A));
    dense_cholesky_solve(n, A, x);
    assert_int_equal(cond_direct_solve(direct, problem, 1e-12, v, &info), COND_OK);
    assert_int_equal(info.passes, 1);
    assert_true(dense_distance(n, v, x) <= 1e-9 * dense_norm(n, x));
    assert_true(verifier_certificate(problem, COND_LAW_STRICT, 0.0, v, NULL).dynamics <= 1e-11);
    assert_true(info.certificate.dynamics <= 1e-12 && info.certificate.contact == 0.0);
    info.passes = 0; // it is the answer by now
    assert_int_equal(cond_direct_solve(direct, problem, 1e-11, v, &info), COND_OK);
    assert_int_equal(info.passes, 0);
    free(A);
    free(x);
    free(v);
}

// One workspace for problems of one pattern and another: with other numbers, with a coupling less,
// with one that joins others.
static void answers_whatever_came_before(void** state)
{
    (void)state;
    CondDirect direct = begin(NULL);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        RandomProblem made;
        make_solid(seed, &made);
        assert_true(cond_direct_serves(&made.problem));
        check(&direct, &made.problem);
        double* b = dense_zeros((size_t)made.problem.n_dof);
        CondCoupling* coupling = malloc((size_t)made.problem.n_coupling * sizeof *coupling);
        double* gain = dense_zeros(36);
        assert_non_null(coupling);
        CondProblem other = made.problem;
        for (int i = 0; i < other.n_dof; i++)
            b[i] = cos(i);
        memcpy(coupling, other.coupling, (size_t)other.n_coupling * sizeof *coupling);
        for (int r = 0; r < coupling[0].n_row; r++)
            gain[r * coupling[0].n_row + r] = 1e3;
        coupling[0].gain = gain;
        other.b = b;
        other.coupling = coupling;
        check(&direct, &other);
        check(&direct, &made.problem);
        check(&direct, &other);
        assert_true(direct.system.planned);
        other.n_coupling--;
        check(&direct, &other);
        int swap[64], n = coupling[0].n_coordinate; // the same size, other places
        for (int k = 0; k < n; k++)
            swap[k] = (coupling[0].coordinate[k] + 6) % other.n_dof;
        coupling[0].coordinate = swap;
        check(&direct, &other);
        free(b);
        free(gain);
        free(coupling);
        random_problem_free(&made);
    }
    cond_direct_destroy(&direct);
}

// Contacts, meshes: others serve them. A matrix that is none: v stays as it was.
static void leaves_what_it_cannot(void** state)
{
    (void)state;
    RandomProblem made;
    RandomOptions options = random_options_default(3);
    random_problem_make(&options, &made);
    assert_false(cond_direct_serves(&made.problem));
    made.problem.n_contact = 0;
    assert_false(cond_direct_serves(&made.problem)); // cloth
    random_problem_free(&made);
    double zero[36] = {0.0}, b[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double v[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    CondBlock block = {.kind = COND_BLOCK_DENSE, .n_dof = 6, .values = zero};
    CondProblem singular = {.n_dof = 6, .n_block = 1, .block = &block, .b = b};
    CondDirect direct = begin(NULL);
    CondSolveInfo info = {.passes = 0};
    assert_int_equal(cond_direct_solve(&direct, &singular, 1e-6, v, &info), COND_NOT_CONVERGED);
    for (int i = 0; i < 6; i++)
        assert_true(v[i] == i + 1.0);
    cond_direct_destroy(&direct);
}

static void memory_runs_out(void** state)
{
    (void)state;
    RandomProblem made;
    make_solid(7, &made);
    int failures = 0;
    for (int call = 1; call < 200; call++, failures++) {
        FailingAllocator allocator = {.fail_at = call};
        CondContext context = failing_allocator_context(&allocator);
        double* v = dense_zeros((size_t)made.problem.n_dof);
        CondSolveInfo info = {.passes = 0};
        CondDirect direct = begin(&context);
        CondStatus status = cond_direct_solve(&direct, &made.problem, 1e-10, v, &info);
        if (status) { // and again, with memory: nothing half made is taken for whole
            assert_int_equal(status, COND_OUT_OF_MEMORY);
            assert_int_equal(cond_direct_solve(&direct, &made.problem, 1e-10, v, &info), COND_OK);
        }
        cond_direct_destroy(&direct);
        assert_int_equal(allocator.live, 0);
        free(v);
        if (!status)
            break;
    }
    assert_in_range(failures, 5, 150);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_whatever_came_before),
        cmocka_unit_test(leaves_what_it_cannot),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
