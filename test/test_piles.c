// The scenes of piles end as they should: dominoes fall in their order, the arm has the jar.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// How far a body leans, from the cosine of its z axis with the vertical [rad].
static double lean(const Trial* trial, int body)
{
    const double* q = trial_pose(trial, body).orientation;
    return acos(fmin(1.0, 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])));
}

// A row as in scenes/dominoes.yaml: each leans by 0.1 rad later than the one before, and all do.
static void test_dominoes_fall_in_order(void** state)
{
    enum { N = 8, STEPS = 260 };
    char text[2048];
    int at = snprintf(text, sizeof text,
                      "planes: [{name: floor, friction: 0.6}]\n"
                      "forces: [{body: d0, point: [0, 0, 0.02], force: [0.1, 0, 0], end: 0.05}]\n"
                      "bodies:\n");
    for (int k = 0; k < N; k++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: d%d, mass: 0.01, shape: {box: [0.008, 0.024, 0.048]},\n"
                       "     position: [%g, 0, 0.024], friction: 0.2}\n",
                       k, 0.024 * k);
    Trial trial = trial_text("step: {time_step: 0.002}\nsolver: {tolerance: 1.0e-6}\n", text);
    int fallen = 0;
    (void)state;
    for (int step = 0; step < STEPS; step++) {
        trial_step(&trial, 1);
        while (fallen < N && lean(&trial, fallen) > 0.1)
            fallen++;
        for (int k = fallen; k < N; k++)
            assert_true(lean(&trial, k) <= 0.1);
    }
    assert_int_equal(fallen, N);
    trial_end(&trial);
}

// The jar stands beside the box, where the arm has put it.
static void test_kitchen(void** state)
{
    (void)state;
    Trial trial = trial_read("kitchen.yaml", 0, NULL);
    int jar = cond_model_find_body(trial.model, "jar");
    trial_step(&trial, 460); // in the air
    assert_true(trial_pose(&trial, jar).position[2] > 0.15);
    trial_step(&trial, 440);
    CondPose pose = trial_pose(&trial, jar);
    assert_near(pose.position[0], 0.42, 0.005);
    assert_near(pose.position[1], 0.36, 0.005);
    assert_near(pose.position[2], 0.03, 1e-4);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dominoes_fall_in_order),
        cmocka_unit_test(test_kitchen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
