// Newton's method with its vectors on a device (newton/resident.h), on the device of the
// processors: the same item functions as on others. Answers are those of the method of the host,
// with the same bits for any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "resident_compare.h"

static const char* const scenes[] = {
    // a mat that slides, and a ball beside it that has fallen
    "planes:\n"
    "  - {name: floor, normal: [0, 0, 1], friction: 0.3}\n"
    "bodies:\n"
    "  - {name: mat, kind: soft, mesh: \"mat:16,16,2:0.24,0.24,0.008\", material: rubber,\n"
    "     position: [0, 0, 0.004], velocity: [0.3, 0.1, 0], friction: 0.3}\n"
    "  - {name: ball, kind: soft, mesh: \"ball:0.05:5,2\", material: rubber,\n"
    "     position: [1, 0, 0.0501], velocity: [0.5, 0.1, -0.3], friction: 0.5}\n",
    // one that hits a steep floor edge on
    "planes:\n"
    "  - {name: floor, normal: [0.3, 0.1, 0.9], friction: 0.8}\n"
    "bodies:\n"
    "  - {name: mat, kind: soft, mesh: \"mat:24,22,2:0.36,0.33,0.008\", material: rubber,\n"
    "     position: [0, 0, 0.09], velocity: [0.3, 0.1, -0.4], friction: 0.8}\n",
    // a corner of two planes
    "planes:\n"
    "  - {name: floor, normal: [0, 0, 1], friction: 0.5}\n"
    "  - {name: wall, normal: [-1, 0, 0], offset: -0.21, friction: 1.5}\n"
    "bodies:\n"
    "  - {name: mat, kind: soft, mesh: \"mat:24,24,2:0.4,0.4,0.008\", material: rubber,\n"
    "     position: [0, 0, 0.004], velocity: [1.2, 0.1, 0], friction: 0.5}\n",
};
enum { N_SCENE = sizeof scenes / sizeof *scenes };

static const char settings_text[] =
    "step: {time_step: 0.01, duration: 1, theta: 1, integrator: theta}\n"
    "materials:\n"
    "  - {name: rubber, youngs_modulus: 75e3, poisson_ratio: 0.35, density: 1070,\n"
    "     stiffness_damping: 0.005}\n";

static void check(CondLaw law, double tolerance, int n_scene, int n_step)
{

    for (int k = 0; k < n_scene; k++) {
        Trial trial = trial_text(settings_text, scenes[k]);
        for (int step = 0; step < n_step; step++) {
            const CondProblem* problem = resident_assemble(&trial);
            assert_true(problem->n_contact > 0 || k == 1);
            resident_compare(problem, law, COND_MULTILEVEL_ON, tolerance);
            trial_try(&trial, 4);
        }
        trial_end(&trial);
    }
}

static void answers_are_those_of_the_host(void** state)
{
    (void)state;
    check(COND_LAW_STRICT, 1e-8, N_SCENE, 2);
}

static void the_proximal_law_too(void** state)
{
    (void)state;
    check(COND_LAW_PROXIMAL, 1e-8, N_SCENE, 1);
}

static void beyond_single_precision(void** state)
{
    (void)state;
    check(COND_LAW_STRICT, 1e-14, 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_host),
        cmocka_unit_test(the_proximal_law_too),
        cmocka_unit_test(beyond_single_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
