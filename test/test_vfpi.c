// The paper's settings against the paper's algorithms (test/vfpi_reference.c): soft bodies by the
// fused loop, and bodies of all kinds stage by stage.
#include "dense.h"
#include "random_problem.h"
#include "soft_problem.h"
#include "verifier.h"
#include "vfpi_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// The same iterations, but for what rounding does to the last few, and the same answer.
static void compare(const CondProblem* problem, CondLaw law, const char* what, int seed)
{
    int n = problem->n_dof, nl = 3 * problem->n_contact;
    double *v = dense_zeros((size_t)n), *own = dense_zeros((size_t)n);
    double *lambda = dense_zeros((size_t)nl + 1), *force = dense_zeros((size_t)nl + 1);
    CondSolverSettings settings = cond_solver_settings_paper();
    CondSolveInfo info;
    settings.law = law;
    settings.threads = 1;
    settings.tolerance = 1e-7;
    assert_true(verifier_solve(problem, &settings, v, lambda, &info) >= 0);
    int iterations = vfpi_reference(problem, &settings, own, force);
    if (abs(iterations - info.iterations) > 1 + iterations / 50 ||
        !(dense_distance(n, v, own) <= 1e-6 * dense_norm(n, own)) ||
        !(dense_distance(nl, lambda, force) <= 1e-5 * dense_norm(nl, force)))
        fail_msg("%s %d: %d iterations, the reference %d; v differs by %g, lambda by %g", what,
                 seed, info.iterations, iterations, dense_distance(n, v, own) / dense_norm(n, own),
                 dense_distance(nl, lambda, force) / dense_norm(nl, force));
    free(v), free(own), free(lambda), free(force);
}

static void soft_bodies(void** state)
{
    (void)state;
    for (int ties = 0; ties < 2; ties++) {
        SoftProblem made;
        soft_problem_create(&made, ties);
        for (int c = 0; c < N_CONTACT; c++) // the paper has no other
            made.contact[c].kv = isfinite(made.contact[c].kv) ? made.contact[c].kv : 5.0;
        compare(&made.problem, COND_LAW_STRICT, "soft", ties);
        soft_problem_destroy(&made);
    }
}

static void bodies_of_all_kinds(void** state)
{
    (void)state;
    for (int seed = 1; seed <= 8; seed++) {
        RandomOptions options = random_options_default((uint64_t)seed);
        RandomProblem made;
        options.finite_kv = 1.0;
        options.kv_strength = 1.0;
        random_problem_make(&options, &made);
        compare(&made.problem, seed % 2 ? COND_LAW_STRICT : COND_LAW_PROXIMAL, "random", seed);
        random_problem_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_bodies),
        cmocka_unit_test(bodies_of_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
