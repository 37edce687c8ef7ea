// The baselines: PGS, APGD and CCS against dense algebra, against V-FPI and against each other.
#include "cond/baselines.h"

#include "baseline_solve.h"
#include "dense.h"
#include "failing_allocator.h"
#include "gfc.h"
#include "random_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The random problem of a seed, with some of everything.
static void make(uint64_t seed, RandomProblem* made)
{
    RandomOptions options = random_options_default(seed);
    random_problem_make(&options, made);
}

static void names_and_table(void** state)
{
    (void)state;
    int n = 0;
    for (; cond_baseline_name(n); n++) {
        assert_string_equal(cond_baseline(cond_baseline_name(n))->name, cond_baseline_name(n));
        for (int i = 0; cond_solver_name(i); i++)
            assert_string_not_equal(cond_solver_name(i), cond_baseline_name(n));
    }
    assert_int_equal(n, 6);
    assert_null(cond_baseline_name(-1));
    assert_null(cond_baseline("magic"));
    CondSolverSettings settings = cond_solver_settings_default();
    CondSolver* solver;
    CondError error;
    assert_int_equal(cond_solver_create_from(NULL, NULL, &settings, &solver, &error),
                     COND_BAD_ARGUMENT);
    settings.tolerance = -1.0;
    assert_int_equal(
        cond_solver_create_from(NULL, cond_baseline("pgs"), &settings, &solver, &error),
        COND_BAD_ARGUMENT);
    assert_null(solver);
}

static void check_all(const CondProblem* problem, double tolerance)
{
    static const char* const strict[] = {"pgs", "pgs-simplicial", "pgs-paper", "ccs"};
    static const char* const proximal[] = {"pgs", "apgd", "apgd-simplicial", "ccs"};
    for (int law = 0; law < 2; law++) {
        CondSolverSettings settings = baseline_settings((CondLaw)law);
        settings.tolerance = tolerance;
        BaselineAnswer reference = baseline_vfpi(problem, &settings);
        for (int k = 0; k < 4; k++) {
            const char* name = law == COND_LAW_STRICT ? strict[k] : proximal[k];
            BaselineAnswer answer = baseline_solve(name, problem, &settings);
            baseline_same_motion(name, problem, &answer, &reference, 1e-6);
            baseline_free(&answer);
        }
        baseline_free(&reference);
    }
}

static void random_problems_agree(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        RandomProblem made;
        make(seed, &made);
        check_all(&made.problem, 1e-10);
        random_problem_free(&made);
    }
}

static void public_problems_agree(void** state)
{
    (void)state;
    static const char* const names[] = {"GFC3D_Example00", "LMGC_GFC3D-i00001-1-00000",
                                        "LMGC_GFC3D-i00501-4-00000"};
    for (int k = 0; k < 3; k++) {
        char path[512];
        Gfc gfc;
        snprintf(path, sizeof path, "%s/fclib/%s.gfc", COND_TEST_DATA, names[k]);
        assert_true(gfc_read(path, &gfc));
        CondProblemFile* file = gfc_problem(&gfc);
        assert_non_null(file);
        check_all(cond_problem_file_problem(file), 1e-9);
        cond_problem_file_destroy(file);
        gfc_free(&gfc);
    }
}

// Both factorisations lead to the same answer.
static void simplicial_is_supernodal(void** state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 26; seed++) {
        RandomProblem made;
        make(seed, &made);
        for (int law = 0; law < 2; law++) {
            CondSolverSettings settings = baseline_settings((CondLaw)law);
            settings.tolerance = 1e-13;
            settings.max_iterations = 500;
            BaselineAnswer one = baseline_zero(&made.problem), two = baseline_zero(&made.problem);
            const char* name = law == COND_LAW_STRICT ? "pgs" : "apgd";
            const char* other = law == COND_LAW_STRICT ? "pgs-simplicial" : "apgd-simplicial";
            assert_true(baseline_solve_from(name, &made.problem, &settings, &one) >= 0);
            assert_true(baseline_solve_from(other, &made.problem, &settings, &two) >= 0);
            baseline_same_motion(name, &made.problem, &one, &two, 1e-9);
            baseline_free(&one);
            baseline_free(&two);
        }
        random_problem_free(&made);
    }
}

// The answer as a start needs no iteration, a start nearby fewer than zeros do.
static void warm_start_helps(void** state)
{
    (void)state;
    RandomProblem made;
    make(1, &made);
    CondProblem* problem = &made.problem;
    for (int k = 0; cond_baseline_name(k); k++) {
        const char* name = cond_baseline_name(k);
        CondSolverSettings settings = baseline_settings(COND_LAW_PROXIMAL);
        BaselineAnswer answer = baseline_solve(name, problem, &settings);
        int cold = answer.info.iterations;
        assert_true(cold > 1);
        assert_int_equal(baseline_solve_from(name, problem, &settings, &answer), COND_OK);
        assert_int_equal(answer.info.iterations, 0);
        for (int i = 0; i < 3 * problem->n_contact; i++)
            answer.lambda[i] *= 1.0 + 1e-6;
        for (int i = 0; i < problem->n_dof; i++)
            answer.v[i] *= 1.0 + 1e-6;
        assert_int_equal(baseline_solve_from(name, problem, &settings, &answer), COND_OK);
        assert_in_range(answer.info.iterations, 1, cold - 1);
        baseline_free(&answer);
    }
    random_problem_free(&made);
}

// The paper's stop test: the step length is below the tolerance, and the limit is respected.
static void stop_by_step(void** state)
{
    (void)state;
    RandomProblem made;
    make(3, &made);
    for (int k = 0; cond_baseline_name(k); k++) {
        CondSolverSettings settings = baseline_settings(COND_LAW_PROXIMAL);
        BaselineAnswer exact = baseline_solve(cond_baseline_name(k), &made.problem, &settings);
        settings.stop = COND_STOP_STEP;
        settings.tolerance = 1e-9;
        BaselineAnswer answer = baseline_solve(cond_baseline_name(k), &made.problem, &settings);
        assert_true(answer.info.step_length < 1e-9);
        baseline_same_motion("step", &made.problem, &answer, &exact, 1e-5);
        baseline_free(&answer);
        settings.max_iterations = 2;
        answer = baseline_zero(&made.problem);
        assert_int_equal(
            baseline_solve_from(cond_baseline_name(k), &made.problem, &settings, &answer),
            COND_NOT_CONVERGED);
        assert_int_equal(answer.info.iterations, 2);
        baseline_free(&answer);
        baseline_free(&exact);
    }
    random_problem_free(&made);
}

// APGD solves the convex problem whatever the law; where contacts slip it must say so.
static void apgd_is_honest(void** state)
{
    (void)state;
    RandomProblem made;
    make(1, &made);
    CondSolverSettings settings = baseline_settings(COND_LAW_STRICT);
    BaselineAnswer answer = baseline_zero(&made.problem);
    CondCertificate convex;
    assert_int_equal(baseline_solve_from("apgd", &made.problem, &settings, &answer),
                     COND_NOT_CONVERGED);
    assert_true(cond_certificate_residual(&answer.info.certificate) > 1e-4);
    assert_in_range(answer.info.iterations, 1, 1000); // it does not search in vain
    assert_int_equal(
        cond_certify(NULL, &made.problem, COND_LAW_PROXIMAL, 0.0, answer.v, answer.lambda, &convex),
        COND_OK);
    assert_true(cond_certificate_residual(&convex) <= settings.tolerance);
    baseline_free(&answer);
    random_problem_free(&made);
}

// omega and finite kv are part of the problem: all methods find the same motion.
static void soft_contacts_agree(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(31);
    options.finite_kv = 1.0;
    RandomProblem made;
    random_problem_make(&options, &made);
    CondSolverSettings settings = baseline_settings(COND_LAW_PROXIMAL);
    settings.omega = 0.05;
    BaselineAnswer reference = baseline_vfpi(&made.problem, &settings);
    for (int k = 0; cond_baseline_name(k); k++) {
        BaselineAnswer answer = baseline_solve(cond_baseline_name(k), &made.problem, &settings);
        baseline_same_motion(cond_baseline_name(k), &made.problem, &answer, &reference, 1e-7);
        assert_true(answer.info.certificate.coupling_slip > 0.0);
        baseline_free(&answer);
    }
    baseline_free(&reference);
    random_problem_free(&made);
}

// Limits of joints, dry friction and motors beside contacts: all of them, against V-FPI and what
// comes after it.
static void intervals_agree(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        RandomOptions options = random_options_default(seed);
        options.n_robot = 1;
        options.n_interval = 4 + 4 * (int)(seed % 2);
        options.spread = seed > 3 ? 1.0 : 0.0;
        RandomProblem made;
        random_problem_make(&options, &made);
        check_all(&made.problem, 1e-9);
        random_problem_free(&made);
    }
}

// Without contacts the answer is A \ b; without coordinates there is nothing to do.
static void no_contacts(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(41);
    options.n_contact = 0;
    RandomProblem made;
    random_problem_make(&options, &made);
    int n = made.problem.n_dof;
    double *A = dense_zeros((size_t)n * (size_t)n), *x = dense_zeros((size_t)n);
    dense_problem_matrix(&made.problem, A);
    assert_true(dense_cholesky(n, A));
    memcpy(x, made.problem.b, (size_t)n * sizeof *x);
    dense_cholesky_solve(n, A, x);
    CondProblem empty = {.b = x};
    for (int k = 0; cond_baseline_name(k); k++) {
        for (int stop = 0; stop < 2; stop++) {
            CondSolverSettings settings = baseline_settings(COND_LAW_STRICT);
            settings.stop = (CondStop)stop;
            BaselineAnswer answer = baseline_solve(cond_baseline_name(k), &made.problem, &settings);
            assert_true(dense_distance(n, answer.v, x) <= 1e-9 * dense_norm(n, x));
            baseline_free(&answer);
            answer = baseline_solve(cond_baseline_name(k), &empty, &settings);
            baseline_free(&answer);
        }
    }
    free(A);
    free(x);
    random_problem_free(&made);
}

// Numbers that are not finite, and a matrix that is not positive definite, end in COND_DIVERGED
// with the start as it was; the workspace is good for the next problem.
static void bad_numbers(void** state)
{
    (void)state;
    for (int k = 0; cond_baseline_name(k); k++)
        for (int fault = 0; fault < 5; fault++) {
            RandomProblem made;
            make(51, &made);
            CondProblem* problem = &made.problem;
            double* b = (double*)problem->b;
            double* A = (double*)problem->block[0].values;
            CondContact* contact = (CondContact*)problem->contact;
            CondSolverSettings settings = baseline_settings(COND_LAW_PROXIMAL);
            CondSolver* solver;
            CondSolveInfo info;
            assert_int_equal(cond_solver_create_from(NULL, cond_baseline(cond_baseline_name(k)),
                                                     &settings, &solver, NULL),
                             COND_OK);
            BaselineAnswer answer = baseline_zero(problem);
            double* place[] = {b, A, A, contact[1].phi, contact[2].frame};
            double kept = *place[fault];
            *place[fault] = fault == 2 ? -1e6 : NAN;
            CondStatus status = cond_solver_solve(solver, problem, answer.v, answer.lambda, &info);
            if (status != COND_DIVERGED)
                fail_msg("%s, fault %d: %s", cond_baseline_name(k), fault,
                         cond_status_name(status));
            assert_true(dense_largest(problem->n_dof, answer.v) == 0.0);
            *place[fault] = kept;
            status = cond_solver_solve(solver, problem, answer.v, answer.lambda, &info);
            if (status != COND_OK)
                fail_msg("%s, after fault %d: %s", cond_baseline_name(k), fault,
                         cond_status_name(status));
            cond_solver_destroy(solver);
            baseline_free(&answer);
            random_problem_free(&made);
        }
}

// A workspace that has seen other problems gives the same answer as a fresh one.
static void workspace_is_reused(void** state)
{
    (void)state;
    for (int k = 0; cond_baseline_name(k); k++) {
        CondSolverSettings settings = baseline_settings(COND_LAW_PROXIMAL);
        CondSolver* solver;
        assert_int_equal(cond_solver_create_from(NULL, cond_baseline(cond_baseline_name(k)),
                                                 &settings, &solver, NULL),
                         COND_OK);
        for (uint64_t seed = 61; seed < 66; seed++) {
            RandomOptions options = random_options_default(seed);
            options.n_contact = 4 + (int)(seed * 7 % 9);
            options.cloth_nodes = 3 + (int)(seed % 4);
            RandomProblem made;
            random_problem_make(&options, &made);
            BaselineAnswer answer = baseline_zero(&made.problem);
            BaselineAnswer fresh = baseline_solve(cond_baseline_name(k), &made.problem, &settings);
            assert_int_equal(
                cond_solver_solve(solver, &made.problem, answer.v, answer.lambda, &answer.info),
                COND_OK);
            baseline_same_motion(cond_baseline_name(k), &made.problem, &answer, &fresh, 1e-9);
            baseline_free(&answer);
            baseline_free(&fresh);
            random_problem_free(&made);
        }
        cond_solver_destroy(solver);
    }
}

// Every allocation fails in turn; nothing is lost, and the status says what happened.
static void allocations_fail(void** state)
{
    (void)state;
    RandomProblem made;
    make(71, &made);
    CondSolverSettings settings = baseline_settings(COND_LAW_PROXIMAL);
    settings.tolerance = 1e-6;
    for (int k = 0; cond_baseline_name(k); k++) {
        CondStatus status = COND_OUT_OF_MEMORY;
        for (long fail_at = 1; status == COND_OUT_OF_MEMORY; fail_at++) {
            assert_true(fail_at < 1000);
            FailingAllocator allocator = {.fail_at = fail_at};
            CondContext context = failing_allocator_context(&allocator);
            CondSolver* solver = NULL;
            BaselineAnswer answer = baseline_zero(&made.problem);
            status = cond_solver_create_from(&context, cond_baseline(cond_baseline_name(k)),
                                             &settings, &solver, NULL);
            if (!status)
                status =
                    cond_solver_solve(solver, &made.problem, answer.v, answer.lambda, &answer.info);
            cond_solver_destroy(solver);
            assert_int_equal(allocator.live, 0);
            baseline_free(&answer);
        }
        assert_int_equal(status, COND_OK);
    }
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_table),       cmocka_unit_test(random_problems_agree),
        cmocka_unit_test(public_problems_agree), cmocka_unit_test(simplicial_is_supernodal),
        cmocka_unit_test(warm_start_helps),      cmocka_unit_test(stop_by_step),
        cmocka_unit_test(apgd_is_honest),        cmocka_unit_test(soft_contacts_agree),
        cmocka_unit_test(intervals_agree),       cmocka_unit_test(no_contacts),
        cmocka_unit_test(bad_numbers),           cmocka_unit_test(workspace_is_reused),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
