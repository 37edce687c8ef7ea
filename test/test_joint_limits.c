// Limits of joints: stops, dry friction, effort and velocity limits, against closed solutions and
// against the time-stepped ones, with every integrator.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "model/articulation.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81;

// Settings of all integrators; those of the theta rule are known by their theta.
static const char* const ways[] = {
    "integrator: auto",     "theta: 1",
    "theta: 0.5",           "integrator: euler",
    "integrator: midpoint", "integrator: variational",
};
enum {
    N_WAY = sizeof ways / sizeof ways[0],
    AUTO = 0,
    THETA_HALF = 2,
    MIDPOINT = 4,
    VARIATIONAL = 5
};

static double theta_of(int way)
{
    return way == THETA_HALF || way >= MIDPOINT ? 0.5 : 1.0;
}

// A link of a mass m, its centre at c from the joint along x, inertia i about all axes.
static void write_link(FILE* file, const char* name, double m, double c, double i,
                       const char* shape)
{
    fprintf(file,
            "<link name='%s'><inertial><origin xyz='%.17g 0 0'/><mass value='%.17g'/><inertia "
            "ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='0' ixz='0' iyz='0'/></inertial>%s</link>\n",
            name, c, m, i, i, i, shape);
}

static FILE* begin_robot(const char* path)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "<?xml version='1.0'?>\n<robot name='r'>\n<link name='base'/>\n");
    return file;
}

static void end_robot(FILE* file)
{
    fprintf(file, "</robot>\n");
    assert_int_equal(fclose(file), 0);
}

// A rod of 1 kg and 1 m that turns about y from the x axis, downwards for q > 0.
static void write_hinge(const char* path, const char* limit, const char* dynamics)
{
    FILE* file = begin_robot(path);
    write_link(file, "arm", 1.0, 0.5, 0.02, "");
    fprintf(
        file,
        "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 "
        "0'/><limit %s/><dynamics %s/></joint>\n",
        limit, dynamics);
    end_robot(file);
}

// A mass of 2 kg on a slider along x.
static void write_sled(const char* path, const char* limit, double friction)
{
    FILE* file = begin_robot(path);
    write_link(file, "sled", 2.0, 0.0, 0.1, "");
    fprintf(
        file,
        "<joint name='j' type='prismatic'><parent link='base'/><child link='sled'/><axis xyz='1 "
        "0 0'/><limit %s/><dynamics damping='0' friction='%.17g'/></joint>\n",
        limit, friction);
    end_robot(file);
}

// A robot in a scene of its own, with the given integrator and step; more of its keys in `keys`.
static Trial begin(int way, double t, const char* urdf, const char* keys, const char* more)
{
    char settings[256], text[2048];
    snprintf(settings, sizeof settings,
             "step: {%s, time_step: %g, duration: 1}\nsolver: {tolerance: 1.0e-10}\n", ways[way],
             t);
    snprintf(text, sizeof text, "bodies:\n  - {name: r, kind: robot, urdf: %s%s%s}\n%s", urdf,
             *keys ? ", " : "", keys, more);
    return trial_text(settings, text);
}

static CondJointReading reading_of(const Trial* trial, int joint)
{
    CondJointReading reading;
    assert_int_equal(cond_sim_joint(trial->sim, 0, joint, &reading), COND_OK);
    return reading;
}

static double energy_of(const Trial* trial)
{
    return trial->info.kinetic_after + trial->info.potential_after;
}

// A step: certified, every joint of the robot within its limits.
static void step_within(Trial* trial, double tolerance)
{
    const CondBody* body = &trial->model->body[0];
    trial_step(trial, 1);
    assert_true(cond_certificate_residual(&trial->info.solve.certificate) <= 1e-8);
    for (int j = 0; j < body->arm->n_joint; j++) {
        double q = trial->state->q[cond_body_joint_q(body) + j];
        if (q < body->bounds[j].lower - tolerance || q > body->bounds[j].upper + tolerance)
            fail_msg("t = %g: joint %d at %.17g, beyond [%g, %g]", trial->info.time, j, q,
                     body->bounds[j].lower, body->bounds[j].upper);
    }
}

// A motor at its effort against the weight, and dry friction: the rod hangs on both.
static void test_friction_and_effort_hold_a_rod(void** state)
{
    (void)state;
    write_hinge("limits_hinge.urdf", "lower='-0.5' upper='0.5' effort='2' velocity='1.5'",
                "damping='0' friction='3'");
    for (int way = 0; way < N_WAY; way++) {
        Trial trial = begin(way, 0.01, "limits_hinge.urdf", "motor: {stiffness: 1000, damping: 1}",
                            "trajectories:\n  - {name: t, body: r, joint: j, waypoints: [{time: 0, "
                            "target: -1}, {time: 0.1, target: -2}]}\n");
        for (int k = 0; k < 100; k++)
            step_within(&trial, 1e-9);
        CondJointReading r = reading_of(&trial, 0);
        assert_near(r.motor, -2.0, 1e-9);
        assert_near(r.friction, -(0.5 * G - 2.0), 1e-6); // below its 3 N m
        assert_near(r.limit, 0.0, 0.0);
        assert_near(trial.state->q[0], 0.0, 1e-9);
        trial_end(&trial);
    }
}

// The motor pushes far beyond the stop.
static void test_motor_against_a_stop(void** state)
{
    (void)state;
    const double weak = 40.0;
    write_hinge("limits_hinge.urdf", "lower='-0.5' upper='0.5' effort='40' velocity='1.5'",
                "damping='0' friction='3'");
    for (int way = 0; way < N_WAY; way++)
        for (int off = 0; off < 2; off++) {
            Trial trial =
                begin(way, 0.01, "limits_hinge.urdf",
                      off ? "effort_limits: false, motor: {stiffness: 1000, damping: 1}"
                          : "motor: {stiffness: 1000, damping: 1}",
                      "trajectories:\n  - {name: t, body: r, joint: j, waypoints: [{time: 0, "
                      "target: 0}, {time: 0.1, target: -2}]}\n");
            for (int k = 0; k < 100; k++)
                step_within(&trial, 1e-9);
            CondJointReading r = reading_of(&trial, 0);
            double motor = off ? 1500.0 : weak, weight = 0.5 * G * cos(0.5);
            assert_near(trial.state->q[0], -0.5, 1e-9);
            assert_near(r.motor, -motor, 1e-6 * motor);
            // What holds it: stop and friction, of which the latter may share in any way.
            assert_near(r.limit + r.friction, motor - weight, 1e-6 * motor);
            assert_true(fabs(r.friction) <= 3.0 + 1e-6);
            trial_end(&trial);
        }
}

// A rod falls on its stop, stays there, and presses as its weight does.
static void test_rod_falls_on_its_stop(void** state)
{
    (void)state;
    write_hinge("limits_fall.urdf", "lower='-0.5' upper='0.5' effort='2' velocity='100'",
                "damping='0' friction='0'");
    for (int way = 0; way < N_WAY; way++) {
        Trial trial = begin(way, 0.003, "limits_fall.urdf", "", "");
        double energy = INFINITY;
        for (int k = 0; k < 300; k++) {
            step_within(&trial, 1e-9);
            // Of integrators that gain none in free fall.
            if (way == AUTO)
                assert_true(energy_of(&trial) <= energy + 1e-9);
            energy = energy_of(&trial);
        }
        CondJointReading r = reading_of(&trial, 0);
        assert_near(trial.state->q[0], 0.5, 1e-9);
        assert_near(trial.state->v[0], 0.0, 1e-8);
        assert_near(r.limit, -0.5 * G * cos(0.5), 1e-6);
        trial_end(&trial);
    }
}

// Two rods between stops that they strike again and again.
static void test_double_pendulum_against_its_stops(void** state)
{
    (void)state;
    static const double steps[] = {0.002, 0.01};
    write_chain("limits_chain.urdf", 2, 1.0, 1.0, 0.0, 0.0);
    for (int way = 0; way < N_WAY; way++)
        for (int s = 0; s < 2; s++) {
            Trial trial = begin(
                way, steps[s], "limits_chain.urdf",
                "joints: [{name: hinge0, position: 0.3, velocity: -4, lower: -0.6, upper: 0.4}, "
                "{name: hinge1, position: 0.2, velocity: 5, lower: -0.3, upper: 0.5}]",
                "");
            double energy = INFINITY;
            int struck = 0;
            for (int k = 0; k < (int)(2.0 / steps[s]); k++) {
                step_within(&trial, 1e-9);
                struck += reading_of(&trial, 0).limit != 0.0 || reading_of(&trial, 1).limit != 0.0;
                if (way == AUTO)
                    assert_true(energy_of(&trial) <= energy + 1e-9);
                energy = energy_of(&trial);
            }
            assert_true(struck > 5);
            trial_end(&trial);
        }
}

// Pressed against both stops by its weight, each joint reads the moment of all beyond it.
static void test_chain_leans_on_its_stops(void** state)
{
    (void)state;
    const double a = 0.4, b = 0.3;
    write_chain("limits_chain.urdf", 2, 1.0, 1.0, 0.3, 0.0);
    for (int way = 0; way < N_WAY; way++) {
        // Rods hang along -z at q = 0 and turn about y: held up at a and b by their upper stops.
        Trial trial = begin(way, 0.005, "limits_chain.urdf",
                            "joints: [{name: hinge0, position: 0.9, lower: 0.4, upper: 2}, "
                            "{name: hinge1, position: 0.5, lower: 0.3, upper: 2}]",
                            "");
        for (int k = 0; k < 1500; k++)
            step_within(&trial, 1e-9);
        double outer = 0.5 * G * sin(a + b), inner = 1.5 * G * sin(a) + outer;
        assert_near(trial.state->q[0], a, 1e-9);
        assert_near(trial.state->q[1], b, 1e-9);
        assert_near(reading_of(&trial, 0).limit, inner, 1e-6);
        assert_near(reading_of(&trial, 1).limit, outer, 1e-6);
        trial_end(&trial);
    }
}

// F/m slows the sled down, and it stops where the stepped solution does:
//     v_hat = max(v_k - th t F/m, 0),  q += t v_hat,  v = max(v_k - t F/m, 0)
static void test_sled_on_dry_friction(void** state)
{
    (void)state;
    const double F = 3.0, m = 2.0, t = 0.01;
    write_sled("limits_sled.urdf", "lower='-9' upper='9' effort='100' velocity='100'", F);
    for (int way = 0; way < N_WAY; way++) {
        Trial trial = begin(way, t, "limits_sled.urdf", "joints: [{name: j, velocity: 1}]", "");
        // auto takes the middle of the step
        double q = 0.0, v = 1.0, theta = way == AUTO ? 0.5 : theta_of(way);
        for (int k = 0; k < 100; k++) {
            step_within(&trial, 1e-9);
            q += t * fmax(v - theta * t * F / m, 0.0);
            double friction = -fmin(F, m * v / t);
            v = fmax(v - t * F / m, 0.0);
            assert_near(trial.state->q[0], q, 1e-9);
            assert_near(trial.state->v[0], v, 1e-9);
            assert_near(reading_of(&trial, 0).friction, friction, 1e-6);
        }
        assert_near(trial.state->v[0], 0.0, 1e-12);
        assert_near(trial.state->q[0], 0.5 * m / F, 0.6 * t); // v^2/2a
        trial_end(&trial);
    }
}

// Below F it sticks, to the last bit; above it moves as the rest of the force says.
static void test_sled_sticks_below_its_friction(void** state)
{
    (void)state;
    const double t = 0.01;
    write_sled("limits_sled.urdf", "lower='-9' upper='9' effort='100' velocity='100'", 3.0);
    for (int way = 0; way < N_WAY; way++)
        for (int moves = 0; moves < 2; moves++) {
            double push = moves ? 3.2 : 2.9;
            char force[200];
            snprintf(force, sizeof force, "gravity: [%g, 0, 0]\n", push / 2.0);
            Trial trial = begin(way, t, "limits_sled.urdf", "", force);
            for (int k = 0; k < 50; k++)
                step_within(&trial, 1e-9);
            double speed = moves ? 0.5 * 0.2 / 2.0 : 0.0;
            assert_near(trial.state->v[0], speed, 1e-7);
            assert_near(reading_of(&trial, 0).friction, moves ? -3.0 : -push, 1e-6);
            if (!moves)
                assert_near(trial.state->q[0], 0.0, 1e-9);
            trial_end(&trial);
        }
}

// A constant force on a sled whose speed is limited, towards either side.
static void test_velocity_limit(void** state)
{
    (void)state;
    write_sled("limits_sled.urdf", "lower='-9' upper='9' effort='100' velocity='0.5'", 0.0);
    for (int way = 0; way < N_WAY; way++)
        for (int side = -1; side <= 1; side += 2) {
            char force[200];
            snprintf(force, sizeof force, "gravity: [%g, 0, 0]\n", 3.5 * side);
            Trial trial = begin(way, 0.01, "limits_sled.urdf", "", force);
            for (int k = 0; k < 100; k++) {
                double v = fmin(3.5 * 0.01 * (k + 1), 0.5);
                step_within(&trial, 1e-9);
                assert_near(trial.state->v[0], side * v, 1e-8);
            }
            assert_near(reading_of(&trial, 0).velocity_limit, -7.0 * side, 1e-6);
            trial_end(&trial);
        }
}

// Two fingers that one motor closes, the second a mimic of the first, on a box.
static void write_gripper(const char* path, double effort, int mimic)
{
    FILE* file = begin_robot(path);
    const char* finger = "<collision><geometry><box size='0.02 0.04 0.04'/></geometry></collision>";
    write_link(file, "left", 0.1, 0.0, 1e-4, finger);
    write_link(file, "right", 0.1, 0.0, 1e-4, finger);
    for (int i = 0; i < 2; i++)
        fprintf(file,
                "<joint name='%s' type='prismatic'><parent link='base'/><child link='%s'/><origin "
                "xyz='%g 0 0'/><axis xyz='%d 0 0'/><limit lower='0' upper='0.05' effort='%.17g' "
                "velocity='0.2'/>%s</joint>\n",
                i ? "b" : "a", i ? "right" : "left", i ? 0.08 : -0.08, i ? -1 : 1, effort,
                i && mimic ? "<mimic joint='a'/>" : "");
    end_robot(file);
}

// The fingers stall at the effort of their motors: of two motors each presses with it, of one that
// closes both with half of it, whatever the target is. The box does not slip.
static void test_gripper_stalls_at_its_effort(void** state)
{
    (void)state;
    const double effort = 12.0, mass = 0.2;
    for (int way = 0; way < N_WAY; way++)
        for (int mimic = 0; mimic < 2; mimic++) {
            write_gripper("limits_gripper.urdf", effort, mimic);
            char text[1024];
            snprintf(
                text, sizeof text,
                "  - {name: box, mass: %g, shape: {box: [0.06, 0.03, 0.03]}, position: [0, 0, "
                "1], friction: 0.8}\n"
                "planes: [{name: table, offset: 0.985}]\n"
                "trajectories:\n  - {name: t, body: r, joint: a, waypoints: [{time: 0, target: "
                "0}, {time: 0.2, target: 0.05}]}\n%s"
                "sensors:\n  - {name: s, body: r, link: left, against: box, axes: world}\n",
                mass,
                mimic ? ""
                      : "  - {name: u, body: r, joint: b, waypoints: [{time: 0, target: 0}, "
                        "{time: 0.2, target: 0.05}]}\n");
            Trial trial = begin(way, 0.005, "limits_gripper.urdf",
                                "position: [0, 0, 1], friction: 0.8, motor: {stiffness: 4000, "
                                "damping: 40}",
                                text);
            double z = 0.0;
            for (int k = 0; k < 200; k++) {
                step_within(&trial, 1e-9);
                z = k == 100 ? trial_pose(&trial, 1).position[2] : z;
            }
            CondSensorReading touch;
            double grip = mimic ? 0.5 * effort : effort;
            assert_int_equal(cond_sim_sensor(trial.sim, 0, &touch), COND_OK);
            assert_near(fabs(touch.force[0]), grip, 1e-6 * grip);
            assert_near(reading_of(&trial, 0).motor, effort, 1e-9 * effort);
            assert_near(trial_pose(&trial, 1).position[2], z, 1e-9);
            trial_end(&trial);
        }
}

// Lifted by the wrist: the stalled gripper carries the box in the air.
static void test_stalled_gripper_carries_its_box(void** state)
{
    (void)state;
    const double effort = 12.0, mass = 0.2;
    write_gripper("limits_gripper.urdf", effort, 1);
    char text[1024];
    snprintf(text, sizeof text,
             "  - {name: box, mass: %g, shape: {box: [0.06, 0.03, 0.03]}, position: [0, 0, 1], "
             "friction: 0.8}\n"
             "sensors:\n  - {name: s, body: r, link: left, against: box, axes: world}\n",
             mass);
    for (int way = 0; way < N_WAY; way++) {
        Trial trial =
            begin(way, 0.005, "limits_gripper.urdf",
                  "position: [0, 0, 1], friction: 0.8, joints: [{name: a, position: 0.04}], "
                  "motor: {stiffness: 40000, damping: 40}",
                  text);
        assert_int_equal(cond_state_set_joint_target(trial.model, trial.state, 0, "a", 0.06),
                         COND_OK);
        for (int k = 0; k < 200; k++)
            step_within(&trial, 1e-9);
        CondSensorReading touch;
        assert_int_equal(cond_sim_sensor(trial.sim, 0, &touch), COND_OK);
        assert_near(fabs(touch.force[0]), 0.5 * effort, 1e-6 * effort);
        assert_near(fabs(touch.force[2]), 0.5 * mass * G, 1e-6 * effort);
        assert_near(trial_pose(&trial, 1).position[2], 1.0, 1e-3);
        assert_true(fabs(trial_pose(&trial, 1).velocity[2]) < 1e-8);
        trial_end(&trial);
    }
}

// A limp arm of seven joints falls on its stops, at several steps.
static void test_arm_falls_on_its_stops(void** state)
{
    (void)state;
    static const char* const steps[] = {"step.time_step=0.002", "step.time_step=0.01"};
    for (int s = 0; s < 2; s++) {
        const char* const override[] = {steps[s], "bodies.arm.joint_limits=true",
                                        "bodies.arm.velocity_limits=true"};
        Trial trial = trial_read("limp.yaml", 3, override);
        double energy = INFINITY;
        int stops = 0;
        for (int k = 0; k < (s ? 200 : 600); k++) {
            step_within(&trial, 1e-9);
            assert_true(energy_of(&trial) <= energy + 1e-9);
            energy = energy_of(&trial);
            for (int j = 0; j < 7; j++)
                stops += reading_of(&trial, j).limit != 0.0;
        }
        assert_true(stops > 10);
        trial_end(&trial);
    }
}

// Beyond its limit at the start a joint is led back, without speed.
static void test_start_beyond_a_limit(void** state)
{
    (void)state;
    write_hinge("limits_fall.urdf", "lower='-0.5' upper='0.5' effort='2' velocity='100'",
                "damping='0' friction='0'");
    for (int way = 0; way < N_WAY; way++) {
        Trial trial = begin(way, 0.01, "limits_fall.urdf", "", "");
        trial.state->q[0] = 0.8;
        double before = 0.8;
        for (int k = 0; k < 20; k++) {
            step_within(&trial, 1.0);
            assert_true(trial.state->q[0] <= before + 1e-9);
            assert_true(trial.info.kinetic_after < 1e-12);
            before = trial.state->q[0];
        }
        assert_near(trial.state->q[0], 0.5, 1e-9);
        trial_end(&trial);
    }
}

// Nothing works against the friction of a robot in free fall: neither force nor speed but rounding,
// step after step.
static void test_dry_joints_in_free_fall(void** state)
{
    (void)state;
    FILE* file = fopen("limits_free.urdf", "w");
    assert_non_null(file);
    fprintf(file, "<?xml version='1.0'?>\n<robot name='r'>\n");
    write_link(file, "base", 3.8, 0.0, 0.05, "");
    write_link(file, "a", 0.35, 0.07, 5e-4, "");
    fprintf(file, "<joint name='j' type='prismatic'><parent link='base'/><child link='a'/><axis "
                  "xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='9'/><dynamics "
                  "damping='0' friction='4'/></joint>\n");
    end_robot(file);
    for (int way = 0; way < N_WAY; way++) {
        Trial trial = begin(way, 0.002, "limits_free.urdf",
                            "floating: true, joints: [{name: j, velocity: 0.1}], position: [0, 0, "
                            "1], angular_velocity: [0.3, 2, -1]",
                            "");
        for (int k = 0; k < 200; k++)
            step_within(&trial, 1e-9);
        if (way != VARIATIONAL) // which carries momenta, not velocities, from step to step
            assert_near(trial.state->v[6], 0.0, 1e-9);
        trial_end(&trial);
    }
}

// What a scene says of a joint takes the place of the file; what is switched off does not act.
static void test_scene_overrides_the_file(void** state)
{
    (void)state;
    write_hinge("limits_fall.urdf", "lower='-0.5' upper='0.5' effort='2' velocity='1'",
                "damping='0' friction='30'");
    Trial trial = begin(AUTO, 0.01, "limits_fall.urdf",
                        "velocity_limits: false, joints: [{name: j, friction: 0, upper: 0.7, "
                        "passive_damping: 2, armature: 0.5}]",
                        "");
    for (int k = 0; k < 200; k++)
        step_within(&trial, 1e-9);
    assert_near(trial.state->q[0], 0.7, 1e-9);
    assert_near(trial.model->body[0].arm->coordinate[0].damping, 2.0, 0.0);
    assert_near(trial.sim->at_end.arm[0].M[0], 0.02 + 0.25 + 0.5, 1e-12);
    trial_end(&trial);
    trial = begin(AUTO, 0.01, "limits_fall.urdf", "joint_limits: false, joint_friction: false", "");
    trial_step(&trial, 200);
    assert_true(trial.state->q[0] > 0.6 && fabs(trial.state->v[0]) <= 1.0 + 1e-8);
    trial_end(&trial);
}

// A spring in a joint: its period, and its energy.
static void test_spring_in_a_joint(void** state)
{
    (void)state;
    write_sled("limits_sled.urdf", "lower='-9' upper='9' effort='100' velocity='100'", 0.0);
    Trial trial = begin(AUTO, 0.001, "limits_sled.urdf",
                        "joints: [{name: j, position: 0.3, spring: 50, spring_rest: 0.1}]", "");
    trial_step(&trial, 1);
    double energy = energy_of(&trial);
    trial_step(&trial, 999);
    assert_near(trial.state->q[0], 0.1 + 0.2 * cos(5.0), 1e-5); // w^2 = 50/2
    assert_near(energy_of(&trial), energy, 1e-9);
    trial_end(&trial);
}

// A state that is taken up again goes on with the same bits, stops and all.
static void test_resume_at_a_stop(void** state)
{
    (void)state;
    write_chain("limits_chain.urdf", 2, 1.0, 1.0, 0.0, 0.0);
    const char* keys = "joints: [{name: hinge0, velocity: -4, lower: -0.6, upper: 0.4, friction: "
                       "0.1}, {name: hinge1, velocity: 5, lower: -0.3, upper: 0.5}]";
    Trial one = begin(AUTO, 0.005, "limits_chain.urdf", keys, "");
    Trial two = begin(AUTO, 0.005, "limits_chain.urdf", keys, "");
    for (int k = 0; k < 200; k++) {
        size_t size = 0;
        trial_step(&one, 1);
        assert_int_equal(cond_state_save(one.model, one.state, NULL, 0, &size), COND_OK);
        void* bytes = malloc(size);
        assert_non_null(bytes);
        if (k % 7 == 0) { // the second goes on from a copy of the first
            assert_int_equal(cond_state_save(one.model, one.state, bytes, size, &size), COND_OK);
            assert_int_equal(cond_state_load(two.model, two.state, bytes, size, NULL), COND_OK);
        } else {
            trial_step(&two, 1);
        }
        assert_int_equal(cond_state_hash(one.state), cond_state_hash(two.state));
        free(bytes);
    }
    trial_end(&one);
    trial_end(&two);
}

static void test_bad_arguments(void** state)
{
    (void)state;
    CondJointReading reading;
    write_sled("limits_sled.urdf", "lower='-9' upper='9' effort='100' velocity='100'", 0.0);
    Trial trial = begin(AUTO, 0.01, "limits_sled.urdf", "", "");
    assert_int_equal(cond_sim_joint(trial.sim, 0, 0, &reading), COND_BAD_ARGUMENT); // no step yet
    trial_step(&trial, 1);
    assert_int_equal(cond_sim_joint(trial.sim, 0, 0, &reading), COND_OK);
    assert_int_equal(cond_sim_joint(trial.sim, 0, 1, &reading), COND_BAD_ARGUMENT);
    assert_int_equal(cond_sim_joint(trial.sim, 0, -1, &reading), COND_BAD_ARGUMENT);
    assert_int_equal(cond_sim_joint(trial.sim, 7, 0, &reading), COND_BAD_ARGUMENT);
    assert_int_equal(cond_model_n_coordinate(trial.model, 0), 1);
    assert_int_equal(cond_model_n_coordinate(trial.model, 5), 0);
    assert_string_equal(cond_model_coordinate_name(trial.model, 0, 0), "j");
    assert_null(cond_model_coordinate_name(trial.model, 0, 1));
    assert_int_equal(cond_model_find_coordinate(trial.model, 0, "j"), 0);
    assert_int_equal(cond_model_find_coordinate(trial.model, 0, "k"), -1);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_and_effort_hold_a_rod),
        cmocka_unit_test(test_motor_against_a_stop),
        cmocka_unit_test(test_rod_falls_on_its_stop),
        cmocka_unit_test(test_double_pendulum_against_its_stops),
        cmocka_unit_test(test_chain_leans_on_its_stops),
        cmocka_unit_test(test_sled_on_dry_friction),
        cmocka_unit_test(test_sled_sticks_below_its_friction),
        cmocka_unit_test(test_velocity_limit),
        cmocka_unit_test(test_gripper_stalls_at_its_effort),
        cmocka_unit_test(test_stalled_gripper_carries_its_box),
        cmocka_unit_test(test_arm_falls_on_its_stops),
        cmocka_unit_test(test_start_beyond_a_limit),
        cmocka_unit_test(test_dry_joints_in_free_fall),
        cmocka_unit_test(test_scene_overrides_the_file),
        cmocka_unit_test(test_spring_in_a_joint),
        cmocka_unit_test(test_resume_at_a_stop),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
