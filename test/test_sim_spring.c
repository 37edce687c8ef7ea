// Springs over time, against the oscillator's closed solutions and the conservation laws.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "math/quat.h"
#include "model/model.h"
#include "model/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A particle of 0.5 kg on a spring to the world, 1 m long at rest, pulled by 0.1 m and let go.
static Trial oscillator(double theta, double t, double k, double c)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = 0.0;
    settings->theta = theta;
    settings->time_step = t;
    CondBodyDef bob = make_particle(0.5, 1.1, 0.0, 0.0);
    add_body(scene, &bob);
    CondSpringDef spring = make_spring("", "body0", k);
    spring.rest_length = 1.0;
    spring.damping = c;
    add_spring(scene, &spring);
    return trial_begin(scene);
}

// Largest deviation from exp(-d s) (x0 cos(w s) + x0 d/w sin(w s)) over one second.
static double oscillator_error(double theta, double t, double k, double c)
{
    Trial trial = oscillator(theta, t, k, c);
    double d = c / (2.0 * 0.5), w = sqrt(k / 0.5 - d * d), error = 0.0;
    for (int n = (int)(1.0 / t + 0.5); n > 0; n--) {
        trial_step(&trial, 1);
        double s = cond_state_time(trial.state);
        double x = 0.1 * exp(-d * s) * (cos(w * s) + d / w * sin(w * s));
        error = fmax(error, fabs(trial_pose(&trial, 0).position[0] - 1.0 - x));
    }
    trial_end(&trial);
    return error;
}

static void test_oscillation_has_its_order(void** state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        double c = damped ? 1.0 : 0.0;
        double coarse = oscillator_error(0.5, 2e-3, 200.0, c);
        double fine = oscillator_error(0.5, 1e-3, 200.0, c);
        assert_true(fine < 1e-4);
        assert_near(log2(coarse / fine), 2.0, 0.1);
        coarse = oscillator_error(1.0, 2e-3, 200.0, c);
        fine = oscillator_error(1.0, 1e-3, 200.0, c);
        assert_true(fine < 0.02);
        assert_near(log2(coarse / fine), 1.0, 0.2);
    }
}

// The midpoint rule keeps the energy of the linear oscillator at any step length; its frequency
// is 2/t atan(w t/2). Implicit Euler damps: each step takes the factor 1/(1 + w^2 t^2).
static void test_oscillation_energy(void** state)
{
    (void)state;
    const double k = 200.0, w2 = k / 0.5, t = 0.01;
    Trial trial = oscillator(0.5, t, k, 0.0);
    double start = 0.5 * k * 0.01;
    double angle = 2.0 * atan(0.5 * sqrt(w2) * t);
    for (int n = 1; n <= 1000; n++) {
        trial_step(&trial, 1);
        assert_near(trial.info.kinetic_after + trial.info.potential_after, start, 1e-7 * start);
        if (n <= 100)
            assert_near(trial_pose(&trial, 0).position[0], 1.0 + 0.1 * cos(n * angle), 1e-7);
    }
    trial_end(&trial);
    trial = oscillator(1.0, t, k, 0.0);
    double energy = start;
    for (int n = 0; n < 100; n++) {
        trial_step(&trial, 1);
        double now = trial.info.kinetic_after + trial.info.potential_after;
        assert_near(now, energy / (1.0 + w2 * t * t), 1e-6 * energy);
        energy = now;
    }
    trial_end(&trial);
}

// A spring far too stiff for the step stays stable at every theta and settles at theta 1.
static void test_stiff_spring_is_stable(void** state)
{
    (void)state;
    Trial trial = oscillator(0.5, 0.01, 1e8, 0.0);
    double start = 0.5 * 1e8 * 0.01;
    for (int n = 0; n < 200; n++) {
        trial_step(&trial, 1);
        assert_true(trial.info.kinetic_after + trial.info.potential_after < start * (1.0 + 1e-6));
    }
    trial_end(&trial);
    trial = oscillator(1.0, 0.01, 1e8, 0.0);
    trial_step(&trial, 20);
    assert_near(trial_pose(&trial, 0).position[0], 1.0, 1e-9);
    trial_end(&trial);
}

// A weight on a spring comes to rest m g / k below.
static void test_hanging_weight(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->theta = k ? 1.0 : 0.5;
        CondBodyDef bob = make_particle(0.5, 0.0, 0.0, -1.0);
        add_body(scene, &bob);
        CondSpringDef spring = make_spring("", "body0", 100.0);
        spring.damping = 10.0;
        add_spring(scene, &spring); // rest length: the first, 1 m
        Trial trial = trial_begin(scene);
        trial_step(&trial, 500);
        assert_near(trial_pose(&trial, 0).position[2], -1.0 - 0.5 * 9.81 / 100.0, 1e-8);
        assert_near(trial_pose(&trial, 0).velocity[2], 0.0, 1e-8);
        trial_end(&trial);
    }
}

static void total(const Trial* trial, double p[3], double L[3])
{
    for (int i = 0; i < 3; i++)
        p[i] = L[i] = 0.0;
    for (int b = 0; b < trial->model->n_body; b++) {
        const CondBody* body = &trial->model->body[b];
        CondPose pose = trial_pose(trial, b);
        double R[9], w[3], Iw[3], spin[3], orbit[3];
        quat_matrix(pose.orientation, R);
        mat3_multiply_transposed(R, pose.angular_velocity, w);
        mat3_multiply(body->inertia, w, Iw);
        mat3_multiply(R, Iw, spin);
        vec3_cross(pose.position, pose.velocity, orbit);
        for (int i = 0; i < 3; i++) {
            p[i] += body->mass * pose.velocity[i];
            L[i] += body->mass * orbit[i] + spin[i];
        }
    }
}

// Two boxes joined between corners, turning about each other. Returns the drift of L over 1 s;
// linear momentum is kept to the solver's tolerance.
static double pair_drift(double theta, double t, double rest)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = 0.0;
    settings->theta = theta;
    settings->time_step = t;
    settings->solver.tolerance = 1e-12;
    CondBodyDef a = make_box(1.0, 0.3, 0.2, 0.1, 0.5, 0.0, 0.0);
    CondBodyDef b = make_box(2.0, 0.2, 0.2, 0.4, -0.5, 0.1, 0.2);
    a.velocity[1] = 1.0;
    b.velocity[1] = -0.4;
    b.velocity[2] = 0.3;
    a.angular_velocity[0] = 1.0;
    add_body(scene, &a);
    add_body(scene, &b);
    CondSpringDef spring = make_spring("body0", "body1", 20.0);
    const double p0[3] = {-0.15, 0.1, 0.05}, p1[3] = {0.1, -0.1, 0.2};
    memcpy(spring.point[0], p0, sizeof p0);
    memcpy(spring.point[1], p1, sizeof p1);
    spring.rest_length = rest;
    spring.damping = 0.2;
    add_spring(scene, &spring);
    Trial trial = trial_begin(scene);
    double p[3], L[3], p_first[3], L_first[3], drift = 0.0;
    total(&trial, p_first, L_first);
    for (int n = (int)(1.0 / t + 0.5); n > 0; n--) {
        trial_step(&trial, 1);
        total(&trial, p, L);
        for (int i = 0; i < 3; i++) {
            assert_near(p[i], p_first[i], 1e-8);
            drift = fmax(drift, fabs(L[i] - L_first[i]));
        }
    }
    trial_end(&trial);
    return drift;
}

static void test_spring_between_bodies_conserves_momentum(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double theta = k ? 1.0 : 0.5;
        for (int pushed = 0; pushed < 2; pushed++) {
            double rest = pushed ? 1.5 : 0.2;
            double coarse = pair_drift(theta, 4e-3, rest), fine = pair_drift(theta, 2e-3, rest);
            // Forces act at the points of the start of the step: first order.
            assert_true(fine < 0.02);
            assert_near(log2(coarse / fine), 1.0, 0.1);
        }
    }
}

// A million to one: the light end follows the heavy one, and the pair falls as one.
static void test_mass_ratio(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->theta = k ? 1.0 : 0.5;
        CondBodyDef heavy = make_particle(1e3, 0.0, 0.0, 10.0);
        CondBodyDef light = make_particle(1e-3, 0.5, 0.0, 10.0);
        heavy.velocity[0] = 3.0;
        light.velocity[0] = 3.0;
        add_body(scene, &heavy);
        add_body(scene, &light);
        CondSpringDef spring = make_spring("body0", "body1", 1e4);
        add_spring(scene, &spring);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 100);
        for (int b = 0; b < 2; b++) {
            assert_near(trial_pose(&trial, b).velocity[0], 3.0, 1e-5);
            assert_near(trial_pose(&trial, b).velocity[2], -9.81, 1e-5);
        }
        assert_near(trial_pose(&trial, 1).position[0] - trial_pose(&trial, 0).position[0], 0.5,
                    1e-6);
        trial_end(&trial);
    }
}

// Two sliders hang on l = z0 + 2 z1 - 0.03: their masses m swing as one with 1/m = 1/m0 + 4/m1.
static Trial sliders(const double m[2], double k, double c, double start, double t)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = 0.0;
    settings->time_step = t;
    for (int i = 0; i < 2; i++) {
        const char* urdf = i ? "slider1.urdf" : "slider0.urdf";
        write_slider(urdf, m[i], 0.1);
        CondBodyDef robot = make_robot(i ? "b" : "a", urdf);
        robot.position[0] = i;
        add_body(scene, &robot);
    }
    CondSpringDef spring = make_spring("a", "b", k);
    strcpy(spring.joint[0], "slide");
    strcpy(spring.joint[1], "slide");
    spring.ratio[1] = 2.0;
    spring.damping = c;
    spring.rest_length = start;
    add_spring(scene, &spring);
    return trial_begin(scene);
}

static void test_between_joints(void** state)
{
    (void)state;
    const double m[2] = {1.5, 0.8}, k = 60.0, rest = -0.03;
    for (int damped = 0; damped < 2; damped++) {
        double c = damped ? 0.5 : 0.0, mass = 1.0 / (1.0 / m[0] + 4.0 / m[1]);
        double d = c / (2.0 * mass), w = sqrt(k / mass - d * d);
        Trial t = sliders(m, k, c, rest, 1e-3);
        double first = 0.5 * k * rest * rest;
        for (int n = 1; n <= 1000; n++) {
            trial_step(&t, 1);
            double s = 1e-3 * n, stretch = -rest * exp(-d * s) * (cos(w * s) + d / w * sin(w * s));
            const double* q = t.state->q;
            assert_near(q[0] + 2.0 * q[1] - rest, stretch, 2e-5);
            assert_near(m[0] * q[0], 0.5 * m[1] * q[1], 1e-9); // forces are 1 to 2
            if (!damped)
                assert_near(trial_energy(&t), first, 1e-9 * first);
        }
        trial_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oscillation_has_its_order),
        cmocka_unit_test(test_oscillation_energy),
        cmocka_unit_test(test_stiff_spring_is_stable),
        cmocka_unit_test(test_hanging_weight),
        cmocka_unit_test(test_spring_between_bodies_conserves_momentum),
        cmocka_unit_test(test_mass_ratio),
        cmocka_unit_test(test_between_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
