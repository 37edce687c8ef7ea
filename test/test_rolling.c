// Round bodies roll: they keep their speed on every floor, reach that of theory on a slope, and end
// at two thirds of it where they slip first.
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

typedef enum Roller { LOG, DISC, WHEEL, CAPSULE, N_ROLLER } Roller;
typedef enum Floor { PLANE, BOX, TRIANGLES, N_FLOOR } Floor;

static const double RADIUS = 0.1;
static const double LENGTH[] = {0.4, 0.05, 0.01, 0.2}; // of the rollers

// On the floor, its axis along y.
static CondBodyDef make_roller(Roller kind, double y)
{
    CondBodyDef def = make_box(1.0, RADIUS, LENGTH[kind], 0.0, -10.0, y, RADIUS);
    def.shape = kind == CAPSULE ? COND_SHAPE_CAPSULE : COND_SHAPE_CYLINDER;
    make_turn(1.0, 0.0, 0.0, acos(0.0), def.orientation);
    def.surface.friction[0] = def.surface.friction[1] = 0.5;
    return def;
}

static void add_ground(CondScene* scene, Floor floor)
{
    CondObstacleDef ground = make_obstacle(COND_SHAPE_BOX, 60.0, 10.0, 1.0, 0.0, 0.0, -0.5);
    ground.surface.friction[0] = ground.surface.friction[1] = 0.5;
    if (floor == PLANE)
        add_floor(scene, 0.5, NAN);
    if (floor == TRIANGLES) {
        ground.shape = COND_SHAPE_MESH;
        snprintf(ground.mesh, sizeof ground.mesh, "box:12,7,1:60,10,1");
    }
    if (floor != PLANE)
        add_obstacle(scene, &ground);
}

static double inertia_of(const Trial* trial, int body)
{
    return trial->model->body[body].inertia[8]; // about the axis, which is the shape's z
}

static void test_rolling_keeps_its_speed(void** state)
{
    (void)state;
    const double steps[] = {1e-3, 5e-3, 1e-2};
    for (int floor = 0; floor < N_FLOOR; floor++)
        for (int k = 0; k < 3; k++) {
            CondScene* scene = make_scene();
            cond_scene_settings(scene)->time_step = steps[k];
            for (int kind = 0; kind < N_ROLLER; kind++) {
                CondBodyDef def = make_roller((Roller)kind, kind);
                def.velocity[0] = 2.0;
                def.angular_velocity[1] = 2.0 / RADIUS;
                add_body(scene, &def);
            }
            add_ground(scene, (Floor)floor);
            Trial trial = trial_begin(scene);
            // Ten seconds; one at the finest step, where nothing differs but the time it takes.
            trial_step(&trial, k ? (int)(10.0 / steps[k] + 0.5) : 1000);
            for (int kind = 0; kind < N_ROLLER; kind++) {
                CondPose pose = trial_pose(&trial, kind);
                assert_near(pose.velocity[0], 2.0, 1e-5);
                assert_near(pose.velocity[1], 0.0, 1e-5);
                assert_near(pose.angular_velocity[1], 2.0 / RADIUS, 1e-4);
                assert_near(pose.position[2], RADIUS, 1e-8);
            }
            assert_true(trial.info.penetration < 1e-8);
            trial_end(&trial);
        }
}

// a = g sin / (1 + I/(m r^2))
static void test_slope(void** state)
{
    (void)state;
    const double angle = acos(-1.0) / 18.0;
    for (int floor = 0; floor < N_FLOOR; floor++) {
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->time_step = 5e-3;
        cond_scene_settings(scene)->gravity[0] = G * sin(angle);
        cond_scene_settings(scene)->gravity[2] = -G * cos(angle);
        for (int kind = 0; kind < N_ROLLER; kind++) {
            CondBodyDef def = make_roller((Roller)kind, kind);
            add_body(scene, &def);
        }
        add_ground(scene, (Floor)floor);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 400);
        for (int kind = 0; kind < N_ROLLER; kind++) {
            double share = inertia_of(&trial, kind) / (RADIUS * RADIUS);
            assert_near(trial_pose(&trial, kind).velocity[0], 2.0 * G * sin(angle) / (1.0 + share),
                        1e-4);
        }
        trial_end(&trial);
    }
}

// A disc that slides first rolls at 2/3 of its speed, whatever the friction.
static void test_slipping_disc(void** state)
{
    (void)state;
    for (int floor = 0; floor < N_FLOOR; floor++)
        for (int kind = LOG; kind <= WHEEL; kind++) {
            CondScene* scene = make_scene();
            CondBodyDef def = make_roller((Roller)kind, 0.0);
            def.velocity[0] = 3.0;
            def.surface.friction[0] = def.surface.friction[1] = kind == LOG ? 0.2 : 0.4;
            add_body(scene, &def);
            add_ground(scene, (Floor)floor);
            Trial trial = trial_begin(scene);
            trial_step(&trial, 150);
            assert_near(trial_pose(&trial, 0).velocity[0], 2.0, 1e-5);
            trial_end(&trial);
        }
}

// A robot of one floating link, a disc on the floor with its axis along y; its mass lies `off` from
// the axis, along x of the link.
static CondBodyDef make_link(const char* path, Roller kind, double off)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "<robot name=\"wheel\"><link name=\"base\"><inertial><origin xyz=\"%g 0 0\"/>"
            "<mass value=\"1\"/>"
            "<inertia ixx=\"0.0027\" ixy=\"0\" ixz=\"0\" iyy=\"0.0027\" iyz=\"0\" izz=\"0.005\"/>"
            "</inertial><collision><geometry><%s radius=\"0.1\" length=\"%g\"/>"
            "</geometry></collision></link></robot>\n",
            off, kind == CAPSULE ? "capsule" : "cylinder", LENGTH[kind]);
    fclose(file);
    CondBodyDef def = make_robot("wheel", path), roller = make_roller(kind, 0.0);
    def.floating = 1;
    memcpy(def.position, roller.position, sizeof def.position);
    memcpy(def.orientation, roller.orientation, sizeof def.orientation);
    def.surface = roller.surface;
    return def;
}

static void test_link_rolls(void** state)
{
    (void)state;
    const char* path = "test_rolling_wheel.urdf";
    const double steps[] = {1e-3, 5e-3, 1e-2};
    for (int i = 0; i < 3 * N_FLOOR * N_ROLLER; i++) {
        int floor = i % N_FLOOR, k = i / N_FLOOR % 3, kind = i / (3 * N_FLOOR);
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->time_step = steps[k];
        CondBodyDef def = make_link(path, (Roller)kind, 0.0);
        def.velocity[0] = 2.0;
        def.angular_velocity[1] = 2.0 / RADIUS;
        add_body(scene, &def);
        add_ground(scene, (Floor)floor);
        Trial trial = trial_begin(scene);
        trial_step(&trial, k ? (int)(10.0 / steps[k] + 0.5) : 1000);
        CondPose pose = trial_pose(&trial, 0);
        assert_near(pose.velocity[0], 2.0, 1e-4);
        assert_near(pose.angular_velocity[1], 2.0 / RADIUS, 1e-3);
        assert_near(pose.position[2], RADIUS, 1e-7);
        trial_end(&trial);
    }
    remove(path);
}

// A disc whose mass lies e off its axis rocks with w^2 = m g e / (I + m (r - e)^2).
static void test_rocking(void** state)
{
    (void)state;
    const char* path = "test_rolling_rock.urdf";
    const double e = 0.03, t = 2e-3;
    for (int floor = 0; floor < N_FLOOR; floor++) {
        CondScene* scene = make_scene();
        cond_scene_settings(scene)->time_step = t;
        CondBodyDef def = make_link(path, DISC, e);
        double half = 0.5 * (acos(0.0) + 0.05), lying[4];
        // x of the link points down, but for 0.05 rad, after its axis has been laid along y.
        const double pitch[4] = {cos(half), 0.0, sin(half), 0.0};
        memcpy(lying, def.orientation, sizeof lying);
        quat_product(pitch, lying, def.orientation);
        add_body(scene, &def);
        add_ground(scene, (Floor)floor);
        Trial trial = trial_begin(scene);
        double first = 0.0, last = 0.0, before = 0.0;
        int n = 0;
        for (int k = 1; k <= 1500; k++) {
            trial_step(&trial, 1);
            double v = trial_pose(&trial, 0).velocity[0];
            if (k > 1 && before < 0.0 && v >= 0.0) {
                last = (k - v / (v - before)) * t;
                first = n++ ? first : last;
            }
            before = v;
        }
        assert_true(n >= 2);
        double period = 2.0 * acos(-1.0) * sqrt((0.005 + (RADIUS - e) * (RADIUS - e)) / (G * e));
        assert_near((last - first) / (n - 1), period, 2e-3 * period);
        trial_end(&trial);
    }
    remove(path);
}

// The keys of a roller's contacts stay, and their places move on smoothly.
static void test_contacts_keep_their_names(void** state)
{
    (void)state;
    for (int floor = 0; floor < N_FLOOR; floor++) {
        CondScene* scene = make_scene();
        CondBodyDef def = make_roller(LOG, 0.0);
        def.velocity[0] = 2.0;
        def.angular_velocity[1] = 2.0 / RADIUS;
        add_body(scene, &def);
        add_ground(scene, (Floor)floor);
        Trial trial = trial_begin(scene);
        CondContactKey key[2] = {{0}};
        double last[2] = {0.0, 0.0};
        for (int k = 0; k < 200; k++) {
            trial_step(&trial, 1);
            assert_int_equal(trial.sim->attempt.candidates.n, 2);
            for (int c = 0; c < 2; c++) {
                const CondCandidate* candidate = &trial.sim->attempt.candidates.candidate[c];
                assert_true(k == 0 || cond_key_equal(candidate->key, key[c]));
                assert_near(fabs(candidate->position[1]), 0.2, 1e-6);
                if (k > 0)
                    assert_near(candidate->position[0] - last[c], 0.02, 1e-6);
                key[c] = candidate->key;
                last[c] = candidate->position[0];
            }
        }
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolling_keeps_its_speed),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_slipping_disc),
        cmocka_unit_test(test_link_rolls),
        cmocka_unit_test(test_rocking),
        cmocka_unit_test(test_contacts_keep_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
