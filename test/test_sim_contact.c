// Resting contact: forces in newtons, no sinking, penetration taken back, corners of planes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double THETAS[] = {0.5, 0.75, 1.0};

static CondScene* scene_with(double theta)
{
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->theta = theta;
    return scene;
}

// Weight is carried, its moment vanishes, and a body beside it carries only its own.
static void test_weight_is_carried(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        CondScene* scene = scene_with(THETAS[k]);
        add_floor(scene, 0.3, NAN);
        CondBodyDef box = make_box(2.0, 0.3, 0.2, 0.1, 0.0, 0.0, 0.05);
        CondBodyDef dot = make_particle(0.25, 3.0, 0.0, 0.0);
        add_body(scene, &box);
        add_body(scene, &dot);
        Trial trial = trial_begin(scene);
        for (int i = 0; i < 50; i++) {
            trial_step(&trial, 1);
            double force[3], torque[3];
            for (int b = 0; b < 2; b++) {
                cond_sim_body_force(trial.sim, b, force, torque);
                assert_near(force[2], (b ? 0.25 : 2.0) * 9.81, 1e-6);
                for (int a = 0; a < 3; a++) {
                    assert_near(torque[a], 0.0, 1e-6);
                    if (a < 2)
                        assert_near(force[a], 0.0, 1e-6);
                }
                cond_sim_body_force(trial.sim, 7, force, torque);
                assert_near(force[2], 0.0, 0.0);
            }
            assert_true(trial_gap(&trial) > -1e-9);
        }
        trial_end(&trial);
    }
}

// A push at the top shifts the weight to the front: sum of moments about the centre is zero.
static void test_pushed_at_the_top(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        CondScene* scene = scene_with(THETAS[k]);
        add_floor(scene, 0.8, NAN);
        CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1);
        add_body(scene, &box);
        CondForceDef push = cond_force_def_default();
        snprintf(push.body, sizeof push.body, "body0");
        push.force[0] = 3.0;
        push.point[2] = 0.1;
        add_force(scene, &push);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 30);
        double force[3], torque[3], front = 0.0;
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(force[0], -3.0, 1e-6);
        assert_near(force[2], 9.81, 1e-6);
        assert_near(torque[1], -0.1 * 3.0, 1e-6); // against the push's own
        for (int c = 0; c < cond_sim_n_contact(trial.sim); c++) {
            CondContactInfo contact = cond_sim_contact(trial.sim, c);
            front += contact.position[0] > 0.0 ? contact.impulse[0] / 0.01 : 0.0;
        }
        // front - back = 2 * 3 N * 0.2 m / 0.2 m; front + back = m g.
        assert_near(front, 0.5 * (9.81 + 2.0 * 3.0), 1e-5);
        for (int a = 0; a < 3; a++) {
            assert_near(trial_pose(&trial, 0).velocity[a], 0.0, 1e-8);
            assert_near(trial_pose(&trial, 0).angular_velocity[a], 0.0, 1e-8);
        }
        trial_end(&trial);
    }
}

// A body that starts inside is lifted to the surface and gets no velocity from it.
static void test_penetration_is_taken_back(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        for (int kind = 0; kind < 2; kind++) {
            CondScene* scene = scene_with(THETAS[k]);
            add_floor(scene, 0.3, kind ? 0.5 : NAN);
            CondBodyDef def = kind ? make_particle(1.0, 0.0, 0.0, -0.001)
                                   : make_box(1.0, 0.3, 0.2, 0.1, 0.0, 0.0, 0.049);
            add_body(scene, &def);
            Trial trial = trial_begin(scene);
            for (int i = 0; i < 50; i++) {
                trial_step(&trial, 1);
                CondPose pose = trial_pose(&trial, 0);
                assert_near(trial_gap(&trial), 0.0, 1.1e-9);
                for (int a = 0; a < 3; a++) {
                    assert_near(pose.velocity[a], 0.0, 1e-8);
                    assert_near(pose.angular_velocity[a], 0.0, 1e-7);
                }
                if (i == 0)
                    assert_near(trial.info.penetration, 0.001, 1e-9);
            }
            trial_end(&trial);
        }
    }
}

// A tilted box inside the floor, which may leave at once, turns and rises no more than it must: its
// deepest corner ends on the surface.
static void test_tilted_penetration(void** state)
{
    (void)state;
    CondScene* scene = scene_with(1.0);
    cond_scene_settings(scene)->gravity[2] = 0.0;
    cond_scene_settings(scene)->correction_rate = INFINITY;
    add_floor(scene, 0.3, NAN);
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.0);
    make_turn(1.0, 0.3, 0.0, 0.4, box.orientation);
    box.position[2] = 0.12;
    add_body(scene, &box);
    Trial trial = trial_begin(scene);
    double depth = -trial_gap(&trial);
    assert_true(depth > 0.001);
    trial_step(&trial, 1);
    CondPose pose = trial_pose(&trial, 0);
    // The correction is linear in the turn: off by depth^2 over half an edge at the most.
    assert_near(trial_gap(&trial), 0.0, depth * depth / 0.1);
    trial_step(&trial, 5);
    assert_true(trial_gap(&trial) > -1.1e-9);
    for (int a = 0; a < 3; a++)
        assert_near(pose.velocity[a], 0.0, 1e-12);
    trial_end(&trial);
}

// A particle in the corner of a floor and two walls, pulled into it: every wall pushes back with
// what it is pulled with. The second contact at the node gets a virtual node of its own.
static void test_corner(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        for (int walls = 1; walls <= 2; walls++) {
            for (int finite = 0; finite < 2; finite++) {
                CondScene* scene = scene_with(THETAS[k]);
                cond_scene_settings(scene)->kv = finite ? 1e6 : INFINITY;
                add_floor(scene, 0.0, NAN);
                add_plane(scene, 1.0, 0.0, 0.0, 0.0, 0.0, NAN);
                if (walls == 2)
                    add_plane(scene, 0.0, 1.0, 0.0, 0.0, 0.0, NAN);
                CondBodyDef dot = make_particle(0.5, 0.05, 0.04, 0.06);
                dot.velocity[0] = -0.5;
                add_body(scene, &dot);
                CondForceDef pull = cond_force_def_default();
                snprintf(pull.body, sizeof pull.body, "body0");
                pull.force[0] = -2.0;
                pull.force[1] = walls == 2 ? -3.0 : 0.0;
                add_force(scene, &pull);
                Trial trial = trial_begin(scene);
                trial_step(&trial, 100);
                CondPose pose = trial_pose(&trial, 0);
                double force[3], torque[3], slip = finite ? 5.0 / 1e6 : 0.0;
                cond_sim_body_force(trial.sim, 0, force, torque);
                assert_near(force[0], 2.0, 1e-5);
                assert_near(force[1], walls == 2 ? 3.0 : 0.0, 1e-5);
                assert_near(force[2], 0.5 * 9.81, 1e-5);
                assert_near(pose.position[0], 0.0, slip * 1.0 + 1.1e-9);
                assert_near(pose.position[1], walls == 2 ? 0.0 : 0.04, slip * 1.0 + 1.1e-9);
                assert_near(pose.position[2], 0.0, slip * 1.0 + 1.1e-9);
                for (int a = 0; a < 3; a++)
                    assert_near(pose.velocity[a], 0.0, slip + 1e-8);
                trial_end(&trial);
            }
        }
    }
}

// A particle in a V of two slopes with friction: at rest, resultant m g.
static void test_valley(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        CondScene* scene = scene_with(THETAS[k]);
        add_plane(scene, 1.0, 0.0, 1.0, 0.0, 0.3, 0.2);
        add_plane(scene, -1.0, 0.0, 1.0, 0.0, 0.3, NAN);
        CondBodyDef dot = make_particle(0.5, 0.03, 0.0, 0.2);
        add_body(scene, &dot);
        Trial trial = trial_begin(scene);
        trial_try(&trial, 200);
        trial_step(&trial, 20);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(force[0], 0.0, 1e-5);
        assert_near(force[2], 0.5 * 9.81, 1e-5);
        for (int a = 0; a < 3; a++) {
            assert_near(trial_pose(&trial, 0).velocity[a], 0.0, 1e-8);
            assert_near(trial_pose(&trial, 0).position[a], 0.0, 1e-6);
        }
        trial_end(&trial);
    }
}

// Planes with an offset and a normal of any length.
static void test_shifted_plane(void** state)
{
    (void)state;
    CondScene* scene = scene_with(1.0);
    add_plane(scene, 0.0, 0.0, 7.0, 1.5, 0.3, NAN);
    CondBodyDef dot = make_particle(0.5, 0.0, 0.0, 1.7);
    add_body(scene, &dot);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 100);
    assert_near(trial_pose(&trial, 0).position[2], 1.5, 1e-9);
    trial_end(&trial);
}

// Contact points given twice share a load; what the body feels is the same.
static void test_duplicate_points(void** state)
{
    (void)state;
    const double corner[] = {-0.1, -0.1, -0.1, 0.1, -0.1, -0.1, 0.1, 0.1, -0.1, -0.1, 0.1, -0.1};
    double twice[2 * 12];
    memcpy(twice, corner, sizeof corner);
    memcpy(twice + 12, corner, sizeof corner);
    for (int k = 0; k < 3; k++) {
        CondScene* scene = scene_with(THETAS[k]);
        add_floor(scene, 0.2, NAN);
        CondBodyDef box = make_box(0.5, 0.2, 0.2, 0.2, 0.0, 0.0, 0.1);
        const double inertia[6] = {0.5 / 150.0, 0.5 / 150.0, 0.5 / 150.0, 0.0, 0.0, 0.0};
        box.shape = COND_SHAPE_POINTS;
        box.inertia_from_shape = 0;
        memcpy(box.inertia, inertia, sizeof inertia);
        box.n_point = 8;
        box.point = twice;
        box.velocity[1] = 1.0;
        add_body(scene, &box);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 20);
        assert_int_equal(cond_sim_n_contact(trial.sim), 8);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(force[2], 0.5 * 9.81, 1e-6);
        assert_near(force[1], -0.2 * 0.5 * 9.81, 1e-6);
        assert_near(trial_pose(&trial, 0).velocity[1], 1.0 - 0.2 * 9.81 * 0.2, 1e-6);
        trial_step(&trial, 60);
        assert_near(trial_pose(&trial, 0).velocity[1], 0.0, 1e-8);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_is_carried),
        cmocka_unit_test(test_pushed_at_the_top),
        cmocka_unit_test(test_penetration_is_taken_back),
        cmocka_unit_test(test_tilted_penetration),
        cmocka_unit_test(test_corner),
        cmocka_unit_test(test_valley),
        cmocka_unit_test(test_shifted_plane),
        cmocka_unit_test(test_duplicate_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
