// V-FPI as a solver: right answers, true reports, and what every setting does.
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

// A random problem with room for an answer.
typedef struct Bench {
    RandomProblem made;
    int n, m; // n_dof, 3 n_contact
    double *v, *lambda;
    CondSolveInfo info;
} Bench;

static void bench_make(const RandomOptions* options, Bench* bench)
{
    random_problem_make(options, &bench->made);
    bench->n = bench->made.problem.n_dof;
    bench->m = 3 * bench->made.problem.n_contact;
    bench->v = dense_zeros((size_t)bench->n);
    bench->lambda = dense_zeros((size_t)bench->m);
}

static void bench_free(Bench* bench)
{
    free(bench->v);
    free(bench->lambda);
    random_problem_free(&bench->made);
}

// From zero.
static CondStatus bench_solve(Bench* bench, const CondSolverSettings* settings)
{
    memset(bench->v, 0, (size_t)bench->n * sizeof *bench->v);
    memset(bench->lambda, 0, (size_t)bench->m * sizeof *bench->lambda);
    return verifier_solve(&bench->made.problem, settings, bench->v, bench->lambda, &bench->info);
}

static CondSolver* solver_make(const CondSolverSettings* settings)
{
    CondSolver* solver = NULL;
    CondError error;
    if (cond_solver_create(NULL, "strategy", settings, &solver, &error))
        fail_msg("%s", error.message);
    return solver;
}

// v and u against the dense reference, for both laws, with and without regularisation.
static void answers_are_those_of_the_reference(void** state)
{
    (void)state;
    for (int law = 0; law < 2; law++)
        for (uint64_t seed = 100; seed < 120; seed++) {
            RandomOptions options = random_options_default(seed);
            options.n_contact = 4 + (int)(seed % 9);
            Bench bench;
            bench_make(&options, &bench);
            CondSolverSettings settings = cond_solver_settings_default();
            settings.law = (CondLaw)law;
            settings.omega = seed % 4 == 0 ? 0.05 : 0.0;
            settings.fallback = seed % 3 == 0;
            settings.tolerance = 1e-10;
            assert_int_equal(bench_solve(&bench, &settings), COND_OK);
            double *v = dense_zeros((size_t)bench.n), *u = dense_zeros((size_t)bench.m);
            double* lambda = dense_zeros((size_t)bench.m);
            const CondProblem* problem = &bench.made.problem;
            assert_true(reference_solve(problem, settings.law, settings.omega, v, u, lambda) <
                        1e-13);
            assert_true(dense_distance(bench.n, bench.v, v) < 1e-7 * dense_norm(bench.n, v));
            for (int c = 0; c < problem->n_contact; c++) {
                double mine[3], theirs[3];
                cond_contact_velocity(&problem->contact[c], bench.v, mine);
                cond_contact_velocity(&problem->contact[c], v, theirs);
                assert_true(dense_distance(3, mine, theirs) < 1e-7 * dense_largest(bench.m, u));
            }
            CondCertificate z =
                verifier_certificate(problem, settings.law, settings.omega, v, lambda);
            assert_true(fmax(z.dynamics, z.contact) < 1e-10); // the reference itself is certified
            free(v);
            free(u);
            free(lambda);
            bench_free(&bench);
        }
}

// All surrogates, accelerators, laws and stops on problems easy and hard, with few iterations and
// with many: whatever comes out, the report is true (verifier_solve).
static void every_combination_tells_the_truth(void** state)
{
    (void)state;
    int ok = 0, missed = 0;
    for (uint64_t seed = 200; seed < 203; seed++) {
        RandomOptions options = random_options_default(seed);
        options.friction = seed % 2 ? 2.0 : 0.5;
        options.n_contact = 12;
        Bench bench;
        bench_make(&options, &bench);
        for (int k = 0; k < 2 * 6 * 3 * 2 * 2; k++) {
            CondSolverSettings settings = cond_solver_settings_default();
            settings.law = (CondLaw)(k % 2);
            settings.surrogate = (CondSurrogateKind)(k / 2 % 6);
            settings.accelerator = (CondAcceleratorKind)(k / 12 % 3);
            settings.stop = (CondStop)(k / 36 % 2);
            settings.max_iterations = k / 72 ? 1000 : 20;
            settings.tolerance = 1e-5;
            settings.pair_weights = k % 5 != 0;
            settings.fallback = k % 7 == 0;
            if (cond_solver_settings_check(&settings, NULL))
                continue;
            CondStatus status = bench_solve(&bench, &settings);
            ok += status == COND_OK;
            missed += status != COND_OK;
            if (status == COND_NOT_CONVERGED && settings.stop == COND_STOP_STEP)
                assert_true(bench.info.iterations == settings.max_iterations ||
                            bench.info.outer == settings.max_outer);
        }
        bench_free(&bench);
    }
    assert_true(ok > 60 && missed > 60); // both ends of the report were seen
}

// The answer is never worse than the start, even when iterations run out at once.
static void never_worse_than_the_start(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(300);
    Bench bench;
    bench_make(&options, &bench);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = 1e-4;
    assert_int_equal(bench_solve(&bench, &settings), COND_OK);
    double before = cond_certificate_residual(&bench.info.certificate);
    settings.tolerance = 1e-14;
    settings.max_iterations = 1;
    verifier_solve(&bench.made.problem, &settings, bench.v, bench.lambda, &bench.info);
    assert_true(cond_certificate_residual(&bench.info.certificate) <= before);
    bench_free(&bench);
}

// The paper's test: the first step shorter than the tolerance ends the solve, and the pair handed
// back obeys the law at the nodes exactly, whatever the dynamics still miss.
static void step_stop_is_the_papers(void** state)
{
    (void)state;
    for (uint64_t seed = 310; seed < 314; seed++) {
        RandomOptions options = random_options_default(seed);
        options.general = options.second = 0; // contacts on nodes: one pass, no virtual slip
        options.n_contact = 6;
        Bench bench;
        bench_make(&options, &bench);
        CondSolverSettings settings = cond_solver_settings_paper();
        assert_int_equal(settings.stop, COND_STOP_STEP);
        CondSolver* solver = solver_make(&settings);
        CondStatus status =
            cond_solver_solve(solver, &bench.made.problem, bench.v, bench.lambda, &bench.info);
        assert_int_equal(status, COND_OK);
        verifier_check(&bench.made.problem, &settings, bench.v, bench.lambda, &bench.info);
        int n;
        const double* history = cond_solver_history(solver, &n);
        assert_int_equal(n, bench.info.iterations);
        for (int i = 0; i < n; i++)
            assert_true((history[i] < settings.tolerance) == (i == n - 1));
        assert_true(history[n - 1] == bench.info.step_length);
        assert_true(bench.info.certificate.contact < 1e-13);
        assert_int_equal(bench.info.outer, 1);
        cond_solver_destroy(solver);
        bench_free(&bench);
    }
}

static void history_has_one_step_per_iteration(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(320);
    Bench bench;
    bench_make(&options, &bench);
    for (int stop = 0; stop < 2; stop++) {
        CondSolverSettings settings = cond_solver_settings_default();
        settings.stop = (CondStop)stop;
        settings.tolerance = 1e-7;
        settings.accelerator =
            COND_ACCELERATOR_ANDERSON; // V-FPI: steps of Newton's method count apart
        CondSolver* solver = solver_make(&settings);
        for (int limit = 0; limit < 2; limit++) { // twice: the history is of the last solve alone
            memset(bench.v, 0, (size_t)bench.n * sizeof *bench.v);
            memset(bench.lambda, 0, (size_t)bench.m * sizeof *bench.lambda);
            int n;
            cond_solver_solve(solver, &bench.made.problem, bench.v, bench.lambda, &bench.info);
            const double* history = cond_solver_history(solver, &n);
            assert_int_equal(n, bench.info.iterations);
            assert_true(n > 10 && history[n - 1] == bench.info.step_length);
            for (int i = 0; i < n; i++)
                assert_true(history[i] >= 0.0 && history[i] < 1e3);
        }
        cond_solver_destroy(solver);
    }
    bench_free(&bench);
}

// The answer as a warm start is certified as it stands.
static void warm_start_from_the_answer_costs_nothing(void** state)
{
    (void)state;
    for (uint64_t seed = 330; seed < 334; seed++) {
        RandomOptions options = random_options_default(seed);
        Bench bench;
        bench_make(&options, &bench);
        CondSolverSettings settings = cond_solver_settings_default();
        assert_int_equal(bench_solve(&bench, &settings), COND_OK);
        double* v = dense_zeros((size_t)bench.n);
        double* lambda = dense_zeros((size_t)bench.m);
        memcpy(v, bench.v, (size_t)bench.n * sizeof *v);
        memcpy(lambda, bench.lambda, (size_t)bench.m * sizeof *lambda);
        assert_int_equal(verifier_solve(&bench.made.problem, &settings, v, lambda, &bench.info), 0);
        assert_int_equal(bench.info.iterations, 0);
        assert_memory_equal(v, bench.v, (size_t)bench.n * sizeof *v);
        assert_memory_equal(lambda, bench.lambda, (size_t)bench.m * sizeof *lambda);
        free(v);
        free(lambda);
        bench_free(&bench);
    }
}

// W kept for several solves of one workspace, while contacts come, go and change their order and
// problems change their size: the same answers as with a new solver each time.
static void reuse_of_W_does_not_change_answers(void** state)
{
    (void)state;
    Bench bench[3];
    for (int k = 0; k < 3; k++) {
        RandomOptions options = random_options_default(340 + (uint64_t)k);
        options.n_particle = k == 2 ? 5 : 3; // the third has other coordinates
        bench_make(&options, &bench[k]);
    }
    for (int reuse = 1; reuse <= 4; reuse += 3)
        for (int kind = 0; kind <= COND_SURROGATE_BLOCK; kind++) {
            CondSolverSettings settings = cond_solver_settings_default();
            settings.surrogate = (CondSurrogateKind)kind;
            settings.accelerator =
                kind >= 1 && kind <= 3 ? COND_ACCELERATOR_NONE : COND_ACCELERATOR_ANDERSON;
            settings.reuse = reuse;
            settings.fallback = 0;
            settings.tolerance = 1e-8;
            CondSolver* solver = solver_make(&settings);
            for (int round = 0; round < 12; round++) {
                Bench* at = &bench[round % 7 == 6 ? 2 : round / 7];
                CondProblem part = at->made.problem; // some of the contacts only
                part.contact += round % 3;
                part.n_contact = round % 5 == 4 ? 0 : part.n_contact - round % 4 - round % 3;
                double *v = dense_zeros((size_t)at->n), *lambda = dense_zeros((size_t)at->m);
                CondStatus status = cond_solver_solve(solver, &part, v, lambda, &at->info);
                assert_int_equal(status, COND_OK);
                verifier_check(&part, &settings, v, lambda, &at->info);
                CondSolverSettings once = settings;
                once.reuse = 1;
                memset(at->v, 0, (size_t)at->n * sizeof *v);
                memset(at->lambda, 0, (size_t)at->m * sizeof *lambda);
                assert_int_equal(verifier_solve(&part, &once, at->v, at->lambda, &at->info), 0);
                assert_true(dense_distance(at->n, v, at->v) < 1e-6 * dense_norm(at->n, at->v));
                free(v);
                free(lambda);
            }
            cond_solver_destroy(solver);
        }
    for (int k = 0; k < 3; k++)
        bench_free(&bench[k]);
}

// Where only contacts change and A stays, the kept W is the new one to the last bit: entries that
// contacts touch or touched are made anew, the others are still right.
static void kept_W_is_the_new_one_where_A_stays(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(345);
    options.n_contact = 12;
    Bench bench;
    bench_make(&options, &bench);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.surrogate = COND_SURROGATE_FROBENIUS;
    settings.reuse = 100;
    CondSolver* solver = solver_make(&settings);
    double *v = dense_zeros((size_t)bench.n), *lambda = dense_zeros((size_t)bench.m);
    for (int round = 0; round < 10; round++) {
        CondProblem part = bench.made.problem;
        part.contact += round * 5 % 8;
        part.n_contact = 4 - round % 3 * 2;
        memset(v, 0, (size_t)bench.n * sizeof *v);
        memset(lambda, 0, (size_t)bench.m * sizeof *lambda);
        memset(bench.v, 0, (size_t)bench.n * sizeof *v);
        memset(bench.lambda, 0, (size_t)bench.m * sizeof *lambda);
        assert_int_equal(cond_solver_solve(solver, &part, v, lambda, &bench.info), COND_OK);
        int iterations = bench.info.iterations;
        verifier_solve(&part, &settings, bench.v, bench.lambda, &bench.info);
        assert_int_equal(bench.info.iterations, iterations);
        assert_memory_equal(v, bench.v, (size_t)bench.n * sizeof *v);
        assert_memory_equal(lambda, bench.lambda, (size_t)bench.m * sizeof *lambda);
    }
    free(v);
    free(lambda);
    cond_solver_destroy(solver);
    bench_free(&bench);
}

// First steps of a solve with the given settings.
static void first_steps(Bench* bench, const CondSolverSettings* settings, int count, double* steps)
{
    CondSolver* solver = solver_make(settings);
    int n;
    memset(bench->v, 0, (size_t)bench->n * sizeof *bench->v);
    memset(bench->lambda, 0, (size_t)bench->m * sizeof *bench->lambda);
    cond_solver_solve(solver, &bench->made.problem, bench->v, bench->lambda, &bench->info);
    const double* history = cond_solver_history(solver, &n);
    assert_true(n >= count);
    memcpy(steps, history, (size_t)count * sizeof *steps);
    cond_solver_destroy(solver);
}

// Alg. 3: before l_s the iteration is the plain one, from l_s on it is not; u scales the step.
static void chebyshev_start_and_under_relaxation(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(350);
    Bench bench;
    bench_make(&options, &bench);
    CondSolverSettings settings = cond_solver_settings_paper();
    settings.tolerance = 1e-9;
    settings.under_relaxation = 1.0;
    double plain[30], late[30], relaxed[30];
    settings.accelerator = COND_ACCELERATOR_NONE;
    first_steps(&bench, &settings, 30, plain);
    settings.accelerator = COND_ACCELERATOR_CHEBYSHEV;
    settings.chebyshev_start = 12;
    first_steps(&bench, &settings, 30, late);
    for (int l = 0; l < 11; l++)
        assert_true(fabs(late[l] - plain[l]) <= 1e-12 * plain[0]);
    assert_true(fabs(late[11] - plain[11]) > 1e-4 * plain[11]);
    settings.under_relaxation = 0.5;
    first_steps(&bench, &settings, 30, relaxed);
    assert_true(fabs(relaxed[0] - 0.5 * plain[0]) <= 1e-14 * plain[0]);
    bench_free(&bench);
}

// Anderson of any depth, deeper than the problem is large too, and with restarts on a hard problem.
static void anderson_depth_and_restarts(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(21);
    Bench bench;
    bench_make(&options, &bench);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = 1e-10;
    settings.fallback = 0;
    settings.accelerator = COND_ACCELERATOR_NONE;
    assert_int_equal(bench_solve(&bench, &settings), COND_OK);
    int plain = bench.info.iterations, restarts = 0;
    assert_int_equal(bench.info.restarts, 0);
    double* v = dense_zeros((size_t)bench.n);
    memcpy(v, bench.v, (size_t)bench.n * sizeof *v);
    settings.accelerator = COND_ACCELERATOR_ANDERSON;
    for (int depth = 1; depth < 400; depth *= 3) {
        settings.anderson_depth = depth;
        assert_int_equal(bench_solve(&bench, &settings), COND_OK);
        assert_true(dense_distance(bench.n, bench.v, v) < 1e-7 * dense_norm(bench.n, v));
        assert_true(bench.info.iterations < plain);
        restarts += bench.info.restarts;
    }
    assert_true(restarts > 0);
    free(v);
    bench_free(&bench);
}

// One weight for both nodes of a D-contact, or one each: other iterates, the same answer.
static void pair_weights_do_not_change_the_answer(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(360);
    options.general = 0;
    Bench bench;
    bench_make(&options, &bench);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.surrogate = COND_SURROGATE_FROBENIUS;
    settings.accelerator = COND_ACCELERATOR_NONE;
    settings.tolerance = 1e-10;
    settings.fallback = 0;
    double steps[2][3];
    double* v = dense_zeros((size_t)bench.n);
    for (settings.pair_weights = 0; settings.pair_weights < 2; settings.pair_weights++) {
        first_steps(&bench, &settings, 3, steps[settings.pair_weights]);
        assert_int_equal(bench_solve(&bench, &settings), COND_OK);
        if (settings.pair_weights == 0)
            memcpy(v, bench.v, (size_t)bench.n * sizeof *v);
    }
    assert_true(dense_distance(bench.n, bench.v, v) < 1e-8 * dense_norm(bench.n, v));
    assert_true(steps[0][0] != steps[1][0]);
    free(v);
    bench_free(&bench);
}

// A node may lie across blocks, here blocks of one coordinate each.
static void node_across_blocks(void** state)
{
    (void)state;
    double values[3] = {1.0, 2.0, 5.0}, b[3] = {-1.0, 0.5, 0.2};
    int coordinate[3] = {0, 1, 2};
    CondBlock block[3];
    for (int i = 0; i < 3; i++)
        block[i] = (CondBlock){COND_BLOCK_DENSE, i, 1, values + i, NULL, NULL, NULL};
    CondContact contact = {.side = {{3, coordinate, NULL}},
                           .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                           .friction = {0.1, 0.1},
                           .kv = INFINITY};
    CondProblem problem = {3, 3, 0, 1, block, NULL, &contact, b};
    assert_int_equal(cond_problem_check(NULL, &problem, NULL), COND_OK);
    for (int kind = 0; kind <= COND_SURROGATE_BLOCK; kind++) {
        CondSolverSettings settings = cond_solver_settings_default();
        settings.surrogate = (CondSurrogateKind)kind;
        settings.accelerator = COND_ACCELERATOR_NONE;
        settings.fallback = 0;
        double v[3] = {0.0}, lambda[3] = {0.0};
        CondSolveInfo info;
        assert_int_equal(verifier_solve(&problem, &settings, v, lambda, &info), COND_OK);
        assert_true(fabs(v[0]) < 1e-7 && fabs(lambda[0] - 1.0) < 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_reference),
        cmocka_unit_test(every_combination_tells_the_truth),
        cmocka_unit_test(never_worse_than_the_start),
        cmocka_unit_test(step_stop_is_the_papers),
        cmocka_unit_test(history_has_one_step_per_iteration),
        cmocka_unit_test(warm_start_from_the_answer_costs_nothing),
        cmocka_unit_test(reuse_of_W_does_not_change_answers),
        cmocka_unit_test(kept_W_is_the_new_one_where_A_stays),
        cmocka_unit_test(chebyshev_start_and_under_relaxation),
        cmocka_unit_test(anderson_depth_and_restarts),
        cmocka_unit_test(pair_weights_do_not_change_the_answer),
        cmocka_unit_test(node_across_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
