// Bodies on common ground: how one moves is not a matter of what else stands there, also where the
// ground moves as it is told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "math/quat.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Trial begin(double t, const char* text)
{
    char settings[60];
    snprintf(settings, sizeof settings, "step: {time_step: %.17g}\n", t);
    return trial_text(settings, text);
}

// A disc on its rim at 30 degrees whose centre rests (test_precession.c), on a table of 500 kg.
#define MATERIAL                                                                                   \
    "materials: [{name: rubber, youngs_modulus: 1.0e+5, poisson_ratio: 0.3, density: 1000, "       \
    "stiffness_damping: 0.01}]\n"
#define DISC                                                                                       \
    MATERIAL                                                                                       \
    "planes: [{name: floor, friction: 5, offset: -0.2}]\n"                                         \
    "bodies:\n"                                                                                    \
    "  - {name: disc, mass: 1, shape: {cylinder: [0.1, 0.01]}, position: "                         \
    "[0, 0, 0.0543301270189], rotation: {axis: [0, 1, 0], degrees: 30}, angular_velocity: "        \
    "[-11.9383556905, 0, 7.71236166327], friction: 5}\n"                                           \
    "  - {name: table, mass: 500, shape: {box: [4, 1, 0.2]}, position: [0, 0, -0.1], friction: "   \
    "5}\n"
#define CUBE                                                                                       \
    "  - {name: cube, kind: soft, mesh: \"box:2,2,2:0.1,0.1,0.1\", position: [1.5, 0, 0.051], "    \
    "material: rubber, friction: 5}\n"
#define HEAP                                                                                       \
    "  - {name: a, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [1.5, 0, 0.05]}\n"            \
    "  - {name: b, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [1.53, 0.02, 0.3]}\n"
#define ROBOT                                                                                      \
    "  - {name: r, kind: robot, floating: true, position: [1.5, 0, 0.1], friction: 1, links: "     \
    "[{name: base, mass: 2, inertia: [0.01, 0.01, 0.01], shapes: [{box: [0.2, 0.2, 0.2]}]}, "      \
    "{name: arm, parent: base, mass: 1, inertia: [0.01, 0.01, 0.01], joint: {name: arm, kind: "    \
    "continuous, axis: [0, 0, 1], position: [0, 0, 0.2]}}], joints: [{name: arm, stiffness: "      \
    "100, damping: 5}]}\n"

// The heading of the disc's axis after half a second: it turns by 28.4 rad/s.
static double heading(const char* text, double t)
{
    Trial trial = begin(t, text);
    double turned = 0.0, before = 0.0, R[9];
    for (int k = 0; k < (int)(0.5 / t + 0.5); k++) {
        trial_step(&trial, 1);
        quat_matrix(trial_pose(&trial, 0).orientation, R);
        double now = atan2(R[5], R[2]);
        turned += remainder(now - before, 2.0 * acos(-1.0));
        before = now;
    }
    assert_near(acos(R[8]), acos(-1.0) / 6.0, 1e-3); // the tilt
    trial_end(&trial);
    return turned;
}

static void test_neighbours(void** state)
{
    (void)state;
    static const char* const texts[] = {DISC CUBE, DISC HEAP, DISC ROBOT};
    double alone = heading(DISC, 5e-3);
    assert_near(alone, 14.195, 5e-3);
    for (int k = 0; k < 3; k++)
        assert_near(heading(texts[k], 5e-3), alone, 2e-4);
}

static double place_after(const char* text, int body, double t, double seconds)
{
    Trial trial = begin(t, text);
    trial_step(&trial, (int)(seconds / t + 0.5));
    double x = trial_pose(&trial, body).position[0];
    trial_end(&trial);
    return x;
}

// A ball on a turntable runs in a circle at 2/7 of its rate, 4 rad/s.
static void test_turntable(void** state)
{
    (void)state;
    static const char table[] =
        "bodies:\n"
        "  - {name: table, mass: 20, shape: {cylinder: [0.8, 0.1]}, position: [0, 0, -0.05], "
        "friction: 1}\n"
        "  - {name: ball, mass: 0.5, shape: {sphere: 0.05}, position: [0.2, 0, 0.05], velocity: "
        "[0, 0.1, 0], angular_velocity: [14, 0, 0], friction: 1}\n"
        "trajectories: [{name: turn, spin: [0, 0, 4], waypoints: [{time: 0, position: "
        "[0, 0, -0.05]}]}]\n"
        "attachments: [{name: drive, from: {body: table}, to: {trajectory: turn}, stiffness: "
        ".inf}]\n";
    double rate = 8.0 / 7.0, radius = 0.1 / rate, x = 0.2 - radius + radius * cos(2.0 * rate);
    double coarse = place_after(table, 1, 10e-3, 2.0) - x,
           fine = place_after(table, 1, 5e-3, 2.0) - x;
    assert_near(fine, 0.0, 3e-5);
    assert_true(fabs(fine) < 0.3 * fabs(coarse));
}

// A box on a belt slides by mu g until it has its speed; the belt is a plate that moves.
static void test_belt(void** state)
{
    (void)state;
    static const char belt[] =
        "bodies:\n"
        "  - {name: belt, mass: 20, shape: {box: [6, 0.6, 0.1]}, position: [0, 0, -0.05], "
        "friction: 0.3}\n"
        "  - {name: box, mass: 1, shape: {box: [0.2, 0.2, 0.1]}, position: [0, 0, 0.05], "
        "friction: 0.3}\n"
        "trajectories: [{name: run, velocity: [1, 0, 0], waypoints: [{time: 0, position: "
        "[0, 0, -0.05]}]}]\n"
        "attachments: [{name: drive, from: {body: belt}, to: {trajectory: run}, stiffness: "
        ".inf}]\n";
    double slides = 1.0 / (0.3 * 9.81);
    for (int k = 0; k < 2; k++)
        assert_near(place_after(belt, 1, k ? 5e-3 : 2e-3, 0.8), 0.8 - 0.5 * slides, 1e-6);
}

// A box pressed against a plate 200 times as heavy slides on it: what one gets the other gives.
static void test_momentum(void** state)
{
    (void)state;
    Trial trial = begin(5e-3, "gravity: [0, 0, 0]\n"
                              "bodies:\n"
                              "  - {name: plate, mass: 200, shape: {box: [4, 4, 0.2]}, position: "
                              "[0, 0, -0.1], friction: 0.4}\n"
                              "  - {name: box, mass: 1, shape: {box: [0.2, 0.2, 0.1]}, position: "
                              "[-0.5, 0, 0.05], velocity: [1, 0, 0], angular_velocity: [0, 0, 3], "
                              "friction: 0.4}\n"
                              "forces:\n"
                              "  - {body: box, force: [0, 0, -10]}\n"
                              "  - {body: plate, force: [0, 0, 10]}\n");
    for (int k = 0; k < 40; k++) {
        trial_step(&trial, 1);
        CondPose plate = trial_pose(&trial, 0), box = trial_pose(&trial, 1);
        assert_near(200.0 * plate.velocity[0] + box.velocity[0], 1.0, 1e-6);
        assert_near(200.0 * plate.velocity[2] + box.velocity[2], 0.0, 1e-6);
        assert_near(box.velocity[0], 1.0 - 0.4 * 10.0 * 5e-3 * (k + 1), 0.1);
    }
    trial_end(&trial);
}

// A robot stands on the floor; a motor holds its arm, and a pendulum swings on it without damping.
// Its angle after 3 s is that of a converged run of scenes/motion, which cond bench motion
// measures.
static void test_standing_robot(void** state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        const char* const step[] = {k ? "step.time_step=0.005" : "step.time_step=0.01"};
        Trial trial = trial_read("motion/robot_pendulum.yaml", 1, step);
        trial_step(&trial, 1);
        double before = trial.info.kinetic_before + trial.info.potential_before;
        trial_step(&trial, (k ? 600 : 300) - 1);
        error[k] = trial.state->q[8] + 0.980095237419;
        double gained = trial.info.kinetic_after + trial.info.potential_after - before;
        assert_true(gained < 1e-9 && gained > -1e-2);
        trial_end(&trial);
    }
    assert_near(error[1], 0.0, 5e-4);
    assert_true(fabs(error[1]) < 0.3 * fabs(error[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours),     cmocka_unit_test(test_turntable),
        cmocka_unit_test(test_belt),           cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_standing_robot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
