// Contact of every kind of shape in a whole scene: soft on obstacles, rigid on obstacles, on the
// floor and on each other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "math/quat.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static CondScene* contact_scene(double theta)
{
    CondScene* scene = make_scene();
    cond_scene_settings(scene)->theta = theta;
    cond_scene_settings(scene)->solver.tolerance = 1e-10;
    cond_scene_settings(scene)->solver.threads = 1;
    return scene;
}

static CondBodyDef make_shape(CondShapeKind shape, double mass, double a, double b, double c,
                              double z)
{
    CondBodyDef def = make_box(mass, a, b, c, 0.0, 0.0, z);
    def.shape = shape;
    return def;
}

// A soft slab laid on a ball, a box, a lying capsule and a standing cylinder: each carries it, and
// no node ends up inside.
static void test_soft_on_obstacles(void** state)
{
    (void)state;
    const CondShapeKind shapes[] = {COND_SHAPE_SPHERE, COND_SHAPE_BOX, COND_SHAPE_CAPSULE,
                                    COND_SHAPE_CYLINDER};
    for (int k = 0; k < 4; k++) {
        CondScene* scene = contact_scene(1.0);
        CondMaterialDef rubber = make_material("rubber", 1e5, 1e-2);
        add_material(scene, &rubber);
        CondBodyDef slab = make_soft("slab", "box:4,4,2:0.12,0.12,0.04", "rubber", 0.0, 0.0, 0.021);
        add_body(scene, &slab);
        CondObstacleDef obstacle =
            make_obstacle(shapes[k], 0.1, 0.1, 0.1, 0.0, 0.0, k == 0 || k == 2 ? -0.1 : -0.05);
        if (k == 2) { // along x; lying across the middle the slab would roll off
            obstacle.size[1] = 0.2;
            make_turn(0.0, 1.0, 0.0, acos(0.0), obstacle.orientation);
        }
        obstacle.surface.friction[0] = obstacle.surface.friction[1] = 0.8;
        add_obstacle(scene, &obstacle);
        Trial trial = trial_begin(scene);
        double force[3], torque[3], m = trial_mass(&trial, 0);
        for (int i = 0; i < 150; i++) {
            trial_step(&trial, 1);
            assert_true(trial.info.penetration < 1e-6);
        }
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(force[2], m * G, 1e-6 * m * G);
        assert_near(force[0], 0.0, 1e-6 * m * G);
        for (int i = 0; i < 3; i++)
            assert_near(torque[i], 0.0, 1e-6 * m * G * 0.1);
        assert_near(trial_speed(&trial), 0.0, 1e-6);
        for (int c = 0; c < cond_sim_n_contact(trial.sim); c++) {
            CondContactInfo info = cond_sim_contact(trial.sim, c);
            assert_int_equal(info.body, 0);
            assert_int_equal(info.other, -1);
            assert_int_equal(info.plane, -1);
        }
        trial_end(&trial);
    }
}

// A rigid box on a static box: at the right height, each corner a quarter of the weight; on an
// inclined one it slides with g (sin - mu cos).
static void test_box_on_a_static_box(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        CondScene* scene = contact_scene(which ? 0.5 : 1.0);
        CondBodyDef box = make_box(2.0, 0.2, 0.1, 0.05, 0.03, 0.02, 0.026);
        add_body(scene, &box);
        CondObstacleDef table = make_obstacle(COND_SHAPE_BOX, 1.0, 1.0, 0.2, 0.0, 0.0, -0.1);
        add_obstacle(scene, &table);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 60);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(trial_pose(&trial, 0).position[2], 0.025, 1e-8);
        assert_near(force[2], 2.0 * G, 1e-6);
        for (int i = 0; i < 3; i++) {
            assert_near(torque[i], 0.0, 1e-7);
            assert_near(trial_pose(&trial, 0).velocity[i], 0.0, 1e-8);
        }
        trial_end(&trial);
    }
    const double angle = 0.4, mu = 0.2;
    CondScene* scene = contact_scene(1.0);
    CondBodyDef box = make_box(2.0, 0.2, 0.1, 0.05, 0.125 * sin(angle), 0.0, 0.125 * cos(angle));
    make_turn(0.0, 1.0, 0.0, angle, box.orientation);
    add_body(scene, &box);
    CondObstacleDef slope = make_obstacle(COND_SHAPE_BOX, 20.0, 1.0, 0.2, 0.0, 0.0, 0.0);
    slope.surface.friction[0] = slope.surface.friction[1] = mu;
    make_turn(0.0, 1.0, 0.0, angle, slope.orientation);
    add_obstacle(scene, &slope);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 100);
    double down[3] = {cos(angle), 0.0, -sin(angle)};
    assert_near(vec3_dot(trial_pose(&trial, 0).velocity, down), G * (sin(angle) - mu * cos(angle)),
                1e-6);
    trial_end(&trial);
}

// Round bodies rest at the height of their radius; a ball that slides begins to roll, and keeps
// 5/7 of its speed whatever the friction.
static void test_round_bodies_on_the_floor(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        CondScene* scene = contact_scene(which & 1 ? 0.5 : 1.0);
        CondBodyDef body = which & 2 ? make_shape(COND_SHAPE_CAPSULE, 1.5, 0.05, 0.2, 0.0, 0.07)
                                     : make_shape(COND_SHAPE_SPHERE, 1.5, 0.05, 0.0, 0.0, 0.07);
        if (which & 2)
            make_turn(0.0, 1.0, 0.0, acos(0.0), body.orientation);
        add_body(scene, &body);
        add_floor(scene, 0.3, NAN);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 100);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(trial_pose(&trial, 0).position[2], 0.05, 1e-8);
        assert_near(force[2], 1.5 * G, 1e-6);
        for (int i = 0; i < 3; i++)
            assert_near(trial_pose(&trial, 0).velocity[i], 0.0, 1e-8);
        trial_end(&trial);
    }
    CondScene* scene = contact_scene(1.0);
    cond_scene_settings(scene)->time_step = 1e-3;
    CondBodyDef ball = make_shape(COND_SHAPE_SPHERE, 1.5, 0.05, 0.0, 0.0, 0.05);
    ball.velocity[0] = 1.4;
    add_body(scene, &ball);
    add_floor(scene, 0.3, NAN);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 400); // it rolls after 2 v / (7 mu g) = 0.136 s
    CondPose pose = trial_pose(&trial, 0);
    assert_near(pose.velocity[0], 1.0, 1e-4);
    assert_near(pose.angular_velocity[1], 1.0 / 0.05, 2e-3);
    assert_near(pose.position[2], 0.05, 1e-7);
    trial_end(&trial);
}

// A ball on a static ball stays on top of it (to rounding the place is an equilibrium), at the sum
// of the radii; a capsule standing on a static cylinder at half its length.
static void test_round_on_round(void** state)
{
    (void)state;
    CondScene* scene = contact_scene(1.0);
    CondBodyDef ball = make_shape(COND_SHAPE_SPHERE, 1.0, 0.05, 0.0, 0.0, 0.16);
    CondBodyDef capsule = make_shape(COND_SHAPE_CAPSULE, 1.0, 0.05, 0.2, 0.0, 0.16);
    capsule.position[0] = 1.0;
    add_body(scene, &ball);
    add_body(scene, &capsule);
    CondObstacleDef below = make_obstacle(COND_SHAPE_SPHERE, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0);
    CondObstacleDef post = make_obstacle(COND_SHAPE_CYLINDER, 0.1, 0.2, 0.0, 1.0, 0.0, -0.1);
    add_obstacle(scene, &below);
    add_obstacle(scene, &post);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 50);
    assert_near(trial_pose(&trial, 0).position[2], 0.15, 1e-8);
    assert_near(trial_pose(&trial, 1).position[2], 0.15, 1e-8);
    trial_end(&trial);
}

// Boxes on boxes: corners of each against the sides of the other, every interface carries what is
// above it.
static void test_boxes_stand_on_boxes(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        CondScene* scene = contact_scene(which ? 0.5 : 1.0);
        // The middle box is the smallest: its neighbours' corners find nothing, its own carry all.
        CondBodyDef box[3] = {make_box(3.0, 0.3, 0.3, 0.1, 0.0, 0.0, 0.05),
                              make_box(1.0, 0.1, 0.1, 0.1, 0.01, 0.0, 0.15),
                              make_box(2.0, 0.2, 0.2, 0.1, 0.0, 0.01, 0.25)};
        for (int b = 0; b < 3; b++)
            add_body(scene, &box[b]);
        add_floor(scene, 0.5, NAN);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 100);
        double above = 0.0, t = cond_model_settings(trial.model)->time_step;
        for (int b = 2; b >= 0; b--) {
            CondPose pose = trial_pose(&trial, b);
            double up = 0.0;
            above += box[b].mass * G;
            for (int c = 0; c < cond_sim_n_contact(trial.sim); c++) {
                CondContactInfo info = cond_sim_contact(trial.sim, c);
                int below = b > 0 ? b - 1 : -1;
                if (info.body == b && info.other == below)
                    up += info.impulse[0] * info.frame[2] / t;
                else if (info.other == b && info.body == below)
                    up -= info.impulse[0] * info.frame[2] / t;
            }
            assert_near(up, above, 1e-6);
            for (int i = 0; i < 3; i++) {
                assert_near(pose.position[i], box[b].position[i], 1e-7);
                assert_near(pose.velocity[i], 0.0, 1e-7);
            }
        }
        trial_end(&trial);
    }
}

// Two rigid boxes that meet in weightlessness exchange momentum and keep its sum.
static void test_rigid_collision_keeps_momentum(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        CondScene* scene = contact_scene(which & 1 ? 0.5 : 1.0);
        memset(cond_scene_settings(scene)->gravity, 0, 3 * sizeof(double));
        CondBodyDef a = make_box(1.0, 0.2, 0.1, 0.1, -0.2, 0.0, 0.0);
        CondBodyDef b =
            make_shape(which & 2 ? COND_SHAPE_SPHERE : COND_SHAPE_BOX, 2.0, 0.1, 0.1, 0.1, 0.0);
        b.position[1] = 0.02;
        a.velocity[0] = 2.0;
        a.surface.restitution = 0.5;
        add_body(scene, &a);
        add_body(scene, &b);
        Trial trial = trial_begin(scene);
        double before[6], after[6];
        trial_momentum(&trial, before);
        trial_step(&trial, 20);
        trial_momentum(&trial, after);
        assert_true(trial_pose(&trial, 1).velocity[0] > 0.5);
        for (int i = 0; i < 6; i++)
            assert_near(after[i], before[i], i < 3 ? 1e-9 : 5e-3);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soft_on_obstacles),
        cmocka_unit_test(test_box_on_a_static_box),
        cmocka_unit_test(test_round_bodies_on_the_floor),
        cmocka_unit_test(test_round_on_round),
        cmocka_unit_test(test_boxes_stand_on_boxes),
        cmocka_unit_test(test_rigid_collision_keeps_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
