// Multiple impacts by both laws, against sequences of pairs computed here, and restitution in
// general: rebound speeds, energy that never grows, rest without jitter.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BALL = 8, MAX_TEXT = 4096 };

// Balls of radius 5 cm in a row along x that touch.
typedef struct Row {
    int n;
    double mass[MAX_BALL], speed[MAX_BALL], restitution; // the same for all
    double friction;
    int floor; // 1: they stand on one, without restitution
    int wall;  // 1: the last one touches a wall
} Row;

static Trial row_begin(const Row* row, const char* law, double theta)
{
    char settings[256], text[MAX_TEXT];
    snprintf(settings, sizeof settings,
             "gravity: [0, 0, %g]\nstep: {time_step: 0.001, impact: %s, theta: %g}\n"
             "solver: {threads: 1}\n",
             row->floor ? -9.81 : 0.0, law, theta);
    int at = snprintf(text, sizeof text, "planes:\n");
    at += snprintf(text + at, sizeof text - (size_t)at,
                   row->floor ? "  - {name: floor, friction: %g, restitution: 0}\n"
                              : "  - {name: far, offset: -10, friction: %g}\n",
                   row->friction);
    if (row->wall)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: wall, normal: [-1, 0, 0], offset: %.17g, restitution: 1}\n",
                       -0.1 * (row->n - 1) - 0.05);
    at += snprintf(text + at, sizeof text - (size_t)at, "bodies:\n");
    for (int i = 0; i < row->n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: b%d, mass: %.17g, shape: {sphere: 0.05}, position: [%.17g, 0, "
                       "0.05], velocity: [%.17g, 0, 0], restitution: %.17g, friction: %g}\n",
                       i, row->mass[i], 0.1 * i, row->speed[i], row->floor ? 1.0 : row->restitution,
                       row->friction);
    return trial_text(settings, text);
}

// Speed at which ball i approaches the next one, or the wall.
static double closing(const Row* row, const double* v, int i)
{
    if (i < 0 || i >= row->n - 1 + row->wall)
        return 0.0;
    return v[i] - (i + 1 < row->n ? v[i + 1] : 0.0);
}

// One impact, with the speeds before it.
static void collide(const Row* row, const double* before, int i, double* v)
{
    double m = row->mass[i], M = i + 1 < row->n ? row->mass[i + 1] : INFINITY;
    double impulse = (1.0 + row->restitution) * closing(row, before, i) / (1.0 / m + 1.0 / M);
    v[i] -= impulse / m;
    if (i + 1 < row->n)
        v[i + 1] += impulse / M;
}

// The sequence of impacts along a line: those first that are faster than their neighbours.
static void sequence(const Row* row, double* v)
{
    memcpy(v, row->speed, sizeof row->speed);
    for (int count = 0; count < 10000; count++) {
        double before[MAX_BALL];
        int any = 0;
        memcpy(before, v, sizeof before);
        for (int i = 0; i < row->n; i++) {
            double speed = closing(row, before, i);
            if (speed > 1e-8 && speed > closing(row, before, i - 1) &&
                speed >= closing(row, before, i + 1)) {
                collide(row, before, i, v);
                any = 1;
            }
        }
        if (!any)
            return;
    }
    fail();
}

static void expect_row(const Row* row, const char* law, double theta, const double* expected,
                       double tolerance)
{
    Trial trial = row_begin(row, law, theta);
    trial_step(&trial, 1);
    for (int i = 0; i < row->n; i++)
        assert_near(trial_pose(&trial, i).velocity[0], expected[i], tolerance);
    assert_true(trial.info.kinetic_after <= trial.info.kinetic_before * (1.0 + 1e-7));
    trial_end(&trial);
}

// Newton's cradle, three balls: -1/3, 2/3, 2/3 at once; 0, 0, 1 one after the other.
static void test_cradle(void** state)
{
    (void)state;
    Row row = {.n = 3, .mass = {1, 1, 1}, .speed = {1, 0, 0}, .restitution = 1.0};
    const double at_once[3] = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, one_by_one[3] = {0, 0, 1};
    for (int half = 0; half < 2; half++) {
        double theta = half ? 0.5 : 1.0;
        expect_row(&row, "simultaneous", theta, at_once, 1e-7);
        expect_row(&row, "true", theta, one_by_one, 1e-7);
        expect_row(&row, "sequential", theta, one_by_one, 1e-7);
    }
}

// Of five balls as many leave as came; so they do on a floor with friction, but for what it takes.
static void test_long_cradle(void** state)
{
    (void)state;
    for (int came = 1; came <= 3; came++) {
        Row row = {.n = 5, .mass = {1, 1, 1, 1, 1}, .restitution = 1.0};
        double expected[5] = {0};
        for (int i = 0; i < came; i++)
            row.speed[i] = expected[4 - i] = 1.0;
        expect_row(&row, "sequential", 1.0, expected, 1e-7);
        row.floor = 1;
        row.friction = 0.1; // between the balls too: they slip on each other as they part
        expect_row(&row, "sequential", 1.0, expected, 0.02);
    }
}

static void test_sequences_of_pairs(void** state)
{
    (void)state;
    Dice dice = {11};
    for (int round = 0; round < 40; round++) {
        Row row = {.n = 2 + round % 5, .restitution = round % 3 ? dice_uniform(&dice, 0, 1) : 1.0};
        double expected[MAX_BALL];
        for (int i = 0; i < row.n; i++) {
            row.mass[i] = exp(dice_uniform(&dice, -1.5, 1.5));
            row.speed[i] = dice_uniform(&dice, -1.0, 1.0) - 0.3 * i;
        }
        sequence(&row, expected);
        expect_row(&row, "sequential", round % 2 ? 0.5 : 1.0, expected, 1e-5);
    }
}

// A heavy ball drives a light one against a wall: the number of impacts has the digits of pi, 31
// for a ratio of 100, and the heavy one leaves with almost its speed.
static void test_many_impacts(void** state)
{
    (void)state;
    Row row = {.n = 2, .mass = {100, 1}, .speed = {1, 0}, .restitution = 1.0, .wall = 1};
    double expected[MAX_BALL];
    sequence(&row, expected);
    assert_true(expected[0] < -0.9);
    expect_row(&row, "sequential", 1.0, expected, 1e-5);
}

// What is symmetric stays so: a ball that falls on two, a box that falls flat.
static void test_symmetry(void** state)
{
    (void)state;
    const char* settings = "gravity: [0, 0, 0]\nstep: {time_step: 0.001, impact: sequential}\n";
    Trial trial = trial_text(
        settings,
        "bodies:\n"
        "  - {name: a, mass: 1, shape: {sphere: 0.05}, position: [-0.05, 0, 0], restitution: 1}\n"
        "  - {name: b, mass: 1, shape: {sphere: 0.05}, position: [0.05, 0, 0], restitution: 1}\n"
        "  - {name: c, mass: 1, shape: {sphere: 0.05}, position: [0, 0, 0.0866025403784439], "
        "velocity: [0, 0, -1], restitution: 1}\n");
    trial_step(&trial, 1);
    CondPose a = trial_pose(&trial, 0), b = trial_pose(&trial, 1), c = trial_pose(&trial, 2);
    assert_near(a.velocity[0], -b.velocity[0], 1e-9);
    assert_near(a.velocity[2], b.velocity[2], 1e-9);
    assert_near(c.velocity[0], 0.0, 1e-9);
    trial_end(&trial);
    trial = trial_text(settings, "planes: [{name: floor, friction: 0.3, restitution: 0.5}]\n"
                                 "bodies: [{name: a, mass: 1, shape: {box: [0.2, 0.3, 0.1]}, "
                                 "position: [0, 0, 0.05], velocity: [0, 0, -1]}]\n");
    trial_step(&trial, 1);
    a = trial_pose(&trial, 0);
    assert_near(a.velocity[2], 0.5, 1e-7);
    for (int k = 0; k < 3; k++)
        assert_near(a.angular_velocity[k], 0.0, 1e-7);
    trial_end(&trial);
}

// Boxes thrown at the floor askew, with friction, where Newton's law alone may gain energy.
static void test_energy_never_grows(void** state)
{
    (void)state;
    Dice dice = {5};
    for (int round = 0; round < 60; round++) {
        char text[512], settings[256];
        snprintf(settings, sizeof settings,
                 "gravity: [0, 0, 0]\nsolver: {threads: 1}\n"
                 "step: {time_step: 0.001, impact: %s, theta: %g}\n",
                 round % 2 ? "sequential" : "simultaneous", round % 4 < 2 ? 0.5 : 1.0);
        snprintf(text, sizeof text,
                 "planes: [{name: floor, friction: %.3g, restitution: %.3g}]\n"
                 "bodies: [{name: a, mass: 1, shape: {box: [0.6, 0.04, 0.04]}, position: [0, 0, "
                 "0.35], velocity: [%.3g, 0, -3], rotation: {axis: [0, 1, 0], degrees: %.4g}}]\n",
                 dice_uniform(&dice, 0.1, 2.0), dice_uniform(&dice, 0.3, 1.0),
                 dice_uniform(&dice, -4.0, 4.0), dice_uniform(&dice, 10.0, 80.0));
        Trial trial = trial_text(settings, text);
        for (int i = 0; i < 100; i++) {
            trial_step(&trial, 1);
            assert_true(trial.info.kinetic_after <= trial.info.kinetic_before * (1.0 + 1e-6));
        }
        trial_end(&trial);
    }
}

// Dropped with restitution e it leaves with e times the speed at which it arrives; with e = 1 a
// hundred bounces do not raise its energy; and it comes to rest, where it stays.
static void test_restitution(void** state)
{
    (void)state;
    const char* shapes[] = {"sphere: 0.05", "box: [0.1, 0.1, 0.1]"};
    const double es[] = {0.0, 0.3, 0.5, 1.0}, steps[] = {0.001, 0.005, 0.01};
    for (int k = 0; k < 2 * 4 * 3 * 2 * 2; k++) {
        double e = es[k / 2 % 4], t = steps[k / 8 % 3], theta = k / 24 % 2 ? 0.5 : 1.0;
        char settings[256], text[256];
        snprintf(settings, sizeof settings,
                 "step: {time_step: %g, theta: %g, impact: %s}\nsolver: {threads: 1}\n", t, theta,
                 k / 48 ? "sequential" : "simultaneous");
        snprintf(text, sizeof text,
                 "planes: [{name: floor, restitution: %g, friction: 0.3}]\n"
                 "bodies: [{name: a, mass: 1, shape: {%s}, position: [0, 0, 0.15]}]\n",
                 e, shapes[k % 2]);
        Trial trial = trial_text(settings, text);
        double before = 0.0, height = 0.15, start = NAN;
        int bounces = 0, most = e == 1.0 && t == 0.001 && theta == 0.5 ? 100 : 1;
        for (int i = 0; i < 40000 && bounces < most; i++) {
            trial_step(&trial, 1);
            if (i == 0)
                start = trial.info.kinetic_before + trial.info.potential_before;
            double energy = trial.info.kinetic_after + trial.info.potential_after;
            double after = trial_pose(&trial, 0).velocity[2];
            assert_true(energy <= start * (1.0 + 1e-8)); // of all bounces together
            if (before < 0.0 && after > before + 1e-3) { // landed
                double arrives = sqrt(before * before + 2.0 * 9.81 * (height - 0.05));
                assert_near(after, e * arrives, e > 0.0 ? 1e-6 * arrives : arrives);
                bounces++;
            }
            before = after;
            height = trial_pose(&trial, 0).position[2];
        }
        assert_int_equal(bounces, most);
        trial_end(&trial);
    }
}

static void test_rest_without_jitter(void** state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        char settings[256];
        snprintf(settings, sizeof settings,
                 "step: {time_step: %g, theta: %g, impact: %s}\nsolver: {threads: 1}\n",
                 k % 2 ? 0.001 : 0.01, k / 2 % 2 ? 0.5 : 1.0, k / 4 ? "sequential" : "true");
        Trial trial = trial_text(
            settings, "planes: [{name: floor, restitution: 0.8, friction: 0.3}]\n"
                      "bodies:\n"
                      "  - {name: a, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, "
                      "0.05]}\n"
                      "  - {name: b, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [0.01, 0, "
                      "0.15], restitution: 0.8, friction: 0.3}\n");
        for (int i = 0; i < 100; i++) {
            trial_step(&trial, 1);
            for (int b = 0; b < 2; b++) {
                CondPose pose = trial_pose(&trial, b);
                assert_near(pose.position[2], 0.05 + 0.1 * b, 1e-8);
                assert_near(pose.velocity[2], 0.0, 1e-7);
            }
        }
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_long_cradle),
        cmocka_unit_test(test_sequences_of_pairs),
        cmocka_unit_test(test_many_impacts),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_energy_never_grows),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_rest_without_jitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
