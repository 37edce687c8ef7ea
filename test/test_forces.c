// Forces as a user reads them: of a body, of a pair, centres of pressure, sensors on bodies, links,
// patches and attachments, with every integrator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

// The ways to step, each of which must read the same forces at rest.
static const struct {
    CondIntegrator integrator;
    double theta;
} WAYS[] = {
    {COND_INTEGRATOR_THETA, 1.0},       {COND_INTEGRATOR_THETA, 0.5},
    {COND_INTEGRATOR_EULER, 1.0},       {COND_INTEGRATOR_MIDPOINT, 1.0},
    {COND_INTEGRATOR_VARIATIONAL, 1.0},
};
enum { N_WAY = sizeof WAYS / sizeof WAYS[0] };

static CondScene* force_scene(int way)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->integrator = WAYS[way].integrator;
    settings->theta = WAYS[way].theta;
    settings->solver.tolerance = 1e-12;
    settings->solver.threads = 1;
    return scene;
}

static CondSensorDef make_sensor(const char* name, const char* body)
{
    CondSensorDef def = cond_sensor_def_default();
    snprintf(def.name, sizeof def.name, "%s", name);
    snprintf(def.on.body, sizeof def.on.body, "%s", body);
    return def;
}

static void add_sensor(CondScene* scene, const CondSensorDef* def)
{
    CondError error;
    if (cond_scene_add_sensor(scene, def, &error))
        fail_msg("%s", error.message);
}

static CondSensorReading read_sensor(const Trial* trial, const char* name)
{
    CondSensorReading reading;
    int index = cond_model_find_sensor(trial->model, name);
    assert_int_equal(cond_sim_sensor(trial->sim, index, &reading), COND_OK);
    return reading;
}

static void assert_vector(const double* value, double x, double y, double z, double tolerance)
{
    assert_near(value[0], x, tolerance);
    assert_near(value[1], y, tolerance);
    assert_near(value[2], z, tolerance);
}

// A box on the floor, pushed down beside its centre and sideways: the floor's force is the opposite
// of weight and push, its centre of pressure where the moments balance, the free torque that of the
// turning push about the vertical.
static void test_centre_of_pressure(void** state)
{
    (void)state;
    for (int way = 0; way < N_WAY; way++) {
        CondScene* scene = force_scene(way);
        CondBodyDef box = make_box(2.0, 0.4, 0.2, 0.1, 1.0, -2.0, 0.05);
        add_body(scene, &box);
        add_floor(scene, 0.8, NAN);
        CondForceDef push = cond_force_def_default();
        strcpy(push.body, "body0");
        push.force[0] = 3.0;
        push.force[2] = -10.0;
        push.point[0] = 0.1;
        push.point[1] = 0.06;
        push.point[2] = -0.05; // at the floor: no moment by the sideways part
        add_force(scene, &push);
        Trial trial = trial_begin(scene);
        CondResultant sum = cond_sim_pair_force(trial.sim, 0, COND_ANY_BODY);
        assert_int_equal(sum.n_contact, 0);
        assert_true(sum.force[2] == 0.0 && isnan(sum.centre[0]));
        trial_step(&trial, 20);
        sum = cond_sim_pair_force(trial.sim, 0, COND_STATIC_BODY);
        double down = 2.0 * G + 10.0;
        assert_vector(sum.force, -3.0, 0.0, down, 1e-8);
        assert_vector(sum.normal, 0.0, 0.0, down, 1e-8);
        assert_near(sum.pressure, down, 1e-8);
        assert_vector(sum.centre, 1.0 + 0.1 * 10.0 / down, -2.0 + 0.06 * 10.0 / down, 0.0, 1e-9);
        // About the vertical through the centre of pressure the push has the arm 0.06 (1 -
        // 10/down).
        assert_vector(sum.free_torque, 0.0, 0.0, 3.0 * 0.06 * (1.0 - 10.0 / down), 1e-8);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_vector(torque, sum.torque[0], sum.torque[1], sum.torque[2], 1e-14);
        assert_near(torque[0], -0.06 * -10.0, 1e-8); // balances the push about the centre
        trial_end(&trial);
    }
}

// The sum over the listed contacts of a pair is that over all; a list that names what is not there
// has none.
static void check_listed(const Trial* trial, int body, int other, const CondResultant* expected)
{
    int list[64], n = 0, wrong = cond_sim_n_contact(trial->sim);
    for (int c = 0; c < cond_sim_n_contact(trial->sim); c++) {
        CondContactInfo info = cond_sim_contact(trial->sim, c);
        assert_true(n < 64);
        if ((info.body == body && info.other == other) ||
            (info.body == other && info.other == body))
            list[n++] = c;
    }
    assert_true(n > 0);
    CondResultant sum = cond_sim_listed_force(trial->sim, body, other, n, list);
    assert_memory_equal(sum.force, expected->force, sizeof sum.force);
    assert_memory_equal(sum.free_torque, expected->free_torque, sizeof sum.free_torque);
    assert_int_equal(cond_sim_listed_force(trial->sim, body, other, 1, &wrong).n_contact, 0);
}

// A box stands on another: what passes between them is the upper one's weight, each way.
static void test_pair_of_boxes(void** state)
{
    (void)state;
    for (int way = 0; way < N_WAY; way++) {
        CondScene* scene = force_scene(way);
        CondBodyDef lower = make_box(3.0, 0.4, 0.4, 0.1, 0.0, 0.0, 0.05);
        CondBodyDef upper = make_box(1.0, 0.2, 0.2, 0.1, 0.05, 0.0, 0.15);
        add_body(scene, &lower);
        add_body(scene, &upper);
        add_floor(scene, 0.5, NAN);
        CondSensorDef sensor = make_sensor("top", "body0");
        strcpy(sensor.against, "body1");
        sensor.on.point[2] = 0.05;
        add_sensor(scene, &sensor);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 10);
        CondResultant on_upper = cond_sim_pair_force(trial.sim, 1, 0);
        CondResultant on_lower = cond_sim_pair_force(trial.sim, 0, 1);
        CondResultant floor = cond_sim_pair_force(trial.sim, 0, COND_STATIC_BODY);
        CondResultant all = cond_sim_pair_force(trial.sim, 0, COND_ANY_BODY);
        check_listed(&trial, 1, 0, &on_upper);
        assert_vector(on_upper.force, 0.0, 0.0, G, 1e-8);
        assert_vector(floor.force, 0.0, 0.0, 4.0 * G, 1e-8);
        assert_vector(on_upper.centre, 0.05, 0.0, 0.1, 1e-8);
        for (int i = 0; i < 3; i++) {
            assert_true(on_lower.force[i] == -on_upper.force[i]);
            assert_near(all.force[i], floor.force[i] + on_lower.force[i], 1e-12);
        }
        assert_int_equal(cond_sim_pair_force(trial.sim, 1, COND_STATIC_BODY).n_contact, 0);
        assert_int_equal(cond_sim_pair_force(trial.sim, 7, 0).n_contact, 0);
        CondSensorReading reading = read_sensor(&trial, "top");
        assert_vector(reading.force, 0.0, 0.0, -G, 1e-8);
        assert_vector(reading.torque, 0.0, 0.05 * G, 0.0, 1e-8);
        assert_vector(reading.position, 0.0, 0.0, 0.1, 1e-8);
        trial_end(&trial);
    }
}

// Normal forces that cancel have no centre of pressure: a box between two walls that press on it.
static void test_squeezed_box_has_no_centre(void** state)
{
    (void)state;
    CondScene* scene = force_scene(0);
    cond_scene_settings(scene)->gravity[2] = 0.0;
    CondBodyDef box = make_box(1.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.0);
    CondBodyDef wall = make_box(1.0, 0.1, 0.3, 0.3, 0.15, 0.0, 0.0);
    add_body(scene, &box);
    add_body(scene, &wall);
    add_plane(scene, 1.0, 0.0, 0.0, -0.1, 0.5, NAN);
    CondForceDef push = cond_force_def_default();
    strcpy(push.body, "body1");
    push.force[0] = -7.0;
    add_force(scene, &push);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 5);
    CondResultant all = cond_sim_pair_force(trial.sim, 0, COND_ANY_BODY);
    assert_near(all.pressure, 14.0, 1e-7);
    assert_near(all.force[0], 0.0, 1e-8);
    assert_true(isnan(all.centre[0]));
    CondResultant one = cond_sim_pair_force(trial.sim, 0, 1);
    assert_vector(one.centre, 0.1, 0.0, 0.0, 1e-8);
    trial_end(&trial);
}

// An impact's reading is the mean over the step: its impulse is what stopped the body.
static void test_impact_is_a_mean_over_the_step(void** state)
{
    (void)state;
    for (int way = 0; way < N_WAY; way++) {
        CondScene* scene = force_scene(way);
        CondBodyDef box = make_box(2.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.105);
        box.velocity[2] = -1.0;
        add_body(scene, &box);
        add_floor(scene, 0.5, 0.5);
        CondSensorDef sensor = make_sensor("box", "body0");
        add_sensor(scene, &sensor);
        Trial trial = trial_begin(scene);
        double t = trial.model->settings.time_step, peak = 0.0;
        for (int k = 0; k < 20; k++) {
            double before = trial_pose(&trial, 0).velocity[2];
            trial_step(&trial, 1);
            double after = trial_pose(&trial, 0).velocity[2];
            CondSensorReading reading = read_sensor(&trial, "box");
            assert_near(reading.force[2], 2.0 * (after - before) / t + 2.0 * G, 1e-6);
            peak = fmax(peak, reading.force[2]);
        }
        assert_true(peak > 100.0); // 2 kg stopped from 1 m/s in 10 ms, at least
        trial_end(&trial);
    }
}

// A chain of two rods held horizontal by its motors: the joints carry weights and moments.
static void test_joints_of_a_chain_at_rest(void** state)
{
    (void)state;
    for (int way = 0; way < N_WAY; way++) {
        CondScene* scene = force_scene(way);
        CondBodyDef chain = make_robot("chain", "forces_chain.urdf");
        CondJointDef joint = {
            .name = "hinge0", .position = -1.5707963267948966, .stiffness = NAN, .damping = NAN};
        write_chain("forces_chain.urdf", 2, 1.0, 1.0, 0.0, 0.0);
        chain.n_joint = 1;
        chain.joint = &joint;
        chain.motor_stiffness = 1e4;
        chain.motor_damping = 500.0;
        add_body(scene, &chain);
        CondSensorDef root = make_sensor("root", "chain"), elbow = make_sensor("elbow", "chain");
        root.kind = elbow.kind = COND_SENSOR_JOINT;
        root.world_axes = 1;
        strcpy(root.on.link, "rod0");
        strcpy(elbow.on.link, "rod1");
        add_sensor(scene, &root);
        add_sensor(scene, &elbow);
        Trial trial = trial_begin(scene);
        CondSensorReading none;
        assert_int_equal(cond_sim_sensor(trial.sim, 0, &none), COND_BAD_ARGUMENT);
        trial_step(&trial, 400);
        assert_int_equal(cond_sim_sensor(trial.sim, 2, &none), COND_BAD_ARGUMENT);
        CondSensorReading a = read_sensor(&trial, "root"), b = read_sensor(&trial, "elbow");
        assert_vector(a.force, 0.0, 0.0, -2.0 * G, 1e-4);
        assert_near(fabs(a.torque[1]), 2.0 * G, 1e-3); // two rods of 1 m, their middle 1 m away
        assert_near(sqrt(b.force[0] * b.force[0] + b.force[2] * b.force[2]), G, 1e-4);
        assert_near(fabs(b.torque[1]), 0.5 * G, 1e-3);
        assert_near(a.torque[0], 0.0, 1e-9);
        assert_near(a.torque[2], 0.0, 1e-9);
        trial_end(&trial);
    }
}

// Error of the root joint's reading against the change of the chain's momentum, and of the part
// along a free hinge against zero, while the chain swings freely.
static double swing_error(int way, double time_step, double* hinge)
{
    CondScene* scene = force_scene(way);
    cond_scene_settings(scene)->time_step = time_step;
    CondBodyDef chain = make_robot("chain", "forces_chain.urdf");
    CondJointDef joint[2] = {
        {.name = "hinge0", .position = 1.0, .velocity = 2.0, .stiffness = NAN, .damping = NAN},
        {.name = "hinge1", .position = -0.5, .velocity = -3.0, .stiffness = NAN, .damping = NAN}};
    write_chain("forces_chain.urdf", 2, 1.0, 1.0, 0.0, 0.0);
    chain.n_joint = 2;
    chain.joint = joint;
    add_body(scene, &chain);
    CondSensorDef root = make_sensor("root", "chain");
    root.kind = COND_SENSOR_JOINT;
    root.world_axes = 1;
    strcpy(root.on.link, "rod0");
    add_sensor(scene, &root);
    Trial trial = trial_begin(scene);
    double worst = 0.0, before[6], after[6];
    *hinge = 0.0;
    trial_momentum(&trial, before);
    for (int k = 0; k < (int)lround(0.2 / time_step); k++) {
        trial_step(&trial, 1);
        trial_momentum(&trial, after);
        CondSensorReading reading = read_sensor(&trial, "root");
        for (int i = 0; i < 3; i++) {
            double weight = i == 2 ? -2.0 * G : 0.0;
            double force = weight - (after[i] - before[i]) / time_step; // on the world
            worst = fmax(worst, fabs(reading.force[i] - force));
        }
        *hinge = fmax(*hinge, fabs(reading.torque[1]));
        memcpy(before, after, sizeof before);
    }
    trial_end(&trial);
    return worst;
}

static void test_joints_of_a_swinging_chain(void** state)
{
    (void)state;
    for (int way = 0; way < N_WAY; way++) {
        double hinge[2];
        double coarse = swing_error(way, 2e-3, &hinge[0]);
        double fine = swing_error(way, 1e-3, &hinge[1]);
        assert_true(coarse < 0.5);
        assert_true(fine < 0.6 * coarse); // of the first order in the step at least
        assert_true(hinge[0] < 1e-6 && hinge[1] < 1e-6);
    }
}

// A foot on a slider pressed on the floor by its motor: the contact sensor reads the floor, the
// joint that and the foot's weight, and along the joint the motor's force.
static void test_foot_on_the_floor(void** state)
{
    (void)state;
    for (int way = 0; way < N_WAY; way++) {
        CondScene* scene = force_scene(way);
        write_slider("forces_slider.urdf", 2.0, 0.1);
        CondBodyDef robot = make_robot("robot", "forces_slider.urdf");
        CondJointDef joint = {.name = "slide", .stiffness = 1000.0, .damping = 100.0};
        robot.position[2] = 0.1;
        robot.n_joint = 1;
        robot.joint = &joint;
        add_body(scene, &robot);
        add_floor(scene, 0.5, NAN);
        CondSensorDef sole = make_sensor("sole", "robot"), ankle = make_sensor("ankle", "robot");
        CondSensorDef whole = make_sensor("whole", "robot");
        ankle.kind = COND_SENSOR_JOINT;
        ankle.world_axes = 1;
        strcpy(sole.on.link, "foot");
        strcpy(ankle.on.link, "foot");
        add_sensor(scene, &sole);
        add_sensor(scene, &ankle);
        add_sensor(scene, &whole);
        Trial trial = trial_begin(scene);
        assert_int_equal(cond_state_set_joint_target(trial.model, trial.state, 0, "slide", -0.02),
                         COND_OK);
        trial_step(&trial, 100);
        double push = 1000.0 * 0.02; // of the motor: the foot cannot follow
        CondSensorReading reading = read_sensor(&trial, "sole");
        assert_near(reading.force[2], push + 2.0 * G, 1e-5);
        assert_int_equal(reading.n_contact, 1);
        assert_near(read_sensor(&trial, "whole").force[2], push + 2.0 * G, 1e-5);
        assert_near(read_sensor(&trial, "ankle").force[2], push, 1e-5);
        trial_end(&trial);
    }
}

// A soft cube on the floor: newtons of the whole and of its halves; its attachment to the world
// lifts a part of its weight.
static void test_soft_cube(void** state)
{
    (void)state;
    CondScene* scene = force_scene(0);
    CondMaterialDef material = make_material("gel", 1e5, 0.02);
    const double low[3] = {-0.06, -0.06, -0.01}, middle[3] = {0.001, 0.06, 0.11};
    const double next[3] = {0.001, -0.06, -0.01}, high[3] = {0.06, 0.06, 0.11};
    const double top[3] = {-0.06, -0.06, 0.099};
    add_material(scene, &material);
    CondBodyDef cube = make_soft("cube", "box:4,4,4:0.1,0.1,0.1", "gel", 0.0, 0.0, 0.05);
    add_body(scene, &cube);
    add_floor(scene, 0.5, NAN);
    add_patch(scene, "left", "cube", low, middle);
    add_patch(scene, "right", "cube", next, high);
    add_patch(scene, "top", "cube", top, high);
    CondAttachmentDef hook = make_attachment("hook", "cube", "", 0);
    strcpy(hook.end[0].patch, "top");
    hook.end[1].point[2] = 1.0;
    hook.stiffness = 500.0;
    hook.damping = 50.0;
    add_attachment(scene, &hook);
    CondSensorDef whole = make_sensor("whole", "cube"), left = make_sensor("left", "cube");
    CondSensorDef right = make_sensor("right", "cube"), lift = make_sensor("lift", "");
    strcpy(left.on.patch, "left");
    strcpy(right.on.patch, "right");
    strcpy(lift.attachment, "hook");
    left.world_axes = right.world_axes = lift.world_axes = 1;
    add_sensor(scene, &whole);
    add_sensor(scene, &left);
    add_sensor(scene, &right);
    add_sensor(scene, &lift);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 300);
    double weight = trial_mass(&trial, 0) * G;
    CondSensorReading all = read_sensor(&trial, "whole");
    double hang = read_sensor(&trial, "lift").force[2], wrench[6];
    assert_int_equal(cond_sim_attachment_wrench(trial.sim, 0, wrench), COND_OK);
    assert_true(hang == wrench[2] && hang > 0.05 && hang < 0.5 * weight);
    assert_near(all.force[2], weight - hang, 1e-4 * weight);
    assert_near(all.centre[2], 0.0, 1e-6);
    double a = read_sensor(&trial, "left").force[2], b = read_sensor(&trial, "right").force[2];
    assert_near(a + b, all.force[2], 1e-9);
    assert_true(a > b && b > 0.0); // the middle column of nodes is of the left half
    trial_end(&trial);
}

// The sensor's own axes and point: a sensor turned by a quarter about x reads the same wrench
// turned back, and the torque about its own point.
static void test_axes_and_point(void** state)
{
    (void)state;
    CondScene* scene = force_scene(0);
    CondBodyDef box = make_box(2.0, 0.1, 0.1, 0.1, 0.5, 0.0, 1.0);
    make_turn(0.0, 0.0, 1.0, 1.5707963267948966, box.orientation);
    add_body(scene, &box);
    CondAttachmentDef hook = make_attachment("hook", "body0", "", 1);
    hook.rotation_stiffness = 1e4;
    hook.damping = hook.rotation_damping = 200.0;
    add_attachment(scene, &hook);
    CondSensorDef sensor = make_sensor("turned", "");
    strcpy(sensor.attachment, "hook");
    make_turn(1.0, 0.0, 0.0, 1.5707963267948966, sensor.orientation);
    sensor.on.point[0] = 0.2; // along the box's x axis, the world's y
    add_sensor(scene, &sensor);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 400);
    CondSensorReading r = read_sensor(&trial, "turned");
    // up in the world is y of the sensor; r x f = (0, -0.2, 0) x (0, 0, f) = (-0.2 f, 0, 0) in
    // world
    assert_vector(r.force, 0.0, 2.0 * G, 0.0, 1e-5);
    assert_vector(r.position, 0.5, 0.2, 1.0 - 2.0 * G / hook.stiffness, 1e-6);
    assert_near(r.torque[2], -0.2 * 2.0 * G, 1e-5); // world x is -y of the box is z of the sensor
    trial_end(&trial);
}

// The penalty method knows attachments, motors and sensors too.
static void test_penalty(void** state)
{
    (void)state;
    CondScene* scene = force_scene(0);
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->method = COND_STEP_PENALTY;
    settings->time_step = 1e-4;
    write_slider("forces_slider.urdf", 2.0, 0.1);
    CondBodyDef robot = make_robot("robot", "forces_slider.urdf");
    CondJointDef joint = {.name = "slide", .stiffness = 5000.0, .damping = 100.0};
    robot.position[2] = 5.0;
    robot.n_joint = 1;
    robot.joint = &joint;
    CondBodyDef box = make_box(1.0, 0.1, 0.1, 0.1, 2.0, 0.0, 1.0);
    add_body(scene, &robot);
    add_body(scene, &box);
    CondAttachmentDef hook = make_attachment("hook", "body1", "", 0);
    hook.damping = 100.0;
    add_attachment(scene, &hook);
    CondSensorDef ankle = make_sensor("ankle", "robot"), lift = make_sensor("lift", "");
    ankle.kind = COND_SENSOR_JOINT;
    ankle.world_axes = 1;
    strcpy(ankle.on.link, "foot");
    strcpy(lift.attachment, "hook");
    add_sensor(scene, &ankle);
    add_sensor(scene, &lift);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 8000);
    assert_near(trial_pose(&trial, 1).position[2], 1.0 - G / hook.stiffness, 1e-5);
    assert_near(read_sensor(&trial, "lift").force[2], G, 0.01 * G);
    assert_near(read_sensor(&trial, "ankle").force[2], -2.0 * G, 0.02 * G);
    int n;
    const double* q = cond_state_configuration(trial.model, trial.state, 0, &n);
    assert_near(q[0], -2.0 * G / 5000.0, 1e-5);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_centre_of_pressure),
        cmocka_unit_test(test_pair_of_boxes),
        cmocka_unit_test(test_squeezed_box_has_no_centre),
        cmocka_unit_test(test_impact_is_a_mean_over_the_step),
        cmocka_unit_test(test_joints_of_a_chain_at_rest),
        cmocka_unit_test(test_joints_of_a_swinging_chain),
        cmocka_unit_test(test_foot_on_the_floor),
        cmocka_unit_test(test_soft_cube),
        cmocka_unit_test(test_axes_and_point),
        cmocka_unit_test(test_penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
