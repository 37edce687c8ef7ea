// Newton's method with its vectors on a device (newton/resident.h), on the device of the
// processors: the same item functions as on others. Answers are those of the method of the host,
// with the same bits for any number of threads, and the host goes on where the device cannot.
#include <setjmp.h>
#include <stdio.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dense.h"
#include "newton/resident_part.h"
#include "scene_make.h"
#include "strategy/strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

typedef struct Solved {
    int n, nc, resident, left, newton;
    double *v, *lambda, residual;
    CondStatus status;
} Solved;

// threads 0: by the host.
static Solved solve(const CondProblem* problem, CondLaw law, CondMultilevelUse multilevel,
                    double tolerance, int threads)
{
    CondSolverSettings settings = cond_solver_settings_default();
    CondContext context = cond_context_or_default(NULL);
    CondDevice device = cond_device_threads(NULL, threads);
    settings.tolerance = tolerance;
    settings.threads = threads > 0 ? threads : 1;
    settings.multilevel = multilevel;
    settings.law = law;
    CondStrategy* strategy = cond_solver_strategy.create(&context, &settings);
    assert_non_null(strategy);
    strategy->newton.soft.device = threads > 0 ? &device : NULL;
    Solved out = {.n = problem->n_dof,
                  .nc = problem->n_contact,
                  .v = dense_zeros((size_t)problem->n_dof),
                  .lambda = dense_zeros(3 * (size_t)problem->n_contact)};
    CondSolveInfo info;
    memset(&info, 0, sizeof info);
    out.status = cond_solver_strategy.solve(strategy, problem, out.v, out.lambda, &info);
    out.residual = cond_certificate_residual(&info.certificate);
    out.newton = info.passes;
    out.resident = strategy->newton.residence && strategy->newton.residence->n_begun > 0;
    out.left = out.resident ? strategy->newton.residence->n_left : 0;
    cond_solver_strategy.destroy(strategy);
    return out;
}

static void release(Solved* solved)
{
    free(solved->v);
    free(solved->lambda);
}

static double apart(int n, const double* a, const double* b)
{
    double most = 0.0, scale = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return scale > 0.0 ? most / scale : most;
}

static const CondProblem* assemble(Trial* trial)
{
    cond_sim_forces(trial->sim, trial->state);
    cond_sim_matrix(trial->sim);
    cond_sim_collide(trial->sim, trial->state);
    cond_sim_assemble(trial->sim, trial->state);
    return cond_sim_problem(trial->sim);
}

// The same problem by the host, and by the device with one thread and with three. Returns 1 if the
// host had to go on.
static int compare(const CondProblem* problem, CondLaw law, CondMultilevelUse multilevel,
                   double tolerance)
{
    Solved host = solve(problem, law, multilevel, tolerance, 0);
    Solved one = solve(problem, law, multilevel, tolerance, 1),
           three = solve(problem, law, multilevel, tolerance, 3);
    int left = one.left;
    if (getenv("VERBOSE"))
        printf("n %d nc %d: host %d device %d steps, left %d, apart %.2g, residual %.2g %.2g\n", one.n,
               one.nc, host.newton, one.newton, left, apart(one.n, one.v, host.v), host.residual,
               one.residual);
    assert_false(host.resident);
    if (problem->n_contact > 0)
        assert_true(one.resident);
    assert_int_equal(one.status, host.status);
    if (host.status == COND_OK)
        assert_true(one.residual <= tolerance);
    assert_true(apart(one.n, one.v, host.v) <= 1e-5);
    assert_memory_equal(one.v, three.v, (size_t)one.n * sizeof *one.v);
    assert_memory_equal(one.lambda, three.lambda, 3 * (size_t)one.nc * sizeof *one.lambda);
    release(&host);
    release(&one);
    release(&three);
    return left;
}

// Returns how often the host had to go on.
static int check(CondLaw law, double tolerance, int n_scene, int n_step)
{
    int left = 0;
    for (int k = 0; k < n_scene; k++) {
        Trial trial = trial_text(settings_text, scenes[k]);
        for (int step = 0; step < n_step; step++) {
            const CondProblem* problem = assemble(&trial);
            assert_true(problem->n_contact > 0 || k == 1);
            left += compare(problem, law, COND_MULTILEVEL_ON, tolerance);
            trial_try(&trial, 4);
        }
        trial_end(&trial);
    }
    return left;
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

// Single precision does not do: the host makes those steps.
static void the_host_goes_on(void** state)
{
    (void)state;
    assert_true(check(COND_LAW_STRICT, 1e-14, 1, 2) > 0);
}

// A scene of the project's own, some steps on. Problems with a part of each kind.
static void check_scene(const char* file, int first, int n_step)
{
    Trial trial = trial_read(file, 0, NULL);
    int left = 0;
    trial_try(&trial, first);
    for (int step = 0; step < n_step; step++) {
        const CondProblem* problem = assemble(&trial);
        assert_true(problem->n_contact > 0);
        left += compare(problem, COND_LAW_STRICT, COND_MULTILEVEL_AUTO, 1e-8);
        trial_try(&trial, 5);
    }
    assert_true(left < n_step);
    trial_end(&trial);
}

static void a_ball_in_a_gripper(void** state)
{
    (void)state;
    check_scene("ball.yaml", 62, 3);
}

static void soft_fingers_on_a_bar(void** state)
{
    (void)state;
    check_scene("gripper.yaml", 70, 3);
}

static void a_mat_held_by_an_arm(void** state)
{
    (void)state;
    check_scene("mat.yaml", 150, 3);
}

static void cloth_on_itself(void** state)
{
    (void)state;
    check_scene("drape.yaml", 150, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_host),
        cmocka_unit_test(the_proximal_law_too),
        cmocka_unit_test(the_host_goes_on),
        cmocka_unit_test(a_ball_in_a_gripper),
        cmocka_unit_test(soft_fingers_on_a_bar),
        cmocka_unit_test(a_mat_held_by_an_arm),
        cmocka_unit_test(cloth_on_itself),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
