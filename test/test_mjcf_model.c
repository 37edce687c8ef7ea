// MJCF files, what bodies are made of and driven by: replicas and attached models, keys, equalities
// at their references, and the defaults that kinds of actuators share. Numbers of MuJoCo where the
// format alone does not give them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "mjcf_text.h"
#include "scene_make.h"

#include "model/articulation.h"
#include "model/model.h"
#include "model/state.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void refuses(const char* text, const char* part)
{
    CondScene* scene = NULL;
    CondError error = {0};
    mjcf_write("r.xml", text);
    if (!cond_scene_read(NULL, "r.xml", 0, NULL, &scene, &error))
        fail_msg("accepted, instead of: %s", part);
    if (!strstr(error.message, part))
        fail_msg("'%s' instead of '%s'", error.message, part);
}

static const CondLinkDef* link_of(const CondScene* scene, int body, const char* name)
{
    for (int i = 0; i < scene->body[body].n_link; i++)
        if (strcmp(scene->body[body].link[i].name, name) == 0)
            return &scene->body[body].link[i];
    fail_msg("there is no link %s", name);
    return NULL;
}

static const CondJointDef* joint_of(const CondScene* scene, int body, const char* name)
{
    for (int i = 0; i < scene->body[body].n_joint; i++)
        if (strcmp(scene->body[body].joint[i].name, name) == 0)
            return &scene->body[body].joint[i];
    fail_msg("joint %s is not told", name);
    return NULL;
}

static void assert_vector(const double* x, double a, double b, double c)
{
    assert_near(x[0], a, 1e-12);
    assert_near(x[1], b, 1e-12);
    assert_near(x[2], c, 1e-12);
}

// Replicas are moved by offset and euler from each other; all that refers to them is repeated.
static void test_replicate(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><worldbody><body name='p' pos='1 0 0'><joint name='top'/><geom size='.1'/>"
        "<replicate count='12' offset='1 0 0' euler='0 0 90'><body name='r' pos='0 0 1'>"
        "<joint name='j'/><site name='s'/><geom size='.1'/></body></replicate></body></worldbody>"
        "<actuator><position joint='j' kp='3'/><position joint='top' kp='5'/></actuator>"
        "<sensor><force site='s' name='f'/></sensor>"
        "<contact><exclude body1='p' body2='r'/></contact></mujoco>");
    assert_int_equal(scene->body[0].n_link, 14);
    assert_vector(link_of(scene, 0, "r00")->position, 0.0, 0.0, 1.0);
    assert_vector(link_of(scene, 0, "r01")->position, 1.0, 0.0, 1.0);
    assert_vector(link_of(scene, 0, "r02")->position, 1.0, 1.0, 1.0);
    assert_vector(link_of(scene, 0, "r11")->position, 0.0, 1.0, 1.0);
    assert_near(link_of(scene, 0, "r02")->orientation[3], 1.0, 1e-12); // half a turn
    assert_near(joint_of(scene, 0, "j07")->stiffness, 3.0, 0.0);
    assert_near(joint_of(scene, 0, "top")->stiffness, 5.0, 0.0);
    assert_int_equal(scene->n_sensor, 12);
    assert_string_equal(scene->sensor[11].name, "f11");
    assert_int_equal(scene->n_exclude, 12);
    cond_scene_destroy(scene);
    scene = mjcf_read("<mujoco><worldbody><replicate count='2' offset='0 0 1' sep='-'>"
                      "<replicate count='2' offset='1 0 0'><body name='r'><freejoint/>"
                      "<geom size='.1'/></body></replicate></replicate></worldbody></mujoco>");
    assert_int_equal(scene->n_body, 4);
    assert_string_equal(scene->body[1].name, "r1-0");
    assert_vector(scene->body[3].position, 1.0, 0.0, 1.0);
    cond_scene_destroy(scene);
    refuses("<mujoco><worldbody><replicate count='0'/></worldbody></mujoco>",
            "r.xml:1: count of <replicate>: expected 1 to 1000000");
}

// A body of another file, by that file's settings and classes, with what refers to it.
static void test_attach(void** state)
{
    (void)state;
    mjcf_write("kid.xml",
               "<mujoco model='kid'><compiler angle='radian'/><default><joint damping='3'/>"
               "<default class='k'><geom size='.2'/></default></default><worldbody>"
               "<body name='base' pos='0 0 1' euler='0 0 1.5707963267948966'><geom class='k'/>"
               "<body name='arm' pos='.5 0 0'><joint name='h' range='-1 1'/>"
               "<geom type='box' size='.1 .1 .1'/></body></body></worldbody>"
               "<actuator><position joint='h' name='a' kp='5'/></actuator>"
               "<keyframe><key name='k' qpos='1'/></keyframe></mujoco>");
    mjcf_write("mid.xml", "<mujoco model='mid'><asset><model name='kid' file='kid.xml'/></asset>"
                          "<worldbody><body name='m' pos='1 0 0'><joint name='h'/>"
                          "<geom size='.1'/><attach model='kid' body='arm' prefix='k_'/></body>"
                          "</worldbody></mujoco>");
    CondScene* scene =
        mjcf_read("<mujoco><asset><model file='kid.xml'/><model name='mid' file='mid.xml'/></asset>"
                  "<default><joint damping='7'/></default><worldbody>"
                  "<frame pos='0 0 1'><attach model='kid' body='base' prefix='a_'/></frame>"
                  "<body name='q'><joint name='h' range='0 90'/><geom size='.1'/></body>"
                  "<attach model='mid' prefix='b_'/></worldbody></mujoco>");
    assert_int_equal(scene->n_body, 3);
    assert_string_equal(scene->body[0].name, "a_base");
    assert_vector(scene->body[0].position, 0.0, 0.0, 2.0);
    assert_near(scene->body[0].orientation[3], sqrt(0.5), 1e-12); // in radians
    const CondLinkDef* arm = link_of(scene, 0, "a_arm");
    assert_near(arm->upper, 1.0, 0.0);
    assert_near(arm->damping, 3.0, 0.0);
    assert_near(joint_of(scene, 0, "a_h")->stiffness, 5.0, 0.0);
    assert_near(link_of(scene, 0, "a_base")->shape[0].size[0], 0.2, 0.0);
    const CondLinkDef* own = link_of(scene, 1, "q"); // in degrees, by its own default
    assert_near(own->upper, 1.57079632679489661923, 1e-15);
    assert_near(own->damping, 7.0, 0.0);
    assert_near(link_of(scene, 2, "b_m")->damping, 0.0, 0.0);
    assert_near(link_of(scene, 2, "b_k_arm")->damping, 3.0, 0.0);
    assert_near(link_of(scene, 2, "b_k_arm")->upper, 1.0, 0.0);
    assert_near(joint_of(scene, 2, "b_k_h")->stiffness, 5.0, 0.0);
    assert_true(mjcf_warns(scene, "the keyframes of the attached model 'kid' are left out"));
    cond_scene_destroy(scene);
    refuses("<mujoco><worldbody><attach model='x'/></worldbody></mujoco>",
            "<attach>: there is no model 'x'");
    refuses("<mujoco><asset><model name='x' file='r.xml'/></asset><worldbody>"
            "<attach model='x'/></worldbody></mujoco>",
            "models attach each other in a circle");
    refuses("<mujoco><asset><model name='x' file='kid.xml'/></asset><worldbody>"
            "<attach model='x' body='none'/></worldbody></mujoco>",
            "<attach>: there is no body 'none' in kid.xml");
}

// Bodies in something unknown are no silent loss, and neither is a file without any.
static void test_unknown(void** state)
{
    (void)state;
    refuses("<mujoco><worldbody><crowd><body><geom size='1'/></body></crowd></worldbody></mujoco>",
            "r.xml:1: <crowd> is not understood, and there are bodies in it");
    CondScene* scene = mjcf_read("<mujoco><worldbody><light/></worldbody><tendon/></mujoco>");
    assert_true(mjcf_warns(scene, "nothing in the file became a body"));
    assert_false(mjcf_warns(scene, "<tendon> is left out"));
    cond_scene_destroy(scene);
}

// All kinds of actuators share one default: numbers of MuJoCo 3.12.
static void test_shared_default(void** state)
{
    (void)state;
    static const struct {
        const char *defaults, *actuator;
        double stiffness, damping, lead, torque;
    } row[] = {
        {"<general gainprm='40' biastype='affine' biasprm='3 -40 -2'/>", "<position", 40, 2,
         (40 * 0.5 + 3) / 40, 0},
        {"<general gainprm='40' biastype='affine' biasprm='0 -40 -2'/>", "<position kp='7'", 7, 2,
         0.5, 0},
        {"<general gainprm='40' biastype='affine' biasprm='3 -40 -2'/>", "<velocity", 0, 40, 0, 20},
        {"<position kp='5' kv='2'/>", "<general", 5, 2, 0.5, 0},
        {"<position kp='5' kv='2'/>", "<motor", 0, 0, 0, 0.5},
        {"<muscle/><motor/><position kp='10'/>", "<position kp='2'", 2, 1, (2 * 0.5 + 0.75) / 2, 0},
        {"", "<damper kv='3' ctrlrange='0 1'", 0, 1.5, 0, 0},
        {"", "<general gaintype='affine' gainprm='2 -4 0'", 2, 0, 0.5, 0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[900];
        snprintf(text, sizeof text,
                 "<mujoco><default><default class='x'>%s</default></default><worldbody>"
                 "<body><joint name='a'/><geom size='.1'/></body></worldbody>"
                 "<actuator>%s joint='a' class='x'/></actuator>"
                 "<keyframe><key name='home' ctrl='.5'/></keyframe></mujoco>",
                 row[k].defaults, row[k].actuator);
        CondScene* scene = mjcf_read(text);
        const CondJointDef* joint = joint_of(scene, 0, "a");
        assert_near(joint->stiffness, row[k].stiffness, 1e-12);
        assert_near(joint->damping, row[k].damping, 1e-12);
        assert_near(joint->lead, row[k].lead, 1e-12);
        assert_near(joint->torque, row[k].torque, 1e-12);
        cond_scene_destroy(scene);
    }
}

// A force is bounded as it is one way and the other: a servo that pulls its joint down only stays
// where it is, and lets gravity do the rest.
static void test_force_range(void** state)
{
    (void)state;
    CondScene* scene =
        mjcf_read("<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='a' type='slide' "
                  "axis='1 0 0'/>"
                  "<geom size='.1' mass='2'/></body><body pos='0 1 0'><joint name='b' type='slide' "
                  "axis='1 0 0'/><geom size='.1' mass='2'/></body></worldbody><actuator>"
                  "<position joint='a' kp='1000' gear='-1' forcerange='-4 0'/>"
                  "<motor joint='b' forcerange='-1 3'/></actuator>"
                  "<keyframe><key name='home' qpos='-1 0' ctrl='1 2'/></keyframe></mujoco>");
    assert_near(link_of(scene, 0, "body1")->effort, 4.0, 0.0);
    assert_near(link_of(scene, 0, "body1")->effort_back, 0.0, 0.0);
    Trial t = trial_begin(scene);
    trial_step(&t, 50); // L = -q, so that the force -k (q + 1) begins with 0
    assert_near(t.state->q[0], -1.0, 1e-9);
    assert_near(t.state->v[1], 2.0 * 0.1 / 2.0, 1e-9); // a = F / m
    // Beyond the target it may not push, before it no harder than 4 N.
    t.state->q[0] = -2.0;
    t.state->v[0] = 0.0;
    trial_step(&t, 1);
    assert_near(t.state->v[0], 4.0 * 0.002 / 2.0, 1e-9);
    t.state->q[0] = -0.5;
    t.state->v[0] = 0.0;
    trial_step(&t, 1);
    assert_near(t.state->v[0], 0.0, 1e-9);
    trial_end(&t);
}

// A key that is too short goes on with zeros, and no quaternion is one.
static void test_short_keys(void** state)
{
    (void)state;
    CondScene* scene =
        mjcf_read("<mujoco><worldbody><body><joint name='a' ref='2'/><geom size='.1'/></body>"
                  "<body><joint name='b' ref='2'/><geom size='.1'/></body>"
                  "<body pos='1 2 3'><freejoint/><geom size='.1'/></body></worldbody>"
                  "<keyframe><key name='home' qpos='.5' ctrl=''/></keyframe></mujoco>");
    Trial t = trial_begin(scene);
    assert_near(t.state->q[0], 0.5, 0.0);
    assert_near(t.state->q[1], 0.0, 0.0);
    assert_vector(t.state->q + 2, 0.0, 0.0, 0.0);
    assert_near(t.state->q[5], 1.0, 0.0);
    trial_end(&t);
}

// Velocities of a key: of a free body in the world's and in its own axes.
static void test_key_velocities(void** state)
{
    (void)state;
    static const char* const shape[] = {"<geom type='box' size='.1 .2 .3'/>",
                                        "<geom size='.1' pos='1 0 0'/><geom size='.2'/>"};
    for (int k = 0; k < 2; k++) { // a rigid body, a floating robot
        char text[900];
        snprintf(text, sizeof text,
                 "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='ball'/>"
                 "<geom size='.1' pos='5 5 5'/><body><joint/><geom size='.1'/></body></body>"
                 "<body><freejoint/>%s"
                 "</body></worldbody><keyframe><key name='home' qpos='1 0 0 0 0 0 0 0 1 0 0 1' "
                 "qvel='.1 .2 .3 .4 1 2 3 4 5 6'/></keyframe></mujoco>",
                 shape[k]);
        Trial t = trial_begin(mjcf_read(text));
        assert_vector(t.state->v, 0.1, 0.2, 0.3);
        assert_near(t.state->v[3], 0.4, 0.0);
        assert_vector(t.state->v + 4, 1.0, 2.0, 3.0);
        assert_vector(t.state->v + 7, 4.0, 5.0, 6.0);
        trial_end(&t);
    }
}

// connect and weld hold what they name at the references, whatever the key says.
static void test_references(void** state)
{
    (void)state;
    static const char* const equality[] = {
        "<connect body1='c' body2='r' anchor='1 0 0'/>",
        "<weld body1='c' body2='r'/>",
        "<weld body1='c' body2='r' relpose='1 0 1 1 0 0 0'/>",
        "<weld site1='sc' site2='sr'/>",
    };
    for (size_t k = 0; k < sizeof equality / sizeof *equality; k++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='.001'/><worldbody>"
                 "<body name='l'><joint name='a' axis='0 1 0' damping='5'/>"
                 "<geom type='capsule' fromto='0 0 0 0 0 -1' size='.02' mass='1'/>"
                 "<body name='c' pos='0 0 -1'><joint name='b' axis='0 1 0'/><site name='sc' "
                 "pos='1 0 0'/><geom type='capsule' fromto='0 0 0 .9 0 0' size='.02' mass='1'/>"
                 "</body></body><body name='r' pos='1 0 0'><joint name='d' axis='0 1 0'/>"
                 "<site name='sr' pos='0 0 -1'/>"
                 "<geom type='capsule' fromto='0 0 0 0 0 -.9' size='.02' mass='1'/></body>"
                 "</worldbody><contact><exclude body1='c' body2='r'/></contact><equality>%s"
                 "</equality><keyframe><key name='home' qpos='.03 -.025 .03'/></keyframe></mujoco>",
                 equality[k]);
        Trial t = trial_begin(mjcf_read(text));
        trial_step(&t, 1000);
        double a = t.state->q[0], b = t.state->q[1], d = t.state->q[2];
        assert_near(sin(-a) + cos(a + b) - 1.0 - sin(-d), 0.0, 2e-3);
        assert_near(-cos(a) - sin(a + b) + cos(d), 0.0, 2e-3);
        if (k > 0) // the welded body keeps the turn that it has at the reference
            assert_near(a + b - d, 0.0, 2e-3);
        trial_end(&t);
    }
}

static const char arms[] =
    "<worldbody><body name='A' pos='0 0 1'><joint name='a' axis='0 1 0'/>"
    "<geom type='box' size='.2 .05 .03' pos='.2 0 0' contype='0' conaffinity='0'/>"
    "<body name='B' pos='.4 0 0'><joint name='b' %s/><geom type='capsule' size='.03' "
    "fromto='0 0 0 .3 0 .05' contype='0' conaffinity='0'/></body></body>%s</worldbody>";

// q after 0.3 s beside that of MuJoCo, whose steps are of 20 us by Runge and Kutta.
static void falls(const char* defaults, const char* joint, const char* more, int n, const double* q,
                  double tolerance)
{
    char text[1500];
    int length = snprintf(text, sizeof text, "<mujoco><option timestep='.0005'/>%s", defaults);
    length += snprintf(text + length, sizeof text - (size_t)length, arms, joint, more);
    snprintf(text + length, sizeof text - (size_t)length, "</mujoco>");
    Trial t = trial_begin(mjcf_read(text));
    trial_step(&t, 600);
    for (int i = 0; i < n; i++)
        assert_near(t.state->q[i], q[i], tolerance);
    trial_end(&t);
}

// springdamper by the inertia at the references: of a ball of 3 kg half a metre away.
static void test_spring_damper(void** state)
{
    (void)state;
    CondScene* scene =
        mjcf_read("<mujoco><worldbody><body><joint springdamper='.1 2' stiffness='9' damping='-1' "
                  "armature='.5'/><geom size='.1' pos='.5 0 0' mass='3'/></body></worldbody>"
                  "</mujoco>");
    double I = 0.5 + 3.0 * (0.25 + 0.4 * 0.01);
    assert_near(link_of(scene, 0, "body1")->spring, I / 0.04, 1e-12 * I / 0.04);
    assert_near(link_of(scene, 0, "body1")->damping, 2.0 * I / 0.1, 1e-12 * I / 0.04);
    assert_true(mjcf_warns(scene, "damping -1 is negative and left out"));
    cond_scene_destroy(scene);
    // Two slides of a kilogram each on one line: the first feels what is left of M^-1 = [1 -1; -1
    // 2].
    scene = mjcf_read("<mujoco><worldbody><body><joint type='slide' springdamper='.1 1'/><geom "
                      "size='.1' mass='1'/><body><joint type='slide'/><geom size='.1' mass='1'/>"
                      "</body></body></worldbody></mujoco>");
    assert_near(link_of(scene, 0, "body1")->spring, 100.0, 1e-9);
    cond_scene_destroy(scene);
}

// Springs and dry friction of balls, the latter as hard as MuJoCo's can be made; what a free joint
// has of the defaults; borne weight.
static void test_passive(void** state)
{
    (void)state;
    falls("", "type='ball' stiffness='10'", "", 5,
          (double[5]){0.9998838678, 0.0, -0.0152397778, 0.0, 1.0086348474}, 1e-4);
    falls("", "type='ball' frictionloss='.5'", "", 5,
          (double[5]){0.9982652555, 0.0, -0.0588768183, 0.0, 1.0307813515}, 1e-4);
    falls("<default><joint damping='2' armature='.5'/></default>", "axis='0 1 .3'",
          "<body pos='0 2 1'><joint type='free'/><geom type='box' size='.1 .2 .05' pos='.1 0 0' "
          "contype='0' conaffinity='0'/></body>",
          2, (double[2]){0.3869388827, 0.0394481385}, 1e-4);
    // <freejoint> has no defaults.
    CondScene* scene =
        mjcf_read("<mujoco><default><joint damping='2' limited='true'/></default><worldbody><body>"
                  "<freejoint/><geom size='.1'/></body><body><joint type='ball'/>"
                  "<geom size='.1'/></body></worldbody></mujoco>");
    assert_int_equal(scene->body[0].kind, COND_BODY_RIGID);
    assert_true(mjcf_warns(scene, "nothing limits a ball joint here"));
    cond_scene_destroy(scene);
    scene = mjcf_read("<mujoco><default><joint damping='2' armature='.5'/></default><worldbody>"
                      "<body pos='0 2 1'><joint type='free'/><geom type='box' size='.1 .2 .05' "
                      "pos='.1 0 0'/></body><body pos='0 0 9' gravcomp='1.1'><freejoint/>"
                      "<geom size='.1'/></body></worldbody></mujoco>");
    cond_scene_settings(scene)->time_step = 0.0005;
    Trial t = trial_begin(scene);
    trial_step(&t, 600);
    static const double q[7] = {6.858289930e-5, 2.0, 0.5976575286, 0.9998152249, 0.0,
                                0.0192228010,   0.0};
    for (int i = 0; i < 7; i++)
        assert_near(t.state->q[i], q[i], 1e-4);
    assert_near(t.state->q[9], 9.0 + 0.5 * 0.1 * 9.81 * 0.09, 1e-9);
    trial_end(&t);
}

// A turning arm with sensors at its site: numbers of a circle of radius 1/2, a quarter of which is
// passed in a second.
static void test_sensors(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><option gravity='0 0 -10' timestep='.001'/><worldbody><body name='a'>"
        "<joint name='j' axis='0 0 1'/><geom type='capsule' fromto='0 0 0 1 0 0' size='.05'/>"
        "<site name='s' pos='.5 0 0' euler='0 0 90'/></body><body name='w' pos='3 0 0'>"
        "<geom type='box' size='.1 3 3'/></body><site name='still'/></worldbody><sensor>"
        "<gyro name='gyro' site='s'/><accelerometer name='accelerometer' site='s'/>"
        "<velocimeter name='velocimeter' site='s'/>"
        "<framepos name='pos' objtype='site' objname='s'/>"
        "<framequat name='quat' objtype='xbody' objname='a'/>"
        "<framelinvel name='vel' objtype='body' objname='a'/>"
        "<framequat objtype='site' objname='s' reftype='body' refname='a'/>"
        "<gyro site='still'/><rangefinder site='s' cutoff='7'/><touch site='s'/>"
        "<jointpos joint='j'/></sensor></mujoco>");
    assert_int_equal(scene->n_sensor, 8);
    assert_true(
        mjcf_warns(scene, "sensor <framequat> '' is left out: it is read from another frame"));
    assert_true(mjcf_warns(scene, "sensor <gyro> '' is left out: what it is on does not move"));
    assert_true(mjcf_warns(scene, "<touch> reads all contacts of its body"));
    assert_true(mjcf_warns(scene, "<jointpos> is left out"));
    assert_near(scene->sensor[6].range, 7.0, 0.0);
    Trial t = trial_begin(scene);
    double spin = 1.57079632679489661923;
    t.state->v[0] = t.state->v_hat[0] = spin;
    trial_step(&t, 1000);
    CondSensorReading r[6];
    for (int i = 0; i < 6; i++)
        assert_int_equal(cond_sim_sensor(t.sim, i, &r[i]), COND_OK);
    assert_near(r[0].angular_velocity[2], spin, 1e-9);
    assert_near(r[1].acceleration[1], 0.5 * spin * spin, 2e-3); // towards the middle: -x of the arm
    assert_near(r[1].acceleration[2], 10.0, 1e-9);
    assert_near(r[2].velocity[0], 0.5 * spin, 1e-9); // along the site's x, which is the arm's y
    assert_near(r[3].position[1], 0.5, 1e-9);
    assert_near(r[4].axes[3], 1.0, 1e-9); // the arm's x is the world's y
    assert_near(r[5].velocity[0], -0.5 * spin, 1e-9);
    trial_end(&t);
    refuses("<mujoco><worldbody><body><geom size='1'/></body></worldbody><sensor>"
            "<gyro site='x'/></sensor></mujoco>",
            "there is no site 'x'");
}

// Cameras look along -z with y up, in the axes of a link or of the world.
static void test_cameras(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><worldbody><camera name='top' pos='0 0 3' fovy='30'/><body name='a' pos='0 0 1'>"
        "<joint name='j' axis='0 0 1'/><geom type='capsule' fromto='0 0 0 1 0 0' size='.05'/>"
        "<camera name='side' pos='.5 0 0' xyaxes='0 -1 0 0 0 1'/>"
        "<camera name='chase' mode='trackcom' pos='0 0 1'/></body></worldbody></mujoco>");
    assert_int_equal(scene->n_camera, 2);
    assert_true(mjcf_warns(scene, "camera 'chase' is left out: only mode fixed"));
    const CondCameraDef *top = &scene->camera[0], *side = &scene->camera[1];
    assert_string_equal(top->body, "");
    assert_near(top->target[2], 2.0, 1e-12);
    assert_near(top->up[1], 1.0, 1e-12);
    assert_near(top->field, 30.0, 0.0);
    assert_string_equal(side->name, "side");
    assert_string_equal(side->link, "a");
    assert_near(side->position[0], 0.5, 1e-12);
    assert_near(side->target[0], 1.5, 1e-12); // x, y of the camera are -y, z of the body: -z is x
    assert_near(side->up[2], 1.0, 1e-12);
    assert_near(side->field, 45.0, 0.0);
    Trial t = trial_begin(scene);
    assert_int_equal(cond_model_find_camera(t.model, "side"), 1);
    trial_end(&t);
}

// Springs hold a slide against its motor without weight: the potential energies cancel, and their
// rounding is all there is of the balance.
static void test_rest_on_a_motor(void** state)
{
    (void)state;
    Trial t = trial_begin(mjcf_read(
        "<mujoco><option gravity='0 0 0' timestep='.005'/><worldbody><body name='r'><body name='a'>"
        "<joint name='a_j' type='slide' stiffness='10' damping='3'/><geom size='.1' mass='1'/>"
        "</body><body name='b' pos='1 0 0'><joint name='b_j' type='slide' damping='3' "
        "stiffness='40'/><geom size='.1' mass='1'/></body></body></worldbody><actuator>"
        "<motor joint='a_j'/></actuator><keyframe><key name='home' ctrl='1.2'/></keyframe>"
        "</mujoco>"));
    trial_step(&t, 3000);
    assert_near(t.state->q[0], 0.12, 1e-8);
    trial_end(&t);
}

// A mocap body goes where it is told, and takes along what is welded to it.
static void test_mocap(void** state)
{
    (void)state;
    Trial t = trial_begin(
        mjcf_read("<mujoco><worldbody><body name='hand' mocap='true' pos='0 0 1'><geom type='box' "
                  "size='.1 .1 .1' pos='0 0 .2'/></body><body name='b' pos='0 0 .5'><freejoint/>"
                  "<geom type='sphere' size='.05' mass='.1'/></body></worldbody><equality>"
                  "<weld body1='hand' body2='b'/></equality></mujoco>"));
    int hand = cond_model_find_attachment(t.model, "hand");
    assert_int_equal(hand, 0);
    assert_string_equal(cond_model_attachment_name(t.model, hand), "hand");
    assert_null(cond_model_attachment_name(t.model, -1));
    assert_null(cond_model_attachment_name(t.model, 99));
    trial_step(&t, 100);
    assert_vector(trial_pose(&t, 0).position, 0.0, 0.0, 1.2);
    static const double turn[4] = {1.0, 0.0, 0.0, 1.0};
    for (int i = 1; i <= 100; i++) {
        double place[3] = {0.002 * i, 0.0, 1.0};
        assert_int_equal(
            cond_state_move_attachment(t.model, t.state, hand, place, i > 50 ? turn : NULL),
            COND_OK);
        trial_step(&t, 1);
    }
    trial_step(&t, 400);
    assert_vector(trial_pose(&t, 0).position, 0.2, 0.0, 1.2);
    assert_near(trial_pose(&t, 0).orientation[3], sqrt(0.5), 1e-9);
    assert_near(trial_pose(&t, 1).position[0], 0.2, 1e-3);
    assert_near(trial_pose(&t, 1).position[2], 0.5, 1e-3);
    assert_int_equal(cond_state_move_attachment(t.model, t.state, 1, turn, NULL),
                     COND_BAD_ARGUMENT);
    trial_end(&t);
    CondScene* scene = mjcf_read(
        "<mujoco><worldbody><body name='h' mocap='true'><geom size='1'/><geom size='2'/></body>"
        "<body name='g' mocap='true'/></worldbody><keyframe><key name='home' mpos='0 0 0 4 5 6'/>"
        "</keyframe></mujoco>");
    assert_true(
        mjcf_warns(scene, "mocap body 'h' stays where it is: its shape is no single primitive"));
    assert_vector(scene->body[0].position, 4.0, 5.0, 6.0);
    cond_scene_destroy(scene);
    refuses("<mujoco><worldbody><body><body mocap='true' name='x'/></body></worldbody></mujoco>",
            "mocap body 'x' is not a child of the world");
}

// Messages and warnings hold long paths whole, or begin with dots where they leave some out.
static void test_long_paths(void** state)
{
    (void)state;
    char path[1200] = "";
    for (int depth = 0; depth < 4; depth++) {
        size_t at = strlen(path);
        memset(path + at, 'a' + depth, 180);
        path[at + 180] = 0;
        mkdir(path, 0777);
        path[at + 180] = '/';
        snprintf(path + at + 181, sizeof path - at - 181, "x.xml");
        mjcf_write(path, "<mujoco><worldbody><geom type='ring'/></worldbody></mujoco>");
        CondScene* scene = NULL;
        CondError error = {0};
        assert_int_equal(cond_scene_read(NULL, path, 0, NULL, &scene, &error), COND_BAD_INPUT);
        const char* end = strstr(error.message, "x.xml:1: type='ring' of <geom> is none of plane");
        assert_non_null(end);
        assert_non_null(strstr(end, "cylinder, box, mesh"));
        assert_int_equal(strncmp(error.message, "...", 3) == 0, depth == 3);
        assert_int_equal(strncmp(error.message, path, strlen(path)) == 0, depth < 3);
        mjcf_write(path, "<mujoco><worldbody><geom type='sphere' size='1'/></worldbody>"
                         "<extension><plugin/></extension></mujoco>");
        assert_int_equal(cond_scene_read(NULL, path, 0, NULL, &scene, &error), COND_OK);
        assert_true(mjcf_warns(scene, "x.xml:1: <extension> is left out"));
        assert_true(depth == 3 || mjcf_warns(scene, path));
        cond_scene_destroy(scene);
        path[at + 181] = 0;
    }
}

static CondStatus build(const CondContext* context, CondError* error)
{
    CondScene* scene = NULL;
    CondStatus status = cond_scene_read(context, "r.xml", 0, NULL, &scene, error);
    cond_scene_destroy(scene);
    return status;
}

// No memory anywhere on the way ends in that message, and nothing is lost.
static void test_allocation_failures(void** state)
{
    (void)state;
    mjcf_write("kid.xml",
               "<mujoco model='kid'><default><joint damping='3'/></default><worldbody>"
               "<body name='arm'><joint name='h' springdamper='.1 1'/><geom size='.1'/></body>"
               "</worldbody><actuator><position joint='h' name='a' kp='5'/></actuator></mujoco>");
    mjcf_write("r.xml",
               "<mujoco><asset><model name='kid' file='kid.xml'/></asset><worldbody>"
               "<attach model='kid' body='arm' prefix='a_'/><body name='m' mocap='true'/>"
               "<replicate count='2' offset='1 0 0'><body name='r'><joint name='j' type='ball' "
               "stiffness='2'/><site name='s'/><geom size='.1'/></body></replicate></worldbody>"
               "<sensor><gyro site='s'/></sensor><equality><weld body1='m' body2='r'/></equality>"
               "<keyframe><key name='home' qpos='.1' mpos='1 2 3'/></keyframe></mujoco>");
    CondError error;
    FailingAllocator all = {0};
    CondContext context = failing_allocator_context(&all);
    assert_int_equal(build(&context, &error), COND_OK);
    assert_int_equal(all.live, 0);
    for (long n = 1; n <= all.calls; n += 1 + n / 60) {
        FailingAllocator failing = {.fail_at = n};
        CondContext one = failing_allocator_context(&failing);
        assert_int_equal(build(&one, &error), COND_OUT_OF_MEMORY);
        assert_int_equal(failing.live, 0);
    }
}

// Names may hold slashes.
static void test_slashes(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><worldbody><body name='arm/base'><geom size='.05'/><body name='arm/l1'>"
        "<joint/><geom size='.03'/><body name='arm/l2'><joint/><geom size='.03'/></body></body>"
        "</body></worldbody><contact><exclude body1='arm/base' body2='arm/l2'/></contact>"
        "</mujoco>");
    assert_int_equal(scene->n_exclude, 1);
    assert_string_equal(scene->exclude[0].thing[0], "arm/base/arm/base");
    Trial t = trial_begin(scene);
    trial_end(&t);
}

#define TWO_TREES(damping, equality, actuator)                                                     \
    "<mujoco><compiler angle='radian'/><option timestep='.001'/><worldbody><body name='p' pos='0 " \
    "0 1'><joint name='x' "                                                                        \
    "axis='0 1 0' damping='" damping "'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' "   \
    "mass='1'/></body><body name='r' pos='0 1 1'><joint name='y' axis='0 1 0' ref='.1' "           \
    "damping='" damping                                                                            \
    "'/><geom type='capsule' fromto='0 0 0 .2 0 -.1' size='.02' mass='.5'/></body>"                \
    "</worldbody><equality>" equality "</equality><actuator>" actuator "</actuator></mujoco>"

// An equality of joints of two trees leads one by the other, and where loads stretch it, it gives
// as MuJoCo's does.
static void test_equality_across_trees(void** state)
{
    (void)state;
    CondScene* scene =
        mjcf_read(TWO_TREES(".3", "<joint name='e' joint1='y' joint2='x' polycoef='.2 -.5'/>",
                            "<position joint='x' kp='30'/>"));
    assert_int_equal(scene->n_spring, 1);
    assert_string_equal(scene->spring[0].name, "e");
    assert_near(scene->spring[0].ratio[0], 1.0, 0.0);
    assert_near(scene->spring[0].ratio[1], 0.5, 0.0);
    assert_near(scene->spring[0].rest_length, 0.3, 1e-15);
    Trial t = trial_begin(scene);
    trial_step(&t, 4000);
    assert_near(t.state->q[0], 0.04169849, 1e-6); // those of MuJoCo, at rest
    assert_near(t.state->q[1], 0.28041235, 1e-6);
    trial_end(&t);
    scene = mjcf_read(TWO_TREES("0", "<joint joint1='y' joint2='x' polycoef='0 1 2'/>", ""));
    assert_int_equal(scene->n_spring, 0);
    assert_true(mjcf_warns(scene, "it is not linear"));
    cond_scene_destroy(scene);
    scene = mjcf_read(TWO_TREES("0", "<joint joint1='y' joint2='x'/><joint joint1='x'/>", ""));
    assert_int_equal(scene->n_spring, 1); // x is held, and so is y, by a spring to it
    assert_string_equal(scene->spring[0].joint[1], "");
    assert_near(scene->spring[0].rest_length, 0.1, 1e-15);
    cond_scene_destroy(scene);
}

// The spring and the damper of a tendon over two slides, pulled by a motor at the first of them; a
// spring of its own holds the second.
static void test_tendon_spring(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><option gravity='0 0 0' timestep='.005'/><worldbody><body name='r'>"
        "<body name='a'><joint name='a_j' type='slide' damping='20'/><geom size='.1' mass='1'/>"
        "</body><body name='b' pos='1 0 0'><joint name='b_j' type='slide' damping='20' "
        "stiffness='40'/><geom size='.1' mass='1'/></body></body></worldbody><tendon>"
        "<fixed name='t' stiffness='300' damping='2' springlength='.01'><joint joint='a_j' "
        "coef='1'/><joint joint='b_j' coef='-2'/></fixed></tendon><actuator><motor joint='a_j'/>"
        "</actuator><keyframe><key name='home' ctrl='1.2'/></keyframe></mujoco>");
    assert_int_equal(scene->n_spring, 1);
    assert_false(mjcf_warns(scene, "<tendon>"));
    Trial t = trial_begin(scene);
    trial_step(&t, 3000);
    assert_near(t.state->q[0], 0.13366597, 1e-5); // those of MuJoCo
    assert_near(t.state->q[1], 0.05983736, 1e-5);
    trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replicate),       cmocka_unit_test(test_attach),
        cmocka_unit_test(test_unknown),         cmocka_unit_test(test_shared_default),
        cmocka_unit_test(test_force_range),     cmocka_unit_test(test_short_keys),
        cmocka_unit_test(test_references),      cmocka_unit_test(test_slashes),
        cmocka_unit_test(test_passive),         cmocka_unit_test(test_sensors),
        cmocka_unit_test(test_cameras),         cmocka_unit_test(test_mocap),
        cmocka_unit_test(test_rest_on_a_motor), cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_long_paths),      cmocka_unit_test(test_spring_damper),
        cmocka_unit_test(test_key_velocities),  cmocka_unit_test(test_equality_across_trees),
        cmocka_unit_test(test_tendon_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
