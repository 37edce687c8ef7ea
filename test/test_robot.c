// Robots in time: pendulums against closed and independent solutions, motors, trajectories,
// floating bases, pressing on the floor.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "math/quat.h"
#include "model/articulation.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static CondScene* robot_scene(double theta, double time_step, double gravity)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->gravity[2] = -gravity;
    settings->theta = theta;
    settings->time_step = time_step;
    settings->solver.tolerance = 1e-12;
    return scene;
}

static CondJointDef make_joint(const char* name, double position, double velocity)
{
    CondJointDef joint = {
        .position = position, .velocity = velocity, .stiffness = NAN, .damping = NAN};
    snprintf(joint.name, sizeof joint.name, "%s", name);
    return joint;
}

// A chain of rods of 1 kg and 1 m with the given angles and rates of its joints.
static Trial swing(double theta, double time_step, double gravity, int n, const double* position,
                   const double* velocity, double damping)
{
    CondScene* scene = robot_scene(theta, time_step, gravity);
    CondBodyDef chain = make_robot("chain", "chain.urdf");
    CondJointDef joint[4];
    write_chain("chain.urdf", n, 1.0, 1.0, damping, 0.0);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "hinge%d", i);
        joint[i] = make_joint(name, position[i], velocity[i]);
    }
    chain.n_joint = n;
    chain.joint = joint;
    add_body(scene, &chain);
    return trial_begin(scene);
}

// A rod swings with the period 2 pi sqrt(2 l / 3 g) (1 + a^2/16) for the amplitude a.
static void test_period_of_a_pendulum(void** state)
{
    (void)state;
    const double a = 0.05, still = 0.0, t = 1e-3, pi = acos(-1.0);
    double period = 2.0 * pi * sqrt(2.0 / (3.0 * G)) * (1.0 + a * a / 16.0);
    for (int which = 0; which < 2; which++) {
        Trial trial = swing(which ? 1.0 : 0.5, t, G, 1, &a, &still, 0.0);
        double first = 0.0, last = 0.0;
        int crossings = 0;
        for (int k = 0; k < 8500; k++) {
            double before = trial.state->q[0];
            trial_step(&trial, 1);
            double after = trial.state->q[0];
            if (!(before > 0.0 && after <= 0.0))
                continue;
            last = cond_state_time(trial.state) - t * after / (after - before);
            first = crossings++ ? first : last;
        }
        assert_int_equal(crossings, 5);
        // The step's own error of the frequency is of second order in w t.
        assert_near((last - first) / 4.0, period, 3e-5 * period);
        trial_end(&trial);
    }
}

// Two rods by their angles to the vertical, from Lagrange's equations.
static void double_pendulum_rate(const double y[4], double out[4])
{
    double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
    double A[4] = {4.0 / 3.0, 0.5 * c, 0.5 * c, 1.0 / 3.0};
    double f[2] = {-0.5 * s * y[3] * y[3] - 1.5 * G * sin(y[0]),
                   0.5 * s * y[2] * y[2] - 0.5 * G * sin(y[1])};
    double det = A[0] * A[3] - A[1] * A[2];
    out[0] = y[2];
    out[1] = y[3];
    out[2] = (A[3] * f[0] - A[1] * f[1]) / det;
    out[3] = (A[0] * f[1] - A[2] * f[0]) / det;
}

// Fourth-order Runge-Kutta.
static void double_pendulum(double y[4], double T, int steps)
{
    double h = T / steps;
    for (int k = 0; k < steps; k++) {
        double k1[4], k2[4], k3[4], k4[4], z[4];
        double_pendulum_rate(y, k1);
        for (int i = 0; i < 4; i++)
            z[i] = y[i] + 0.5 * h * k1[i];
        double_pendulum_rate(z, k2);
        for (int i = 0; i < 4; i++)
            z[i] = y[i] + 0.5 * h * k2[i];
        double_pendulum_rate(z, k3);
        for (int i = 0; i < 4; i++)
            z[i] = y[i] + h * k3[i];
        double_pendulum_rate(z, k4);
        for (int i = 0; i < 4; i++)
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
}

// The double pendulum converges to the solution of Lagrange's equations, and its energy error falls
// with the step; weight and C v are taken at the start of the step, which is of first order.
static void test_double_pendulum(void** state)
{
    (void)state;
    const double position[2] = {1.2, 0.5}, velocity[2] = {0.3, -1.0}, T = 1.0;
    double exact[4] = {1.2, 1.7, 0.3, -0.7};
    double_pendulum(exact, T, 20000);
    for (int which = 0; which < 2; which++) {
        double angle_error[2], energy_error[2];
        for (int level = 0; level < 2; level++) {
            int steps = 2000 << level;
            Trial trial = swing(which ? 1.0 : 0.5, T / steps, G, 2, position, velocity, 0.0);
            double first = 0.0, worst = 0.0;
            for (int k = 0; k < steps; k++) {
                trial_step(&trial, 1);
                if (k == 0)
                    first = trial.info.kinetic_before + trial.info.potential_before;
                worst = fmax(worst, fabs(trial_energy(&trial) - first));
            }
            const double* q = trial.state->q;
            angle_error[level] = hypot(q[0] - exact[0], q[0] + q[1] - exact[1]);
            energy_error[level] = worst / G;
            trial_end(&trial);
        }
        assert_true(angle_error[0] < 1e-2);
        assert_true(energy_error[0] < 1e-2);
        assert_true(angle_error[1] < 0.55 * angle_error[0]);
        assert_true(energy_error[1] < 0.55 * energy_error[0]);
    }
}

// Damping in a joint: v falls by (1 - (1 - th) x)/(1 + th x) in a step, x = t c / I.
static void test_joint_damping(void** state)
{
    (void)state;
    const double start = 0.0, rate = 2.0, c = 0.4, t = 0.01, I = 1.0 / 3.0;
    for (int which = 0; which < 2; which++) {
        double theta = which ? 1.0 : 0.5, x = t * c / I;
        Trial trial = swing(theta, t, 0.0, 1, &start, &rate, c);
        trial_step(&trial, 100);
        assert_near(trial.state->v[0],
                    rate * pow((1.0 - (1.0 - theta) * x) / (1.0 + theta * x), 100), 1e-9);
        assert_near(trial.state->v[0], rate * exp(-c / I), which ? 1e-2 : 1e-4);
        trial_end(&trial);
    }
}

static const double POSTURE[8] = {0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.7, 0.02};

static CondBodyDef make_panda(CondJointDef joint[8], double stiffness, double damping)
{
    char path[512];
    snprintf(path, sizeof path, "%s/panda.urdf", COND_SCENES);
    CondBodyDef arm = make_robot("arm", path);
    for (int j = 0; j < 8; j++) {
        char name[32];
        snprintf(name, sizeof name, j < 7 ? "panda_joint%d" : "panda_finger_joint1", j + 1);
        joint[j] = make_joint(name, POSTURE[j], 0.0);
    }
    arm.n_joint = 8;
    arm.joint = joint;
    arm.motor_stiffness = stiffness;
    arm.motor_damping = damping;
    return arm;
}

// Gravity's generalized force at q by differences of the potential energy.
static void weight_by_differences(const Trial* trial, const double* q, double f[8])
{
    const CondBody* body = &trial->model->body[0];
    CondArticulationWork* work = trial->sim->at_end.arm[0].work;
    const double g[3] = {0.0, 0.0, -G}, h = 1e-5;
    for (int j = 0; j < 8; j++) {
        double moved[8], energy[2];
        for (int side = 0; side < 2; side++) {
            memcpy(moved, q, sizeof moved);
            moved[j] += side ? h : -h;
            cond_articulation_kinematics(body->arm, moved, work);
            cond_articulation_energy(body->arm, work, NULL, g, NULL, &energy[side]);
        }
        f[j] = -(energy[1] - energy[0]) / (2.0 * h);
    }
}

// Motors hold a posture: each joint sags by the weight's torque over its stiffness.
static void test_motors_hold_a_posture(void** state)
{
    (void)state;
    const double k = 5000.0;
    CondScene* scene = robot_scene(1.0, 0.01, G);
    CondJointDef joint[8];
    CondBodyDef arm = make_panda(joint, k, 300.0);
    add_body(scene, &arm);
    Trial trial = trial_begin(scene);
    assert_int_equal(cond_model_n_dof(trial.model), 8);
    trial_step(&trial, 400);
    double f[8], f0[8];
    weight_by_differences(&trial, trial.state->q, f);
    weight_by_differences(&trial, POSTURE, f0);
    for (int j = 0; j < 8; j++) {
        double sag = trial.state->q[j] - POSTURE[j];
        assert_near(sag, f[j] / k, 1e-8);
        assert_near(sag, f0[j] / k, 3e-4); // to first order at the posture asked for
        assert_near(trial.state->v[j], 0.0, 1e-9);
    }
    trial_end(&trial);
}

// World position of a link's origin.
static void link_position(const Trial* trial, const char* link, double p[3], double q[4])
{
    const CondBody* body = &trial->model->body[0];
    int at = cond_articulation_find_link(body->arm, link);
    cond_kinematics_set(&trial->sim->at_end, trial->state->q);
    memcpy(p, trial->sim->at_end.arm[0].work->position + 3 * at, 3 * sizeof *p);
    memcpy(q, trial->sim->at_end.arm[0].work->orientation + 4 * at, 4 * sizeof *q);
}

// The hand follows a path of a decimetre to and fro within a millimetre, and ends on it.
static void test_hand_follows_a_trajectory(void** state)
{
    (void)state;
    CondJointDef joint[8];
    CondBodyDef arm = make_panda(joint, 2e4, 400.0);
    CondScene* scene = robot_scene(1.0, 0.005, 0.0);
    add_body(scene, &arm);
    Trial trial = trial_begin(scene);
    double p0[3], o0[4], p[3], o[4];
    link_position(&trial, "panda_hand", p0, o0);
    trial_end(&trial);
    CondWaypoint way[3];
    for (int k = 0; k < 3; k++) {
        way[k] = (CondWaypoint){.time = k};
        memcpy(way[k].position, p0, sizeof p0);
        memcpy(way[k].orientation, o0, sizeof o0);
        way[k].position[0] += k == 1 ? 0.1 : 0.0;
        way[k].position[2] += k == 2 ? 0.05 : 0.0;
    }
    CondTrajectoryDef path = cond_trajectory_def_default();
    snprintf(path.body, sizeof path.body, "arm");
    snprintf(path.link, sizeof path.link, "panda_hand");
    path.n_waypoint = 3;
    path.waypoint = way;
    scene = robot_scene(1.0, 0.005, 0.0);
    add_body(scene, &arm);
    CondError error;
    assert_int_equal(cond_scene_add_trajectory(scene, &path, &error), COND_OK);
    trial = trial_begin(scene);
    for (int k = 1; k <= 400; k++) {
        trial_step(&trial, 1);
        link_position(&trial, "panda_hand", p, o);
        assert_near(p[1], p0[1], 1e-3);
        if (k == 200)
            assert_near(p[0], p0[0] + 0.1, 2e-3);
        double turn = fabs(o[0] * o0[0] + o[1] * o0[1] + o[2] * o0[2] + o[3] * o0[3]);
        assert_true(turn > cos(0.5 * 5e-3));
    }
    trial_step(&trial, 100);
    link_position(&trial, "panda_hand", p, o);
    for (int i = 0; i < 3; i++)
        assert_near(p[i], way[2].position[i], 1e-5);
    trial_end(&trial);
}

// A floating chain: the start velocities are those of the definition, in world axes, the centre of
// mass falls freely, and momentum is kept.
static void test_floating_base(void** state)
{
    (void)state;
    double lost[2];
    write_chain("floating.urdf", 2, 1.0, 0.5, 0.0, 2.0);
    for (int level = 0; level < 2; level++) {
        const double t = 1e-3 / (1 << level), T = 0.2, w[3] = {1.0, -2.0, 0.5};
        CondScene* scene = robot_scene(0.5, t, 0.0);
        CondBodyDef chain = make_robot("chain", "floating.urdf");
        CondJointDef joint[2] = {make_joint("hinge0", 0.4, 1.0), make_joint("hinge1", -0.7, 2.0)};
        chain.floating = 1;
        chain.n_joint = 2;
        chain.joint = joint;
        chain.velocity[0] = 0.3;
        chain.velocity[1] = -0.2;
        memcpy(chain.angular_velocity, w, sizeof w);
        make_turn(1.0, 1.0, 0.0, 1.0, chain.orientation);
        add_body(scene, &chain);
        Trial trial = trial_begin(scene);
        CondPose pose = trial_pose(&trial, 0);
        for (int i = 0; i < 3; i++) {
            assert_near(pose.velocity[i], chain.velocity[i], 1e-15);
            assert_near(pose.angular_velocity[i], w[i], 1e-14);
        }
        double before[6], after[6];
        lost[level] = 0.0;
        trial_momentum(&trial, before);
        trial_step(&trial, (int)lround(T / t));
        trial_momentum(&trial, after);
        for (int i = 0; i < 6; i++)
            lost[level] = fmax(lost[level], fabs(after[i] - before[i]));
        trial_end(&trial);
    }
    assert_true(lost[0] < 1e-2);
    assert_true(lost[1] < 0.6 * lost[0]);
    // Not turning: every point falls with g.
    CondScene* scene = robot_scene(0.5, 0.01, G);
    CondBodyDef chain = make_robot("chain", "floating.urdf");
    chain.floating = 1;
    chain.position[2] = 2.0;
    chain.velocity[2] = 1.0;
    add_body(scene, &chain);
    Trial trial = trial_begin(scene);
    trial_step(&trial, 50);
    assert_near(trial_pose(&trial, 0).position[2], 2.0 + 0.5 - 0.5 * G * 0.25, 1e-10);
    assert_near(trial_pose(&trial, 0).velocity[2], 1.0 - 0.5 * G, 1e-10);
    trial_end(&trial);
}

// A foot pressed on the floor: the contact carries the motor's force and the weight.
static void test_pressing_on_the_floor(void** state)
{
    (void)state;
    const double m = 2.0, r = 0.05, k = 1e4;
    write_slider("slider.urdf", m, r);
    for (int which = 0; which < 2; which++) {
        CondScene* scene = robot_scene(which ? 0.5 : 1.0, 0.01, G);
        CondBodyDef leg = make_robot("leg", "slider.urdf");
        leg.position[2] = r;
        leg.motor_stiffness = k;
        leg.motor_damping = 200.0;
        add_body(scene, &leg);
        add_floor(scene, 0.5, NAN);
        Trial trial = trial_begin(scene);
        assert_int_equal(cond_state_set_joint_target(trial.model, trial.state, 0, "none", 0.0),
                         COND_BAD_ARGUMENT);
        assert_int_equal( // two centimetres into the floor
            cond_state_set_joint_target(trial.model, trial.state, 0, "slide", -0.02), COND_OK);
        trial_step(&trial, 50);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(trial.state->q[0], 0.0, 1e-8);
        assert_near(force[2], m * G + k * 0.02, 1e-6 * k * 0.02);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_period_of_a_pendulum),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_joint_damping),
        cmocka_unit_test(test_motors_hold_a_posture),
        cmocka_unit_test(test_hand_follows_a_trajectory),
        cmocka_unit_test(test_floating_base),
        cmocka_unit_test(test_pressing_on_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
