// The fused loop: a plain iteration against the one stage by stage, whole passes against V-FPI with
// A in double, the same bits for any number of threads, and memory that runs out.
#include "base/memory.h"
#include "base/parallel.h"
#include "dense.h"
#include "device/sum.h"
#include "failing_allocator.h"
#include "soft_problem.h"
#include "verifier.h"
#include "vfpi/fused.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// What the fused loop needs around it.
typedef struct Parts {
    CondNodal nodal;
    CondSurrogate W;
    CondContactSolve contacts;
    CondFused fused;
} Parts;

static CondSolverSettings paper_settings(int block)
{
    CondSolverSettings settings = cond_solver_settings_paper();
    settings.threads = 1;
    settings.tolerance = 1e-6;
    settings.under_relaxation = 0.9;
    if (block)
        settings.surrogate = COND_SURROGATE_BLOCK;
    return settings;
}

static CondStatus parts_build(Parts* p, const CondContext* context, const CondProblem* problem,
                              const CondSolverSettings* settings, const double* carry, int* serves)
{
    *p = (Parts){.nodal.arena.context = *context,
                 .W.arena.context = *context,
                 .fused.arena.context = *context};
    CondStatus status = cond_nodal_build(&p->nodal, problem, 10.0);
    if (!status)
        status = cond_surrogate_build(&p->W, &p->nodal, settings);
    if (!status)
        status = cond_fused_build(&p->fused, &p->nodal, &p->W, settings, serves);
    p->contacts = (CondContactSolve){.nodal = &p->nodal,
                                     .law = settings->law,
                                     .omega = settings->omega,
                                     .node = p->nodal.node,
                                     .w = p->W.w,
                                     .carry = carry};
    return status ? status : cond_fused_lay_contacts(&p->fused, &p->contacts);
}

static void parts_destroy(Parts* p)
{
    cond_fused_destroy(&p->fused);
    cond_surrogate_destroy(&p->W);
    cond_nodal_destroy(&p->nodal);
}

static void compare_iteration(const CondProblem* problem, const CondSolverSettings* settings)
{
    Parts p;
    int serves;
    CondContext context = cond_context_or_default(NULL);
    int nl = 3 * problem->n_contact;
    double* carry = dense_zeros((size_t)nl);
    assert_int_equal(parts_build(&p, &context, problem, settings, carry, &serves), COND_OK);
    assert_true(serves);
    int n = p.nodal.n;
    double *v = dense_zeros((size_t)n), *g = dense_zeros((size_t)n), *a = dense_zeros((size_t)n),
           *b = dense_zeros((size_t)n), *la = dense_zeros((size_t)nl),
           *lb = dense_zeros((size_t)nl);
    uint64_t seed = 77;
    for (int i = 0; i < n; i++)
        v[i] = fem_random(&seed);
    for (int i = 0; i < nl; i++)
        carry[i] = fem_random(&seed);
    cond_nodal_residual(&p.nodal, v, g, 1); // Alg. 1, stage by stage
    cond_surrogate_apply(&p.W, &p.nodal, g, v, a, 1);
    for (int c = 0; c < problem->n_contact; c++)
        cond_contact_solve(&p.contacts, c, a, la + (ptrdiff_t)3 * c);
    double length = sqrt(cond_distance2(n, a, v, 1));
    cond_fused_finish(&p.fused, v, b, lb);
    assert_true(dense_distance(n, a, b) <= 1e-13 * dense_norm(n, a));
    assert_true(dense_distance(nl, la, lb) <= 1e-13 * dense_norm(nl, la));
    // The first step of a pass without acceleration leads to the same place.
    CondHistory history = {.arena.context = cond_context_or_default(NULL)};
    CondFusedPass pass = {.v = v, .tolerance = 1e-300, .max_iterations = 1, .history = &history};
    cond_fused_run(&p.fused, &pass);
    assert_int_equal(pass.iterations, 1);
    assert_memory_equal(v, b, (size_t)n * sizeof *v);
    assert_true(fabs(history.length[0] - length) <= 1e-12 * length);
    cond_arena_release(&history.arena);
    double* arrays[] = {v, g, a, b, carry, la, lb};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        free(arrays[k]);
    parts_destroy(&p);
}

static void test_iteration(void** state)
{
    (void)state;
    for (int ties = 0; ties < 3; ties++) {
        SoftProblem made;
        soft_problem_create(&made, ties);
        for (int block = 0; block < 2; block++) {
            CondSolverSettings settings = paper_settings(block);
            compare_iteration(&made.problem, &settings);
            settings.law = COND_LAW_PROXIMAL;
            settings.threads = 3;
            compare_iteration(&made.problem, &settings);
        }
        soft_problem_destroy(&made);
    }
}

// Diagonal and norms of rows, by products with unit vectors.
static void test_rows(void** state)
{
    (void)state;
    SoftProblem made;
    soft_problem_create(&made, 1);
    CondContext context = cond_context_or_default(NULL);
    CondNodal nodal = {.arena.context = context};
    CondSurrogate W = {.arena.context = context};
    CondSolverSettings settings = paper_settings(0);
    settings.threads = 2;
    assert_int_equal(cond_nodal_build(&nodal, &made.problem, 10.0), COND_OK);
    assert_int_equal(cond_surrogate_build(&W, &nodal, &settings), COND_OK);
    double *e = dense_zeros((size_t)nodal.n), *a = dense_zeros((size_t)nodal.n);
    for (int i = 0; i < nodal.n;
         i += nodal.incidence_begin[i] < nodal.incidence_begin[i + 1] ? 1 : 7) {
        e[i] = 1.0;
        cond_nodal_multiply(&nodal, e, a, 1);
        e[i] = 0.0;
        double norm = dense_norm(nodal.n, a);
        assert_true(fabs(W.diagonal[i] - a[i]) <= 1e-13 * fabs(a[i]));
        assert_true(fabs(W.norm2[i] - norm * norm) <= 1e-13 * norm * norm);
    }
    free(e);
    free(a);
    cond_surrogate_destroy(&W);
    cond_nodal_destroy(&nodal);
    soft_problem_destroy(&made);
}

// Whole solves: A as floats or in double, and threads.
static void test_solve(void** state)
{
    (void)state;
    static const CondAcceleratorKind kind[] = {COND_ACCELERATOR_NONE, COND_ACCELERATOR_CHEBYSHEV};
    for (int ties = 0; ties < 3; ties++) {
        SoftProblem made;
        soft_problem_create(&made, ties);
        int n = made.problem.n_dof, nl = 3 * N_CONTACT;
        for (int k = 0; k < 2; k++) {
            double *v[4], *lambda[4];
            CondSolveInfo info[4];
            for (int turn = 0; turn < 4; turn++) { // in double, then on 1, 2 and 3 threads
                CondSolverSettings settings = paper_settings(0);
                settings.accelerator = kind[k];
                settings.storage = turn == 0 ? COND_STORAGE_DOUBLE : COND_STORAGE_AUTO;
                settings.threads = turn == 0 ? 1 : turn;
                v[turn] = dense_zeros((size_t)n);
                lambda[turn] = dense_zeros((size_t)nl);
                CondStatus status =
                    verifier_solve(&made.problem, &settings, v[turn], lambda[turn], &info[turn]);
                assert_int_equal(status, COND_OK);
                assert_true(info[turn].step_length < settings.tolerance);
            }
            assert_true(abs(info[0].iterations - info[1].iterations) <= info[0].iterations / 20);
            assert_true(dense_distance(n, v[0], v[1]) <= 1e-7 * dense_norm(n, v[0]));
            assert_true(dense_distance(nl, lambda[0], lambda[1]) <=
                        1e-6 * dense_norm(nl, lambda[0]));
            for (int turn = 2; turn < 4; turn++) {
                assert_int_equal(info[turn].iterations, info[1].iterations);
                assert_memory_equal(v[turn], v[1], (size_t)n * sizeof(double));
                assert_memory_equal(lambda[turn], lambda[1], (size_t)nl * sizeof(double));
            }
            for (int turn = 0; turn < 4; turn++) {
                free(v[turn]);
                free(lambda[turn]);
            }
        }
        soft_problem_destroy(&made);
    }
}

// With the certified stop, iterations go one by one, in double; threads change no bit of an answer,
// whatever accelerates.
static void check_certified(int ties)
{
    SoftProblem bench;
    soft_problem_create(&bench, ties);
    int n = bench.problem.n_dof;
    static const CondAcceleratorKind kind[] = {COND_ACCELERATOR_NONE, COND_ACCELERATOR_CHEBYSHEV,
                                               COND_ACCELERATOR_ANDERSON};
    for (int k = 0; k < 3; k++) {
        double* v[3];
        for (int turn = 0; turn < 3; turn++) {
            CondSolverSettings settings = cond_solver_settings_default();
            CondSolveInfo info;
            double* lambda = dense_zeros(3 * N_CONTACT);
            v[turn] = dense_zeros((size_t)n);
            settings.accelerator = kind[k];
            settings.fallback = 0;
            settings.tolerance = 1e-12;
            settings.threads = 1 + turn;
            CondStatus status = verifier_solve(&bench.problem, &settings, v[turn], lambda, &info);
            assert_int_equal(status, COND_OK);
            free(lambda);
        }
        assert_memory_equal(v[0], v[1], (size_t)n * sizeof(double));
        assert_memory_equal(v[0], v[2], (size_t)n * sizeof(double));
        for (int turn = 0; turn < 3; turn++)
            free(v[turn]);
    }
    soft_problem_destroy(&bench);
}

static void test_certified(void** state)
{
    (void)state;
    check_certified(0);
    check_certified(2);
}

// A pass that runs away ends, with a step that says so.
static void test_divergence(void** state)
{
    (void)state;
    SoftProblem made;
    soft_problem_create(&made, 0);
    CondSolverSettings settings = paper_settings(0);
    CondSolver* solver = NULL;
    CondSolveInfo info;
    CondError error;
    double *v = dense_zeros((size_t)made.problem.n_dof), *lambda = dense_zeros(3 * N_CONTACT);
    assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, &error), COND_OK);
    made.b[7] = NAN;
    assert_int_equal(cond_solver_solve(solver, &made.problem, v, lambda, &info), COND_DIVERGED);
    assert_int_equal(info.iterations, 1);
    assert_true(isnan(info.step_length));
    cond_solver_destroy(solver);
    free(v);
    free(lambda);
    soft_problem_destroy(&made);
}

// The pattern is planned once; another one, and then the first again, give what they gave at first.
static void test_other_problem(void** state)
{
    (void)state;
    SoftProblem made[2];
    CondSolverSettings settings = paper_settings(0);
    CondSolver* solver = NULL;
    CondSolveInfo info;
    CondError error;
    assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, &error), COND_OK);
    for (int k = 0; k < 2; k++)
        soft_problem_create(&made[k], k);
    made[1].problem.n_block = 2; // without the second soft body, and contacts with the arm alone
    made[1].problem.n_dof = made[1].block[2].dof_begin;
    for (int c = 0; c < N_CONTACT; c++)
        if (c % 5 != 4)
            made[1].contact[c].side[1] = (CondSide){0, NULL, NULL};
    double* v[4];
    for (int k = 0; k < 4; k++) {
        const CondProblem* problem = &made[k % 2].problem;
        double* lambda = dense_zeros(3 * N_CONTACT);
        v[k] = dense_zeros((size_t)problem->n_dof);
        assert_int_equal(cond_solver_solve(solver, problem, v[k], lambda, &info), COND_OK);
        if (k >= 2)
            assert_memory_equal(v[k], v[k - 2], (size_t)problem->n_dof * sizeof(double));
        free(lambda);
    }
    for (int k = 0; k < 4; k++)
        free(v[k]);
    for (int k = 0; k < 2; k++)
        soft_problem_destroy(&made[k]);
    cond_solver_destroy(solver);
}

static void test_memory_that_runs_out(void** state)
{
    (void)state;
    SoftProblem made;
    soft_problem_create(&made, 1);
    CondSolverSettings settings = paper_settings(0);
    CondStatus status = COND_OUT_OF_MEMORY;
    for (long k = 1; status == COND_OUT_OF_MEMORY; k++) {
        FailingAllocator allocator = {.fail_at = k};
        CondContext context = failing_allocator_context(&allocator);
        Parts p;
        int serves;
        status = parts_build(&p, &context, &made.problem, &settings, NULL, &serves);
        parts_destroy(&p);
        assert_int_equal(allocator.live, 0);
    }
    assert_int_equal(status, COND_OK);
    soft_problem_destroy(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_iteration),
        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_certified),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_other_problem),
        cmocka_unit_test(test_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
