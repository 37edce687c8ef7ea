// Memory that runs out, problems that are wrong, and problems at the edge of what can be solved.
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

// The ways through the solver that allocate differently.
typedef struct Way {
    CondSurrogateKind surrogate;
    CondAcceleratorKind accelerator;
} Way;
static const Way ways[] = {
    {COND_SURROGATE_BLOCK, COND_ACCELERATOR_ANDERSON},
    {COND_SURROGATE_FROBENIUS, COND_ACCELERATOR_CHEBYSHEV},
    {COND_SURROGATE_SPECTRUM, COND_ACCELERATOR_ANDERSON},
    {COND_SURROGATE_BB1, COND_ACCELERATOR_NONE},
};
enum { N_WAY = sizeof ways / sizeof ways[0] };

static CondSolverSettings settings_of(const Way* way)
{
    CondSolverSettings settings = cond_solver_settings_default();
    settings.surrogate = way->surrogate;
    settings.accelerator = way->accelerator;
    settings.reuse = 3;
    settings.tolerance = 1e-6;
    settings.max_iterations = 5000;
    return settings;
}

// Every allocation of create and of two growing solves fails in turn: the status says so, the
// answer is left alone, the same solver then works, and nothing is lost.
static void every_allocation_of_the_solver_fails(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(1);
    RandomProblem small, large;
    options.n_contact = 3;
    random_problem_make(&options, &small);
    options.n_rigid += 3;
    options.n_contact += 2;
    options.n_coupling += 4;
    random_problem_make(&options, &large);
    double* v = dense_zeros((size_t)large.problem.n_dof);
    double* lambda = dense_zeros(3 * (size_t)large.problem.n_contact);
    for (int w = 0; w < N_WAY; w++) {
        CondSolverSettings settings = settings_of(&ways[w]);
        settings.tolerance = 1e-4;
        int done = 0;
        for (long fail_at = 1; !done; fail_at++) {
            assert_true(fail_at < 500);
            FailingAllocator allocator = {.fail_at = fail_at};
            CondContext context = failing_allocator_context(&allocator);
            CondSolver* solver = NULL;
            CondError error = {0};
            CondStatus status =
                cond_solver_create(&context, "strategy", &settings, &solver, &error);
            if (status) {
                assert_int_equal(status, COND_OUT_OF_MEMORY);
                assert_int_equal(error.status, COND_OUT_OF_MEMORY);
                assert_null(solver);
                assert_int_equal(allocator.live, 0);
                continue;
            }
            for (int k = 0; k < 2; k++) {
                const CondProblem* problem = k ? &large.problem : &small.problem;
                CondSolveInfo info;
                memset(v, 0, (size_t)problem->n_dof * sizeof *v);
                memset(lambda, 0, 3 * (size_t)problem->n_contact * sizeof *lambda);
                status = cond_solver_solve(solver, problem, v, lambda, &info);
                if (status == COND_OUT_OF_MEMORY) {
                    assert_int_equal(info.status, COND_OUT_OF_MEMORY);
                    assert_true(isinf(cond_certificate_residual(&info.certificate)));
                    assert_true(dense_norm(problem->n_dof, v) == 0.0);
                    status = cond_solver_solve(solver, problem, v, lambda, &info);
                }
                assert_int_equal(status, COND_OK);
                verifier_check(problem, &settings, v, lambda, &info);
            }
            done = allocator.calls < fail_at;
            cond_solver_destroy(solver);
            assert_int_equal(allocator.live, 0);
        }
    }
    free(v);
    free(lambda);
    random_problem_free(&small);
    random_problem_free(&large);
}

static void every_allocation_of_the_checks_fails(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(2);
    RandomProblem made;
    random_problem_make(&options, &made);
    double* v = dense_zeros((size_t)made.problem.n_dof);
    double* lambda = dense_zeros(3 * (size_t)made.problem.n_contact);
    int sides[64];
    for (int which = 0; which < 3; which++) {
        CondStatus status = COND_OUT_OF_MEMORY;
        for (long fail_at = 1; status; fail_at++) {
            assert_true(fail_at < 20);
            FailingAllocator allocator = {.fail_at = fail_at};
            CondContext context = failing_allocator_context(&allocator);
            CondError error = {0};
            CondCertificate z;
            if (which == 0)
                status = cond_problem_check(&context, &made.problem, &error);
            else if (which == 1)
                status = cond_certify(&context, &made.problem, COND_LAW_STRICT, 0.0, v, lambda, &z);
            else
                status = cond_problem_virtual_sides(&context, &made.problem, sides);
            assert_int_equal(allocator.live, 0);
            assert_int_equal(status, allocator.calls >= fail_at ? COND_OUT_OF_MEMORY : COND_OK);
            if (which == 0)
                assert_int_equal(error.status, status);
        }
    }
    free(v);
    free(lambda);
    random_problem_free(&made);
}

// A workspace that has seen the problem's size allocates no more.
static void no_allocation_after_warm_up(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(3);
    RandomProblem made;
    random_problem_make(&options, &made);
    double* v = dense_zeros((size_t)made.problem.n_dof);
    double* lambda = dense_zeros(3 * (size_t)made.problem.n_contact);
    for (int w = 0; w < N_WAY; w++) {
        CondSolverSettings settings = settings_of(&ways[w]);
        FailingAllocator allocator = {0};
        CondContext context = failing_allocator_context(&allocator);
        CondSolver* solver = NULL;
        assert_int_equal(cond_solver_create(&context, "strategy", &settings, &solver, NULL),
                         COND_OK);
        long calls = 0;
        for (int round = 0; round < 4; round++) {
            CondProblem problem = made.problem;
            problem.n_contact -= round % 2; // a smaller one fits as well
            memset(v, 0, (size_t)problem.n_dof * sizeof *v);
            memset(lambda, 0, 3 * (size_t)problem.n_contact * sizeof *lambda);
            assert_int_equal(cond_solver_solve(solver, &problem, v, lambda, NULL), COND_OK);
            if (round == 0)
                calls = allocator.calls;
            assert_int_equal(allocator.calls, calls);
        }
        cond_solver_destroy(solver);
        assert_int_equal(allocator.live, 0);
    }
    free(v);
    free(lambda);
    random_problem_free(&made);
}

// A box of three coordinates on the ground and whatever a test does to it.
typedef struct Box {
    double mass[9], b[3], v[3], lambda[6];
    int coordinate[3];
    CondBlock block;
    CondContact contact[2];
    CondProblem problem;
} Box;

static void box_make(Box* box, int n_contact)
{
    *box =
        (Box){.mass = {2, 0, 0, 0, 2, 0, 0, 0, 2}, .b = {-4.0, 1.0, 0.5}, .coordinate = {0, 1, 2}};
    box->block = (CondBlock){COND_BLOCK_DENSE, 0, 3, box->mass, NULL, NULL, NULL};
    for (int c = 0; c < 2; c++)
        box->contact[c] = (CondContact){.side = {{3, box->coordinate, NULL}},
                                        .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                        .friction = {0.2, 0.2},
                                        .kv = INFINITY};
    box->problem = (CondProblem){3, 1, 0, n_contact, &box->block, NULL, box->contact, box->b};
}

static CondStatus box_solve(Box* box, const Way* way, CondSolveInfo* info)
{
    CondSolverSettings settings = settings_of(way);
    settings.tolerance = 1e-9;
    memset(box->v, 0, sizeof box->v);
    memset(box->lambda, 0, sizeof box->lambda);
    return verifier_solve(&box->problem, &settings, box->v, box->lambda, info);
}

// Between two walls that come together there is no velocity the law allows. The answer is finite,
// said to be none, and its certificate says how far it is off; on to that, the walls stand still
// and all is well again.
static void no_solution_is_said(void** state)
{
    (void)state;
    for (int w = 0; w < N_WAY; w++) {
        Box box;
        CondSolveInfo info;
        box_make(&box, 2);
        double facing[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
        memcpy(box.contact[1].frame, facing, sizeof facing);
        box.contact[0].phi[0] = box.contact[1].phi[0] = -1.0;
        assert_int_equal(box_solve(&box, &ways[w], &info), COND_NOT_CONVERGED);
        assert_int_equal(info.solved_by, COND_BY_NONE);
        double residual = cond_certificate_residual(&info.certificate);
        assert_true(isfinite(residual) && residual > 1e-9);
        for (int i = 0; i < 3; i++)
            assert_true(isfinite(box.v[i]) && isfinite(box.lambda[i]) &&
                        isfinite(box.lambda[3 + i]));
        box.contact[0].phi[0] = box.contact[1].phi[0] = 0.0;
        assert_int_equal(box_solve(&box, &ways[w], &info), COND_OK);
        assert_true(info.solved_by != COND_BY_NONE);
    }
}

static void no_contacts_and_no_bodies(void** state)
{
    (void)state;
    CondProblem nothing = {0};
    double none[1] = {0.0};
    CondSolveInfo info;
    for (int w = 0; w < N_WAY; w++)
        for (int stop = 0; stop < 2; stop++) {
            CondSolverSettings settings = settings_of(&ways[w]);
            settings.stop = (CondStop)stop;
            assert_int_equal(verifier_solve(&nothing, &settings, none, none, &info), COND_OK);
            Box box;
            box_make(&box, 0);
            assert_int_equal(box_solve(&box, &ways[w], &info), COND_OK); // a linear system
            for (int i = 0; i < 3; i++)
                assert_true(fabs(box.v[i] - 0.5 * box.b[i]) < 1e-8);
            CondSolver* solver = NULL; // no arrays for what has no size
            assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, NULL),
                             COND_OK);
            assert_int_equal(cond_solver_solve(solver, &nothing, NULL, NULL, NULL), COND_OK);
            assert_int_equal(cond_solver_solve(solver, &box.problem, box.v, NULL, NULL), COND_OK);
            cond_solver_destroy(solver);
        }
    cond_solver_destroy(NULL);
}

// The same contact twice: the forces are not unique, the motion is.
static void duplicate_contacts(void** state)
{
    (void)state;
    for (int w = 0; w < N_WAY; w++)
        for (int n_contact = 1; n_contact <= 2; n_contact++) {
            Box box;
            CondSolveInfo info;
            box_make(&box, n_contact);
            assert_int_equal(box_solve(&box, &ways[w], &info), COND_OK);
            double force = 4.0 * 0.2 / hypot(1.0, 0.5); // friction over its length
            assert_true(fabs(box.v[0]) < 1e-7);
            assert_true(fabs(box.v[1] - 0.5 * (1.0 - force)) < 1e-7);
            assert_true(fabs(box.v[2] - 0.5 * (0.5 - 0.5 * force)) < 1e-7);
            assert_true(fabs(box.lambda[0] + (n_contact > 1 ? box.lambda[3] : 0.0) - 4.0) < 1e-6);
        }
}

static void friction_from_none_to_endless(void** state)
{
    (void)state;
    double mu[] = {0.0, 1e-12, 1e3, 1e9};
    for (int w = 0; w < N_WAY; w++)
        for (int k = 0; k < 4; k++) {
            Box box;
            CondSolveInfo info;
            box_make(&box, 1);
            box.contact[0].friction[0] = box.contact[0].friction[1] = mu[k];
            assert_int_equal(box_solve(&box, &ways[w], &info), COND_OK);
            int sticks = mu[k] > 1.0;
            assert_true(fabs(box.v[1] - (sticks ? 0.0 : 0.5)) < 1e-7);
            box.b[0] = 4.0; // lifts off
            assert_int_equal(box_solve(&box, &ways[w], &info), COND_OK);
            assert_true(fabs(box.v[0] - 2.0) < 1e-7 && fabs(box.v[1] - 0.5) < 1e-7);
            assert_true(box.lambda[0] == 0.0);
        }
}

// NaN anywhere ends in COND_DIVERGED with an infinite residual, and the solver lives on.
static void numbers_that_are_none(void** state)
{
    (void)state;
    for (int w = 0; w < N_WAY; w++)
        for (int place = 0; place < 5; place++)
            for (int stop = 0; stop < 2; stop++) {
                Box box, good;
                box_make(&box, 1);
                box_make(&good, 1);
                double* at[] = {&box.b[1], &box.mass[4], &box.contact[0].phi[0],
                                &box.contact[0].frame[0], &box.mass[1]};
                *at[place] = NAN;
                CondSolverSettings settings = settings_of(&ways[w]);
                settings.stop = (CondStop)stop;
                settings.reuse = 1;
                CondSolver* solver = NULL;
                CondSolveInfo info;
                assert_int_equal(cond_problem_check(NULL, &box.problem, NULL), COND_BAD_ARGUMENT);
                assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, NULL), 0);
                CondStatus status =
                    cond_solver_solve(solver, &box.problem, box.v, box.lambda, &info);
                assert_int_equal(status, COND_DIVERGED);
                assert_true(isinf(cond_certificate_residual(&info.certificate)));
                for (int i = 0; i < 3; i++)
                    assert_true(isfinite(box.v[i]) && isfinite(box.lambda[i]));
                status = cond_solver_solve(solver, &good.problem, good.v, good.lambda, &info);
                assert_int_equal(status, COND_OK);
                verifier_check(&good.problem, &settings, good.v, good.lambda, &info);
                cond_solver_destroy(solver);
            }
}

// A tolerance nobody can meet is missed honestly, with an answer as good as rounding allows.
static void impossible_tolerance(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(5);
    RandomProblem made;
    random_problem_make(&options, &made);
    double* v = dense_zeros((size_t)made.problem.n_dof);
    double* lambda = dense_zeros(3 * (size_t)made.problem.n_contact);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = 1e-300;
    settings.max_iterations = 3000;
    CondSolveInfo info;
    CondStatus status = verifier_solve(&made.problem, &settings, v, lambda, &info);
    assert_int_equal(status, COND_NOT_CONVERGED);
    assert_true(cond_certificate_residual(&info.certificate) < 1e-12);
    free(v);
    free(lambda);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_the_solver_fails),
        cmocka_unit_test(every_allocation_of_the_checks_fails),
        cmocka_unit_test(no_allocation_after_warm_up),
        cmocka_unit_test(no_contacts_and_no_bodies),
        cmocka_unit_test(no_solution_is_said),
        cmocka_unit_test(duplicate_contacts),
        cmocka_unit_test(friction_from_none_to_endless),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(impossible_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
