// Time stepping without contact, against closed solutions: fall, tumbling, forces, springs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "math/quat.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double THETAS[] = {0.5, 0.75, 1.0};

static CondScene* weightless(double theta, double time_step)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = 0.0;
    settings->theta = theta;
    settings->time_step = time_step;
    return scene;
}

// x = x0 + v0 T + g T^2/2 + g T t (theta - 1/2): exact at the midpoint, first order elsewhere.
static void test_free_fall(void** state)
{
    (void)state;
    const double t = 0.01, T = 1.0, g[3] = {0.5, 0.0, -9.81}, v0[3] = {1.0, 2.0, 3.0};
    for (int k = 0; k < 3; k++) {
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->theta = THETAS[k];
        memcpy(cond_scene_settings(scene)->gravity, g, sizeof g);
        CondBodyDef box = make_box(2.0, 0.3, 0.2, 0.1, 4.0, 5.0, 6.0);
        CondBodyDef particle = make_particle(0.1, 14.0, 5.0, 6.0); // out of the box's way
        memcpy(box.velocity, v0, sizeof v0);
        memcpy(particle.velocity, v0, sizeof v0);
        add_body(scene, &box);
        add_body(scene, &particle);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 100);
        assert_near(cond_state_time(trial.state), T, 1e-15);
        for (int b = 0; b < 2; b++) {
            CondPose pose = trial_pose(&trial, b);
            for (int i = 0; i < 3; i++) {
                const CondBodyDef* def = b ? &particle : &box;
                double x = def->position[i] + v0[i] * T + 0.5 * g[i] * T * T +
                           g[i] * T * t * (THETAS[k] - 0.5);
                assert_near(pose.position[i], x, 1e-12);
                assert_near(pose.velocity[i], v0[i] + g[i] * T, 1e-12);
            }
        }
        trial_end(&trial);
    }
}

// A body that moves fast must still feel a small force: momentum may not be lost because the
// change of one step is small beside the momentum that is there.
static void test_small_force_on_a_fast_body(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        CondScene* scene = weightless(THETAS[k], 1e-4);
        CondBodyDef fast = make_particle(1.0, 0.0, 0.0, 0.0);
        fast.velocity[0] = 100.0;
        add_body(scene, &fast);
        CondForceDef force = cond_force_def_default();
        snprintf(force.body, sizeof force.body, "body0");
        force.force[1] = 1e-3; // 1e-9 of the momentum in a step
        add_force(scene, &force);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 1000);
        assert_near(trial_pose(&trial, 0).velocity[1], 1e-4, 1e-8 * 1e-4);
        trial_end(&trial);
    }
}

// A heavy fast body must not hide what happens to a light one beside it.
static void test_light_body_beside_a_heavy_one(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        CondScene* scene = weightless(THETAS[k], 1e-3);
        CondBodyDef heavy = make_particle(1e4, 0.0, 0.0, 0.0);
        CondBodyDef light = make_particle(1e-3, 0.0, 0.0, 0.0);
        heavy.velocity[0] = 1000.0;
        add_body(scene, &heavy);
        add_body(scene, &light);
        CondForceDef force = cond_force_def_default();
        snprintf(force.body, sizeof force.body, "body1");
        force.force[2] = -9.81e-3;
        add_force(scene, &force);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 100);
        assert_near(trial_pose(&trial, 1).velocity[2], -0.981, 1e-8);
        trial_end(&trial);
    }
}

static CondBodyDef asymmetric(void)
{
    CondBodyDef def = cond_body_def_default();
    const double inertia[6] = {0.1, 0.2, 0.28, 0.01, -0.02, 0.015}, w[3] = {0.1, 3.0, 0.2};
    def.mass = 1.0;
    def.inertia_from_shape = 0;
    memcpy(def.inertia, inertia, sizeof inertia);
    memcpy(def.angular_velocity, w, sizeof w); // about the middle axis: it tumbles
    make_turn(1.0, 2.0, 3.0, 0.7, def.orientation);
    return def;
}

// Angular momentum about the origin, and with it R I w of the spin, in world axes.
static void angular_momentum(const Trial* trial, int b, double L[3])
{
    const CondBody* body = &trial->model->body[b];
    CondPose pose = trial_pose(trial, b);
    double R[9], w[3], Iw[3];
    vec3_cross(pose.position, pose.velocity, L);
    for (int i = 0; i < 3; i++)
        L[i] *= body->mass;
    if (body->kind == COND_BODY_PARTICLE)
        return;
    quat_matrix(pose.orientation, R);
    mat3_multiply_transposed(R, pose.angular_velocity, w);
    mat3_multiply(body->inertia, w, Iw);
    mat3_multiply(R, Iw, w);
    for (int i = 0; i < 3; i++)
        L[i] += w[i];
}

// Error of the world angular momentum after 5 s of tumbling.
static double tumble(double theta, double t)
{
    CondScene* scene = weightless(theta, t);
    CondBodyDef def = asymmetric();
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    double L0[3], L[3], error = 0.0, energy = -1.0;
    angular_momentum(&trial, 0, L0);
    for (int k = (int)(5.0 / t + 0.5); k > 0; k--) {
        trial_step(&trial, 1);
        energy = energy < 0.0 ? trial.info.kinetic_before : energy;
        assert_near(trial.info.kinetic_after, energy, 1e-12 * energy);
        angular_momentum(&trial, 0, L);
        assert_near(vec3_norm(L), vec3_norm(L0), 1e-12);
        for (int i = 0; i < 3; i++)
            error = fmax(error, fabs(L[i] - L0[i]));
    }
    trial_end(&trial);
    return error;
}

// Energy and |L| are kept at every theta; the direction of L in the world to the second order at
// the midpoint, to the first elsewhere.
static void test_tumbling(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double coarse = tumble(THETAS[k], 0.01), fine = tumble(THETAS[k], 0.005);
        double order = log2(coarse / fine);
        assert_true(coarse < (k == 0 ? 1e-3 : 0.2));
        assert_near(order, k == 0 ? 2.0 : 1.0, 0.15);
    }
}

// A symmetric body turns about its angular momentum with the rate |L| / I1.
static void test_free_precession(void** state)
{
    (void)state;
    const double I1 = 0.2, I3 = 0.3, pi = acos(-1.0);
    CondScene* scene = weightless(0.5, 1e-3);
    CondBodyDef def = cond_body_def_default();
    const double inertia[6] = {I1, I1, I3, 0.0, 0.0, 0.0}, w[3] = {1.0, 0.0, 4.0};
    def.mass = 1.0;
    def.inertia_from_shape = 0;
    memcpy(def.inertia, inertia, sizeof inertia);
    memcpy(def.angular_velocity, w, sizeof w);
    add_body(scene, &def);
    Trial trial = trial_begin(scene);
    double L[3] = {I1 * w[0], 0.0, I3 * w[2]};
    double period = 2.0 * pi * I1 / vec3_norm(L);
    int n = (int)(period / 1e-3 + 0.5);
    trial_step(&trial, n);
    double R[9], rest = (period - n * 1e-3) / period * 2.0 * pi;
    quat_matrix(trial_pose(&trial, 0).orientation, R);
    // After a period the axis of symmetry is back, up to what the rounding to whole steps leaves.
    assert_near(R[2], 0.0, 1e-6);
    assert_near(R[5], rest * L[0] / vec3_norm(L), 1e-6);
    assert_near(R[8], 1.0, 1e-6);
    trial_end(&trial);
}

// The steady precession of a top. A force -F at the point l e3 of the axis of symmetry makes the
// torque of a heavy top about the centre of mass; with the axis at the angle a from the vertical
// and the total spin w3 about it, F l = P (I3 w3 - I1 P cos a) holds in steady precession at P.
static double top_error(double theta, double t)
{
    const double I1 = 0.2, I3 = 0.3, P = 0.8, w3 = 30.0, a = 0.6, l = 0.5;
    CondScene* scene = weightless(theta, t);
    CondBodyDef def = cond_body_def_default();
    const double inertia[6] = {I1, I1, I3, 0.0, 0.0, 0.0};
    double spin = w3 - P * cos(a);
    def.mass = 1.0;
    def.inertia_from_shape = 0;
    memcpy(def.inertia, inertia, sizeof inertia);
    make_turn(0.0, 1.0, 0.0, a, def.orientation); // e3 = (sin a, 0, cos a)
    def.angular_velocity[0] = spin * sin(a);
    def.angular_velocity[2] = P + spin * cos(a);
    add_body(scene, &def);
    CondForceDef force = cond_force_def_default();
    snprintf(force.body, sizeof force.body, "body0");
    force.force[2] = -P * (I3 * w3 - I1 * P * cos(a)) / l;
    force.point[2] = l;
    add_force(scene, &force);
    Trial trial = trial_begin(scene);
    double error = 0.0;
    for (int k = (int)(2.0 / t + 0.5); k > 0; k--) {
        trial_step(&trial, 1);
        double R[9], angle = P * cond_state_time(trial.state);
        double e3[3] = {sin(a) * cos(angle), sin(a) * sin(angle), cos(a)};
        quat_matrix(trial_pose(&trial, 0).orientation, R);
        for (int i = 0; i < 3; i++)
            error = fmax(error, fabs(R[3 * i + 2] - e3[i]));
    }
    trial_end(&trial);
    return error;
}

static void test_precession_of_a_top(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double coarse = top_error(THETAS[k], 2e-3), fine = top_error(THETAS[k], 1e-3);
        // The torque is taken at the start of the step, where the spin has turned the body by w t:
        // first order at any theta.
        assert_true(fine < 0.01);
        assert_near(log2(coarse / fine), 1.0, 0.1);
    }
}

// Forces act from start to end, at their point, and a torque turns about the centre.
static void test_force_spans(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        CondScene* scene = weightless(THETAS[k], 0.01);
        CondBodyDef box = make_box(2.0, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0);
        CondBodyDef particle = make_particle(0.5, 1.0, 0.0, 0.0);
        add_body(scene, &box);
        add_body(scene, &particle);
        CondForceDef force = cond_force_def_default();
        snprintf(force.body, sizeof force.body, "body0");
        force.force[0] = 4.0;
        force.start = 0.1;
        force.end = 0.4; // 30 steps
        add_force(scene, &force);
        snprintf(force.body, sizeof force.body, "body1");
        force.force[0] = 0.0;
        force.force[1] = 3.0;
        force.start = 0.0;
        force.end = INFINITY;
        add_force(scene, &force);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 10);
        assert_near(trial_pose(&trial, 0).velocity[0], 0.0, 1e-15);
        trial_step(&trial, 90);
        CondPose pose = trial_pose(&trial, 0);
        assert_near(pose.velocity[0], 4.0 / 2.0 * 0.3, 1e-13);
        assert_near(pose.position[0], 0.5 * 2.0 * 0.09 + 0.6 * 0.6 + 0.6 * 0.01 * (THETAS[k] - 0.5),
                    1e-13);
        assert_near(trial_pose(&trial, 1).velocity[1], 6.0, 1e-12);
        assert_near(trial_pose(&trial, 1).position[1], 3.0 + 6.0 * 0.01 * (THETAS[k] - 0.5), 1e-12);
        trial_end(&trial);
    }
}

static void test_constant_torque_and_offset_force(void** state)
{
    (void)state;
    const double I3 = 2.0 / 12.0 * (0.3 * 0.3 + 0.2 * 0.2);
    for (int k = 0; k < 3; k++) {
        CondScene* scene = weightless(THETAS[k], 0.01);
        CondBodyDef box = make_box(2.0, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0);
        box.position[1] = 5.0;
        add_body(scene, &box);
        box.position[1] = 0.0;
        add_body(scene, &box);
        CondForceDef force = cond_force_def_default();
        snprintf(force.body, sizeof force.body, "body0");
        force.torque[2] = 0.05;
        add_force(scene, &force);
        // One step with a force off the centre: v = t F/m, w = t (r x F)/I.
        CondForceDef push = cond_force_def_default();
        snprintf(push.body, sizeof push.body, "body1");
        push.force[1] = 10.0;
        push.point[0] = 0.15;
        push.end = 0.01;
        add_force(scene, &push);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 1);
        assert_near(trial_pose(&trial, 1).velocity[1], 0.01 * 10.0 / 2.0, 1e-15);
        assert_near(trial_pose(&trial, 1).angular_velocity[2], 0.01 * 1.5 / I3, 1e-13);
        trial_step(&trial, 99);
        CondPose pose = trial_pose(&trial, 0);
        double w = 0.05 / I3, angle = 0.5 * w + w * 0.01 * (THETAS[k] - 0.5);
        assert_near(pose.angular_velocity[2], w, 1e-12);
        assert_near(pose.orientation[0], cos(0.5 * angle), 1e-12);
        assert_near(pose.orientation[3], sin(0.5 * angle), 1e-12);
        assert_near(pose.velocity[0], 0.0, 1e-15);
        // Left alone, the second keeps both.
        assert_near(trial_pose(&trial, 1).velocity[1], 0.05, 1e-14);
        assert_near(trial_pose(&trial, 1).angular_velocity[2], 0.01 * 1.5 / I3, 1e-12);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_small_force_on_a_fast_body),
        cmocka_unit_test(test_light_body_beside_a_heavy_one),
        cmocka_unit_test(test_tumbling),
        cmocka_unit_test(test_free_precession),
        cmocka_unit_test(test_precession_of_a_top),
        cmocka_unit_test(test_force_spans),
        cmocka_unit_test(test_constant_torque_and_offset_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
