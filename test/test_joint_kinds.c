// Spherical, planar and floating joints of robots in time: against closed solutions, by name in
// scene files, in saved states and in observations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/env.h"
#include "math/quat.h"
#include "model/articulation.h"
#include "robot_file/urdf.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

#define INERTIA(m, z, I1, I3)                                                                      \
    "<inertial><origin xyz='0 0 " z "'/><mass value='" m "'/><inertia ixx='" I1 "' iyy='" I1       \
    "' izz='" I3 "' ixy='0' ixz='0' iyz='0'/></inertial>"
#define JOINT(name, type, p, c, rest)                                                              \
    "<joint name='" name "' type='" type "'><parent link='" p "'/><child link='" c "'/>" rest      \
    "</joint>"

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// A symmetric body of 2 kg, its centre 0.5 m from the ball: I1 = 0.1 + 2 0.25 = 0.6 about it.
static const char top[] = "<robot name='top'><link name='base'/><link name='body'>" INERTIA(
    "2", "0.5", "0.1", "0.04") "</link>" JOINT("pivot", "spherical", "base", "body", "") "</robot>";

static Trial begin_top(double tilt, const double w[3], double time_step)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    settings->time_step = time_step;
    CondBodyDef robot = make_robot("top", "top.urdf");
    CondJointDef joint = {.name = "pivot", .stiffness = NAN, .damping = NAN};
    write_text("top.urdf", top);
    make_turn(0.0, 1.0, 0.0, tilt, joint.orientation);
    memcpy(joint.angular_velocity, w, sizeof joint.angular_velocity);
    robot.n_joint = 1;
    robot.joint = &joint;
    add_body(scene, &robot);
    return trial_begin(scene);
}

// Angular velocity in body axes of a body tilted about y that precesses by W about z and spins by s
// about its own axis.
static void steady(double tilt, double W, double s, double w[3])
{
    w[0] = -W * sin(tilt);
    w[1] = 0.0;
    w[2] = W * cos(tilt) + s;
}

// A symmetric top precesses steadily at tilt a with rate W where its turn n about its own axis
// obeys m g l = I3 n W - I1 W^2 cos a: the tilt stays, the azimuth grows by W. It turns by some 0.2
// rad in a step; halving the step quarters the error.
static void test_top_precesses(void** state)
{
    (void)state;
    const double m = 2.0, l = 0.5, I1 = 0.6, I3 = 0.04, a = 0.4;
    static const double rates[] = {1.5, -6.0};
    for (int k = 0; k < 2; k++) {
        double W = rates[k], n = (m * G * l + I1 * W * W * cos(a)) / (I3 * W), w[3], error[2];
        steady(a, W, n - W * cos(a), w);
        for (int level = 0; level < 2; level++) {
            int steps = 500 << level;
            Trial trial = begin_top(a, w, 0.5 / steps);
            assert_int_equal(trial.model->n_dof, 3);
            assert_int_equal(trial.model->n_q, 4);
            trial_step(&trial, 1);
            double first = trial.info.kinetic_before + trial.info.potential_before, R[9];
            trial_step(&trial, steps - 1);
            quat_matrix(trial.state->q, R);
            assert_near(trial_energy(&trial), first, 1e-6 * fabs(first));
            error[level] =
                hypot(acos(R[8]) - a, remainder(atan2(R[5], R[2]) - 0.5 * W, 2.0 * acos(-1.0)));
            trial_end(&trial);
        }
        assert_true(error[0] < 5e-2);
        assert_true(error[1] < 0.3 * error[0]);
    }
}

// Hanging (tilt beyond a right angle), without spin against the precession: the conical pendulum,
// m g l = -(I1 - I3) W^2 cos a. Halving the step quarters the error.
static void test_conical_pendulum(void** state)
{
    (void)state;
    const double m = 2.0, l = 0.5, I1 = 0.6, I3 = 0.04, a = 2.4;
    double W = sqrt(-m * G * l / ((I1 - I3) * cos(a))), w[3], error[2];
    steady(a, W, 0.0, w);
    for (int k = 0; k < 2; k++) {
        double t = k ? 1e-3 : 2e-3;
        Trial trial = begin_top(a, w, t);
        trial_step(&trial, k ? 1000 : 500);
        double R[9];
        quat_matrix(trial.state->q, R);
        double azimuth = atan2(R[5], R[2]);
        error[k] = hypot(acos(R[8]) - a, remainder(azimuth - W, 2.0 * acos(-1.0)));
        trial_end(&trial);
    }
    assert_true(error[0] < 1e-3);
    assert_true(error[1] < 0.3 * error[0] + 1e-9);
}

static const char puck[] = "<robot name='puck'><link name='table'/><link name='disc'>" INERTIA(
    "0.5", "0", "0.002",
    "0.003") "</link>" JOINT("lies", "planar", "table", "disc",
                             "<origin rpy='0.3 0 0'/><axis xyz='0 0 1'/>") "</robot>";

// A disc on a plane that leans by 0.3 rad about x slides as g sin(0.3) says, and keeps its spin; a
// motor of one coordinate holds that one.
static void test_planar_joint(void** state)
{
    (void)state;
    write_text("puck.urdf", puck);
    Trial trial = trial_text("step: {time_step: 0.01}\n",
                             "bodies:\n"
                             "  - name: puck\n"
                             "    kind: robot\n"
                             "    urdf: puck.urdf\n"
                             "    joints:\n"
                             "      - {name: lies.x, position: 0.2, velocity: 0.5}\n"
                             "      - {name: lies.angle, velocity: 3}\n");
    const CondArticulation* arm = trial.model->body[0].arm;
    assert_int_equal(arm->n_joint, 3);
    assert_int_equal(cond_state_set_joint_target(trial.model, trial.state, 0, "lies.y", 1.0), 0);
    assert_int_equal(cond_state_set_joint_target(trial.model, trial.state, 0, "lies", 1.0),
                     COND_BAD_ARGUMENT);
    trial_step(&trial, 100);
    const double* q = trial.state->q;
    assert_near(q[0], 0.7, 1e-9);
    assert_near(q[1], -0.5 * G * sin(0.3), 1e-3);
    assert_near(q[2], 3.0, 1e-9);
    trial_end(&trial);
}

static void refuse(const char* joints, const char* message)
{
    char text[400];
    CondScene* scene;
    CondModel* model;
    CondError error = {.message = ""};
    snprintf(text, sizeof text, "bodies: [{name: r, kind: robot, urdf: %s}]\n", joints);
    write_text("refuse.yaml", text);
    if (cond_scene_read(NULL, "refuse.yaml", 0, NULL, &scene, &error))
        fail_msg("%s", error.message);
    assert_int_not_equal(cond_scene_compile(scene, &model, &error), COND_OK);
    if (!strstr(error.message, message))
        fail_msg("'%s' instead of '%s'", error.message, message);
    cond_scene_destroy(scene);
}

static void test_start_values(void** state)
{
    (void)state;
    write_text("puck.urdf", puck);
    write_text("top.urdf", top);
    refuse("puck.urdf, joints: [{name: lies, position: 1}]",
           "joint lies: it moves in several ways: lies.x, ...");
    refuse("puck.urdf, joints: [{name: lies.x, orientation: [0, 1, 0, 0]}]",
           "only spherical and floating joints start with an orientation");
    refuse("top.urdf, joints: [{name: pivot, position: 1}]",
           "joint pivot: it turns freely: it starts with orientation and angular_velocity");
    refuse("top.urdf, joints: [{name: pivot, stiffness: 1}]", "has no motor");
}

// What a free tree does does not depend on whether its root floats or hangs on a floating joint,
// and states with balls are saved, loaded and go on with the same bits.
static void test_floating_joint_in_time(void** state)
{
    (void)state;
    static const char limb[] =
        "<link name='a'>" INERTIA("1", "0.1", "0.02", "0.01") "</link><link name='b'>" INERTIA(
            "0.5", "0.2", "0.01", "0.02") "</link>" JOINT("s", "ball", "a", "b",
                                                          "<origin xyz='0 0 0.3'/>");
    char text[2000];
    snprintf(text, sizeof text, "<robot name='r'>%s</robot>", limb);
    write_text("free.urdf", text);
    snprintf(text, sizeof text,
             "<robot name='r'><link name='g'/><link name='h'/>" JOINT("k", "fixed", "g", "h", "")
                 JOINT("f", "floating", "h", "a", "") "%s</robot>",
             limb);
    write_text("hung.urdf", text);
    double end[2][3];
    for (int k = 0; k < 2; k++) {
        static const char s[] = "{name: s, orientation: [0.9, 0.1, 0.3, 0], "
                                "angular_velocity: [1, 2, 3]}";
        if (k == 0)
            snprintf(text, sizeof text,
                     "bodies: [{name: r, kind: robot, urdf: free.urdf, floating: true, velocity: "
                     "[0.1, 0.2, 1], angular_velocity: [0, 0, 2], joints: [%s]}]\n",
                     s);
        else
            snprintf(text, sizeof text,
                     "bodies: [{name: r, kind: robot, urdf: hung.urdf, joints: [%s, {name: f, "
                     "angular_velocity: [0, 0, 2]}, {name: f.x, velocity: 0.1}, {name: f.y, "
                     "velocity: 0.2}, {name: f.z, velocity: 1}]}]\n",
                     s);
        Trial trial = trial_text("step: {time_step: 0.001}\n", text);
        trial_step(&trial, 100);
        CondState* copy;
        size_t written = 0;
        char bytes[4096];
        assert_int_equal(cond_state_save(trial.model, trial.state, bytes, sizeof bytes, &written),
                         0);
        assert_int_equal(cond_state_create(trial.model, &copy, NULL), COND_OK);
        assert_int_equal(cond_state_load(trial.model, copy, bytes, written, NULL), COND_OK);
        trial_step(&trial, 200);
        for (int i = 0; i < 200; i++)
            assert_int_equal(cond_sim_step(trial.sim, copy, &trial.info), COND_OK);
        assert_memory_equal(copy->q, trial.state->q,
                            (size_t)trial.model->n_q * sizeof *trial.state->q);
        cond_state_destroy(copy);
        const CondArticulation* arm = trial.model->body[0].arm;
        CondArticulationWork* work;
        assert_int_equal(cond_articulation_work_create(NULL, arm, &work, NULL), COND_OK);
        cond_articulation_kinematics(arm, trial.state->q, work);
        memcpy(end[k], work->position + 3 * cond_articulation_find_link(arm, "b"), sizeof end[k]);
        cond_articulation_work_destroy(work);
        trial_end(&trial);
    }
    for (int i = 0; i < 3; i++)
        assert_near(end[0][i], end[1][i], 1e-5);
}

// A planar base under an arm, by inverse kinematics: all coordinates of joints take part, and the
// ball in between stays as it is.
static void test_inverse_kinematics(void** state)
{
    (void)state;
    static const char
        text
            [] =
                "<robot name='r'><link name='f'/><link name='a'>" INERTIA("1", "0", "0.1", "0.1") "</link><link name='b'>" INERTIA(
                    "1", "0", "0.1",
                    "0.1") "</link><link name='c'>" INERTIA("1", "0", "0.1",
                                                            "0.1") "</link>" JOINT("p", "planar",
                                                                                   "f", "a",
                                                                                   "<axis xyz='0 0 "
                                                                                   "1'/>")
                    JOINT("s", "ball", "a", "b", "<origin xyz='0 0 0.5'/>")
                        JOINT("h", "continuous", "b", "c", "<axis xyz='0 1 0'/>") "</robot>";
    CondArticulation* a;
    CondIk* ik;
    CondError error = {.message = ""};
    write_text("ik.urdf", text);
    if (cond_urdf_read(NULL, "ik.urdf", NULL, &a, &error) || cond_ik_create(NULL, a, &ik, &error))
        fail_msg("%s", error.message);
    assert_int_equal(a->n_q, 8);
    double q[8], ball[4];
    cond_articulation_rest(a, q);
    make_turn(1.0, 2.0, 0.5, 0.4, q);
    memcpy(ball, q, sizeof ball);
    CondIkFrame frame = {.link = 3, .position = {0.3, 0.0, 0.0}, .orientation = {1.0}};
    CondIkTarget target = {.position = {0.9, -0.7, 0.45}, .orientation = {1.0}};
    CondIkSettings settings = cond_ik_settings_default();
    settings.length = 1e-6; // the place alone
    CondIkInfo info;
    for (int k = 0; k < 400; k++)
        cond_ik_step(ik, &settings, &frame, &target, 0.01, q, NULL, &info);
    assert_near(info.position_error, 0.0, 1e-6);
    assert_memory_equal(q, ball, sizeof ball);
    cond_ik_destroy(ik);
    cond_articulation_destroy(a);
}

static void test_position_based_dynamics_refuses(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondModel* model;
    CondSim* sim;
    CondError error = {.message = ""};
    write_text("top.urdf", top);
    cond_scene_settings(scene)->method = COND_STEP_PBD;
    CondBodyDef robot = make_robot("top", "top.urdf");
    add_body(scene, &robot);
    assert_int_equal(cond_scene_compile(scene, &model, &error), COND_OK);
    assert_int_equal(cond_sim_create(model, &sim, &error), COND_NOT_SUPPORTED);
    assert_non_null(strstr(error.message, "joint 'pivot' of 'top' turns freely"));
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

static void test_observations_name_the_balls(void** state)
{
    (void)state;
    write_text("top.urdf", top);
    write_text("top.yaml", "bodies: [{name: top, kind: robot, urdf: top.urdf, joints: [{name: "
                           "pivot, orientation: [0, 0, 0, 2]}]}]\n"
                           "actions: [{name: act, kind: joints, body: top}]\n");
    CondEnvDef def = cond_env_def_default();
    CondError error = {.message = ""};
    CondEnv* env;
    def.scene = "top.yaml";
    if (cond_env_create(NULL, &def, &env, &error))
        fail_msg("%s", error.message);
    if (cond_env_reset(env, 1, &error))
        fail_msg("%s", error.message);
    CondEnvSlot slot;
    int seen = 0;
    for (int i = 0; cond_env_observation_slot(env, i, &slot); i++) {
        if (strcmp(slot.name, "top.pivot.orientation") == 0) {
            assert_int_equal(slot.size, 4);
            assert_true(cond_env_observation(env)[slot.begin + 3] == 1.0);
            seen++;
        }
        seen += strcmp(slot.name, "top.pivot.angular_velocity") == 0 && slot.size == 3;
    }
    assert_int_equal(seen, 2);
    cond_env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top_precesses),
        cmocka_unit_test(test_conical_pendulum),
        cmocka_unit_test(test_planar_joint),
        cmocka_unit_test(test_start_values),
        cmocka_unit_test(test_floating_joint_in_time),
        cmocka_unit_test(test_observations_name_the_balls),
        cmocka_unit_test(test_inverse_kinematics),
        cmocka_unit_test(test_position_based_dynamics_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
