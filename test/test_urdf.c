// URDF files: what a good one becomes, every refusal with its line, broken and hostile files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include "math/quat.h"
#include "model/model.h"
#include "robot_file/urdf.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Tests run in a folder of their own.
#define FILE_NAME "r.urdf"

static void write_bytes(const char* name, const char* bytes, size_t length)
{
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static CondArticulation* read_with(const char* text, const CondUrdfOptions* options)
{
    CondArticulation* a;
    CondError error = {0};
    write_bytes(FILE_NAME, text, strlen(text));
    if (cond_urdf_read(NULL, FILE_NAME, options, &a, &error))
        fail_msg("%s", error.message);
    return a;
}

static void refuses_with(CondStatus expected, const char* text, const char* message)
{
    CondArticulation* a;
    CondError error = {0};
    write_bytes(FILE_NAME, text, strlen(text));
    CondStatus status = cond_urdf_read(NULL, FILE_NAME, NULL, &a, &error);
    if (!status)
        fail_msg("accepted, instead of: %s", message);
    assert_null(a);
    assert_string_equal(error.message, message);
    assert_int_equal(status, expected);
    assert_int_equal(error.status, expected);
}

static void refuses(const char* text, const char* message)
{
    refuses_with(COND_BAD_INPUT, text, message);
}

// Reads it, with one warning that is this.
static CondArticulation* mends(const char* text, const char* warning)
{
    CondArticulation* a = read_with(text, NULL);
    assert_int_equal(a->n_warning, 1);
    assert_string_equal(a->warning[0], warning);
    return a;
}

// Pieces of files, one line each, so that lines can be counted.
#define HEAD "<robot name='r'>\n"
#define TAIL "</robot>\n"
#define MASS                                                                                       \
    "<inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "                 \
    "izz='1'/></inertial>"
#define BASE "<link name='base'/>\n"
#define ARM "<link name='arm'>" MASS "</link>\n"
#define TIP "<link name='tip'>" MASS "</link>\n"
#define ENDS(p, c) "<parent link='" p "'/><child link='" c "'/>"
#define LIMIT "<limit lower='-1' upper='2' velocity='3' effort='4'/>"
#define JOINT(name, type, p, c, rest)                                                              \
    "<joint name='" name "' type='" type "'>" ENDS(p, c) rest "</joint>\n"

#define SOLID(shape) "<collision><geometry>" shape "</geometry></collision>"
#define WHEEL_MASS                                                                                 \
    "<inertial><origin xyz='0.1 0.2 0.3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"          \
    "<inertia ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='2.5'/></inertial>\n"
#define WHEEL_SHAPES                                                                               \
    "<collision><origin rpy='0.1 0.2 0.3'/><geometry><sphere "                                     \
    "radius='0.1'/></geometry></collision>" SOLID("<capsule radius='0.1' length='0.2'/>")          \
        SOLID("<box size='1 2 3'/>") SOLID("<cylinder radius='0.1' length='0.3'/>")                \
            SOLID("<mesh filename='package://stuff/a.obj' scale='1 1 -1'/>")
#define SLIDE                                                                                      \
    "<origin xyz='1 2 3'/><axis xyz='0 0 2'/>" LIMIT                                               \
    "<mimic joint='turn' multiplier='-2' offset='0.5'/>"
#define TURN LIMIT "<dynamics damping='0.5' friction='0.1'/><safety_controller k_velocity='1'/>"

#define SEEN "<link name='tip'>" MASS "<visual><geometry><nonsense/></geometry></visual></link>\n"
#define WHEEL "<link name='wheel'>\n" WHEEL_MASS WHEEL_SHAPES "</link>\n"
#define OTHERS "<material name='blue'/><gazebo/><transmission name='t'/>"
#define SPIN "<axis xyz='0 1 0'/>"

// Joints may come before links, and children before parents.
static const char* const good = HEAD JOINT("slide", "prismatic", "arm", "tip", SLIDE)
    JOINT("turn", "revolute", "base", "arm", TURN) JOINT("spin", "continuous", "arm", "wheel", SPIN)
        SEEN WHEEL BASE ARM OTHERS TAIL;

static void test_good_file(void** state)
{
    (void)state;
    CondArticulation* a = read_with(good, NULL);
    assert_string_equal(a->name, "r");
    assert_int_equal(a->n_link, 4);
    assert_string_equal(a->link[0].name, "base");
    assert_string_equal(a->link[1].name, "arm");
    assert_int_equal(a->n_joint, 2);
    const CondLink* tip = &a->link[cond_articulation_find_link(a, "tip")];
    const CondLink* wheel = &a->link[cond_articulation_find_joint(a, "spin")];
    assert_string_equal(tip->joint, "slide");
    assert_int_equal(tip->kind, COND_LINK_PRISMATIC);
    assert_int_equal(tip->coordinate, a->link[1].coordinate);
    assert_near(tip->scale, -2.0, 0.0);
    assert_near(tip->shift, 0.5, 0.0);
    assert_near(tip->axis[2], 1.0, 0.0); // made a unit vector
    assert_near(tip->position[1], 2.0, 0.0);
    // turn in [-1, 2] and 0.5 - 2 turn in [-1, 2]
    const CondJointCoordinate* turn = &a->coordinate[a->link[1].coordinate];
    assert_near(turn->lower, -0.75, 1e-15);
    assert_near(turn->upper, 0.75, 1e-15);
    assert_near(turn->velocity, 1.5, 1e-15);
    assert_near(turn->effort, 4.0, 0.0);
    assert_near(turn->damping, 0.5, 0.0);
    assert_near(turn->friction, 0.1, 0.0);
    assert_int_equal(wheel->kind, COND_LINK_CONTINUOUS);
    assert_true(isinf(wheel->lower) && isinf(wheel->upper) && isinf(wheel->velocity));
    // A quarter turn about z swaps the moments about x and y.
    assert_near(wheel->inertia[0], 2.0, 1e-15);
    assert_near(wheel->inertia[4], 1.0, 1e-15);
    assert_near(wheel->com[2], 0.3, 0.0);
    assert_int_equal(a->n_shape, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(a->shape[i].kind, i);
    assert_near(a->shape[1].size[1], 0.2, 0.0);
    assert_near(a->shape[4].size[2], -1.0, 0.0);
    assert_string_equal(a->shape[4].file, "package://stuff/a.obj");
    assert_true(a->shape[4].missing);
    assert_int_equal(a->n_warning, 2);
    assert_string_equal(a->warning[0], "r.urdf:8: mesh 'package://stuff/a.obj' is not there");
    assert_string_equal(a->warning[1],
                        "r.urdf:1: ignored: 1 <gazebo>, 1 <transmission>, 1 <safety_controller>");
    cond_articulation_destroy(a);
}

// R = Rz(yaw) Ry(pitch) Rx(roll), written out.
static void test_angles(void** state)
{
    (void)state;
    CondArticulation* a = read_with(good, NULL);
    double R[9], r = 0.1, p = 0.2, y = 0.3;
    double expected[9] = {cos(y) * cos(p),
                          cos(y) * sin(p) * sin(r) - sin(y) * cos(r),
                          cos(y) * sin(p) * cos(r) + sin(y) * sin(r),
                          sin(y) * cos(p),
                          sin(y) * sin(p) * sin(r) + cos(y) * cos(r),
                          sin(y) * sin(p) * cos(r) - cos(y) * sin(r),
                          -sin(p),
                          cos(p) * sin(r),
                          cos(p) * cos(r)};
    quat_matrix(a->shape[0].orientation, R);
    for (int k = 0; k < 9; k++)
        assert_near(R[k], expected[k], 1e-15);
    cond_articulation_destroy(a);
}

static void test_base(void** state)
{
    (void)state;
    static const char robot[] = HEAD BASE ARM TIP JOINT(
        "free", "floating", "base", "arm", "<origin xyz='1 2 3' rpy='0 0 3.141592653589793'/>")
        JOINT("turn", "revolute", "arm", "tip", LIMIT) TAIL;
    CondArticulation* a = read_with(robot, NULL);
    assert_true(a->floating);
    assert_int_equal(a->n_link, 2);
    assert_string_equal(a->link[0].name, "arm");
    assert_int_equal(a->n_dof, 7);
    assert_int_equal(a->n_q, 8);
    assert_near(a->base_position[2], 3.0, 0.0);
    assert_near(fabs(a->base_orientation[3]), 1.0, 1e-15);
    double q[8];
    cond_articulation_rest(a, q);
    assert_near(q[1], 2.0, 0.0);
    cond_articulation_destroy(a);
    // Asked for by the caller, where the file has a plain root.
    CondUrdfOptions options = {.floating = 1};
    a = read_with(HEAD ARM TIP JOINT("turn", "revolute", "arm", "tip", LIMIT) TAIL, &options);
    assert_true(a->floating);
    assert_int_equal(a->n_dof, 7);
    cond_articulation_destroy(a);
    // One link alone is a robot, too.
    a = read_with(HEAD ARM TAIL, NULL);
    assert_int_equal(a->n_dof, 0);
    cond_articulation_destroy(a);
}

static void test_mesh_paths(void** state)
{
    (void)state;
    static const struct {
        const char *name, *here, *expected;
    } cases[] = {
        {"package://p/m.obj", "m.obj", "m.obj"},
        {"model://p/m.obj", "m.obj", "m.obj"},
        {"$(find p)/m.obj", "m.obj", "m.obj"},
        {"file://$(find p)/m.obj", "m.obj", "m.obj"},
        {"package://p\\m.obj", "m.obj", "m.obj"},
        {"package://p.m/x.obj", "none", "package://p.m/x.obj"},
        {"m.obj", "m.obj", "m.obj"},
        {"/nowhere/m.obj", "none", "/nowhere/m.obj"},
        {"file:///nowhere/m.obj", "none", "file:///nowhere/m.obj"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        write_bytes(cases[i].here, "o\n", 2);
        snprintf(text, sizeof text,
                 HEAD "<link name='a'><collision><geometry><mesh filename='%s'/></geometry>"
                      "</collision></link>" TAIL,
                 cases[i].name);
        CondArticulation* a = read_with(text, NULL);
        assert_string_equal(a->shape[0].file, cases[i].expected);
        assert_int_equal(a->n_warning, strcmp(cases[i].here, "none") == 0);
        assert_int_equal(a->shape[0].missing, a->n_warning);
        cond_articulation_destroy(a);
        remove(cases[i].here);
    }
    // Found in one of the folders of packages that the caller gives.
    CondUrdfOptions options = {.package_path = "nowhere:."};
    write_bytes("m.obj", "o\n", 2);
    CondArticulation* a = read_with(
        HEAD "<link name='a'><collision><geometry><mesh filename='package://m.obj'/></geometry>"
             "</collision></link>" TAIL,
        &options);
    assert_string_equal(a->shape[0].file, "./m.obj");
    cond_articulation_destroy(a);
    remove("m.obj");
}

static void test_refuses_wrong_trees(void** state)
{
    (void)state;
    refuses("<thing/>", "r.urdf:1: the file holds no <robot> but <thing>");
    refuses(HEAD TAIL, "r.urdf:1: a robot without links");
    refuses(HEAD "<link/>" TAIL, "r.urdf:2: <link> without name");
    refuses(HEAD BASE BASE TAIL, "r.urdf:3: there are two links named 'base'");
    refuses(HEAD BASE ARM TAIL, "r.urdf:3: two links are the child of no joint, 'base' and 'arm'");
    refuses(HEAD BASE ARM JOINT("j", "fixed", "bose", "arm", "") TAIL,
            "r.urdf:4: joint 'j': there is no link 'bose'");
    refuses(HEAD BASE ARM JOINT("j", "fixed", "base", "orm", "") TAIL,
            "r.urdf:4: joint 'j': there is no link 'orm'");
    refuses(HEAD BASE "<joint name='j' type='fixed'><parent link='base'/></joint>" TAIL,
            "r.urdf:3: joint 'j' without <child>");
    refuses(HEAD BASE ARM JOINT("j", "fixed", "base", "base", "") TAIL,
            "r.urdf:4: joint 'j' joins link 'base' to itself");
    refuses(HEAD BASE ARM TIP JOINT("j", "fixed", "base", "arm", "")
                JOINT("j", "fixed", "base", "tip", "") TAIL,
            "r.urdf:6: there are two joints named 'j'");
    refuses(
        HEAD BASE ARM TIP JOINT("a", "fixed", "base", "arm", "")
            JOINT("b", "fixed", "base", "tip", "") JOINT("c", "fixed", "tip", "arm", "") TAIL,
        "r.urdf:7: link 'arm' is the child of two joints, 'a' and 'c': loops are not supported");
    refuses(HEAD ARM TIP JOINT("a", "fixed", "arm", "tip", "") JOINT("b", "fixed", "tip", "arm", "")
                TAIL,
            "r.urdf:2: the joints form a loop: every link is the child of one");
    refuses(HEAD BASE ARM TIP JOINT("a", "fixed", "arm", "tip", "")
                JOINT("b", "fixed", "tip", "arm", "") TAIL,
            "r.urdf:3: link 'arm' is part of a loop of joints");
    CondArticulation* a =
        mends("<robot name='r'>\n<link "
              "name='0123456789012345678901234567890123456789012345678901234567890123'/>" TAIL,
              "r.urdf:2: '012345678901234567890123456789012345678901234567890123456789...' is "
              "longer than "
              "63 characters: called '01234567890123456789012345678901234567890123456789~0'");
    cond_articulation_destroy(a);
}

// Kinds with several coordinates; a floating joint lifts the robot only off a bare root.
static void test_joints_of_several_coordinates(void** state)
{
    (void)state;
    CondArticulation* a = read_with(
        HEAD BASE ARM TIP WHEEL JOINT("s", "spherical", "base", "arm", "<dynamics damping='2'/>")
            JOINT("p", "planar", "arm", "tip", "<axis xyz='0 0 -1'/>")
                JOINT("f", "floating", "arm", "wheel", "") TAIL,
        NULL);
    assert_int_equal(a->n_warning, 1); // of the mesh that is not there
    assert_false(a->floating);
    assert_int_equal(a->n_ball, 2);
    assert_int_equal(a->n_joint, 6);
    assert_int_equal(a->n_dof, 12);
    assert_int_equal(a->n_q, 14);
    static const char* const name[] = {"p.x", "p.y", "p.angle", "f.x", "f.y", "f.z"};
    for (int k = 0; k < 6; k++) {
        assert_int_equal(cond_articulation_find_coordinate(a, name[k]), k);
        assert_int_equal(a->coordinate[k].slides, k != 2);
    }
    assert_true(a->damping[0] == 2.0 && a->damping[2] == 2.0 && a->damping[3] == 0.0);
    // x, y and the axis of the plane are right-handed.
    const CondLink* tip = &a->link[cond_articulation_find_link(a, "tip")];
    assert_true(tip->along[0] == 1.0 && tip->along[4] == -1.0);
    cond_articulation_destroy(a);
    a = read_with(HEAD ARM TIP JOINT("j", "floating", "arm", "tip", "") TAIL, NULL);
    assert_true(!a->floating && a->n_dof == 6);
    cond_articulation_destroy(a);
    refuses(HEAD BASE ARM TIP JOINT("s", "ball", "base", "arm", "")
                JOINT("j", "continuous", "arm", "tip", "<mimic joint='s'/>") TAIL,
            "r.urdf:4: joint 'j': only joints of one coordinate follow each other");
}

#define ONE(type, rest)                                                                            \
    HEAD BASE ARM JOINT("j", type, "base", "arm", rest)                                            \
    TAIL

static void test_refuses_wrong_joints(void** state)
{
    (void)state;
    refuses(ONE("elastic", ""), "r.urdf:4: joint 'j': unknown type 'elastic'");
    refuses(ONE("revolute", LIMIT "<axis xyz='0 0 0'/>"),
            "r.urdf:4: joint 'j': the axis is zero or not finite");
    refuses(ONE("revolute", LIMIT "<axis xyz='0 0'/>"),
            "r.urdf:4: xyz='0 0' of <axis>: expected 3 numbers");
    refuses(ONE("revolute", LIMIT "<axis xyz='0 0 1 0'/>"),
            "r.urdf:4: xyz='0 0 1 0' of <axis>: expected 3 numbers");
    refuses(ONE("revolute", LIMIT "<axis xyz='0 0 nan'/>"),
            "r.urdf:4: xyz='0 0 nan' of <axis>: expected 3 numbers");
    refuses(ONE("revolute", LIMIT "<axis xyz='0 0 inf'/>"),
            "r.urdf:4: xyz='0 0 inf' of <axis>: expected 3 numbers");
    refuses(ONE("revolute", LIMIT "<axis/>"), "r.urdf:4: <axis> without xyz");
    refuses(ONE("revolute", LIMIT "<mimic/>"), "r.urdf:4: <mimic> without joint");
    refuses(ONE("revolute", LIMIT "<mimic joint='k'/>"),
            "r.urdf:4: joint 'j' mimics 'k', which does not exist");
    refuses(ONE("revolute", LIMIT "<mimic joint='j'/>"),
            "r.urdf:3: joint 'j': joints mimic each other in a circle");
    refuses(HEAD BASE ARM TIP JOINT("i", "revolute", "base", "arm", LIMIT "<mimic joint='j'/>")
                JOINT("j", "revolute", "arm", "tip", LIMIT "<mimic joint='i'/>") TAIL,
            "r.urdf:3: joint 'i': joints mimic each other in a circle");
    refuses(HEAD BASE ARM TIP JOINT("i", "fixed", "base", "arm", "")
                JOINT("j", "revolute", "arm", "tip", LIMIT "<mimic joint='i'/>") TAIL,
            "r.urdf:4: joint 'j': the joint it mimics does not move");
}

#define BODY(mass, xx, yy, zz, xy)                                                                 \
    HEAD "<link name='a'>\n<inertial><mass value='" mass "'/><inertia ixx='" xx "' iyy='" yy       \
         "' izz='" zz "' ixy='" xy "' ixz='0' iyz='0'/></inertial></link>" TAIL
#define SHAPE(geometry)                                                                            \
    HEAD "<link name='a'>\n<collision>\n<geometry>\n" geometry "</geometry></collision></"         \
         "link>" TAIL

static void test_refuses_wrong_links(void** state)
{
    (void)state;
    refuses(BODY("-1", "1", "1", "1", "0"), "r.urdf:3: link 'a': mass -1 is negative");
    refuses(BODY("1", "x", "1", "1", "0"), "r.urdf:3: ixx='x' of <inertia>: expected 1 number");
    // A flat plate sits on the edge of the inequality and is fine, rounded or not.
    cond_articulation_destroy(read_with(BODY("1", "1", "1", "2", "0"), NULL));
    cond_articulation_destroy(read_with(BODY("1", "1", "1", "2.000000001", "0"), NULL));
    // What is fixed to it is enough.
    cond_articulation_destroy(
        read_with(HEAD BASE "<link name='arm'/>\n" TIP JOINT("j", "continuous", "base", "arm", "")
                      JOINT("k", "fixed", "arm", "tip", "") TAIL,
                  NULL));
    refuses(SHAPE("<sphere radius='-1'/>"),
            "r.urdf:2: link 'a': a shape has the impossible size -1");
    refuses(SHAPE("<capsule radius='1'/>"), "r.urdf:5: <capsule> without length");
}

static void test_leaves_out_shapes(void** state)
{
    (void)state;
    static const struct {
        const char *text, *warning;
        int n_shape;
    } cases[] = {
        {SHAPE("<cone/>"),
         "r.urdf:5: <cone> is none of sphere, capsule, cylinder, box, mesh and is ignored", 0},
        {SHAPE("<sphere radius='1'/><sphere radius='1'/>"),
         "r.urdf:4: <geometry> has two shapes: only the first is used", 1},
        {SHAPE("<mesh/>"), "r.urdf:5: <mesh> without filename is ignored", 0},
        {SHAPE("<mesh filename=''/>"), "r.urdf:5: <mesh> without filename is ignored", 0},
        {SHAPE("<box size='1 0 1'/>"), "r.urdf:5: <box> of size 0 is ignored", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CondArticulation* a = mends(cases[i].text, cases[i].warning);
        assert_int_equal(a->n_shape, cases[i].n_shape);
        cond_articulation_destroy(a);
    }
}

// What an XML parser refuses and other readers of URDF do not.
static void test_reads_sloppy_xml(void** state)
{
    (void)state;
    static const char* const files[] = {
        "\n <?xml version='1.0'?>\n" HEAD BASE TAIL,
        "<!-- -- made -- by hand -- -->\n<?xml version='1.0'?>" HEAD BASE TAIL,
        "\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>" HEAD BASE TAIL,
        "<robot name='r' version='1.0' xmlns:xacro='http://ros.org/wiki/xacro'>" BASE TAIL,
        "<robot name='r' xmlns='http://drake.mit.edu'>" BASE "<x:y/>" TAIL,
        HEAD "<!-- <link name='base'/> -->" BASE TAIL,
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        CondArticulation* a = read_with(files[i], NULL);
        assert_int_equal(a->n_link, 1);
        cond_articulation_destroy(a);
    }
    static const char* const macros[] = {
        "<robot name='r' xmlns:xacro='x'>\n<xacro:macro name='m'/>" TAIL,
        "<robot name='r'>\n<xacro:include filename='m'/>" TAIL,
        HEAD "<link name='${side}_arm'/>" TAIL,
    };
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++) {
        CondArticulation* a;
        CondError error;
        write_bytes(FILE_NAME, macros[i], strlen(macros[i]));
        assert_int_equal(cond_urdf_read(NULL, FILE_NAME, NULL, &a, &error), COND_NOT_SUPPORTED);
        assert_non_null(strstr(error.message, "xacro FILE -o robot.urdf"));
    }
}

static void test_mends_joints(void** state)
{
    (void)state;
    CondArticulation* a =
        mends(ONE("revolute", ""), "r.urdf:4: joint 'j': <limit> is missing: nothing limits it");
    assert_true(isinf(a->coordinate[0].lower) && isinf(a->coordinate[0].upper));
    cond_articulation_destroy(a);
    a = mends(ONE("revolute", "<limit lower='2' upper='1' velocity='1' effort='1'/>"),
              "r.urdf:4: joint 'j': lower limit 2 is above upper limit 1: both are ignored");
    assert_true(isinf(a->coordinate[0].lower) && isinf(a->coordinate[0].upper));
    cond_articulation_destroy(a);
    a = mends(ONE("revolute", "<limit upper='1' velocity='0' effort='1'/>"),
              "r.urdf:4: joint 'j': velocity limit 0 is ignored");
    assert_true(isinf(a->coordinate[0].velocity));
    cond_articulation_destroy(a);
    a = mends(ONE("revolute", "<limit upper='1' velocity='1' effort='-1'/>"),
              "r.urdf:4: joint 'j': effort limit -1 is ignored");
    assert_true(isinf(a->coordinate[0].effort));
    cond_articulation_destroy(a);
    a = mends(
        HEAD BASE ARM TIP JOINT("i", "revolute", "base", "arm", LIMIT)
            JOINT("j", "revolute", "arm", "tip", LIMIT "<mimic joint='i' offset='9'/>") TAIL,
        "r.urdf:4: joint 'j': its limits leave no motion to the joint it mimics and are ignored");
    assert_true(a->coordinate[0].lower == -1.0 && a->coordinate[0].upper == 2.0);
    cond_articulation_destroy(a);
    a = read_with(ONE("prismatic", "<limit lower='-inf' upper='inf' velocity='inf' effort='inf'/>"),
                  NULL);
    assert_int_equal(a->n_warning, 0);
    cond_articulation_destroy(a);
    a = mends(ONE("revolute", LIMIT "<dynamics damping='-1'/>"),
              "r.urdf:4: joint 'j': damping -1 is ignored");
    assert_near(a->coordinate[0].damping, 0.0, 0.0);
    cond_articulation_destroy(a);
    a = mends(ONE("revolute", LIMIT "<limit lower='-9' upper='9' velocity='1' effort='1'/>"),
              "r.urdf:4: <joint> has two <limit>: only the first is used");
    assert_near(a->coordinate[0].upper, 2.0, 0.0);
    cond_articulation_destroy(a);
}

// Moments no mass has are projected on those that one has; the others keep every digit.
static void test_mends_inertias(void** state)
{
    (void)state;
    static const struct {
        const char *text, *warning;
        double moment[3];
    } cases[] = {
        // Second moments (1.1, 1.1, -0.1) become (1.1, 1.1, 0).
        {BODY("1", "1", "1", "2.2", "0"), "1, 1, 2.2; taken as 1.1, 1.1, 2.2", {1.1, 1.1, 2.2}},
        // A needle along x, and one of which too little is known.
        {BODY("1", "0", "1", "1", "0"),
         "0, 1, 1; taken as 0.002, 1.001, 1.001",
         {0.002, 1.001, 1.001}},
        // (-0.5, -0.5, 1.5): a needle along z.
        {BODY("1", "1", "1", "-1", "0"),
         "1, 1, -1; taken as 1.502, 1.502, 0.003",
         {1.5015, 1.5015, 0.003}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "r.urdf:3: link 'a': no mass has the principal moments of inertia %s",
                 cases[i].warning);
        CondArticulation* a = mends(cases[i].text, text);
        for (int k = 0; k < 3; k++)
            assert_near(a->link[0].inertia[4 * k], cases[i].moment[k], 1e-12);
        cond_articulation_destroy(a);
    }
    // Without any number it is a ball of water: 0.4 m (3 m / (4 pi rho))^(2/3).
    CondArticulation* a = read_with(BODY("1", "0", "0", "0", "0"), NULL);
    assert_near(a->link[0].inertia[8], 0.4 * pow(0.75e-3 / 3.14159265358979, 2.0 / 3.0), 1e-12);
    cond_articulation_destroy(a);
    a = mends(BODY("0", "1", "1", "1", "0"), "r.urdf:3: link 'a': inertia without mass is ignored");
    assert_near(a->link[0].inertia[0], 0.0, 0.0);
    cond_articulation_destroy(a);
    a = read_with(HEAD "<link name='a'><inertial><mass value='1'/></inertial></link>" TAIL, NULL);
    assert_int_equal(a->n_warning, 2);
    assert_string_equal(a->warning[0], "r.urdf:2: link 'a': <inertial> without <inertia>");
    assert_true(a->link[0].inertia[0] > 0.0);
    cond_articulation_destroy(a);
}

// A part that moves on its own has to have some inertia; a thousandth of the others' will do.
static void test_mends_bare_links(void** state)
{
    (void)state;
    CondArticulation* a =
        mends(HEAD BASE "<link name='x'/>\n" ARM JOINT("i", "continuous", "base", "x", "")
                  JOINT("j", "continuous", "x", "arm", "<axis xyz='0 1 0'/>") TAIL,
              "r.urdf:3: link 'x' moves but has no inertia: taken as 0.002 kg");
    assert_int_equal(a->n_dof, 2);
    assert_near(a->link[cond_articulation_find_link(a, "x")].mass, 0.002, 1e-15);
    cond_articulation_destroy(a);
}

// Invented masses depend on those that are given, not on the order of the links.
static void test_bare_links_any_order(void** state)
{
    (void)state;
    static const char* const link[] = {"<link name='x'/>\n<link name='y'/>\n",
                                       "<link name='y'/>\n<link name='x'/>\n"};
    for (int k = 0; k < 2; k++) {
        char text[4000];
        snprintf(text, sizeof text, "%s%s%s", HEAD BASE, link[k],
                 ARM JOINT("i", "continuous", "base", "x", "")
                     JOINT("l", "continuous", "x", "y", "<axis xyz='0 0 1'/>")
                         JOINT("j", "continuous", "y", "arm", "<axis xyz='0 1 0'/>") TAIL);
        CondArticulation* a = read_with(text, NULL);
        assert_int_equal(a->n_warning, 2);
        assert_near(a->link[cond_articulation_find_link(a, "x")].mass, 0.002, 1e-15);
        assert_near(a->link[cond_articulation_find_link(a, "y")].mass, 0.002, 1e-15);
        cond_articulation_destroy(a);
    }
}

// A URDF stands for a scene of one robot.
static void test_as_scene(void** state)
{
    (void)state;
    static const char text[] = HEAD BASE ARM JOINT("j", "continuous", "base", "arm", "") TAIL;
    write_bytes(FILE_NAME, text, strlen(text));
    static const char* const floating = "bodies.r.floating=true";
    CondScene* scene = NULL;
    CondError error = {0};
    if (cond_scene_read(NULL, "r.urdf", 1, &floating, &scene, &error))
        fail_msg("%s", error.message);
    assert_int_equal(scene->n_body, 1);
    assert_int_equal(scene->body[0].kind, COND_BODY_ROBOT);
    assert_int_equal(scene->body[0].floating, 1);
    Trial t = trial_begin(scene);
    assert_int_equal(t.model->n_dof, 7);
    trial_end(&t);
}

static void test_empty_shapes(void** state)
{
    (void)state;
    CondArticulation* a = mends(SHAPE(""), "r.urdf:4: <collision> without a shape is ignored");
    assert_int_equal(a->n_shape, 0);
    cond_articulation_destroy(a);
    a = mends(SHAPE("<box size='1 0 1'/>"), "r.urdf:5: <box> of size 0 is ignored");
    assert_int_equal(a->n_shape, 0);
    cond_articulation_destroy(a);
}

// One reading tells all that is wrong.
static void test_all_faults_at_once(void** state)
{
    (void)state;
    refuses(HEAD BASE "<link name='arm'><inertial><mass value='-2'/><inertia ixx='1' iyy='1' "
                      "izz='1'/></inertial>" SOLID("<sphere/>") "</link>\n" JOINT("i", "elastic",
                                                                                  "base", "arm", "")
                          JOINT("j", "fixed", "base", "none", "") TAIL,
            "r.urdf:5: joint 'j': there is no link 'none'\n"
            "r.urdf:4: joint 'i': unknown type 'elastic'\n"
            "r.urdf:3: link 'arm': mass -2 is negative\n"
            "r.urdf:3: <sphere> without radius");
    // As many as the message holds, and how many more there are.
    char text[8192] = HEAD;
    for (int i = 0; i < 100; i++)
        strcat(text, "<link name='a'/>\n");
    strcat(text, TAIL);
    CondArticulation* a;
    CondError error;
    write_bytes(FILE_NAME, text, strlen(text));
    assert_int_equal(cond_urdf_read(NULL, FILE_NAME, NULL, &a, &error), COND_BAD_INPUT);
    int lines = 0, more = 0;
    for (const char* at = error.message; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(sscanf(strrchr(error.message, '\n'), "\n... and %d more", &more), 1);
    assert_int_equal(lines + more, 99);
    assert_int_equal(strncmp(error.message, "r.urdf:3: there are two links named 'a'\n", 39), 0);
}

static void test_refuses_what_is_not_xml(void** state)
{
    (void)state;
    CondArticulation* a;
    CondError error;
    assert_int_equal(cond_urdf_read(NULL, "none.urdf", NULL, &a, &error), COND_NO_FILE);
    assert_string_equal(error.message, "none.urdf: the file cannot be opened");
    refuses("", "r.urdf:1: Document is empty");
    refuses("<robot>\n<link name='a'>\n</robot>",
            "r.urdf:3: Opening and ending tag mismatch: link line 2 and robot");
    // Entities, of whatever kind, come with a document type: the parser never gets to them.
    static const char type[] = "r.urdf: document types (<!DOCTYPE ...>) are not accepted";
    refuses("<!DOCTYPE r SYSTEM 'file:///etc/passwd'>\n" HEAD ARM TAIL, type);
    refuses("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n" HEAD
            "<link name='a'>&x;</link>" TAIL,
            type);
    refuses("<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]>\n" HEAD
            "<link name='&b;'/>" TAIL,
            type);
    // Characters written as references are part of XML itself.
    a = read_with(HEAD "<link name='a&amp;&#98;'/>" TAIL, NULL);
    assert_string_equal(a->link[0].name, "a&b");
    cond_articulation_destroy(a);
    // Nesting without end.
    size_t n = 100000, step = strlen("<x>");
    char* deep = malloc(n * step + 1);
    assert_non_null(deep);
    for (size_t i = 0; i < n; i++)
        memcpy(deep + i * step, "<x>", step + 1);
    write_bytes(FILE_NAME, deep, n * step);
    free(deep);
    assert_int_equal(cond_urdf_read(NULL, FILE_NAME, NULL, &a, &error), COND_BAD_INPUT);
    assert_non_null(strstr(error.message, "depth"));
}

static char* panda_text(size_t* length)
{
    FILE* file = fopen(COND_SCENES "/panda.urdf", "rb");
    assert_non_null(file);
    char* text = malloc(1 << 16);
    assert_non_null(text);
    *length = fread(text, 1, (1 << 16) - 1, file);
    text[*length] = 0;
    fclose(file);
    return text;
}

// A file cut anywhere before its last tag ends is refused with a line.
static void test_truncated_files(void** state)
{
    (void)state;
    size_t length;
    char* text = panda_text(&length);
    size_t end = (size_t)(strstr(text, "</robot>") - text) + strlen("</robot>");
    size_t stride = getenv("COND_VALGRIND") ? 997 : 61;
    for (size_t cut = 0; cut < end; cut += stride) {
        CondArticulation* a;
        CondError error = {0};
        write_bytes(FILE_NAME, text, cut);
        assert_int_equal(cond_urdf_read(NULL, FILE_NAME, NULL, &a, &error), COND_BAD_INPUT);
        assert_int_equal(strncmp(error.message, "r.urdf:", 7), 0);
    }
    free(text);
}

// Files with random damage are read or refused; what is read can be computed with.
static void test_damaged_files(void** state)
{
    (void)state;
    size_t length;
    char* text = panda_text(&length);
    char* damaged = malloc(length);
    assert_non_null(damaged);
    Dice dice = {7};
    int trials = getenv("COND_VALGRIND") ? 20 : 1000;
    for (int trial = 0; trial < trials; trial++) {
        memcpy(damaged, text, length);
        for (int k = 0; k < 1 + trial % 4; k++) {
            static const char bytes[] = "<>/\"'= 0123456789.-eax&;\0\n\xff";
            size_t from = (size_t)(strstr(text, "<robot") - text);
            size_t at = from + (size_t)dice_uniform(&dice, 0.0, (double)(length - from));
            damaged[at] = bytes[(size_t)dice_uniform(&dice, 0.0, (double)(sizeof bytes - 1))];
        }
        write_bytes(FILE_NAME, damaged, length);
        CondArticulation* a;
        CondError error = {0};
        CondStatus status = cond_urdf_read(NULL, FILE_NAME, NULL, &a, &error);
        assert_true(status == COND_OK || status == COND_BAD_INPUT || status == COND_NOT_SUPPORTED);
        if (status)
            continue;
        CondArticulationWork* work;
        double q[32], M[32 * 32];
        assert_true(a->n_q <= 32);
        assert_int_equal(cond_articulation_work_create(NULL, a, &work, NULL), COND_OK);
        cond_articulation_rest(a, q);
        cond_articulation_kinematics(a, q, work);
        cond_articulation_mass(a, work, M);
        for (int i = 0; i < a->n_dof; i++)
            assert_true(M[i * a->n_dof + i] > 0.0);
        cond_articulation_work_destroy(work);
        cond_articulation_destroy(a);
    }
    free(damaged);
    free(text);
}

static void test_allocations_fail_in_turn(void** state)
{
    (void)state;
    write_bytes(FILE_NAME, good, strlen(good));
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        CondArticulation* a;
        CondError error = {0};
        CondStatus status = cond_urdf_read(&context, FILE_NAME, NULL, &a, &error);
        if (status == COND_OK) {
            assert_true(allocator.calls < fail_at);
            cond_articulation_destroy(a);
            assert_int_equal(allocator.live, 0);
            return;
        }
        assert_null(a);
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        assert_true(error.message[0] != 0);
        assert_int_equal(allocator.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_file),
        cmocka_unit_test(test_angles),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_mesh_paths),
        cmocka_unit_test(test_refuses_wrong_trees),
        cmocka_unit_test(test_joints_of_several_coordinates),
        cmocka_unit_test(test_refuses_wrong_joints),
        cmocka_unit_test(test_refuses_wrong_links),
        cmocka_unit_test(test_leaves_out_shapes),
        cmocka_unit_test(test_reads_sloppy_xml),
        cmocka_unit_test(test_mends_joints),
        cmocka_unit_test(test_mends_inertias),
        cmocka_unit_test(test_mends_bare_links),
        cmocka_unit_test(test_bare_links_any_order),
        cmocka_unit_test(test_as_scene),
        cmocka_unit_test(test_empty_shapes),
        cmocka_unit_test(test_all_faults_at_once),
        cmocka_unit_test(test_refuses_what_is_not_xml),
        cmocka_unit_test(test_truncated_files),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_allocations_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
