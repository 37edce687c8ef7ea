// The baselines: PGS, APGD and CCS against dense algebra, against V-FPI and against each other.
#include "cond/baselines.h"

#include "base/memory.h"
#include "baselines/delassus.h"
#include "baselines/one_contact.h"
#include "dense.h"
#include "failing_allocator.h"
#include "gfc.h"
#include "random_problem.h"
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

typedef struct Answer {
    double* v;
    double* lambda;
    CondSolveInfo info;
} Answer;

static Answer answer_zero(const CondProblem* problem)
{
    Answer answer = {.v = dense_zeros((size_t)problem->n_dof + 1),
                     .lambda = dense_zeros(3 * (size_t)problem->n_contact + 1)};
    return answer;
}

static void answer_free(Answer* answer)
{
    free(answer->v);
    free(answer->lambda);
}

// Solves with a baseline from what the answer holds, and lets the verifier have a look.
static CondStatus solve_on(const char* name, const CondProblem* problem,
                           const CondSolverSettings* settings, Answer* answer)
{
    CondSolver* solver = NULL;
    CondError error;
    int n = 0;
    const CondSolverOps* ops = cond_baseline(name);
    assert_non_null(ops);
    if (cond_solver_create_from(NULL, ops, settings, &solver, &error))
        fail_msg("%s", error.message);
    CondStatus status =
        cond_solver_solve(solver, problem, answer->v, answer->lambda, &answer->info);
    assert_int_equal(status, answer->info.status);
    if (status >= 0 || status == COND_DIVERGED)
        verifier_check(problem, settings, answer->v, answer->lambda, &answer->info);
    assert_true(answer->info.delassus_seconds >= 0.0);
    assert_true(answer->info.delassus_seconds <= answer->info.seconds);
    cond_solver_history(solver, &n);
    if (status >= 0)
        assert_int_equal(n, answer->info.iterations);
    cond_solver_destroy(solver);
    return status;
}

static Answer solve(const char* name, const CondProblem* problem,
                    const CondSolverSettings* settings)
{
    Answer answer = answer_zero(problem);
    CondStatus status = solve_on(name, problem, settings, &answer);
    if (status != COND_OK)
        fail_msg("%s, %s law: %s after %d iterations, residual %g", name,
                 cond_law_name(settings->law), cond_status_name(status), answer.info.iterations,
                 cond_certificate_residual(&answer.info.certificate));
    return answer;
}

static Answer solve_vfpi(const CondProblem* problem, const CondSolverSettings* settings)
{
    Answer answer = answer_zero(problem);
    CondSolverSettings mine = *settings;
    mine.max_outer = 2000;
    assert_int_equal(verifier_solve(problem, &mine, answer.v, answer.lambda, &answer.info),
                     COND_OK);
    return answer;
}

static void same_motion(const char* name, const CondProblem* problem, const Answer* a,
                        const Answer* b, double tolerance)
{
    double far = dense_distance(problem->n_dof, a->v, b->v);
    if (!(far <= tolerance * dense_norm(problem->n_dof, b->v)))
        fail_msg("%s: v is %g off, |v| is %g", name, far, dense_norm(problem->n_dof, b->v));
}

static CondSolverSettings tight(CondLaw law)
{
    CondSolverSettings settings = cond_solver_settings_default();
    settings.law = law;
    settings.tolerance = 1e-10;
    settings.max_iterations = 200000;
    return settings;
}

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
        make(seed, &made);
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
    CondBlock block = {COND_BLOCK_BSR3, 0, 3 * N, values, row_begin, column};
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
    CondSolverSettings settings = tight(COND_LAW_STRICT);
    Answer pgs = solve("pgs", &problem, &settings), vfpi = solve_vfpi(&problem, &settings);
    same_motion("pgs", &problem, &pgs, &vfpi, 1e-7);
    answer_free(&pgs);
    answer_free(&vfpi);
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

static void check_all(const CondProblem* problem, double tolerance)
{
    static const char* const strict[] = {"pgs", "pgs-simplicial", "pgs-paper", "ccs"};
    static const char* const proximal[] = {"pgs", "apgd", "apgd-simplicial", "ccs"};
    for (int law = 0; law < 2; law++) {
        CondSolverSettings settings = tight((CondLaw)law);
        settings.tolerance = tolerance;
        Answer reference = solve_vfpi(problem, &settings);
        for (int k = 0; k < 4; k++) {
            const char* name = law == COND_LAW_STRICT ? strict[k] : proximal[k];
            Answer answer = solve(name, problem, &settings);
            if (getenv("SHOW"))
                printf("%s %s: %d\n", name, cond_law_name(settings.law), answer.info.iterations);
            same_motion(name, problem, &answer, &reference, 1e-6);
            answer_free(&answer);
        }
        answer_free(&reference);
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
            CondSolverSettings settings = tight((CondLaw)law);
            settings.tolerance = 1e-13;
            settings.max_iterations = 500;
            Answer one = answer_zero(&made.problem), two = answer_zero(&made.problem);
            const char* name = law == COND_LAW_STRICT ? "pgs" : "apgd";
            const char* other = law == COND_LAW_STRICT ? "pgs-simplicial" : "apgd-simplicial";
            assert_true(solve_on(name, &made.problem, &settings, &one) >= 0);
            assert_true(solve_on(other, &made.problem, &settings, &two) >= 0);
            same_motion(name, &made.problem, &one, &two, 1e-9);
            answer_free(&one);
            answer_free(&two);
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
        CondSolverSettings settings = tight(COND_LAW_PROXIMAL);
        Answer answer = solve(name, problem, &settings);
        int cold = answer.info.iterations;
        assert_true(cold > 1);
        assert_int_equal(solve_on(name, problem, &settings, &answer), COND_OK);
        assert_int_equal(answer.info.iterations, 0);
        for (int i = 0; i < 3 * problem->n_contact; i++)
            answer.lambda[i] *= 1.0 + 1e-6;
        for (int i = 0; i < problem->n_dof; i++)
            answer.v[i] *= 1.0 + 1e-6;
        assert_int_equal(solve_on(name, problem, &settings, &answer), COND_OK);
        assert_in_range(answer.info.iterations, 1, cold - 1);
        answer_free(&answer);
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
        CondSolverSettings settings = tight(COND_LAW_PROXIMAL);
        Answer exact = solve(cond_baseline_name(k), &made.problem, &settings);
        settings.stop = COND_STOP_STEP;
        settings.tolerance = 1e-9;
        Answer answer = solve(cond_baseline_name(k), &made.problem, &settings);
        assert_true(answer.info.step_length < 1e-9);
        same_motion("step", &made.problem, &answer, &exact, 1e-5);
        answer_free(&answer);
        settings.max_iterations = 2;
        answer = answer_zero(&made.problem);
        assert_int_equal(solve_on(cond_baseline_name(k), &made.problem, &settings, &answer),
                         COND_NOT_CONVERGED);
        assert_int_equal(answer.info.iterations, 2);
        answer_free(&answer);
        answer_free(&exact);
    }
    random_problem_free(&made);
}

// APGD solves the convex problem whatever the law; where contacts slip it must say so.
static void apgd_is_honest(void** state)
{
    (void)state;
    RandomProblem made;
    make(1, &made);
    CondSolverSettings settings = tight(COND_LAW_STRICT);
    Answer answer = answer_zero(&made.problem);
    CondCertificate convex;
    assert_int_equal(solve_on("apgd", &made.problem, &settings, &answer), COND_NOT_CONVERGED);
    assert_true(cond_certificate_residual(&answer.info.certificate) > 1e-4);
    assert_in_range(answer.info.iterations, 1, 1000); // it does not search in vain
    assert_int_equal(
        cond_certify(NULL, &made.problem, COND_LAW_PROXIMAL, 0.0, answer.v, answer.lambda, &convex),
        COND_OK);
    assert_true(cond_certificate_residual(&convex) <= settings.tolerance);
    answer_free(&answer);
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
    CondSolverSettings settings = tight(COND_LAW_PROXIMAL);
    settings.omega = 0.05;
    Answer reference = solve_vfpi(&made.problem, &settings);
    for (int k = 0; cond_baseline_name(k); k++) {
        Answer answer = solve(cond_baseline_name(k), &made.problem, &settings);
        same_motion(cond_baseline_name(k), &made.problem, &answer, &reference, 1e-7);
        assert_true(answer.info.certificate.coupling_slip > 0.0);
        answer_free(&answer);
    }
    answer_free(&reference);
    random_problem_free(&made);
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
            CondSolverSettings settings = tight(COND_LAW_STRICT);
            settings.stop = (CondStop)stop;
            Answer answer = solve(cond_baseline_name(k), &made.problem, &settings);
            assert_true(dense_distance(n, answer.v, x) <= 1e-9 * dense_norm(n, x));
            answer_free(&answer);
            answer = solve(cond_baseline_name(k), &empty, &settings);
            answer_free(&answer);
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
            CondSolverSettings settings = tight(COND_LAW_PROXIMAL);
            CondSolver* solver;
            CondSolveInfo info;
            assert_int_equal(cond_solver_create_from(NULL, cond_baseline(cond_baseline_name(k)),
                                                     &settings, &solver, NULL),
                             COND_OK);
            Answer answer = answer_zero(problem);
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
            answer_free(&answer);
            random_problem_free(&made);
        }
}

// A workspace that has seen other problems gives the same answer as a fresh one.
static void workspace_is_reused(void** state)
{
    (void)state;
    for (int k = 0; cond_baseline_name(k); k++) {
        CondSolverSettings settings = tight(COND_LAW_PROXIMAL);
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
            Answer answer = answer_zero(&made.problem);
            Answer fresh = solve(cond_baseline_name(k), &made.problem, &settings);
            assert_int_equal(
                cond_solver_solve(solver, &made.problem, answer.v, answer.lambda, &answer.info),
                COND_OK);
            same_motion(cond_baseline_name(k), &made.problem, &answer, &fresh, 1e-9);
            answer_free(&answer);
            answer_free(&fresh);
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
    CondSolverSettings settings = tight(COND_LAW_PROXIMAL);
    settings.tolerance = 1e-6;
    for (int k = 0; cond_baseline_name(k); k++) {
        CondStatus status = COND_OUT_OF_MEMORY;
        for (long fail_at = 1; status == COND_OUT_OF_MEMORY; fail_at++) {
            assert_true(fail_at < 1000);
            FailingAllocator allocator = {.fail_at = fail_at};
            CondContext context = failing_allocator_context(&allocator);
            CondSolver* solver = NULL;
            Answer answer = answer_zero(&made.problem);
            status = cond_solver_create_from(&context, cond_baseline(cond_baseline_name(k)),
                                             &settings, &solver, NULL);
            if (!status)
                status =
                    cond_solver_solve(solver, &made.problem, answer.v, answer.lambda, &answer.info);
            cond_solver_destroy(solver);
            assert_int_equal(allocator.live, 0);
            answer_free(&answer);
        }
        assert_int_equal(status, COND_OK);
    }
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_table),
        cmocka_unit_test(delassus_is_the_dense_one),
        cmocka_unit_test(delassus_of_blocked_rows),
        cmocka_unit_test(one_contact_obeys_the_law),
        cmocka_unit_test(random_problems_agree),
        cmocka_unit_test(public_problems_agree),
        cmocka_unit_test(simplicial_is_supernodal),
        cmocka_unit_test(warm_start_helps),
        cmocka_unit_test(stop_by_step),
        cmocka_unit_test(apgd_is_honest),
        cmocka_unit_test(soft_contacts_agree),
        cmocka_unit_test(no_contacts),
        cmocka_unit_test(bad_numbers),
        cmocka_unit_test(workspace_is_reused),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
