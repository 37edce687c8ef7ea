// Control at run time: torques, speeds, targets and gains of motors; weight that is carried and a
// stiffness that is held by a controller of the user.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/mechanics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One rod of 1 kg and 1 m on a hinge, without weight; I = 1/3 kg m2 about it.
static Trial begin_hinge(double stiffness, double damping)
{
    write_chain("control_hinge.urdf", 1, 1.0, 1.0, 0.0, 0.0);
    CondScene* scene = make_scene();
    CondBodyDef arm = make_robot("arm", "control_hinge.urdf");
    arm.motor_stiffness = stiffness;
    arm.motor_damping = damping;
    add_body(scene, &arm);
    memset(cond_scene_settings(scene)->gravity, 0, 3 * sizeof(double));
    cond_scene_settings(scene)->time_step = 0.001;
    Trial trial = trial_begin(scene);
    remove("control_hinge.urdf");
    return trial;
}

static void joint_of(const Trial* trial, double* position, double* velocity)
{
    assert_int_equal(cond_state_joint(trial->model, trial->state, 0, 0, position, velocity),
                     COND_OK);
}

static void test_torque(void** state)
{
    (void)state;
    Trial trial = begin_hinge(0.0, 0.0);
    double torque = 0.5, position, velocity, t;
    CondMotorGains gains;
    assert_int_equal(cond_state_set_targets(trial.model, trial.state, 0, NULL, 0, NULL, &torque),
                     COND_OK);
    trial_step(&trial, 1000);
    joint_of(&trial, &position, &velocity);
    t = cond_state_time(trial.state);
    assert_near(velocity, 0.5 * t * 3.0, 1e-9);
    // Beyond the effort it is cut.
    assert_int_equal(cond_state_motor(trial.model, trial.state, 0, 0, &gains), COND_OK);
    assert_near(gains.stiffness, 0.0, 0.0);
    gains.effort = 0.2;
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, 0, &gains), COND_OK);
    trial_step(&trial, 1000);
    joint_of(&trial, &position, &velocity);
    assert_near(velocity, 0.5 * t * 3.0 + 0.2 * t * 3.0, 1e-9);
    gains.effort = -1.0;
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, 0, &gains),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, 3, &gains),
                     COND_BAD_ARGUMENT);
    trial_end(&trial);
}

// The effort against the axis is that along it where it is not given, and is given back only then.
static void test_two_sides(void** state)
{
    (void)state;
    Trial trial = begin_hinge(0.0, 0.0);
    CondMotorGains gains = cond_motor_gains_default(), back;
    double torque = -5.0, position, velocity, t, before = 0.0;
    assert_true(isnan(gains.effort_back));
    assert_int_equal(cond_state_set_targets(trial.model, trial.state, 0, NULL, 0, NULL, &torque),
                     COND_OK);
    static const double side[3] = {NAN, 0.25, 0.0}; // against the axis, where 2 is along it
    gains.effort = 2.0;
    for (int k = 0; k < 3; k++) {
        gains.effort_back = side[k];
        assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, 0, &gains), COND_OK);
        assert_int_equal(cond_state_motor(trial.model, trial.state, 0, 0, &back), COND_OK);
        assert_near(back.effort, 2.0, 0.0);
        assert_true(k == 0 ? isnan(back.effort_back) : back.effort_back == side[k]);
        t = cond_state_time(trial.state);
        trial_step(&trial, 100);
        joint_of(&trial, &position, &velocity);
        double most = k == 0 ? 2.0 : side[k];
        assert_near(velocity - before, -3.0 * most * (cond_state_time(trial.state) - t), 1e-9);
        before = velocity;
    }
    gains.effort_back = -1.0;
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, 0, &gains),
                     COND_BAD_ARGUMENT);
    trial_end(&trial);
}

// What is not given stays as it is: the effort of the scene among it.
static void test_gains_that_are_kept(void** state)
{
    (void)state;
    Trial trial = begin_hinge(20.0, 3.0);
    CondMotorGains gains = {.stiffness = NAN, .damping = NAN, .effort = 4.0, .effort_back = 1.5},
                   back;
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, 0, &gains), COND_OK);
    gains = cond_motor_gains_default();
    gains.stiffness = 30.0;
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, -1, &gains), COND_OK);
    assert_int_equal(cond_state_motor(trial.model, trial.state, 0, 0, &back), COND_OK);
    assert_near(back.stiffness, 30.0, 0.0);
    assert_near(back.damping, 3.0, 0.0);
    assert_near(back.effort, 4.0, 0.0);
    assert_near(back.effort_back, 1.5, 0.0);
    gains = cond_motor_gains_default();
    gains.effort = 2.0; // both ways, where only one is given
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, 0, &gains), COND_OK);
    assert_int_equal(cond_state_motor(trial.model, trial.state, 0, 0, &back), COND_OK);
    assert_near(back.stiffness, 30.0, 0.0);
    assert_true(isnan(back.effort_back));
    trial_end(&trial);
}

// A damper alone holds a speed; a torque on top of a spring moves its rest by torque / stiffness.
static void test_gains(void** state)
{
    (void)state;
    Trial trial = begin_hinge(0.0, 5.0);
    double speed = 0.7, torque = 2.0, still = 0.0, target = 0.3, position, velocity;
    assert_int_equal(cond_state_set_targets(trial.model, trial.state, 0, NULL, 0, &speed, NULL),
                     COND_OK);
    trial_step(&trial, 2000);
    joint_of(&trial, &position, &velocity);
    assert_near(velocity, 0.7, 1e-9);
    CondMotorGains gains = cond_motor_gains_default();
    gains.stiffness = 50.0;
    gains.damping = 8.0;
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, -1, &gains), COND_OK);
    assert_int_equal(
        cond_state_set_targets(trial.model, trial.state, 0, &target, 0, &still, &torque), COND_OK);
    trial_step(&trial, 4000);
    joint_of(&trial, &position, &velocity);
    assert_near(position, 0.3 + 2.0 / 50.0, 1e-9);
    // The sum is what the effort bounds: 50 (0.3 - q) + 2 can be no more than 1.
    gains.effort = 1.0;
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, -1, &gains), COND_OK);
    CondPlace tip = {.body = 0, .part = 1, .point = {0.0, 0.0, -1.0}};
    double load[3] = {0.0, 0.0, 0.0}, away;
    int index;
    CondPose pose;
    CondMechanics* mechanics;
    CondError error;
    assert_int_equal(cond_mechanics_create(trial.model, &mechanics, &error), COND_OK);
    cond_mechanics_set(mechanics, trial.state);
    assert_int_equal(cond_mechanics_pose(mechanics, &tip, &pose), COND_OK);
    away = position;
    load[0] = cos(away) * 1.5; // across the rod: 1.5 N m
    load[2] = -sin(away) * 1.5;
    assert_int_equal(cond_state_push(trial.model, trial.state, &tip, load, NULL, &index), COND_OK);
    trial_step(&trial, 200);
    joint_of(&trial, &position, &velocity);
    double before = velocity;
    trial_step(&trial, 50);
    joint_of(&trial, &position, &velocity);
    assert_near(fabs(velocity - before) / 0.05, 1.5, 0.02); // 0.5 N m are left over I = 1/3
    cond_mechanics_destroy(mechanics);
    trial_end(&trial);
}

static Trial begin_panda(void)
{
    static const double start[7] = {0.2, -0.6, 0.1, -2.1, 0.2, 1.7, 0.8};
    CondScene* scene = make_scene();
    CondBodyDef arm = make_robot("panda", COND_SCENES "/panda_arm.urdf");
    CondJointDef joint[7];
    for (int i = 0; i < 7; i++) {
        joint[i] = cond_joint_def_default();
        snprintf(joint[i].name, sizeof joint[i].name, "panda_joint%d", i + 1);
        joint[i].position = start[i];
    }
    arm.n_joint = 7;
    arm.joint = joint;
    arm.motor_stiffness = arm.motor_damping = 0.0;
    add_body(scene, &arm);
    cond_scene_settings(scene)->time_step = 0.002;
    return trial_begin(scene);
}

// An arm that a controller carries drifts by less than a micro radian in ten seconds.
static void test_weight(void** state)
{
    (void)state;
    Trial trial = begin_panda();
    CondMechanics* mechanics;
    CondError error;
    double f[7], q0[7];
    int n;
    assert_int_equal(cond_mechanics_create(trial.model, &mechanics, &error), COND_OK);
    memcpy(q0, cond_state_configuration(trial.model, trial.state, 0, &n), sizeof q0);
    for (int k = 0; k < 5000; k++) {
        cond_mechanics_set(mechanics, trial.state);
        assert_int_equal(cond_mechanics_weight(mechanics, 0, f), COND_OK);
        for (int i = 0; i < 7; i++)
            f[i] = -f[i];
        assert_int_equal(cond_state_set_targets(trial.model, trial.state, 0, NULL, 0, NULL, f),
                         COND_OK);
        trial_step(&trial, 1);
    }
    const double* q = cond_state_configuration(trial.model, trial.state, 0, &n);
    for (int i = 0; i < 7; i++)
        assert_near(q[i], q0[i], 1e-6);
    cond_mechanics_destroy(mechanics);
    trial_end(&trial);
}

// A commanded stiffness of the hand is what a push meets, in every direction.
static void test_impedance(void** state)
{
    (void)state;
    Trial trial = begin_panda();
    CondMechanics* mechanics;
    CondError error;
    CondPlace hand = {.body = 0, .part = cond_model_n_link(trial.model, 0) - 1};
    const double K[6] = {400.0, 600.0, 800.0, 30.0, 30.0, 30.0};
    const double D[6] = {60.0, 60.0, 60.0, 4.0, 4.0, 4.0};
    CondPose target, now;
    double f[7];
    assert_int_equal(cond_mechanics_create(trial.model, &mechanics, &error), COND_OK);
    assert_int_equal(cond_mechanics_pose(mechanics, &hand, &target), COND_OK);
    memset(target.velocity, 0, sizeof target.velocity);
    memset(target.angular_velocity, 0, sizeof target.angular_velocity);
    for (int axis = 0; axis < 3; axis++) {
        double force[3] = {0.0, 0.0, 0.0};
        int index;
        force[axis] = 8.0;
        assert_int_equal(cond_state_push(trial.model, trial.state, &hand, force, NULL, &index),
                         COND_OK);
        for (int k = 0; k < 1500; k++) {
            cond_mechanics_set(mechanics, trial.state);
            assert_int_equal(cond_mechanics_weight(mechanics, 0, f), COND_OK);
            for (int i = 0; i < 7; i++)
                f[i] = -f[i];
            assert_int_equal(cond_mechanics_impedance(mechanics, &hand, &target, K, D, f), COND_OK);
            for (int i = 0; i < 7; i++) // of what the hand does not feel
                f[i] -= 0.3 * cond_state_velocity(trial.state)[i];
            assert_int_equal(cond_state_set_targets(trial.model, trial.state, 0, NULL, 0, NULL, f),
                             COND_OK);
            trial_step(&trial, 1);
        }
        cond_mechanics_set(mechanics, trial.state);
        assert_int_equal(cond_mechanics_pose(mechanics, &hand, &now), COND_OK);
        double moved = now.position[axis] - target.position[axis];
        assert_near(8.0 / moved, K[axis], 0.01 * K[axis]);
        assert_int_equal(cond_state_end_push(trial.state, index), COND_OK);
    }
    cond_mechanics_destroy(mechanics);
    trial_end(&trial);
}

// Gains and torques are part of the state: a saved one goes on with the same bits.
static void test_saved(void** state)
{
    (void)state;
    Trial trial = begin_hinge(0.0, 0.0);
    CondMotorGains gains = {30.0, 1.0, 3.0, NAN};
    double target = 0.5, torque = 0.2;
    size_t size;
    assert_int_equal(cond_state_set_motor(trial.model, trial.state, 0, 0, &gains), COND_OK);
    assert_int_equal(cond_state_set_targets(trial.model, trial.state, 0, &target, 1, NULL, &torque),
                     COND_OK);
    trial_step(&trial, 5);
    assert_int_equal(cond_state_save(trial.model, trial.state, NULL, 0, &size), COND_OK);
    void* bytes = malloc(size);
    assert_int_equal(cond_state_save(trial.model, trial.state, bytes, size, &size), COND_OK);
    trial_step(&trial, 20);
    uint64_t hash = cond_state_hash(trial.state);
    Trial other = begin_hinge(0.0, 0.0);
    CondError error;
    assert_int_equal(cond_state_load(other.model, other.state, bytes, size, &error), COND_OK);
    trial_step(&other, 20);
    assert_true(cond_state_hash(other.state) == hash);
    free(bytes);
    trial_end(&trial);
    trial_end(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torque),
        cmocka_unit_test(test_gains),
        cmocka_unit_test(test_gains_that_are_kept),
        cmocka_unit_test(test_two_sides),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_impedance),
        cmocka_unit_test(test_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
