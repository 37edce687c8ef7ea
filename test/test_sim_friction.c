// Friction over time, against closed solutions: slope, push and stop, the paper's box, the ellipse.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A box or a particle at rest on a slope of the given angle.
static Trial on_slope(int kind, double angle, double friction, double theta, double kv)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    double s = sin(angle), c = cos(angle);
    settings->theta = theta;
    settings->kv = kv;
    settings->solver.tolerance = 1e-9; // relative to g t = 0.1 m/s: what still moves is below 1e-9
    add_plane(scene, s, 0.0, c, 0.0, friction, NAN);
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.1 * s, 0.0, 0.1 * c);
    CondBodyDef particle = make_particle(1.0, 0.0, 0.0, 0.0);
    make_turn(0.0, 1.0, 0.0, angle, box.orientation);
    add_body(scene, kind ? &particle : &box);
    return trial_begin(scene);
}

static void test_slope(void** state)
{
    (void)state;
    const double angle = acos(-1.0) / 9.0, g = 9.81, limit = tan(angle);
    for (int which = 0; which < 8; which++) {
        int kind = which & 1;
        double theta = which & 2 ? 1.0 : 0.5, kv = which & 4 ? 1e5 : INFINITY;
        // A particle is a node of its own; a box hangs on virtual nodes that slip by lambda/kv.
        double slip = !kind && isfinite(kv) ? 9.81 / kv : 0.0;
        Trial trial = on_slope(kind, angle, 1.001 * limit, theta, kv);
        CondPose start = trial_pose(&trial, 0);
        for (int i = 0; i < 100; i++) {
            trial_step(&trial, 1);
            CondPose pose = trial_pose(&trial, 0);
            for (int a = 0; a < 3; a++)
                assert_near(pose.velocity[a], 0.0, slip + 1e-9);
        }
        CondPose end = trial_pose(&trial, 0);
        for (int a = 0; a < 3; a++)
            assert_near(end.position[a], start.position[a], slip * 1.0 + 1e-9);
        trial_end(&trial);
        // Just above the limit it slides, slowly; well above with g (sin - mu cos).
        for (int above = 0; above < 2; above++) {
            double mu = above ? 0.5 * limit : 0.999 * limit;
            double a = g * (sin(angle) - mu * cos(angle));
            trial = on_slope(kind, angle, mu, theta, kv);
            trial_step(&trial, 100);
            CondPose pose = trial_pose(&trial, 0);
            double along = pose.velocity[0] * cos(angle) - pose.velocity[2] * sin(angle);
            assert_near(along, a, 1e-3 * a + 2.0 * slip);
            assert_near(pose.velocity[1], 0.0, 1e-9);
            double x = (pose.position[0] - start.position[0]) * cos(angle) -
                       (pose.position[2] - start.position[2]) * sin(angle);
            assert_near(x, 0.5 * a + a * 0.01 * (theta - 0.5), 1e-3 * a + 2.0 * slip);
            trial_end(&trial);
        }
    }
}

// Newton for the whole step: M (v_{k+1} - v_k) = t f + sum of the impulses, and their moments.
static void check_balance(const Trial* trial, const CondPose* before, const double external[3])
{
    const CondBody* body = &trial->model->body[0];
    CondPose after = trial_pose(trial, 0);
    double t = trial->model->settings.time_step, force[3], torque[3];
    cond_sim_body_force(trial->sim, 0, force, torque);
    for (int i = 0; i < 3; i++) {
        double change = body->mass * (after.velocity[i] - before->velocity[i]);
        assert_near(change, t * (external[i] + force[i]), 1e-9);
        double turn = body->inertia[4 * i] * (after.angular_velocity[i] - //
                                              before->angular_velocity[i]);
        assert_near(turn, t * torque[i], 1e-9); // a cube that hardly turns: I is the same in world
    }
}

static void check_push(double theta, double kv)
{
    char text[3][64];
    snprintf(text[0], sizeof text[0], "step.theta=%g", theta);
    snprintf(text[1], sizeof text[1], "contact.kv=%s", isinf(kv) ? ".inf" : "1e5");
    snprintf(text[2], sizeof text[2], "solver.tolerance=1e-10");
    const char* override[] = {text[0], text[1], text[2]};
    Trial trial = trial_read("push.yaml", 3, override);
    const double m = 0.5, g = 9.81, F = 2.0, mu = 0.2, t = 0.01;
    double a = (F - mu * m * g) / m, v1 = a * 0.5, stop = 0.5 + v1 / (mu * g);
    double x_stop = 0.5 * a * 0.25 + v1 * v1 / (2.0 * mu * g);
    double slip = isinf(kv) ? 0.0 : m * g / 4.0 / kv * 1.1, force[3], torque[3];
    double x_first = NAN;
    for (int i = 0; i < 150; i++) {
        CondPose before = trial_pose(&trial, 0);
        double external[3] = {0.0, i < 50 ? F : 0.0, -m * g};
        trial_step(&trial, 1);
        check_balance(&trial, &before, external);
        CondPose pose = trial_pose(&trial, 0);
        cond_sim_body_force(trial.sim, 0, force, torque);
        double now = cond_state_time(trial.state);
        // With a finite gain the first step also brings the box to the speed it sinks with.
        assert_near(force[2], m * g, 1e-6 + (i == 0 ? m * slip / t : 0.0));
        assert_near(pose.velocity[0], 0.0, 1e-9);
        assert_near(pose.velocity[2], 0.0, slip + 1e-9);
        if (now < 0.5 + 1e-9)
            assert_near(pose.velocity[1], a * now, 1e-7 + slip);
        if (now < stop - t)
            assert_near(force[1], -mu * force[2], 1e-6);
        if (isinf(kv))
            assert_near(trial_gap(&trial), 0.0, 1.1e-9);
        if (now > stop + t) {
            assert_near(force[1], 0.0, 1e-6 + m * slip / t); // what is left of the creep dies out
            for (int k = 0; k < 3; k++)
                assert_near(pose.velocity[k], 0.0, slip + 1e-9);
            if (isnan(x_first))
                x_first = pose.position[1];
            assert_near(pose.position[1], x_first, slip * 1.0 + 1e-9);
        }
    }
    assert_near(x_first, x_stop, v1 * t);
    trial_end(&trial);
}

static void test_push_and_stop(void** state)
{
    (void)state;
    check_push(0.5, INFINITY);
    check_push(0.75, INFINITY);
    check_push(1.0, INFINITY);
    check_push(0.5, 1e5);
    check_push(1.0, 1e5);
}

// The table of the paper: mean error over the samples t = 0, 0.01, .., 1.
static void test_box_of_the_paper(void** state)
{
    (void)state;
    const struct {
        const char* kv;
        double z, y; // [mm]
    } rows[] = {{"contact.kv=1e3", 0.6131, 0.1226},
                {"contact.kv=1e4", 0.0613, 0.0123},
                {"contact.kv=1e5", 0.0061, 0.0012},
                {"contact.kv=.inf", 0.0, 0.0}};
    for (int r = 0; r < 4; r++) {
        Trial trial = trial_read("box.yaml", 1, &rows[r].kv);
        double error[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i <= 100; i++) {
            if (i > 0)
                trial_step(&trial, 1);
            double s = cond_state_time(trial.state);
            CondPose pose = trial_pose(&trial, 0);
            double y = 0.5 * (2.0 - 0.2 * 0.5 * 9.81) / 0.5 * s * s;
            error[0] += fabs(pose.position[0]) / 101.0 * 1e3;
            error[1] += fabs(pose.position[1] - y) / 101.0 * 1e3;
            error[2] += fabs(pose.position[2] - 0.1) / 101.0 * 1e3;
        }
        print_message("%s: %.7f %.7f %.7f mm\n", rows[r].kv, error[0], error[1], error[2]);
        assert_near(error[0], 0.0, 1e-6);
        // The table is rounded to its last digit; theory has more: (m g/4)/kv 0.5 s.
        double z = r == 3 ? 0.0 : 0.5 * 9.81 / 4.0 * 0.5 / pow(10.0, 3.0 + r) * 1e3;
        assert_near(z, rows[r].z, 1e-4);
        assert_near(0.2 * z, rows[r].y, 1e-4);
        assert_near(error[2], z, r == 3 ? 1e-6 : 0.01 * z);
        assert_near(error[1], 0.2 * z, r == 3 ? 1e-6 : 0.01 * 0.2 * z);
        trial_end(&trial);
    }
}

// a = -g (mu1^2 vx, mu2^2 vy)/sqrt(mu1^2 vx^2 + mu2^2 vy^2), integrated by RK4 in small steps.
static void anisotropic_rate(const double mu[2], const double v[2], double a[2])
{
    double n = sqrt(mu[0] * mu[0] * v[0] * v[0] + mu[1] * mu[1] * v[1] * v[1]);
    for (int i = 0; i < 2; i++)
        a[i] = -9.81 * mu[i] * mu[i] * v[i] / n;
}

static void anisotropic_step(const double mu[2], double h, double v[2], double x[2])
{
    double k[4][2], w[4][2];
    for (int s = 0; s < 4; s++) {
        double part = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h;
        for (int i = 0; i < 2; i++)
            w[s][i] = v[i] + (s ? part * k[s - 1][i] : 0.0);
        anisotropic_rate(mu, w[s], k[s]);
    }
    for (int i = 0; i < 2; i++) {
        x[i] += h / 6.0 * (w[0][i] + 2.0 * w[1][i] + 2.0 * w[2][i] + w[3][i]);
        v[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

static void test_anisotropic_sliding(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        int kind = which & 1;
        double t = 1e-3, theta = which & 2 ? 1.0 : 0.5, mu[2] = {0.1, 0.2};
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->time_step = t;
        cond_scene_settings(scene)->theta = theta;
        CondPlaneDef floor = cond_plane_def_default();
        memcpy(floor.surface.friction, mu, sizeof mu);
        floor.direction[0] = 1.0;
        floor.direction[1] = floor.direction[2] = 0.0;
        assert_int_equal(cond_scene_add_plane(scene, &floor, NULL), COND_OK);
        CondBodyDef def = kind ? make_particle(0.5, 0.0, 0.0, 0.0)
                               : make_box(0.5, 0.2, 0.2, 0.02, 0.0, 0.0, 0.01);
        def.velocity[0] = def.velocity[1] = 1.0;
        add_body(scene, &def);
        Trial trial = trial_begin(scene);
        double v[2] = {1.0, 1.0}, x[2] = {0.0, 0.0};
        for (int i = 0; i < 500; i++) {
            trial_step(&trial, 1);
            for (int s = 0; s < 10; s++)
                anisotropic_step(mu, t / 10.0, v, x);
            CondPose pose = trial_pose(&trial, 0);
            // The box may turn a little about z, because its corners then differ in speed; its
            // centre still follows.
            for (int a = 0; a < 2; a++) {
                assert_near(pose.velocity[a], v[a], 2e-3);
                assert_near(pose.position[a], x[a], 2e-3);
            }
        }
        CondPose pose = trial_pose(&trial, 0);
        // Along the way vy / vx^(mu2^2/mu1^2) is constant.
        assert_near(pose.velocity[1] / pow(pose.velocity[0], 4.0), 1.0, 0.02);
        trial_end(&trial);
    }
}

static void check_friction(double mu)
{
    for (int which = 0; which < 2; which++) {
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->theta = which ? 1.0 : 0.5;
        int rough = mu > 0.0;
        add_floor(scene, mu, NAN);
        CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1);
        box.velocity[0] = rough ? 0.0 : 1.0;
        add_body(scene, &box);
        CondForceDef push = cond_force_def_default();
        snprintf(push.body, sizeof push.body, "body0");
        push.force[1] = rough ? 9.0 : 0.0; // does not tip it: 9 N 0.1 m < m g 0.1 m
        add_force(scene, &push);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 100);
        CondPose pose = trial_pose(&trial, 0);
        assert_near(pose.velocity[0], rough ? 0.0 : 1.0, 1e-7);
        assert_near(pose.velocity[1], 0.0, 1e-7);
        assert_near(pose.position[0], rough ? 0.0 : 1.0, 1e-6);
        assert_near(pose.position[1], 0.0, 1e-7);
        assert_near(trial_gap(&trial), 0.0, 1.1e-9);
        trial_end(&trial);
    }
}

// Without friction a box slides for ever; with very much it does not move.
static void test_smooth_and_rough_ground(void** state)
{
    (void)state;
    check_friction(0.0);
    check_friction(10.0);
    check_friction(1e4);
}

static void test_very_rough_ground(void** state)
{
    (void)state;
    check_friction(1e9);
}

// A box slides to rest on a floor of mu = 0.4 that the scene's factor halves: it loses mu g / 2 of
// its speed a second.
static void test_friction_scale(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->friction_scale = 0.5;
    add_floor(scene, 0.4, NAN);
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1);
    box.velocity[0] = 2.0;
    add_body(scene, &box);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 50);
    assert_near(trial_pose(&trial, 0).velocity[0], 2.0 - 0.5 * 0.4 * 9.81 * 0.5, 1e-6);
    trial_end(&trial);
    scene = make_scene();
    cond_scene_settings(scene)->friction_scale = -1.0;
    CondModel* model = NULL;
    CondError error;
    assert_int_equal(cond_scene_compile(scene, &model, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "friction_scale"));
    cond_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_push_and_stop),
        cmocka_unit_test(test_box_of_the_paper),
        cmocka_unit_test(test_anisotropic_sliding),
        cmocka_unit_test(test_smooth_and_rough_ground),
        cmocka_unit_test(test_very_rough_ground),
        cmocka_unit_test(test_friction_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
