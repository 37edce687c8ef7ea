// Newton's method on a device (newton/resident.h) for contacts on several nodes, couplings, robots
// and rigid bodies, with the preconditioners that the method chooses: answers and steps are those
// of the method on the host.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "resident_compare.h"

#include <stdlib.h>

static const char settings_text[] =
    "step: {time_step: 0.01, duration: 1, theta: 1, integrator: theta}\n"
    "materials:\n"
    "  - {name: rubber, youngs_modulus: 75e3, poisson_ratio: 0.35, density: 1070,\n"
    "     stiffness_damping: 0.005}\n";

// Some problems, from a step on. Rounding may change the way to the answer, and with it the number
// of Newton steps, where many contacts turn; on the whole it may not.
static void check(Trial trial, CondLaw law, int first, int n)
{
    int host = 0, device = 0;
    trial_try(&trial, first);
    for (int step = 0; step < n; step++) {
        const CondProblem* problem = resident_assemble(&trial);
        assert_true(problem->n_contact > 0);
        ResidentCounts counts = resident_compare(problem, law, COND_MULTILEVEL_AUTO, 1e-8);
        host += counts.host;
        device += counts.device;

        trial_try(&trial, 5);
    }

    assert_true(5 * abs(device - host) <= 2 * host);
    trial_end(&trial);
}

static void a_ball_in_a_gripper(void** state)
{
    (void)state;
    check(trial_read("ball.yaml", 0, NULL), COND_LAW_STRICT, 100, 2);
}

static void soft_fingers_on_a_bar(void** state)
{
    (void)state;
    check(trial_read("gripper.yaml", 0, NULL), COND_LAW_STRICT, 70, 1);
}

static void a_mat_held_by_an_arm(void** state)
{
    (void)state;
    check(trial_read("mat.yaml", 0, NULL), COND_LAW_STRICT, 150, 2);
}

static void cloth_on_itself(void** state)
{
    (void)state;
    check(trial_read("drape.yaml", 0, NULL), COND_LAW_STRICT, 150, 2);
}

// One slides off the other, and a rigid box lies on it.
static const char blocks[] =
    "planes:\n"
    "  - {name: floor, normal: [0, 0, 1], friction: 0.5}\n"
    "bodies:\n"
    "  - {name: low, kind: soft, mesh: \"box:12,12,5:0.1,0.1,0.04\", material: rubber,\n"
    "     position: [0, 0, 0.02], friction: 0.3}\n"
    "  - {name: high, kind: soft, mesh: \"box:10,10,5:0.08,0.08,0.04\", material: rubber,\n"
    "     position: [0.011, 0.007, 0.0602], velocity: [0.3, 0.1, -0.1], friction: 0.3}\n"
    "  - {name: box, kind: rigid, mass: 0.1, shape: {box: [0.03, 0.03, 0.02]},\n"
    "     position: [0.01, 0, 0.0902], friction: 0.2}\n";

static void soft_bodies_on_each_other(void** state)
{
    (void)state;
    check(trial_text(settings_text, blocks), COND_LAW_STRICT, 2, 1);
}

static void the_proximal_law_too(void** state)
{
    (void)state;
    check(trial_text(settings_text, blocks), COND_LAW_PROXIMAL, 2, 1);
}

// Motors that saturate at 2 N: intervals of forces among the friction cones.
static void motors_of_limited_effort(void** state)
{
    static const char* const override[] = {"bodies.gripper.joints.left.effort=2",
                                           "bodies.gripper.joints.right.effort=2"};
    (void)state;
    check(trial_read("ball.yaml", 2, override), COND_LAW_STRICT, 100, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_in_a_gripper),       cmocka_unit_test(soft_fingers_on_a_bar),
        cmocka_unit_test(a_mat_held_by_an_arm),      cmocka_unit_test(cloth_on_itself),
        cmocka_unit_test(soft_bodies_on_each_other), cmocka_unit_test(the_proximal_law_too),
        cmocka_unit_test(motors_of_limited_effort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
