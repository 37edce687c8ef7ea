// Contact against what is known of it: action and reaction between all kinds of bodies, momentum of
// collisions, heavy on light, friction at its threshold, sliding that becomes rolling.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/certificate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static CondScene* contact_scene(double theta, double time_step, double tolerance)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->theta = theta;
    settings->time_step = time_step;
    settings->solver.tolerance = tolerance;
    settings->solver.threads = 1;
    return scene;
}

static void name_body(CondBodyDef* def, const char* name, double friction)
{
    snprintf(def->name, sizeof def->name, "%s", name);
    def->surface.friction[0] = def->surface.friction[1] = friction;
}

// A pile of everything: a robot's foot on a box, that on a soft cube, that on a soft slab, that on
// a rigid plate with a ball and a particle beside it, that on the floor.
static Trial begin_pile(double theta)
{
    CondScene* scene = contact_scene(theta, 0.005, 1e-10);
    CondMaterialDef gel = make_material("gel", 2e5, 0.01);
    add_material(scene, &gel);
    CondBodyDef plate = make_box(5.0, 0.4, 0.4, 0.1, 0.0, 0.0, 0.0499);
    CondBodyDef slab = make_soft("slab", "box:4,4,1:0.3,0.3,0.05", "gel", 0.0, 0.0, 0.1255);
    CondBodyDef cube = make_soft("cube", "box:2,2,2:0.1,0.1,0.1", "gel", 0.02, 0.0, 0.2025);
    CondBodyDef box = make_box(0.5, 0.06, 0.08, 0.05, 0.02, 0.0, 0.278);
    CondBodyDef ball = cond_body_def_default();
    CondBodyDef dot = make_particle(0.05, -0.18, 0.18, 0.1015);
    CondBodyDef robot = make_robot("robot", "pile.urdf");
    CondJointDef joint = {.name = "slide", .velocity = -0.2, .stiffness = 0.0, .damping = 5.0};
    ball.shape = COND_SHAPE_SPHERE;
    ball.size[0] = 0.03;
    ball.mass = 0.3;
    ball.position[0] = 0.175;
    ball.position[2] = 0.131;
    name_body(&plate, "plate", 0.5);
    name_body(&slab, "slab", 0.4);
    name_body(&cube, "cube", 0.6);
    name_body(&box, "box", 0.5);
    name_body(&ball, "ball", 0.5);
    name_body(&dot, "dot", 0.3);
    box.velocity[0] = 0.3;
    write_slider("pile.urdf", 1.0, 0.03);
    robot.position[0] = 0.02;
    robot.position[2] = 0.334;
    robot.n_joint = 1;
    robot.joint = &joint;
    CondBodyDef* all[] = {&plate, &slab, &cube, &box, &ball, &dot, &robot};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add_body(scene, all[i]);
    add_floor(scene, 0.5, NAN);
    return trial_begin(scene);
}

// Every pair acts alike both ways, bit for bit, and what a body feels is the sum over its pairs.
static void check_pairs(const Trial* trial, int touched[7][7])
{
    for (int a = 0; a < 7; a++) {
        CondResultant all = cond_sim_pair_force(trial->sim, a, COND_ANY_BODY);
        CondResultant fixed = cond_sim_pair_force(trial->sim, a, COND_STATIC_BODY);
        double sum[3] = {fixed.force[0], fixed.force[1], fixed.force[2]};
        for (int b = 0; b < 7; b++) {
            CondResultant ab = cond_sim_pair_force(trial->sim, a, b);
            CondResultant ba = cond_sim_pair_force(trial->sim, b, a);
            touched[a][b] |= ab.n_contact > 0;
            assert_int_equal(ab.n_contact, ba.n_contact);
            assert_true(ab.pressure == ba.pressure);
            for (int i = 0; i < 3; i++) {
                assert_true(a == b || ab.force[i] == -ba.force[i]);
                sum[i] += ab.force[i];
            }
        }
        for (int i = 0; i < 3; i++)
            assert_near(sum[i], all.force[i], 1e-11 * (1.0 + all.pressure));
    }
}

// And the forces that are read are those that moved the bodies: m dv = t (force + weight), for
// rigid and soft bodies, to the tolerance of the solve.
static void test_action_is_reaction(void** state)
{
    (void)state;
    int touched[7][7] = {{0}}, n_pair = 0;
    for (int which = 0; which < 2; which++) {
        Trial trial = begin_pile(which ? 0.5 : 1.0);
        assert_int_equal(cond_model_n_body(trial.model), 7);
        for (int k = 0; k < 12; k++) {
            CondPose before[6];
            for (int b = 0; b < 6; b++)
                before[b] = trial_pose(&trial, b);
            trial_try(&trial, 1);
            check_pairs(&trial, touched);
            for (int b = 0; b < 6; b++) {
                CondPose after = trial_pose(&trial, b);
                double m = trial_mass(&trial, b), force[3], torque[3];
                cond_sim_body_force(trial.sim, b, force, torque);
                force[2] -= m * G;
                for (int i = 0; i < 3; i++)
                    assert_near(m * (after.velocity[i] - before[b].velocity[i]) / 0.005, force[i],
                                2e-5);
            }
        }
        trial_end(&trial);
    }
    for (int a = 0; a < 7; a++)
        for (int b = a + 1; b < 7; b++)
            n_pair += touched[a][b];
    assert_true(n_pair >= 6); // soft-rigid both ways, soft-soft, rigid-rigid, robot, particle
}

// Two free soft balls collide off centre, without weight.
static void test_collision_of_soft_balls(void** state)
{
    (void)state;
    // The points of a contact are a gap and two thicknesses apart, which friction turns the pair
    // by, and the linear step takes forces at its start: angular momentum is kept to that.
    static const struct {
        CondIntegrator integrator;
        double theta, angular;
    } ways[] = {{COND_INTEGRATOR_THETA, 1.0, 0.02}, {COND_INTEGRATOR_MIDPOINT, 0.5, 0.01}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        CondScene* scene = contact_scene(ways[w].theta, 0.004, 1e-12);
        cond_scene_settings(scene)->gravity[2] = 0.0;
        cond_scene_settings(scene)->integrator = ways[w].integrator;
        CondMaterialDef rubber = make_material("rubber", 1e5, 0.0);
        add_material(scene, &rubber);
        CondBodyDef a = make_soft("a", "ball:0.05:2", "rubber", -0.06, 0.0, 0.01);
        CondBodyDef b = make_soft("b", "ball:0.04:2", "rubber", 0.05, 0.01, 0.0);
        a.velocity[0] = 1.0;
        b.velocity[0] = -1.0;
        a.surface.friction[0] = a.surface.friction[1] = 0.5;
        add_body(scene, &a);
        add_body(scene, &b);
        Trial trial = trial_begin(scene);
        double before[6], after[6], impulse = 0.0;
        trial_momentum(&trial, before);
        for (int k = 0; k < 30; k++) {
            trial_step(&trial, 1);
            impulse -= 0.004 * cond_sim_pair_force(trial.sim, 0, 1).force[0];
        }
        trial_momentum(&trial, after);
        double size = trial_mass(&trial, 0) + trial_mass(&trial, 1); // times 1 m/s
        double spin = sqrt(before[3] * before[3] + before[4] * before[4] + before[5] * before[5]);
        assert_true(impulse > 0.3 * size); // they did meet
        assert_near(trial_mass(&trial, 0) * (1.0 - trial_pose(&trial, 0).velocity[0]), impulse,
                    1e-9 * size);
        for (int i = 0; i < 3; i++) {
            assert_near(after[i], before[i], 1e-9 * size);
            assert_near(after[3 + i], before[3 + i], ways[w].angular * spin);
        }
        trial_end(&trial);
    }
}

// A thousand kilograms on a tower of boxes of one: it stands, every solve reaches its certificate,
// and every storey carries what is above it.
static void test_heavy_on_light(void** state)
{
    (void)state;
    enum { N = 5 };
    CondScene* scene = contact_scene(1.0, 0.01, 1e-8);
    for (int i = 0; i <= N; i++) {
        double width = 0.3 - 0.02 * i;
        CondBodyDef box =
            make_box(i == N ? 1000.0 : 1.0, width, width, 0.2, 0.0, 0.0, 0.1 + 0.2 * i);
        box.surface.friction[0] = box.surface.friction[1] = 0.5;
        add_body(scene, &box);
    }
    add_floor(scene, 0.5, NAN);
    Trial trial = trial_begin(scene);
    for (int k = 0; k < 60; k++) {
        trial_step(&trial, 1);
        assert_true(cond_certificate_residual(&trial.info.solve.certificate) <= 1e-8);
    }
    for (int i = 0; i <= N; i++) {
        CondPose pose = trial_pose(&trial, i);
        double above = (1000.0 + N - i) * G;
        assert_near(pose.position[0], 0.0, 1e-6);
        assert_near(pose.position[1], 0.0, 1e-6);
        assert_near(pose.position[2], 0.1 + 0.2 * i, 1e-6);
        double carried = cond_sim_pair_force(trial.sim, i, i ? i - 1 : COND_STATIC_BODY).force[2];
        assert_near(carried, above, 1e-4 * above);
    }
    trial_end(&trial);
}

// How far a block slides that a foot presses on a plane with 20 N while its weight pulls along it.
static double slip(double friction, double theta)
{
    CondScene* scene = contact_scene(theta, 0.01, 1e-10);
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[0] = -G;
    settings->gravity[2] = 0.0;
    CondBodyDef block = make_box(1.0, 0.2, 0.2, 0.1, 0.0, 0.0, 0.05);
    CondBodyDef robot = make_robot("press", "press.urdf");
    CondJointDef joint = {.name = "slide", .stiffness = 1000.0, .damping = 50.0};
    name_body(&block, "block", friction);
    write_slider("press.urdf", 0.5, 0.05);
    robot.position[2] = 0.15;
    robot.n_joint = 1;
    robot.joint = &joint;
    add_body(scene, &block);
    add_body(scene, &robot);
    add_floor(scene, NAN, NAN);
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_state_set_joint_target(trial.model, trial.state, 1, "slide", -0.02),
                     COND_OK);
    // Held by hand until the foot presses.
    for (int k = 0; k < 60; k++) {
        CondPose rest = {.position = {0.0, 0.0, 0.05}, .orientation = {1.0, 0.0, 0.0, 0.0}};
        if (k < 30)
            cond_state_set_pose(trial.model, trial.state, 0, &rest);
        trial_step(&trial, 1);
    }
    assert_near(cond_sim_pair_force(trial.sim, 0, 1).normal[2], -20.0, 1e-3);
    double far = fabs(trial_pose(&trial, 0).position[0]);
    trial_end(&trial);
    return far;
}

// Two plates hold a block while mu N > m g / 2: the threshold by bisection.
static void test_block_between_plates(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        double theta = which ? 0.5 : 1.0, low = 0.2, high = 0.3, expected = 1.0 * G / (2.0 * 20.0);
        assert_true(slip(low, theta) > 0.01);
        assert_true(slip(high, theta) < 1e-6);
        for (int i = 0; i < 7; i++) {
            double middle = 0.5 * (low + high);
            *(slip(middle, theta) > 1e-5 ? &low : &high) = middle;
        }
        assert_near(0.5 * (low + high), expected, 0.02 * expected);
    }
}

// Speed of a ball on the floor once it rolls: thrown with v, or set down spinning with w.
static double roll(double theta, double v, double w)
{
    CondScene* scene = contact_scene(theta, 0.005, 1e-10);
    CondBodyDef ball = cond_body_def_default();
    ball.shape = COND_SHAPE_SPHERE;
    ball.size[0] = 0.1;
    ball.mass = 2.0;
    ball.position[2] = 0.1;
    ball.velocity[0] = v;
    ball.angular_velocity[1] = w;
    add_body(scene, &ball);
    add_floor(scene, 0.3, NAN);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 200);
    CondPose pose = trial_pose(&trial, 0);
    assert_near(pose.angular_velocity[1] * 0.1, pose.velocity[0], 1e-6); // it rolls
    assert_near(pose.position[2], 0.1, 1e-5);
    trial_end(&trial);
    return pose.velocity[0];
}

static void test_sliding_becomes_rolling(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        double theta = which ? 0.5 : 1.0;
        assert_near(roll(theta, 1.0, 0.0), 5.0 / 7.0, 0.01 * 5.0 / 7.0);
        assert_near(roll(theta, 0.0, 20.0), 2.0 / 7.0 * 20.0 * 0.1, 0.01 * 2.0 / 7.0 * 2.0);
    }
}

// Force of the plate in scenes/hertz.yaml at equilibrium over that of Hertz, with n elements over
// the radius of contact at 1 mm.
static double press(int n, double d)
{
    char mesh[64], place[96];
    const char* const override[] = {mesh, place, "solver.threads=1"};
    snprintf(mesh, sizeof mesh, "bodies.ball.mesh=hertz_%d.msh", n);
    snprintf(place, sizeof place, "trajectories.press.waypoints[1].position=[0,0,%.6f]", 0.05 - d);
    Trial trial = trial_read("hertz.yaml", 3, override);
    CondSensorReading reading;
    int n_q;
    trial_step(&trial, 5);
    assert_int_equal(cond_sim_sensor(trial.sim, 0, &reading), COND_OK);
    double approach = -cond_state_configuration(trial.model, trial.state, 1, &n_q)[0];
    assert_near(approach, d, 0.01 * d); // the motor is stiff
    trial_end(&trial);
    return reading.force[2] / (4.0 / 3.0 * 1e6 / 0.91 * sqrt(0.05) * pow(approach, 1.5));
}

// An elastic ball between plates follows Hertz, the better the finer its mesh; cond paper hertz has
// finer ones.
static void test_hertz(void** state)
{
    (void)state;
    double coarse = press(2, 1e-3), fine = press(3, 1e-3), deep = press(3, 2e-3);
    assert_true(coarse > 1.0 && coarse < 1.2);
    assert_true(fine - 1.0 < 0.75 * (coarse - 1.0));
    assert_near(log(deep / fine) / log(2.0), 0.0, 0.1); // the power of d is 3/2 within that
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_action_is_reaction),
        cmocka_unit_test(test_collision_of_soft_balls),
        cmocka_unit_test(test_heavy_on_light),
        cmocka_unit_test(test_block_between_plates),
        cmocka_unit_test(test_sliding_becomes_rolling),
        cmocka_unit_test(test_hertz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
