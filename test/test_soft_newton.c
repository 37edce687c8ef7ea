// Newton's method on soft bodies: the linear system against dense algebra, and the answers
// against the dense reference.
#include "dense.h"
#include "failing_allocator.h"
#include "newton/semismooth.h"
#include "random_problem.h"
#include "reference.h"
#include "verifier.h"

#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static RandomOptions soft_options(uint64_t seed)
{
    RandomOptions options = random_options_default(seed);
    options.bsr3 = 1;
    options.cloth_nodes = 8;
    options.n_cloth = 2;
    return options;
}

// D of each contact: symmetric and positive, or zero for an open one.
static double* random_gains(Random* random, int n_contact)
{
    double* D = dense_zeros(9 * (size_t)n_contact);
    for (int c = 0; c < n_contact; c++)
        if (random_int(random, 4) > 0)
            random_spd(random, 3, pow(10.0, random_uniform(random, -1.0, 4.0)), 0.1, D + 9 * c);
    return D;
}

static void linear_system_is_the_dense_one(void** state)
{
    (void)state;
    for (uint64_t seed = 700; seed < 724; seed++) {
        RandomOptions options = soft_options(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        const CondProblem* problem = &made.problem;
        int n = problem->n_dof, fits = 0;
        Random random = random_start(seed);
        CondSoftSystem system = {.arena.context = cond_context_or_default(NULL)};
        assert_int_equal(cond_soft_system_plan(&system, problem, 1, &fits), COND_OK);
        assert_true(fits);
        if (seed % 2) // rounds in single precision, refined
            system.pack_from = 0;
        double* D = random_gains(&random, problem->n_contact);
        double* H = dense_pressed_matrix(problem, D, 9);
        assert_int_equal(cond_soft_system_build(&system, D, 9, 0), COND_OK);

        double *x = dense_zeros((size_t)n), *y = dense_zeros((size_t)n);
        double *Hx = dense_zeros((size_t)n), *r = dense_zeros((size_t)n);
        for (int i = 0; i < n; i++)
            x[i] = random_uniform(&random, -1.0, 1.0);
        dense_multiply(n, n, H, x, Hx);
        cond_soft_system_multiply(&system, x, y);
        assert_true(dense_distance(n, y, Hx) < 1e-13 * dense_norm(n, Hx));

        // The solution comes back, and r is what the product says is left.
        memcpy(r, Hx, (size_t)n * sizeof *r);
        int products = cond_soft_system_solve(&system, r, y, 1e-12, 50 * n);
        assert_in_range(products, 1, 50 * n - 1);
        assert_true(dense_distance(n, x, y) < 1e-6 * dense_norm(n, x));
        dense_multiply(n, n, H, y, x);
        for (int i = 0; i < n; i++)
            x[i] = Hx[i] - x[i];
        assert_true(dense_distance(n, x, r) < 1e-9 * dense_norm(n, Hx));
        cond_soft_system_destroy(&system);
        free(D);
        free(H);
        free(x);
        free(y);
        free(Hx);
        free(r);
        random_problem_free(&made);
    }
}

// One soft node between a body of the interface and the ground, however firm the contacts: with all
// terms joining one node each, the preconditioner is exact but for the springs between nodes.
static void firm_contacts_cost_nothing(void** state)
{
    (void)state;
    int products[2];
    for (int firm = 0; firm < 2; firm++) {
        RandomOptions options = soft_options(731);
        options.second = 0;
        options.n_coupling = 0;
        options.n_cloth = 1;
        options.general = 0;
        RandomProblem made;
        random_problem_make(&options, &made);
        int n = made.problem.n_dof, fits = 0;
        CondSoftSystem system = {.arena.context = cond_context_or_default(NULL)};
        assert_int_equal(cond_soft_system_plan(&system, &made.problem, 1, &fits), COND_OK);
        double* D = dense_zeros(9 * (size_t)made.problem.n_contact);
        for (int c = 0; c < made.problem.n_contact; c++) {
            const CondSide* side = made.problem.contact[c].side;
            int nodes = 0; // contacts between two nodes stay open
            for (int s = 0; s < 2; s++)
                nodes += side[s].n_coordinate > 0 && system.node[side[s].coordinate[0]] >= 0;
            for (int i = 0; i < 3 && nodes < 2; i++)
                D[9 * c + 4 * i] = firm ? 1e8 : 1e3;
        }
        assert_int_equal(cond_soft_system_build(&system, D, 9, 0), COND_OK);
        double *r = dense_zeros((size_t)n), *x = dense_zeros((size_t)n);
        memcpy(r, made.problem.b, (size_t)n * sizeof *r);
        products[firm] = cond_soft_system_solve(&system, r, x, 1e-8, 10 * n);
        cond_soft_system_destroy(&system);
        free(D);
        free(r);
        free(x);
        random_problem_free(&made);
    }
    assert_in_range(products[0], 1, 60);
    assert_in_range(products[1], 1, products[0] + 2);
}

// V-FPI is not asked: the answer is that of the passes.
static int check_against_reference(const RandomOptions* options, CondLaw law, double omega)
{
    RandomProblem made;
    random_problem_make(options, &made);
    int n = made.problem.n_dof, m = 3 * made.problem.n_contact;
    double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m);
    double *v_ref = dense_zeros((size_t)n), *u_ref = dense_zeros((size_t)m);
    double* lambda_ref = dense_zeros((size_t)m);
    CondSolverSettings settings = cond_solver_settings_default();
    settings.law = law;
    settings.omega = omega;
    settings.tolerance = 1e-10;
    CondSolveInfo info;
    if (verifier_solve(&made.problem, &settings, v, lambda, &info) != COND_OK)
        fail_msg("seed %d, %s: residual %g after %d passes", (int)options->seed, cond_law_name(law),
                 cond_certificate_residual(&info.certificate), info.passes);
    assert_true(info.passes > 0);
    assert_true(reference_solve(&made.problem, law, omega, v_ref, u_ref, lambda_ref) < 1e-13);
    assert_true(dense_distance(n, v, v_ref) < 1e-7 * dense_norm(n, v_ref));
    free(v);
    free(lambda);
    free(v_ref);
    free(u_ref);
    free(lambda_ref);
    random_problem_free(&made);
    return info.iterations == info.cg_iterations;
}

static void answers_are_those_of_the_reference(void** state)
{
    (void)state;
    int alone = 0, n = 0;
    for (uint64_t seed = 760; seed < 790; seed++) {
        RandomOptions options = soft_options(seed);
        options.friction = 0.5;
        options.n_contact = 3 + (int)(seed % 8);
        alone += check_against_reference(&options, COND_LAW_STRICT, seed % 3 ? 0.0 : 0.05);
        options.anisotropic = 0;
        alone += check_against_reference(&options, COND_LAW_PROXIMAL, seed % 3 ? 0.0 : 0.05);
        n += 2;
    }
    assert_true(2 * alone > n); // most of them without help
}

// With much friction the friction force must follow the normal force within a pass.
static void much_friction(void** state)
{
    (void)state;
    int alone = 0, n = 0;
    for (uint64_t seed = 800; seed < 815; seed++, n++) {
        RandomOptions options = soft_options(seed);
        options.friction = 2.5;
        options.anisotropic = 0;
        options.n_contact = 4 + (int)(seed % 6);
        alone += check_against_reference(&options, COND_LAW_STRICT, 0.0);
    }
    assert_true(2 * alone > n);
}

// The general solve against dense algebra, with gains that are not symmetric.
static void general_gains_are_solved(void** state)
{
    (void)state;
    for (uint64_t seed = 740; seed < 748; seed++) {
        RandomOptions options = soft_options(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        int n = made.problem.n_dof, fits = 0;
        Random random = random_start(seed);
        CondSoftSystem system = {.arena.context = cond_context_or_default(NULL)};
        assert_int_equal(cond_soft_system_plan(&system, &made.problem, 1, &fits), COND_OK);
        double* D = random_gains(&random, made.problem.n_contact);
        for (int c = 0; c < made.problem.n_contact; c++)
            for (int i = 1; i < 3; i++) // friction that follows the normal force
                D[9 * c + 3 * i] += 0.3 * D[9 * c];
        assert_int_equal(cond_soft_system_build(&system, D, 9, 1), COND_OK);
        double* H = dense_pressed_matrix(&made.problem, D, 9);
        double *x = dense_zeros((size_t)n), *r = dense_zeros((size_t)n);
        double *y = dense_zeros((size_t)n), *work = dense_zeros(5 * (size_t)n);
        for (int i = 0; i < n; i++)
            x[i] = random_uniform(&random, -1.0, 1.0);
        dense_multiply(n, n, H, x, r);
        int products = cond_soft_system_solve_general(&system, r, y, 1e-11, 100 * n, work);
        assert_in_range(products, 1, 100 * n - 1);
        assert_true(dense_distance(n, x, y) < 1e-5 * dense_norm(n, x));
        cond_soft_system_destroy(&system);
        free(D);
        free(H);
        free(x);
        free(r);
        free(y);
        free(work);
        random_problem_free(&made);
    }
}

static void memory_runs_out(void** state)
{
    (void)state;
    RandomOptions options = soft_options(791);
    RandomProblem made;
    random_problem_make(&options, &made);
    int n = made.problem.n_dof, m = 3 * made.problem.n_contact, failures = 0;
    CondSolverSettings settings = cond_solver_settings_default();
    for (int call = 1; call < 2000; call++) {
        FailingAllocator allocator = {.fail_at = call};
        CondContext context = failing_allocator_context(&allocator);
        CondSolver* solver = NULL;
        CondError error;
        double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)m);
        CondStatus status = cond_solver_create(&context, "strategy", &settings, &solver, &error);
        CondSolveInfo info;
        if (!status)
            status = cond_solver_solve(solver, &made.problem, v, lambda, &info);
        cond_solver_destroy(solver);
        assert_int_equal(allocator.live, 0);
        free(v);
        free(lambda);
        if (status != COND_OUT_OF_MEMORY) {
            assert_true(status >= 0);
            break;
        }
        failures++;
    }
    assert_in_range(failures, 20, 1000);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_system_is_the_dense_one),
        cmocka_unit_test(firm_contacts_cost_nothing),
        cmocka_unit_test(answers_are_those_of_the_reference),
        cmocka_unit_test(much_friction),
        cmocka_unit_test(general_gains_are_solved),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
