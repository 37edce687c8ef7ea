// Products with A are counted honestly: this program is linked so that every call of
// cond_problem_multiply_blocks passes through here, whoever makes it, and no solver may report
// fewer. Fused loops and packed storage multiply elsewhere, and are not seen here.
#include "dense.h"
#include "problem/block.h"
#include "random_problem.h"

#include "cond/solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void __real_cond_problem_multiply_blocks(const CondProblem* problem, const double* x,
                                         const double* shift, double* y, int threads);
void __wrap_cond_problem_multiply_blocks(const CondProblem* problem, const double* x,
                                         const double* shift, double* y, int threads);

static long counted; // coordinates that were multiplied: islands are products in part

void __wrap_cond_problem_multiply_blocks(const CondProblem* problem, const double* x,
                                         const double* shift, double* y, int threads)
{
    counted += problem->n_dof;
    __real_cond_problem_multiply_blocks(problem, x, shift, y, threads);
}

// Solves, and fails the test where the report has fewer products than were made.
static void check_count(const CondProblem* problem, const CondSolverSettings* settings,
                        uint64_t seed)
{
    CondSolver* solver = NULL;
    CondSolveInfo info;
    CondError error;
    double* v = dense_zeros((size_t)problem->n_dof);
    double* lambda = dense_zeros(3 * (size_t)problem->n_contact);
    assert_int_equal(cond_solver_create(NULL, "strategy", settings, &solver, &error), COND_OK);
    counted = 0;
    CondStatus status = cond_solver_solve(solver, problem, v, lambda, &info);
    if ((long)info.products * problem->n_dof < counted)
        fail_msg("seed %d, %s, %s, %s, %s, tolerance %g: %s with %d products, but there were %g",
                 (int)seed, cond_surrogate_name(settings->surrogate),
                 cond_accelerator_name(settings->accelerator), cond_stop_name(settings->stop),
                 cond_law_name(settings->law), settings->tolerance, cond_status_name(status),
                 info.products, (double)counted / problem->n_dof);
    assert_true(counted > 0);
    cond_solver_destroy(solver);
    free(v);
    free(lambda);
}

// Bodies that are factored, soft ones, and rods, each with every way through the solver.
static void no_product_is_left_out(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        RandomOptions options = random_options_default(seed);
        options.bsr3 = 1;
        options.n_cloth = seed % 3 == 0 ? 0 : 1;
        options.n_chain = seed % 3 == 2;
        options.chain_links = 8;
        options.friction = seed % 2 ? 0.5 : 2.5;
        options.anisotropic = 0;
        RandomProblem made;
        random_problem_make(&options, &made);
        for (int a = 0; cond_accelerator_name((CondAcceleratorKind)a); a++)
            for (int s = 0; cond_surrogate_name((CondSurrogateKind)s); s++)
                for (int k = 0; k < 8; k++) {
                    CondSolverSettings settings = cond_solver_settings_default();
                    settings.accelerator = (CondAcceleratorKind)a;
                    settings.surrogate = (CondSurrogateKind)s;
                    settings.stop = (CondStop)(k % 2);
                    settings.law = (CondLaw)(k / 2 % 2);
                    settings.fallback = k / 4;
                    settings.tolerance = 1e-7;
                    settings.max_iterations = 300;
                    if (!cond_solver_settings_check(&settings, NULL))
                        check_count(&made.problem, &settings, seed);
                }
        random_problem_free(&made);
    }
}

static void yardstick_is_counted(void** state)
{
    (void)state;
    RandomOptions options = random_options_default(21);
    RandomProblem made;
    random_problem_make(&options, &made);
    double* v = dense_zeros((size_t)made.problem.n_dof);
    int products = 0;
    counted = 0;
    assert_int_equal(cond_contactless_solve(NULL, &made.problem, 1e-8, 1000, 1, v, &products, NULL),
                     COND_OK);
    assert_int_equal((long)products * made.problem.n_dof, counted);
    free(v);
    random_problem_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_product_is_left_out),
        cmocka_unit_test(yardstick_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
