// MJCF files: what every element becomes, by numbers worked out by hand; faults with their lines;
// what is left out is told; written as a scene it is the same.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef COND_CLI
#include "cli_run.h"
#endif
#include "failing_allocator.h"
#include "mjcf_text.h"
#include "scene_make.h"

#include "math/quat.h"
#include "model/articulation.h"
#include "model/model.h"
#include "model/state.h"
#include "robot_file/mjcf.h"
#include "robot_file/urdf.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static CondScene* read_file(const char* name)
{
    CondScene* scene = NULL;
    CondError error = {0};
    if (cond_scene_read(NULL, name, 0, NULL, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

#define WORLD(rest) "<mujoco>\n<worldbody>\n" rest "</worldbody>\n</mujoco>\n"

static Trial begin(const char* text)
{
    return trial_begin(mjcf_read(text));
}

// The only robot of a trial, at its start.
typedef struct Arm {
    const CondArticulation* arm;
    CondArticulationWork* work;
    const double* q;
} Arm;

static Arm look(const Trial* trial, int body)
{
    Arm arm = {.arm = trial->model->body[body].arm};
    CondError error;
    assert_non_null(arm.arm);
    assert_int_equal(cond_articulation_work_create(NULL, arm.arm, &arm.work, &error), COND_OK);
    arm.q = trial->state->q + trial->model->body[body].q_begin;
    cond_articulation_kinematics(arm.arm, arm.q, arm.work);
    return arm;
}

static const CondLink* link_of(const Arm* arm, const char* name)
{
    int i = cond_articulation_find_link(arm->arm, name);
    if (i < 0)
        fail_msg("there is no link %s", name);
    return &arm->arm->link[i];
}

static void assert_place(const Arm* arm, const char* link, const double local[3], double x,
                         double y, double z)
{
    double at[3];
    cond_articulation_point(arm->arm, arm->work, cond_articulation_find_link(arm->arm, link), local,
                            at, NULL);
    assert_near(at[0], x, 1e-12);
    assert_near(at[1], y, 1e-12);
    assert_near(at[2], z, 1e-12);
}

static const double ORIGIN[3] = {0.0, 0.0, 0.0}, UNIT_X[3] = {1.0, 0.0, 0.0};

// Each way to turn a body by the same 90 degrees about z, and angles in radians.
static void test_orientations(void** state)
{
    (void)state;
    static const char* const forms[] = {
        "quat='1 0 0 1'",        "axisangle='0 0 2 90'", "euler='0 0 90'",
        "xyaxes='0 1 0 -1 5 0'", "quat='3 0 0 3'",
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 WORLD("<body name='a' pos='1 2 3' %s><joint/><geom size='.1'/></body>\n"),
                 forms[k]);
        Trial t = begin(text);
        Arm arm = look(&t, 0);
        assert_place(&arm, "a", UNIT_X, 1.0, 3.0, 3.0);
        cond_articulation_work_destroy(arm.work);
        trial_end(&t);
    }
    // zaxis: the short way from z to x. Intrinsic z then x takes z to x; extrinsic x then z does.
    static const char* const turned[] = {
        "<compiler/><worldbody><body name='a' zaxis='1 0 0'>",
        "<compiler eulerseq='zxz'/><worldbody><body name='a' euler='90 90 0'>",
        ("<compiler eulerseq='XZX' angle='radian'/><worldbody><body name='a' "
         "euler='1.5707963267948966 1.5707963267948966 0'>"),
    };
    for (size_t k = 0; k < sizeof turned / sizeof *turned; k++) {
        static const double z[3] = {0.0, 0.0, 1.0};
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco>%s<joint/><geom size='.1'/></body></worldbody></mujoco>", turned[k]);
        Trial t = begin(text);
        Arm arm = look(&t, 0);
        assert_place(&arm, "a", z, 1.0, 0.0, 0.0);
        cond_articulation_work_destroy(arm.work);
        trial_end(&t);
    }
}

// Masses of all shapes: half lengths, density 1000 where none is given.
static void test_masses(void** state)
{
    (void)state;
    static const struct {
        const char* geom;
        double mass;
    } row[] = {
        {"<geom size='.1'/>", 1000.0 * 4.0 / 3.0 * PI * 1e-3},
        {"<geom type='box' size='.1 .2 .3'/>", 1000.0 * 8.0 * 0.006},
        {"<geom type='cylinder' size='.1 .2' density='10'/>", 10.0 * PI * 0.01 * 0.4},
        {"<geom type='capsule' size='.1 .2'/>", 1000.0 * PI * (0.01 * 0.4 + 4.0 / 3.0 * 1e-3)},
        {"<geom type='capsule' size='.1' fromto='0 0 0 .4 0 0'/>",
         1000.0 * PI * (0.01 * 0.4 + 4.0 / 3.0 * 1e-3)},
        {"<geom type='ellipsoid' size='.1 .2 .3'/>", 1000.0 * 4.0 / 3.0 * PI * 0.006},
        // As wide both ways between two points, whatever the second size says.
        {"<geom type='box' size='.1 .2 .3' fromto='0 0 0 0 0 1'/>", 1000.0 * 0.2 * 0.2 * 1.0},
        {"<geom type='ellipsoid' size='.1 .2' fromto='0 0 0 1 0 0'/>",
         1000.0 * 4.0 / 3.0 * PI * 0.1 * 0.1 * 0.5},
        {"<geom size='.1' mass='3'/><geom size='.1' mass='2' contype='0' conaffinity='0'/>", 5.0},
        {"<inertial pos='0 0 0' mass='7' diaginertia='1 1 1'/><geom size='.1'/>", 7.0},
        {"<geom size='.1' mass='3'/><geom size='.1' mass='2' group='6'/>", 3.0},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[600];
        snprintf(text, sizeof text, WORLD("<body name='a'><joint/>%s</body>\n"), row[k].geom);
        Trial t = begin(text);
        Arm arm = look(&t, 0);
        assert_near(link_of(&arm, "a")->mass, row[k].mass, 1e-12 * row[k].mass);
        cond_articulation_work_destroy(arm.work);
        trial_end(&t);
    }
}

// Two balls of 1 kg at x = 0 and x = 1: centre and moments by Steiner. fullinertia, diaginertia
// with an orientation, balance, bounds and the total mass.
static void test_inertias(void** state)
{
    (void)state;
    Trial t = begin(WORLD("<body name='a'><joint/><geom size='.1' mass='1'/><geom size='.1' "
                          "mass='1' pos='1 0 0'/></body>\n"));
    Arm arm = look(&t, 0);
    const CondLink* a = link_of(&arm, "a");
    assert_near(a->com[0], 0.5, 1e-15);
    assert_near(a->inertia[0], 2.0 * 0.4 * 0.01, 1e-15);
    assert_near(a->inertia[4], 2.0 * 0.4 * 0.01 + 0.5, 1e-15);
    cond_articulation_work_destroy(arm.work);
    trial_end(&t);
    t = begin(
        WORLD("<body name='a'><joint/><inertial pos='1 2 3' mass='2' fullinertia='4 5 6 .1 .2 "
              ".3'/></body>\n<body name='b'><joint/><inertial pos='0 0 0' mass='1' "
              "diaginertia='1 2 2.5' euler='0 0 90'/></body>\n"));
    arm = look(&t, 0);
    a = link_of(&arm, "a");
    const double full[9] = {4.0, 0.1, 0.2, 0.1, 5.0, 0.3, 0.2, 0.3, 6.0};
    for (int i = 0; i < 9; i++)
        assert_near(a->inertia[i], full[i], 1e-15);
    assert_near(a->com[2], 3.0, 0.0);
    cond_articulation_work_destroy(arm.work);
    arm = look(&t, 1);
    a = link_of(&arm, "b");
    assert_near(a->inertia[0], 2.0, 1e-15);
    assert_near(a->inertia[4], 1.0, 1e-15);
    cond_articulation_work_destroy(arm.work);
    trial_end(&t);
    t = begin("<mujoco><compiler balanceinertia='true' boundmass='3' settotalmass='6'/><worldbody>"
              "<body name='a'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 4'/></body>"
              "</worldbody></mujoco>");
    arm = look(&t, 0);
    a = link_of(&arm, "a");
    assert_near(a->mass, 6.0, 1e-15);
    assert_near(a->inertia[0], 4.0, 1e-14); // (1 + 1 + 4) / 3, and mass from 3 to 6
    cond_articulation_work_destroy(arm.work);
    trial_end(&t);
}

// Anchor, reference and several joints: worked out with pencil and paper.
static void test_joints(void** state)
{
    (void)state;
    // A hinge about z through (1, 0, 0) whose reference is 90 degrees: at 90 the body is as drawn.
    Trial t = begin(WORLD(
        "<body name='a' pos='0 0 1'><joint name='h' pos='1 0 0' ref='90' range='-30 120' "
        "damping='.3' armature='.4' frictionloss='.5' stiffness='6' springref='45'/><geom "
        "size='.1'/><body name='b' pos='0 2 0'><joint name='s' type='slide' axis='0 0 2' ref='.5' "
        "range='-1 2'/><joint name='k' axis='1 0 0'/><geom size='.1'/></body></body>\n"));
    Arm arm = look(&t, 0);
    const CondLink* h = link_of(&arm, "a");
    assert_string_equal(h->joint, "h");
    assert_near(h->lower, -PI / 6.0, 1e-15);
    assert_near(h->upper, 2.0 * PI / 3.0, 1e-15);
    assert_near(h->damping, 0.3, 0.0);
    assert_near(h->armature, 0.4, 0.0);
    assert_near(h->friction, 0.5, 0.0);
    assert_near(h->stiffness, 6.0, 0.0);
    assert_near(h->spring_rest, PI / 4.0, 1e-15);
    assert_int_equal(arm.arm->n_joint, 3);
    assert_near(arm.q[0], PI / 2.0, 1e-15);
    assert_near(arm.q[1], 0.5, 0.0);
    const double origin[3] = {-1.0, 0.0, 0.0}; // of body a, seen from the anchor
    assert_place(&arm, "a", origin, 0.0, 0.0, 1.0);
    assert_place(&arm, "b", ORIGIN, 0.0, 2.0, 1.0);
    // At 0 it has turned back by 90 degrees about the anchor: the origin is at (1, 1, 1).
    double q[3] = {0.0, 1.5, 0.0};
    cond_articulation_kinematics(arm.arm, q, arm.work);
    assert_place(&arm, "a", origin, 1.0, 1.0, 1.0);
    assert_place(&arm, "b", ORIGIN, 3.0, 1.0, 2.0); // (0, 2) turned to (2, 0), and up by 1.5 - 0.5
    // The slide is a link without mass, named after body and joint.
    assert_near(link_of(&arm, "b_s")->mass, 0.0, 0.0);
    cond_articulation_work_destroy(arm.work);
    trial_end(&t);
}

static void test_ball_and_free(void** state)
{
    (void)state;
    Trial t = begin(WORLD(
        "<body name='post'><geom type='box' size='.1 .1 .1'/><body name='pendulum' pos='0 0 1'>"
        "<joint name='b' type='ball' pos='0 0 .5' damping='.1'/><geom size='.1'/></body></body>\n"
        "<body name='cube' pos='3 0 1' euler='0 0 90'><freejoint/><geom type='box' size='.1 .2 .3' "
        "euler='0 0 90' friction='.3'/></body>\n"
        "<body name='pair' pos='5 0 1'><joint type='free'/><geom size='.1'/><geom size='.1' "
        "pos='1 0 0'/><body name='child' pos='0 1 0'><joint/><geom size='.1'/></body></body>\n"));
    const CondModel* model = t.model;
    assert_int_equal(model->n_body, 3);
    Arm arm = look(&t, 0);
    assert_int_equal(arm.arm->n_ball, 1);
    assert_int_equal(arm.arm->n_dof, 3);
    const double down[3] = {0.0, 0.0, -0.5};
    assert_place(&arm, "pendulum", ORIGIN, 0.0, 0.0, 1.5);
    assert_place(&arm, "pendulum", down, 0.0, 0.0, 1.0);
    cond_articulation_work_destroy(arm.work);
    assert_int_equal(model->body[1].kind, COND_BODY_RIGID);
    assert_near(model->body[1].mass, 48.0, 1e-12);
    // Turned twice by 90 degrees: x is -x.
    double R[9];
    quat_matrix(t.state->q + model->body[1].q_begin + 3, R);
    assert_near(R[0], -1.0, 1e-15);
    assert_near(model->body[1].surface.own.friction[0], 0.3, 0.0);
    arm = look(&t, 2);
    assert_true(arm.arm->floating);
    assert_int_equal(arm.arm->n_dof, 7);
    assert_near(arm.q[0], 5.0, 0.0);
    cond_articulation_work_destroy(arm.work);
    trial_end(&t);
}

// Classes: nested ones inherit, childclass holds for all below, an own class and attribute wins.
static void test_classes(void** state)
{
    (void)state;
    Trial t = begin(
        "<mujoco><default><geom density='1' size='.5'/><joint damping='1'/>\n"
        "<default class='p'><geom density='2'/><default class='q'><joint damping='3'/></default>"
        "</default></default>\n"
        "<worldbody><body name='a'><joint/><geom/><body name='b' childclass='q'><joint/><geom/>"
        "<body name='c'><joint class='p'/><geom density='7'/><body name='d'><joint damping='9'/>"
        "<geom class='main'/></body></body></body></body></worldbody></mujoco>");
    Arm arm = look(&t, 0);
    static const double damping[] = {1.0, 3.0, 1.0, 9.0}, density[] = {1.0, 2.0, 7.0, 1.0};
    static const char* const names[] = {"a", "b", "c", "d"};
    for (int k = 0; k < 4; k++) {
        assert_near(link_of(&arm, names[k])->damping, damping[k], 0.0);
        assert_near(link_of(&arm, names[k])->mass, density[k] * PI / 6.0, 1e-14);
    }
    cond_articulation_work_destroy(arm.work);
    trial_end(&t);
}

// Static things: a tilted plane, obstacles in a body that stands still, none for pictures.
static void test_static(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(WORLD(
        "<geom name='floor' type='plane' size='1 1 1' pos='0 0 2' euler='0 90 0' friction='.4'/>\n"
        "<body name='table' pos='1 0 0'><geom name='top' type='box' size='.1 .2 .3' pos='0 1 0'/>"
        "<geom type='box' size='1 1 1' contype='0' conaffinity='0'/>"
        "<body name='cup' pos='0 0 1'><geom name='wall' type='capsule' fromto='0 0 0 0 0 1' "
        "size='.1'/></body></body>\n<frame pos='0 0 5'><geom name='high' size='.1'/></frame>\n"));
    assert_int_equal(scene->n_body, 1); // what is seen and does not touch
    assert_string_equal(scene->body[0].name, "table_visual");
    assert_true(scene->body[0].link[0].shape[0].visual);
    assert_int_equal(scene->n_plane, 1);
    assert_near(scene->plane[0].normal[0], 1.0, 1e-15);
    assert_near(scene->plane[0].offset, 0.0, 1e-15);
    assert_near(scene->plane[0].surface.friction[0], 0.4, 0.0);
    assert_int_equal(scene->n_obstacle, 3);
    assert_near(scene->obstacle[0].size[2], 0.6, 1e-15);
    assert_near(scene->obstacle[0].position[0], 1.0, 0.0);
    assert_near(scene->obstacle[0].position[1], 1.0, 0.0);
    assert_near(scene->obstacle[1].size[1], 1.0, 0.0);
    assert_near(scene->obstacle[1].position[2], 1.5, 0.0);
    assert_near(scene->obstacle[2].position[2], 5.0, 0.0);
    cond_scene_destroy(scene);
}

#define SLIDER(name, rest)                                                                         \
    "<body name='" name "'><joint name='" name "_j' type='slide' axis='1 0 0' " rest               \
    "/><geom size='.1' mass='2'/></body>\n"

static void test_actuators(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><default><position kp='40'/><default class='g'><general gainprm='30' "
        "biastype='affine' biasprm='3 -30 -2'/></default></default><worldbody>" SLIDER("a", "")
            SLIDER("b", "") SLIDER("c", "") SLIDER("d", "ref='.5'") SLIDER("e", "") SLIDER(
                "f",
                "actuatorfrcrange='-3 3'") "</worldbody>\n<actuator>"
                                           "<position joint='a_j' kv='5' gear='2' forcerange='-6 "
                                           "6'/>\n"
                                           "<velocity joint='b_j' kv='7'/>\n"
                                           "<motor joint='c_j' gear='3' ctrlrange='-2 2'/>\n"
                                           "<general class='g' joint='d_j' ctrlrange='-1 1'/>\n"
                                           "<position joint='e_j' dampratio='1'/>\n"
                                           "<motor joint='f_j' forcerange='-9 9'/>\n"
                                           "</actuator><keyframe><key name='up'/><key name='home' "
                                           "ctrl='1 0 0 5 0 0'/></keyframe>"
                                           "</mujoco>");
    const CondJointDef* a = &scene->body[0].joint[0];
    assert_near(a->stiffness, 160.0, 1e-12); // kp gear^2
    assert_near(a->damping, 20.0, 1e-12);
    assert_near(a->lead, 0.5, 1e-15); // gear q = 1
    assert_near(scene->body[0].link[1].effort, 12.0, 0.0);
    assert_near(scene->body[1].joint[0].damping, 7.0, 0.0);
    assert_near(scene->body[1].joint[0].stiffness, 0.0, 0.0);
    assert_int_equal(scene->body[2].n_joint, 0);
    assert_near(scene->body[2].link[1].effort, 6.0, 0.0);
    // (30 * 1 + 3) / 30, the control cut to its range, from the start at 0.5
    assert_near(scene->body[3].joint[0].lead, 1.1 - 0.5, 1e-14);
    assert_near(scene->body[3].joint[0].position, 0.5, 0.0);
    assert_near(scene->body[4].joint[0].damping, 2.0 * sqrt(40.0 * 2.0), 1e-12);
    assert_near(scene->body[5].link[1].effort, 3.0, 0.0);
    cond_scene_destroy(scene);
}

// A gripper as they are made: the second finger follows the first, a tendon pulls both.
static void test_gripper(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><worldbody><body name='palm'>"
        "<body name='l'><joint name='jl' type='slide' range='0 .04'/><geom size='.1'/></body>"
        "<body name='r'><joint name='jr' type='slide' range='0 .04'/><geom "
        "size='.1'/></body></body>"
        "</worldbody><tendon><fixed name='split'><joint joint='jl' coef='.5'/><joint joint='jr' "
        "coef='.5'/></fixed></tendon><equality><joint joint1='jr' joint2='jl' polycoef='.01 1'/>"
        "</equality><actuator><position tendon='split' kp='100'/></actuator></mujoco>");
    const CondBodyDef* palm = &scene->body[0];
    assert_string_equal(palm->link[2].mimic, "jl");
    assert_near(palm->link[2].multiplier, 1.0, 0.0);
    assert_near(palm->link[2].offset, 0.01, 0.0);
    assert_int_equal(palm->n_joint, 1);
    // L = (q + q + 0.01) / 2: the target 0 of L is q = -0.005.
    assert_near(palm->joint[0].stiffness, 100.0, 1e-12);
    assert_near(palm->joint[0].lead, -0.005, 1e-15);
    cond_scene_destroy(scene);
}

static void test_equalities(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read("<mujoco><worldbody>" SLIDER("a", "") SLIDER(
        "b", "") "<body name='c' pos='0 0 1'><freejoint/><geom size='.1'/></body><site name='s' "
                 "pos='1 1 1'/>"
                 "</worldbody><equality><connect name='pin' body1='a' body2='c' anchor='0 0 .5'/>"
                 "<weld body1='b'/><joint joint1='a_j' joint2='b_j' polycoef='0 1 1'/>"
                 "<joint joint1='b_j' polycoef='.2'/></equality></mujoco>");
    assert_int_equal(scene->n_attachment, 2);
    const CondAttachmentDef* pin = &scene->attachment[0];
    assert_false(pin->turns);
    assert_string_equal(pin->end[0].link, "a");
    assert_near(pin->end[0].point[2], 0.5, 0.0);
    assert_near(pin->end[1].point[2], -0.5, 0.0); // of the ball at z = 1
    assert_true(scene->attachment[1].turns);
    assert_string_equal(scene->attachment[1].end[1].body, "");
    // Held at 0.2; what is not linear is told.
    assert_int_equal(scene->body[1].link[1].kind, COND_JOINT_FIXED);
    assert_near(scene->body[1].link[1].position[0], 0.2, 0.0);
    int told = 0;
    for (int i = 0; i < scene->n_warning; i++)
        told |= strstr(scene->warning[i], "it is not linear") != NULL;
    assert_true(told);
    cond_scene_destroy(scene);
}

static void test_touching(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' contype='1' "
        "conaffinity='2'/>"
        "<body name='a'><freejoint/><geom size='.1' contype='2' conaffinity='0'/></body>"
        "<body name='b'><freejoint/><geom size='.1' contype='4' conaffinity='4'/></body>"
        "<body name='c'><joint/><geom size='.1'/><body name='d'><joint/><geom size='.1'/></body>"
        "</body></worldbody><contact><exclude body1='a' body2='d'/></contact></mujoco>");
    const uint32_t floor[2] = {scene->plane[0].groups, scene->plane[0].touches};
    const CondBodyDef* body = scene->body;
    // contype of one meets conaffinity of the other.
    assert_true((body[0].groups & floor[1]) && (floor[0] & body[0].touches));
    assert_false((body[1].groups & floor[1]) && (floor[0] & body[1].touches));
    assert_false((body[0].groups & body[0].touches));
    assert_true((body[1].groups & body[1].touches));
    assert_int_equal(body[2].n_link_groups, 2);
    assert_true((body[2].link_groups[0].groups & floor[1]) &&
                (floor[0] & body[2].link_groups[0].touches));
    assert_int_equal(scene->n_exclude, 1);
    assert_string_equal(scene->exclude[0].thing[0], "a");
    assert_string_equal(scene->exclude[0].thing[1], "c/d");
    cond_scene_destroy(scene);
}

// Includes, meshes with scale and reference frame, beside the folder that the compiler names.
static void test_files(void** state)
{
    (void)state;
    mjcf_write("tet.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    mjcf_write("part.xml", "<mujocoinclude><compiler angle='radian'/><asset><mesh file='tet.obj' "
                           "scale='2 2 2' refpos='.5 0 0'/></asset></mujocoinclude>");
    Trial t = begin("<mujoco><include file='part.xml'/><worldbody><body name='a' euler='0 0 "
                    "1.5707963267948966'><freejoint/><geom type='mesh' mesh='tet' density='3'/>"
                    "</body></worldbody></mujoco>");
    Arm arm = look(&t, 0);
    const CondLink* a = link_of(&arm, "a");
    assert_near(a->mass, 3.0 * 8.0 / 6.0, 1e-14);
    assert_near(a->com[0], 2.0 / 4.0 - 0.5, 1e-15); // the middle of the corners
    assert_near(a->com[1], 2.0 / 4.0, 1e-15);
    // I_xx of the unit tetrahedron about its centre is m (3/80 + 3/80), edges of 2 four times that.
    assert_near(a->inertia[0], 4.0 * a->mass * 6.0 / 80.0, 1e-14);
    assert_int_equal(arm.arm->n_shape, 1);
    assert_near(arm.arm->shape[0].position[0], -0.5, 0.0);
    assert_near(arm.arm->shape[0].size[1], 2.0, 0.0);
    assert_near(arm.q[3], sqrt(0.5), 1e-15);
    cond_articulation_work_destroy(arm.work);
    trial_end(&t);
}

// Heights are stretched to 0 .. 1; the first row is that of the largest y.
static void test_heightfield(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><asset><hfield name='h' nrow='3' ncol='2' size='1 2 .5 .1' elevation='0 1 2 3 4 "
        "10'/></asset><worldbody><geom name='ground' type='hfield' hfield='h' pos='0 0 1' "
        "friction='.3'/></worldbody></mujoco>");
    const CondObstacleDef* ground = &scene->obstacle[0];
    assert_int_equal(ground->shape, COND_SHAPE_HEIGHTFIELD);
    assert_int_equal(ground->n_row, 3);
    assert_near(ground->extent[1], 4.0, 0.0);
    assert_near(ground->height, 0.5, 0.0);
    assert_near(ground->heights[5], 1.0, 0.0);
    assert_near(ground->heights[4], 0.4, 1e-15);
    assert_near(ground->surface.friction[0], 0.3, 0.0);
    Trial t = trial_begin(scene);
    trial_step(&t, 1);
    trial_end(&t);
}

// A cable of 1 m and 20 links, 5 mm thick in radius, held at its begin.
static void test_cable(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><worldbody><composite type='cable' curve='s' count='21 1 1' size='1' offset='0 0 "
        "2'>"
        "<plugin plugin='mujoco.elasticity.cable'><config key='twist' value='1e7'/><config "
        "key='bend' value='2.5e7'/></plugin><geom type='capsule' size='.005' density='2000' "
        "friction='.2'/></composite></worldbody></mujoco>");
    const CondBodyDef* rod = &scene->body[0];
    assert_int_equal(rod->kind, COND_BODY_ROD);
    assert_int_equal(rod->n_point, 21);
    assert_near(rod->point[60], 1.0, 1e-15);
    assert_near(rod->position[2], 2.0, 0.0);
    assert_near(rod->rod.circle, 0.005, 0.0);
    assert_near(scene->material[0].poisson_ratio, 0.25, 1e-15); // 2.5 / (2 * 1) - 1
    assert_int_equal(scene->n_attachment, 1);
    assert_true(scene->attachment[0].turns);
    Trial t = trial_begin(scene);
    trial_step(&t, 5);
    assert_near(t.state->q[2], 2.0, 1e-3);
    trial_end(&t);
}

// Bodies that a cable would make are no fault of the elements that name them.
static void test_cable_bodies(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><worldbody><body name='a'><joint/><geom size='.1'/></body>\n"
        "<composite type='cable' prefix='c' curve='s' count='21 1 1'><geom size='.01'/></composite>"
        "</worldbody><contact><exclude body1='cB_7' body2='a'/></contact>\n"
        "<equality><weld body1='cB_last' body2='a'/></equality></mujoco>");
    assert_int_equal(scene->n_attachment, 0);
    assert_true(
        mjcf_warns(scene, "r.xml:3: <weld> of 'cB_last', a body of a <composite>, is left out"));
    assert_true(mjcf_warns(scene, "<exclude> of 'cB_7', a body of a <composite>, is left out"));
    cond_scene_destroy(scene);
}

// What is not understood is told once, with its first line and how often.
static void test_left_out(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco>\n<option wind='1 0 0' timestep='.005'/>\n<worldbody>\n<light/><body name='a'>"
        "<joint margin='1'/>\n<geom size='.1' solref='.01 1' rgba='1 0 0 1'/>\n<geom size='.1' "
        "solref='.01 1'/></body></worldbody>\n<sensor><magnetometer site='x'/><magnetometer "
        "site='y'/></sensor>\n"
        "<keyframe><key name='home' act='1'/></keyframe><worldbody><geom size='.1' contype='0' "
        "conaffinity='0'/></worldbody></mujoco>");
    assert_near(cond_scene_settings(scene)->time_step, 0.005, 0.0);
    assert_true(mjcf_warns(scene, "r.xml:2: <option> wind is left out"));
    assert_true(mjcf_warns(scene, "r.xml:4: <joint> margin is left out"));
    assert_true(mjcf_warns(scene,
                           "r.xml:5: contacts, limits and dry friction are hard here, without "
                           "<geom> solref"));
    assert_true(mjcf_warns(scene, "r.xml:7: <magnetometer> is left out (2 times)"));
    assert_true(mjcf_warns(scene, "r.xml:4: of no effect on the motion: <light>"));
    assert_true(mjcf_warns(scene, "r.xml:8: <key> act is left out"));
    assert_true(mjcf_warns(scene, "r.xml:8: the scene starts at keyframe 'home'"));
    assert_int_equal(scene->n_warning, 7);
    cond_scene_destroy(scene);
}

static void refuses(const char* text, const char* message)
{
    CondScene* scene = NULL;
    CondError error = {0};
    mjcf_write("r.xml", text);
    CondStatus status = cond_scene_read(NULL, "r.xml", 0, NULL, &scene, &error);
    if (!status)
        fail_msg("accepted, instead of: %s", message);
    assert_null(scene);
    assert_string_equal(error.message, message);
}

static void test_faults(void** state)
{
    (void)state;
    refuses("<model/>", "r.xml:1: the file holds no <mujoco> and no <robot>");
    refuses("<mujoco><worldbody></mujoco>",
            "r.xml:1: Opening and ending tag mismatch: worldbody line 1 and mujoco");
    refuses(WORLD("<body><joint axis='0 0 0' name='j'/><geom size='-1'/></body>\n"
                  "<body><joint type='ball'/><geom type='box' size='1 1'/></body>\n"
                  "<geom size='a'/><geom type='ring' size='1'/>\n"
                  "<geom class='none' size='1'/><body quat='0 0 0 0'/>\n"
                  "<body name='x'/><body name='x'/><joint/>\n"),
            "r.xml:7: the world has no joints\n"
            "r.xml:3: joint 'j': its axis is zero\n"
            "r.xml:3: <geom> of type sphere: size -1 is not above 0\n"
            "r.xml:4: <geom> of type box needs 3 sizes, not 2\n"
            "r.xml:5: size='a' of <geom>: expected 1 to 3 numbers\n"
            "r.xml:5: <geom> of type sphere needs 1 size, not 0\n"
            "r.xml:5: type='ring' of <geom> is none of plane, hfield, sphere, capsule, ellipsoid, "
            "cylinder, box, mesh\n"
            "r.xml:6: there is no default class 'none'\n"
            "r.xml:6: quat of <body> is no orientation\n"
            "r.xml:7: there are two of <body> named 'x'");
    refuses(WORLD("<body><joint range='3 1' name='j'/><freejoint/><geom mesh='m' type='mesh'/>"
                  "</body>\n"),
            "r.xml:3: joint 'j': range 3 .. 1 is empty\n"
            "r.xml:3: a free joint must be the only one of its body\n"
            "r.xml:3: there is no mesh 'm'");
    refuses("<mujoco><include file='gone.xml'/></mujoco>",
            "r.xml:1: the included file gone.xml cannot be opened");
    refuses("<mujoco><include file='r.xml'/></mujoco>", "r.xml:1: r.xml is included a second time");
    refuses("<mujoco><asset><mesh file='gone.stl'/></asset><worldbody><geom type='mesh' "
            "mesh='gone'/></worldbody></mujoco>",
            "r.xml:1: the mesh gone.stl cannot be opened");
    refuses("<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body></worldbody>\n"
            "<actuator><motor joint='b'/></actuator>\n<equality><joint joint1='c'/></equality>\n"
            "<keyframe><key name='home' qpos='1 2'/></keyframe></mujoco>",
            "r.xml:3: there is no joint 'c'\nr.xml:4: qpos of <key>: expected at most 1 number\n"
            "r.xml:2: there is no joint 'b'");
}

// The start: keyframe "home", another one by name, none.
static void test_keyframes(void** state)
{
    (void)state;
    mjcf_write("k.xml", "<mujoco><worldbody><body name='a'><joint/><geom size='.1'/></body>"
                        "<body name='b'><freejoint/><geom size='.1'/></body></worldbody><keyframe>"
                        "<key name='home' qpos='.5 1 2 3 0 0 0 2'/><key name='up' qpos='.7 0 0 0 1 "
                        "0 0 0'/></keyframe></mujoco>");
    static const char* const choice[] = {"keyframe=up", "keyframe="};
    static const double start[] = {0.5, 0.7, 0.0}, x[] = {1.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        CondScene* scene = NULL;
        CondError error = {0};
        if (cond_scene_read(NULL, "k.xml", k > 0, k ? &choice[k - 1] : NULL, &scene, &error))
            fail_msg("%s", error.message);
        Trial t = trial_begin(scene);
        assert_near(t.state->q[0], start[k], 0.0);
        assert_near(t.state->q[1], x[k], 0.0);
        trial_end(&t);
    }
}

// The same robot as URDF and as MJCF.
static void test_urdf(void** state)
{
    (void)state;
    mjcf_write("u.urdf",
               "<robot name='r'><link name='base'/><link name='a'><inertial><origin xyz='.1 .2 .3' "
               "rpy='0 0 .4'/><mass value='2'/><inertia ixx='.3' iyy='.4' izz='.5' ixy='0' ixz='0' "
               "iyz='0'/></inertial></link><link name='b'><inertial><origin xyz='0 .1 -.3'/><mass "
               "value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='.01' ixz='0' iyz='.02'/>"
               "</inertial></link><joint name='ja' type='continuous'><parent link='base'/><child "
               "link='a'/><origin xyz='1 0 0' rpy='.1 .2 .3'/><axis xyz='0 1 1'/></joint><joint "
               "name='jb' type='prismatic'><parent link='a'/><child link='b'/><origin xyz='0 0 1' "
               "rpy='-.5 0 .7'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' velocity='1' "
               "effort='1'/></joint></robot>");
    CondArticulation* urdf = NULL;
    CondError error;
    assert_int_equal(cond_urdf_read(NULL, "u.urdf", NULL, &urdf, &error), COND_OK);
    // Roll, pitch, yaw are turns about the fixed axes x, y, z.
    Trial t = begin(
        "<mujoco><compiler angle='radian' eulerseq='XYZ'/><worldbody><body name='base'><body "
        "name='a' pos='1 0 0' euler='.1 .2 .3'><joint axis='0 1 1'/><inertial pos='.1 .2 .3' "
        "euler='0 0 .4' mass='2' diaginertia='.3 .4 .5'/><body name='b' pos='0 0 1' euler='-.5 0 "
        ".7'><joint type='slide' axis='1 0 0' range='-1 1'/><inertial pos='0 .1 -.3' mass='1' "
        "fullinertia='.1 .1 .1 .01 0 .02'/></body></body></body></worldbody></mujoco>");
    Arm arm = look(&t, 0);
    CondArticulationWork* work;
    assert_int_equal(cond_articulation_work_create(NULL, urdf, &work, &error), COND_OK);
    for (int k = 0; k < 5; k++) {
        double q[2] = {0.7 * k - 1.0, 0.3 * k - 0.6}, M[4], N[4];
        cond_articulation_kinematics(urdf, q, work);
        cond_articulation_mass(urdf, work, M);
        cond_articulation_kinematics(arm.arm, q, arm.work);
        cond_articulation_mass(arm.arm, arm.work, N);
        for (int i = 0; i < 4; i++)
            assert_near(N[i], M[i], 1e-12);
        for (int i = 0; i < 9; i++)
            assert_near(arm.work->position[i], work->position[i], 1e-12);
    }
    cond_articulation_work_destroy(work);
    cond_articulation_work_destroy(arm.work);
    cond_articulation_destroy(urdf);
    trial_end(&t);
}

// Two points of 1 kg on rods of 1 m: the energies of a double pendulum, kept while it swings.
static void test_double_pendulum(void** state)
{
    (void)state;
    Trial t =
        begin("<mujoco><compiler angle='radian'/><option timestep='.002' gravity='0 0 -10'/>"
              "<worldbody><body name='a'><joint name='ja' axis='0 1 0'/><inertial pos='0 0 "
              "-1' mass='1' diaginertia='1e-6 1e-6 1e-6'/><body name='b' pos='0 0 -1'><joint "
              "name='jb' axis='0 1 0'/><inertial pos='0 0 -1' mass='1' diaginertia='1e-6 1e-6 "
              "1e-6'/></body></body></worldbody><keyframe><key name='home' qpos='1.2 -0.5'/>"
              "</keyframe></mujoco>");
    const double gravity[3] = {0.0, 0.0, -10.0};
    Arm arm = look(&t, 0);
    double start = 0.0;
    for (int k = 0; k <= 300; k++) {
        const double *q = t.state->q, *v = t.state->v;
        double kinetic, potential, a = q[0], b = q[0] + q[1], w = v[0], u = v[0] + v[1];
        cond_articulation_kinematics(arm.arm, q, arm.work);
        cond_articulation_energy(arm.arm, arm.work, v, gravity, &kinetic, &potential);
        double T = w * w + 0.5 * u * u + w * u * cos(a - b) + 0.5e-6 * (w * w + u * u);
        double V = -20.0 * cos(a) - 10.0 * cos(b);
        assert_near(kinetic, T, 1e-12 * (1.0 + T));
        assert_near(potential, V, 1e-12 * 30.0);
        if (k == 0)
            start = T + V;
        assert_near(T + V, start, 2e-3);
        trial_step(&t, 1);
    }
    cond_articulation_work_destroy(arm.work);
    trial_end(&t);
}

#define ALL                                                                                        \
    "<mujoco model='all of it'><compiler angle='radian'/><option timestep='.003'/>"                \
    "<default><geom friction='.6'/><default class='v'><geom contype='0' conaffinity='0'/>"         \
    "</default></default><worldbody><geom type='plane' size='1 1 1'/><geom type='box' "            \
    "size='.1 .1 .1' pos='2 0 .1'/><geom type='ellipsoid' size='.1 .2 .3' pos='3 0 0'/>"           \
    "<body name='base' pos='0 0 1'><geom type='box' size='.1 .1 .1'/><body name='a' "              \
    "pos='0 0 .2' quat='1 .1 .2 .3'><joint name='j1' range='-1 1' armature='.1' ref='.2'/>"        \
    "<joint name='j2' axis='1 0 0' frictionloss='.1' stiffness='2'/><geom type='capsule' "         \
    "size='.03 .1' pos='0 0 .1'/><geom class='v' size='.1'/><site name='s'/><body name='b' "       \
    "pos='0 0 .3'><joint name='j3' type='ball'/><geom size='.05'/></body></body></body>"           \
    "<body name='cube' pos='1 0 .5'><freejoint/><geom type='box' size='.1 .1 .1' contype='3'/>"    \
    "</body></worldbody><actuator><position joint='j1' kp='20' kv='1' forcerange='-5 5'/>"         \
    "</actuator><equality><connect body1='b' body2='cube' anchor='0 0 0'/></equality>"             \
    "<contact><exclude body1='base' body2='cube'/></contact><sensor><force name='f' "              \
    "site='s'/></sensor><keyframe><key name='home' ctrl='.3' qpos='.3 .1 1 0 .1 0 1 0 .5 1 0 "     \
    "0 0'/></keyframe></mujoco>"

static uint64_t run(CondScene* scene)
{
    Trial t = trial_begin(scene);
    trial_try(&t, 20);
    uint64_t hash = cond_state_hash(t.state);
    trial_end(&t);
    return hash;
}

// Written as a scene file and read again it is the same, to the last bit of a run.
static void test_written(void** state)
{
    (void)state;
    CondError error = {0};
    CondScene* scene = mjcf_read(ALL);
    assert_int_equal(cond_scene_write(scene, "w.yaml", &error), COND_OK);
    CondScene* again = read_file("w.yaml");
    assert_int_equal(cond_scene_write(again, "w2.yaml", &error), COND_OK);
    assert_int_equal(run(scene), run(again));
    static char text[2][20000];
    for (int k = 0; k < 2; k++) {
        FILE* file = fopen(k ? "w2.yaml" : "w.yaml", "rb");
        assert_non_null(file);
        assert_true(fread(text[k], 1, sizeof text[k] - 1, file) > 0);
        fclose(file);
    }
    assert_string_equal(text[0], text[1]);
}

// Two of one file in a scene: placed, with names of their own, beside what the scene itself has.
static void test_among_others(void** state)
{
    (void)state;
    mjcf_write("k.xml",
               "<mujoco><option timestep='.1'/><worldbody><geom name='g' size='.1' pos='0 0 "
               "1'/><body name='a' pos='1 0 0'><joint name='j'/><geom size='.1'/></body>"
               "<body name='b'><freejoint/><geom size='.1'/></body></worldbody><keyframe>"
               "<key name='home' qpos='.5 1 2 3 1 0 0 0'/></keyframe></mujoco>");
    mjcf_write("s.yaml",
               "step: {time_step: 0.004}\nmjcf:\n"
               "  - {file: k.xml, prefix: left_, position: [0, 0, 1]}\n"
               "  - {file: k.xml, prefix: right_, keyframe: none, rotation: {axis: [0, 0, "
               "1], degrees: 90}}\n"
               "forces:\n  - {body: left_b, force: [1, 0, 0]}\n");
    CondScene* scene = read_file("s.yaml");
    assert_int_equal(scene->n_body, 4);
    assert_near(cond_scene_settings(scene)->time_step, 0.004, 0.0);
    assert_string_equal(scene->obstacle[1].name, "right_g");
    Trial t = trial_begin(scene);
    Arm left = look(&t, 0), right = look(&t, 2);
    assert_near(left.q[0], 0.5, 0.0);
    assert_near(right.q[0], 0.0, 0.0);
    assert_place(&left, "a", ORIGIN, 1.0, 0.0, 1.0);
    assert_place(&right, "a", ORIGIN, 0.0, 1.0, 0.0);
    CondPose b = trial_pose(&t, 1);
    assert_near(b.position[2], 4.0, 0.0);
    cond_articulation_work_destroy(left.work);
    cond_articulation_work_destroy(right.work);
    trial_end(&t);
    CondError error = {0};
    mjcf_write("s.yaml", "mjcf:\n  - {file: gone.xml}\n");
    assert_int_equal(cond_scene_read(NULL, "s.yaml", 0, NULL, &scene, &error), COND_BAD_INPUT);
    assert_string_equal(error.message, "s.yaml:2: mjcf[0]: the file gone.xml cannot be read");
}

#ifdef COND_CLI
// The tool: convert writes what run and check read directly; the keyframe may be chosen.
static void test_tool(void** state)
{
    (void)state;
    mjcf_write("r.xml", ALL);
    cli_expect(0, "warning: r.xml:1: the scene starts at keyframe 'home'", "convert", "r.xml",
               "w.yaml");
    CliOutput text = cli_run("check", "r.xml"), again = cli_run("check", "w.yaml");
    assert_int_equal(text.code, 0);
    assert_int_equal(again.code, 0);
    assert_non_null(strstr(text.out, "3 with"));
    cli_output_free(&text);
    cli_output_free(&again);
    cli_expect(0, "", "run", "r.xml", "--set", "step.duration=0.006");
    cli_expect(0, "", "convert", "r.xml", "w.yaml", "--keyframe", "", "--set", "step.duration=3");
    CondScene* scene = read_file("w.yaml");
    assert_near(cond_scene_settings(scene)->duration, 3.0, 0.0);
    cond_scene_destroy(scene);
    cli_expect(2, "there is no keyframe 'gone'", "convert", "r.xml", "w.yaml", "--keyframe",
               "gone");
    cli_expect(1, "OUT must end in .yaml", "convert", "r.xml", "w.obj", "--keyframe", "home");
}
#endif

static CondStatus build(const CondContext* context, CondError* error)
{
    CondScene* scene = NULL;
    CondStatus status = cond_scene_read(context, "r.xml", 0, NULL, &scene, error);
    cond_scene_destroy(scene);
    return status;
}

static void test_allocation_failures(void** state)
{
    (void)state;
    mjcf_write("r.xml", ALL);
    CondError error;
    FailingAllocator all = {0};
    CondContext context = failing_allocator_context(&all);
    assert_int_equal(build(&context, &error), COND_OK);
    assert_int_equal(all.live, 0);
    // One in some, by a stride that meets all places over time: there are thousands.
    for (long n = 1; n <= all.calls; n += 1 + n / 40) {
        FailingAllocator failing = {.fail_at = n};
        CondContext one = failing_allocator_context(&failing);
        assert_int_equal(build(&one, &error), COND_OUT_OF_MEMORY);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orientations),
        cmocka_unit_test(test_masses),
        cmocka_unit_test(test_inertias),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_ball_and_free),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_static),
        cmocka_unit_test(test_actuators),
        cmocka_unit_test(test_gripper),
        cmocka_unit_test(test_equalities),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_heightfield),
        cmocka_unit_test(test_cable),
        cmocka_unit_test(test_cable_bodies),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_keyframes),
        cmocka_unit_test(test_urdf),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_among_others),
        cmocka_unit_test(test_allocation_failures),
#ifdef COND_CLI
        cmocka_unit_test(test_tool),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
