// Contacts of MJCF files as MuJoCo has them: which links touch, with what friction, where shapes
// overlap at the start, and what is seen of them. Numbers are worked out by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "scene_make.h"

#include "cond/audit.h"
#include "model/articulation.h"
#include "model/model.h"
#include "model/state.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Trial begin(const char* text)
{
    return trial_begin(mjcf_read(text));
}

// ---- parents and children

// A ball on a slide falls on the box that it slides on, which stands still: centre to centre 0.15.
#define ON_STATIC(option)                                                                          \
    "<mujoco><option timestep='.002'>" option "</option><worldbody><body name='p'>"                \
    "<geom type='box' size='.1 .1 .1'/><body name='a' pos='0 0 .3'><joint type='slide' "           \
    "axis='0 0 1'/><geom type='sphere' size='.05'/></body></body></worldbody></mujoco>"

static void test_child_of_static_parent(void** state)
{
    (void)state;
    Trial t = begin(ON_STATIC(""));
    trial_step(&t, 500);
    assert_near(t.state->q[0], -0.15, 1e-6);
    trial_end(&t);
    static const char* const flags[] = {ON_STATIC("<flag contact='disable'/>"),
                                        ON_STATIC("<flag constraint='disable'/>")};
    for (int k = 0; k < 2; k++) {
        t = begin(flags[k]);
        trial_step(&t, 500);
        assert_true(t.state->q[0] < -4.0);
        trial_end(&t);
    }
}

// A lid on a hinge comes to lie on the box: its lower edge meets the box's far edge.
static void test_lid_on_static_base(void** state)
{
    (void)state;
    Trial t = begin("<mujoco><option timestep='.002'/><worldbody><body name='box'>"
                    "<geom type='box' size='.1 .1 .1'/><body name='lid' pos='-.15 0 .15'>"
                    "<joint name='hinge' axis='0 1 0' damping='.01'/><geom type='box' "
                    "size='.15 .1 .01' pos='.15 0 .05' mass='.5'/></body></body></worldbody>"
                    "</mujoco>");
    trial_step(&t, 500);
    // The far edge (0.25, -0.05) of the box, from the hinge, on the lid's face z = 0.04:
    //     -sin(q) ... cos(q) -0.05 + sin(q) 0.25 = 0.04
    double q = t.state->q[0];
    assert_near(0.25 * sin(q) - 0.05 * cos(q), 0.04, 1e-6);
    trial_end(&t);
}

// A moving parent and its child never touch, unless the file says so; grandchildren do, across a
// body without geoms as well.
static void test_moving_parents(void** state)
{
    (void)state;
    static const char text[] =
        "<mujoco><option gravity='0 0 0'>%s</option><worldbody><body name='a'><freejoint/>"
        "<geom type='box' size='.1 .1 .1'/><body name='b' pos='0 0 .05'><joint/><inertial mass='1' "
        "pos='0 0 0' diaginertia='.1 .1 .1'/>%s<body name='c' pos='0 0 .06'><joint axis='0 1 0'/>"
        "<geom size='.01'/></body></body></body></worldbody></mujoco>";
    static const struct {
        const char *flag, *geom;
        const char* pairs;
    } cases[] = {{"", "<geom size='.01'/>", "a/b b/c "},
                 {"", "", ""},
                 {"<flag filterparent='disable'/>", "<geom size='.01'/>", ""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char whole[800], pairs[200] = "";
        snprintf(whole, sizeof whole, text, cases[k].flag, cases[k].geom);
        Trial t = begin(whole);
        for (int i = 0; i < cond_model_n_left_out(t.model); i++) {
            const CondLeftOut* pair = cond_model_left_out(t.model, i);
            size_t end = strlen(pairs);
            if (pair->reason == COND_LEFT_OUT_ADJACENT)
                snprintf(pairs + end, sizeof pairs - end, "%s/%s ", pair->name[0] + 2,
                         pair->name[1] + 2);
        }
        assert_string_equal(pairs, cases[k].pairs);
        trial_end(&t);
    }
}

// ---- overlap at the start

#define FINGERS                                                                                    \
    "<mujoco><option timestep='.002' gravity='0 0 0'/><worldbody><body name='base'><geom "         \
    "type='box' size='.1 .1 .01' pos='0 0 -.2'/><body name='L' pos='-.02 0 0'><joint name='l' "    \
    "type='slide' axis='1 0 0'/><geom type='box' size='.0201 .02 .02' mass='.1'/></body><body "    \
    "name='R' pos='.02 0 0'><joint name='r' type='slide' axis='1 0 0'/><geom type='box' "          \
    "size='.0201 .02 .02' mass='.1'/></body></body></worldbody><actuator><position joint='l' "     \
    "kp='100' kv='5'/><position joint='r' kp='100' kv='5'/></actuator></mujoco>"

static double deepest_by_audit(const Trial* t)
{
    CondAudit* audit;
    CondError error;
    double least = INFINITY;
    assert_int_equal(cond_audit_create(t->model, &audit, &error), COND_OK);
    assert_int_equal(cond_audit_run(audit, t->state, 1.0), COND_OK);
    for (int i = 0; i < cond_audit_n_pair(audit); i++)
        least = fmin(least, -cond_audit_pair(audit, i).depth);
    cond_audit_destroy(audit);
    return least;
}

// Moves the two to x and -x; returns how much nearer they are to each other than at the start.
static double squeeze(Trial* t, const char* left, const char* right, double x)
{
    assert_int_equal(cond_state_set_joint_target(t->model, t->state, 0, left, x), COND_OK);
    assert_int_equal(cond_state_set_joint_target(t->model, t->state, 0, right, -x), COND_OK);
    trial_step(t, 300);
    assert_true(deepest_by_audit(t) > -1e-7);
    return t->state->q[0] - t->state->q[1];
}

// Fingers that are in each other by 0.2 mm stay where they are, do not cross, and touch again
// after they were apart.
static void check_fingers(Trial* t, const char* left, const char* right)
{
    assert_int_equal(cond_model_left_out(t->model, cond_model_n_left_out(t->model) - 1)->reason,
                     COND_LEFT_OUT_SLIGHT);
    trial_step(t, 50);
    assert_near(t->state->q[0], 0.0, 1e-9);
    assert_near(squeeze(t, left, right, 0.03), 0.0, 1e-7);
    assert_near(squeeze(t, left, right, -0.03), -0.06, 1e-4);
    assert_near(squeeze(t, left, right, 0.03), 0.0, 1e-7);
}

static void test_slight_overlap(void** state)
{
    (void)state;
    Trial t = begin(FINGERS);
    check_fingers(&t, "l", "r");
    trial_end(&t);
}

#define URDF_FINGER(name, x)                                                                       \
    "<link name='" name "'><inertial><mass value='.1'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' " \
    "ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><box size='.0402 .04 .04'/>"         \
    "</geometry></collision></link><joint name='" name "_slide' type='prismatic'><parent "         \
    "link='base'/><child link='" name "'/><origin xyz='" x " 0 0'/><axis xyz='1 0 0'/><limit "     \
    "lower='-1' upper='1' effort='1000' velocity='1000'/></joint>"

static void test_slight_overlap_in_urdf(void** state)
{
    (void)state;
    mjcf_write("fingers.urdf", "<robot name='g'><link name='base'/>" URDF_FINGER("l", "-.02")
                                   URDF_FINGER("r", ".02") "</robot>");
    Trial t = trial_text("gravity: [0, 0, 0]\nstep: {time_step: 0.002}\n",
                         "bodies: [{name: g, kind: robot, urdf: fingers.urdf, motor: {stiffness: "
                         "100, damping: 5}}]\n");
    check_fingers(&t, "l_slide", "r_slide");
    trial_end(&t);
}

// Links that were made in each other, by more than a third of the thinner one, are left out.
static void test_deep_overlap(void** state)
{
    (void)state;
    Trial t = begin("<mujoco><worldbody><body name='a'><joint/><geom type='box' size='.1 .1 .1'/>"
                    "<body name='b'><joint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
                    "<body name='c' pos='.13 0 0'><joint/><geom type='box' size='.1 .1 .1'/></body>"
                    "</body></body></worldbody></mujoco>");
    assert_int_equal(cond_model_n_left_out(t.model), 1);
    assert_int_equal(cond_model_left_out(t.model, 0)->reason, COND_LEFT_OUT_OVERLAP);
    trial_end(&t);
}

// ---- friction

// How a box starts to slide down a plane of 30 degrees, and how the pair's friction reads.
static double friction_of(const char* ground, const char* box)
{
    char text[800];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='.002' gravity='4.905 0 -8.495709'/><worldbody><geom "
             "type='plane' size='5 5 1' %s/><body pos='0 0 .1'><freejoint/><geom type='box' "
             "size='.1 .1 .1' mass='1' %s/></body></worldbody></mujoco>",
             ground, box);
    Trial t = begin(text);
    trial_step(&t, 1);
    assert_true(cond_sim_n_contact(t.sim) > 0);
    double mu = cond_sim_contact(t.sim, 0).friction[0];
    for (int c = 1; c < cond_sim_n_contact(t.sim); c++)
        assert_near(cond_sim_contact(t.sim, c).friction[0], mu, 0.0);
    trial_step(&t, 249);
    double slid = t.state->q[0], fall = 4.905 - mu * 8.495709;
    assert_near(slid, fall > 0.0 ? 0.5 * fall * 0.25 : 0.0, 1e-2);
    trial_end(&t);
    return mu;
}

static void test_friction_of_pairs(void** state)
{
    (void)state;
    static const struct {
        const char *ground, *box;
        double friction;
    } cases[] = {
        {"friction='.25'", "friction='1'", 1.0},
        {"", "condim='1'", 1.0},
        {"condim='1'", "condim='1'", 0.0},
        {"condim='1' priority='1'", "", 0.0},
        {"friction='.25' priority='2'", "priority='1'", 0.25},
        {"friction='.25' priority='1'", "condim='1'", 0.25},
        {"friction='.1 .005 .0001' condim='4'", "friction='.2' condim='6'", 0.2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_near(friction_of(cases[k].ground, cases[k].box), cases[k].friction, 0.0);
}

// Two geoms of one link each have their own friction; so have links of one robot.
static void test_friction_per_geom(void** state)
{
    (void)state;
    Trial t = begin("<mujoco><worldbody><geom type='plane' size='5 5 1' friction='.05'/>"
                    "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' pos='.5 0 0' "
                    "friction='.3'/><geom type='box' size='.1 .1 .1' pos='-.5 0 0' friction='.9'/>"
                    "</body></worldbody></mujoco>");
    trial_step(&t, 1);
    int n[2] = {0, 0};
    for (int c = 0; c < cond_sim_n_contact(t.sim); c++) {
        CondContactInfo contact = cond_sim_contact(t.sim, c);
        assert_near(contact.friction[0], contact.position[0] > 0.0 ? 0.3 : 0.9, 0.0);
        n[contact.position[0] > 0.0]++;
    }
    assert_int_equal(n[0], 4);
    assert_int_equal(n[1], 4);
    trial_end(&t);
}

// The same keys in a scene: rule, priority and frictionless, of a body and of a shape of a link.
static void test_friction_keys(void** state)
{
    (void)state;
    static const struct {
        const char *ground, *box;
        double friction;
    } cases[] = {
        {"friction: 0.25", "friction: 1", 0.5},
        {"friction: 0.25, friction_rule: larger", "friction: 1", 1.0},
        {"friction: 0.25, friction_priority: 1", "friction: 1", 0.25},
        {"friction: 0.25, frictionless: true", "friction: 1", 0.5},
        {"friction: 0.25, frictionless: true", "friction: 1, frictionless: true", 0.0},
        {"friction: 0.25", "friction_priority: 1", 0.25},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int link = 0; link < 2; link++) {
            char text[600];
            snprintf(text, sizeof text,
                     link ? "planes: [{name: floor, %s}]\n"
                            "bodies: [{name: r, kind: robot, floating: true, position: [0, 0, .1], "
                            "friction: 7, links: [{name: b, mass: 1, inertia: [1, 1, 1], shapes: "
                            "[{box: [.2, .2, .2], %s}]}]}]\n"
                          : "planes: [{name: floor, %s}]\n"
                            "bodies: [{name: b, mass: 1, position: [0, 0, .1], shape: {box: [.2, "
                            ".2, .2]}, %s}]\n",
                     cases[k].ground, cases[k].box);
            if (link && !strstr(cases[k].box, "friction:"))
                continue; // a shape that gives none has that of the robot
            Trial t = trial_text("", text);
            trial_step(&t, 1);
            assert_near(cond_sim_contact(t.sim, 0).friction[0], cases[k].friction, 0.0);
            trial_end(&t);
        }
}

// Geoms of one body touch what their own contype and conaffinity say.
static void test_groups_of_geoms(void** state)
{
    (void)state;
    Trial t = begin("<mujoco><worldbody><geom type='plane' size='5 5 1' contype='1' "
                    "conaffinity='0'/><body pos='0 0 .1'><freejoint/><geom type='box' "
                    "size='.1 .1 .1' pos='.5 0 0' contype='2' conaffinity='2'/><geom type='box' "
                    "size='.1 .1 .1' pos='-.5 0 0'/></body></worldbody></mujoco>");
    trial_step(&t, 1);
    assert_int_equal(cond_sim_n_contact(t.sim), 4);
    for (int c = 0; c < 4; c++)
        assert_true(cond_sim_contact(t.sim, c).position[0] < 0.0);
    trial_end(&t);
}

// A pair touches whatever contype and conaffinity say, with its own friction; so in a scene file.
static void test_pairs(void** state)
{
    (void)state;
    static const char* const pairs[] = {"<pair geom1='floor' geom2='box' friction='.7'/>",
                                        "<pair geom1='floor' geom2='box'/>",
                                        "<pair geom1='box' geom2='floor' condim='1'/>", ""};
    static const double friction[] = {0.7, 0.4, 0.0, NAN};
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><geom name='floor' type='plane' size='5 5 1' contype='1' "
                 "conaffinity='0' friction='.4'/><body name='b' pos='0 0 .1'><freejoint/><geom "
                 "name='box' type='box' size='.1 .1 .1' contype='1' conaffinity='0' "
                 "friction='.2'/></body></worldbody><contact>%s</contact></mujoco>",
                 pairs[k]);
        Trial t = begin(text);
        trial_step(&t, 1);
        assert_int_equal(cond_sim_n_contact(t.sim), isnan(friction[k]) ? 0 : 4);
        if (!isnan(friction[k]))
            assert_near(cond_sim_contact(t.sim, 0).friction[0], friction[k], 0.0);
        trial_end(&t);
    }
    Trial t =
        trial_text("", "bodies:\n"
                       "  - {name: a, mass: 1, groups: a, touches: a, shape: {box: [1, 1, "
                       "1]}}\n"
                       "  - {name: b, mass: 1, groups: b, touches: b, position: [0, 0, .999], "
                       "shape: {box: [1, 1, 1]}}\n"
                       "pairs: [{first: a, second: b, friction: 0.3, restitution: 0.25}]\n");
    trial_step(&t, 1);
    assert_int_equal(cond_sim_n_contact(t.sim), 4);
    assert_near(cond_sim_contact(t.sim, 0).friction[0], 0.3, 0.0);
    assert_near(cond_sim_contact(t.sim, 0).restitution, 0.25, 0.0);
    trial_end(&t);
}

// ---- what is seen, and what is named

static void test_visuals(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco><asset><material name='blue' rgba='0 0 1 1'/></asset><worldbody><body name='a' "
        "pos='0 0 1'><joint/><geom type='box' size='.1 .1 .1' group='3'/><geom type='sphere' "
        "size='.2' contype='0' conaffinity='0' group='2' material='blue'/><geom type='capsule' "
        "size='.1 .2' contype='0' conaffinity='0' group='4'/><geom size='.3' contype='0' "
        "conaffinity='0' rgba='1 1 1 0'/><body name='b'><joint axis='0 1 0'/><geom size='.1' "
        "rgba='1 0 0 .5'/></body><body name='c'><joint axis='0 1 0'/><geom size='.1'/></body>"
        "</body></worldbody></mujoco>");
    Trial t = trial_begin(scene);
    const CondArticulation* arm = t.model->body[0].arm;
    assert_int_equal(arm->n_shape, 3);
    assert_int_equal(arm->n_visual, 2); // c is seen as what touches
    assert_int_equal(arm->visual[0].kind, COND_LINK_SPHERE);
    assert_near(arm->visual[0].colour[2], 1.0, 0.0);
    assert_near(arm->visual[0].colour[0], 0.0, 0.0);
    assert_near(arm->visual[1].colour[0], 1.0, 0.0);
    assert_near(arm->visual[1].colour[3], 0.5, 0.0);
    assert_int_equal(t.model->n_solid, 3);
    trial_end(&t);
}

static void test_named(void** state)
{
    (void)state;
    CondScene* scene = mjcf_read(
        "<mujoco>\n<worldbody><geom type='plane' size='1 1 1' solref='.01 1'/><body name='a'>\n"
        "<joint solreflimit='.01 1' solimplimit='.9 .9 .1'/><geom name='g' size='.1' condim='6' "
        "solimp='.9 .95 .001'/><geom size='.1' condim='4' margin='.1'/></body></worldbody>"
        "</mujoco>");
    assert_true(mjcf_warns(scene,
                           "r.xml:3: condim 6 of geom 'g': torsional and rolling friction are "
                           "left out, it slides as with condim 3 (2 of 3 geoms)"));
    assert_true(mjcf_warns(scene, "contacts, limits and dry friction are hard here, without"));
    assert_true(mjcf_warns(scene, "<geom> solref"));
    assert_true(mjcf_warns(scene, "<geom> solimp"));
    assert_true(mjcf_warns(scene, "<joint> solreflimit"));
    assert_true(mjcf_warns(scene, "<geom> margin is left out"));
    cond_scene_destroy(scene);
}

// Ellipsoids are hulls, and what an equality holds does not touch: both are told, the latter only
// where the two would touch.
static void test_named_contacts(void** state)
{
    (void)state;
    static const char text[] =
        "<mujoco><worldbody><body name='a'><freejoint/><geom name='e' type='ellipsoid' "
        "size='.1 .1 .2'/></body><body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body>"
        "<body name='c' pos='2 0 0'><freejoint/><geom size='.1' contype='0' conaffinity='0'/>"
        "<body name='d'><geom size='.1'/></body></body></worldbody>%s"
        "<equality><connect body1='a' body2='b' anchor='.5 0 0'/>"
        "<weld body1='c' body2='b'/></equality></mujoco>";
    static const char apart[] = "<contact><exclude body1='b' body2='a'/></contact>";
    for (int excluded = 0; excluded < 2; excluded++) {
        char all[1000];
        snprintf(all, sizeof all, text, excluded ? apart : "");
        CondScene* scene = mjcf_read(all);
        assert_true(
            mjcf_warns(scene, "geom 'e': an ellipsoid touches as the hull of 162 points on it"));
        assert_true(mjcf_warns(scene, "(1 of 4 geoms)"));
        assert_int_equal(
            mjcf_warns(scene,
                       "<connect>: bodies 'a' and 'b' do not touch each other while it holds"),
            !excluded);
        assert_true(mjcf_warns(scene, "<weld>: bodies 'c' and 'b' do not touch each other"));
        cond_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_child_of_static_parent),
        cmocka_unit_test(test_lid_on_static_base),
        cmocka_unit_test(test_moving_parents),
        cmocka_unit_test(test_slight_overlap),
        cmocka_unit_test(test_slight_overlap_in_urdf),
        cmocka_unit_test(test_deep_overlap),
        cmocka_unit_test(test_friction_of_pairs),
        cmocka_unit_test(test_friction_per_geom),
        cmocka_unit_test(test_friction_keys),
        cmocka_unit_test(test_groups_of_geoms),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_visuals),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_named_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
