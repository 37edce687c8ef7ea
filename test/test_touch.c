// Who touches whom: links of one robot, groups, excluded pairs, SRDF files, attachments.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_run.h"
#include "dense.h"
#include "failing_allocator.h"
#include "kinds_make.h"

#include "body/body.h"
#include "cond/audit.h"
#include "model/articulation.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define BAR(name)                                                                                  \
    "<link name='" name "'><inertial><origin xyz='0.25 0 0'/><mass value='1'/>"                    \
    "<inertia ixx='0.002' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial>"              \
    "<collision><origin xyz='0.27 0 0'/><geometry><box size='0.4 0.06 0.06'/></geometry>"          \
    "</collision></link>"
#define HINGE(name, parent, child, xyz, axis)                                                      \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child      \
    "'/><origin xyz='" xyz "'/><axis xyz='" axis "'/></joint>"

// A post and two bars that can fold back on it.
static const char folding[] =
    "<robot name='t'><link name='base'><inertial><mass value='2'/><inertia ixx='0.1' iyy='0.1' "
    "izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial><collision><origin xyz='0 0 0.25'/><geometry>"
    "<box size='0.1 0.1 0.5'/></geometry></collision></link>" BAR("a") BAR("b")
        HINGE("j1", "base", "a", "0 0 0.55", "0 1 0")
            HINGE("j2", "a", "b", "0.5 0 0", "0 1 0") "</robot>";

static const char folds[] =
    "bodies:\n"
    "  - {name: r, kind: robot, urdf: folding.urdf, friction: 0.5,\n"
    "     motor: {stiffness: 200, damping: 20}%s}\n"
    "trajectories:\n"
    "  - {body: r, joint: j1, waypoints: [{time: 0, target: 0}, {time: 0.5, target: 1.45}]}\n"
    "  - {body: r, joint: j2, waypoints: [{time: 0, target: 0}, {time: 0.5, target: 2.9}]}\n";

static Trial fold(const char* more)
{
    char text[1024];
    write_text("folding.urdf", folding);
    snprintf(text, sizeof text, folds, more);
    return trial_text("step: {time_step: 0.005}\nsolver: {threads: 1}\n", text);
}

static double audited_depth(const Trial* trial, const CondModel* of)
{
    CondAudit* audit;
    CondError error;
    double depth = 0.0;
    assert_int_equal(cond_audit_create(of, &audit, &error), COND_OK);
    assert_int_equal(cond_audit_run(audit, trial->state, 0.0), COND_OK);
    if (cond_audit_deepest(audit) >= 0)
        depth = cond_audit_pair(audit, cond_audit_deepest(audit)).depth;
    cond_audit_destroy(audit);
    return depth;
}

// The outer bar is folded back against the post and stops there; without self-contact it ends in
// the post, and the audit of a model that has it says how deep.
static void test_links_stop_each_other(void** state)
{
    (void)state;
    Trial trial = fold(""), through = fold(", self_contact: false");
    int touched = 0;
    for (int k = 0; k < 200; k++) {
        trial_step(&trial, 1);
        trial_step(&through, 1);
        touched += cond_sim_n_contact(trial.sim) > 0;
        assert_true(audited_depth(&trial, trial.model) < 1e-6);
    }
    assert_true(touched > 20);
    assert_true(audited_depth(&through, through.model) == 0.0); // nothing is meant to touch
    assert_true(audited_depth(&through, trial.model) > 0.05);
    trial_end(&trial);
    trial_end(&through);
}

// The contact of two links has coordinates of the robot once, those that move the points against
// each other. Its Jacobian, against differences: how fast one point moves against the other, by
// each coordinate.
static void check_jacobian(const Trial* trial)
{
    assert_int_equal(cond_sim_forces(trial->sim, trial->state), COND_OK);
    assert_int_equal(cond_sim_matrix(trial->sim), COND_OK);
    assert_int_equal(cond_sim_collide(trial->sim, trial->state), COND_OK);
    assert_int_equal(cond_sim_assemble(trial->sim, trial->state), COND_OK);
    const CondProblem* problem = cond_sim_problem(trial->sim);
    const CondBody* body = &trial->model->body[0];
    const double h = 1e-6;
    CondKinematics moved;
    double* q = malloc((size_t)body->n_q * sizeof *q);
    double* J = malloc(3 * (size_t)problem->n_dof * sizeof *J);
    assert_int_equal(cond_kinematics_create(trial->model, &moved), COND_OK);
    for (int c = 0; c < problem->n_contact; c++) {
        const CondCandidate* candidate = &trial->sim->attempt.candidates.candidate[c];
        if (candidate->point[1].body < 0 || candidate->moved)
            continue;
        assert_int_equal(problem->contact[c].side[1].n_coordinate, 0);
        dense_contact_jacobian(&problem->contact[c], problem->n_dof, J);
        int moving = 0;
        for (int k = 0; k < problem->n_dof; k++)
            moving +=
                J[k] != 0.0 || J[problem->n_dof + k] != 0.0 || J[2 * problem->n_dof + k] != 0.0;
        assert_true(moving > 0);
        assert_int_equal(problem->contact[c].side[0].n_coordinate, moving);
        for (int k = 0; k < 9; k++) // no force within the robot pushes the whole of it
            assert_true(J[k / 3 * problem->n_dof + k % 3] == 0.0);
        for (int k = 0; k < body->n_dof; k++) {
            double rate[3] = {0.0, 0.0, 0.0}, x[2][3], v[16] = {0.0};
            for (int way = -1; way <= 1; way += 2) {
                v[k] = way;
                memcpy(q, trial->state->q, (size_t)body->n_q * sizeof *q);
                cond_articulation_advance(body->arm, v, h, q);
                cond_kinematics_set(&moved, q);
                for (int s = 0; s < 2; s++)
                    cond_kinematics_point(&moved, &candidate->point[s], x[s], NULL, NULL);
                for (int i = 0; i < 3; i++)
                    rate[i] += way * (x[0][i] - x[1][i]) / (2.0 * h);
            }
            for (int r = 0; r < 3; r++) {
                double expected = 0.0;
                for (int i = 0; i < 3; i++)
                    expected += candidate->frame[3 * r + i] * rate[i];
                assert_near(J[r * problem->n_dof + k], expected, 1e-8);
            }
        }
    }
    cond_kinematics_destroy(&moved);
    free(q);
    free(J);
}

// A robot that floats folds up on itself.
static void test_contact_within_a_robot(void** state)
{
    (void)state;
    write_text("folding.urdf", folding);
    Trial trial = trial_text(
        "step: {time_step: 0.001}\nsolver: {threads: 1, tolerance: 1.e-10}\ngravity: [0, 0, 0]\n",
        "bodies:\n"
        "  - {name: r, kind: robot, urdf: folding.urdf, floating: true, friction: 0.5,\n"
        "     position: [1, 2, 3], velocity: [0.3, -0.2, 0.1],\n"
        "     joints: [{name: j1, position: 1.3, velocity: 1},\n"
        "              {name: j2, position: 0.5, velocity: 4}]}\n");
    double before[6], after[6], pushed = 0.0;
    trial_momentum(&trial, before);
    for (int k = 0; k < 300; k++) {
        trial_step(&trial, 1);
        for (int c = 0; c < cond_sim_n_contact(trial.sim); c++)
            pushed += cond_sim_contact(trial.sim, c).impulse[0];
        check_jacobian(&trial);
    }
    trial_momentum(&trial, after);
    assert_true(pushed > 0.1);
    for (int i = 0; i < 6; i++) // implicit Euler keeps it to the first order
        assert_near(after[i], before[i], 1e-2);
    assert_true(audited_depth(&trial, trial.model) < 1e-6);
    trial_end(&trial);
}

// ---- pairs that are left out

static const char tree[] =
    "<robot name='t'>"
    "<link name='base'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>"
    "<link name='shell'><collision><origin xyz='0 0 0.3'/><geometry><sphere radius='0.05'/>"
    "</geometry></collision></link>"
    "<joint name='f' type='fixed'><parent link='base'/><child link='shell'/></joint>"
    // a universal joint: two hinges at one place with a small link without a shape between them
    "<link name='yoke'><inertial><mass value='0.01'/><inertia ixx='1e-5' iyy='1e-5' izz='1e-5' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link>" HINGE("u1", "base", "yoke", "0 0 0.1", "1 0 0")
        HINGE("u2", "yoke", "a", "0 0 0", "0 1 0") BAR("a") HINGE("j", "a", "b", "0.5 0 0", "0 1 0")
            BAR("b") HINGE("k", "b", "c", "0.1 0 0.01", "0 1 0") BAR("c")
                HINGE("l", "c", "d", "0.05 0 0.01", "0 1 0") BAR("d") "</robot>";

static void expect_left_out(const CondModel* model, const char* a, const char* b,
                            CondLeftOutReason reason)
{
    for (int i = 0; i < cond_model_n_left_out(model); i++) {
        const CondLeftOut* pair = cond_model_left_out(model, i);
        if ((strcmp(pair->name[0], a) == 0 && strcmp(pair->name[1], b) == 0) ||
            (strcmp(pair->name[0], b) == 0 && strcmp(pair->name[1], a) == 0)) {
            assert_int_equal(pair->reason, reason);
            return;
        }
    }
    fail_msg("%s and %s are not left out", a, b);
}

static void test_pairs_left_out(void** state)
{
    (void)state;
    write_text("tree.urdf", tree);
    write_text("tree.srdf",
               "<robot name='t'><group name='g'/>\n"
               "<disable_collisions link1='shell' link2='d' reason='Never'/>\n"
               "<disable_collisions link1='shell' link2='nobody' reason='Never'/></robot>");
    Trial trial = trial_text("", "bodies:\n"
                                 "  - {name: r, kind: robot, urdf: tree.urdf, srdf: tree.srdf}\n"
                                 "  - {name: box, mass: 1, shape: {box: [1, 1, 1]}}\n"
                                 "planes: [{name: floor, offset: -5}]\n"
                                 "exclude: [[r/a, box], [floor, r]]\n");
    const CondModel* model = trial.model;
    assert_int_equal(cond_model_n_left_out(model), 9);
    expect_left_out(model, "r/base", "r/a", COND_LEFT_OUT_ADJACENT); // through the yoke
    expect_left_out(model, "r/shell", "r/a", COND_LEFT_OUT_ADJACENT);
    expect_left_out(model, "r/a", "r/b", COND_LEFT_OUT_ADJACENT);
    expect_left_out(model, "r/b", "r/c", COND_LEFT_OUT_ADJACENT);
    expect_left_out(model, "r/c", "r/d", COND_LEFT_OUT_ADJACENT);
    expect_left_out(model, "r/b", "r/d", COND_LEFT_OUT_OVERLAP); // along each other as it starts
    expect_left_out(model, "r/shell", "r/d", COND_LEFT_OUT_SRDF);
    expect_left_out(model, "r/a", "box", COND_LEFT_OUT_EXCLUDE);
    expect_left_out(model, "floor", "r", COND_LEFT_OUT_EXCLUDE);
    assert_null(cond_model_left_out(model, 9));
    assert_null(cond_model_left_out(model, -1));
    assert_null(cond_left_out_name((CondLeftOutReason)5));
    assert_string_equal(cond_model_warning(model, 0),
                        "tree.srdf:3: the robot has no link 'nobody': ignored");
    trial_end(&trial);
}

static void test_check_lists_them(void** state)
{
    (void)state;
    write_text("folding.urdf", folding);
    write_text("check.yaml", "bodies: [{name: r, kind: robot, urdf: folding.urdf}]\n");
    CliOutput output = cli_run("check", "check.yaml", "--json", "-");
    json_t* root = cli_output_json(&output);
    json_t* first = json_array_get(json_object_get(root, "left_out"), 0);
    assert_int_equal(json_array_size(json_object_get(root, "left_out")), 2);
    assert_string_equal(json_string_value(json_array_get(json_object_get(first, "names"), 1)),
                        "r/a");
    assert_string_equal(json_string_value(json_object_get(first, "reason")), "adjacent");
    json_decref(root);
    cli_output_free(&output);
    output = cli_run("check", "check.yaml");
    assert_non_null(strstr(output.out, "  left out  r/base, r/a (adjacent)\n"));
    cli_output_free(&output);
}

// ---- groups and pairs of every two kinds

// Two things of each kind, that overlap with each other's of any kind.
static const char* const things[] = {
    "bodies: - {name: %s, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0, 0, %g]%s}",
    "bodies: - {name: %s, mass: 1, shape: {sphere: 0.1}, position: [0.02, 0, %g]%s}",
    "bodies: - {name: %s, kind: particle, mass: 1, position: [0.02, -0.01, %g]%s}",
    "bodies: - {name: %s, kind: soft, mesh: 'box:2,2,2:0.2,0.2,0.2', material: m, self_contact: "
    "false, position: [0, 0, %g]%s}",
    "bodies: - {name: %s, kind: rod, material: m, rod: {links: 3, length: 0.3, circle: 0.02}, "
    "self_contact: false, position: [0.01, -0.02, %g]%s}",
    "bodies: - {name: %s, kind: robot, urdf: one.urdf, floating: true, position: [0.04, 0, %g]%s}",
    "obstacles: - {name: %s, shape: {box: [0.3, 0.3, 0.2]}, position: [0, 0, %g]%s}",
    "planes: - {name: %s, offset: 1%g%s}",
};
enum { N_THING = sizeof things / sizeof *things, PARTICLE = 2, FIRST_STATIC = 6 };

// The number of contacts between two things, with more keys for each and more text.
static int count_contacts(int a, int b, const char* keys_a, const char* keys_b, const char* more)
{
    static const char* const lists[] = {"bodies", "obstacles", "planes"};
    const char* keys[2] = {keys_a, keys_b};
    const int kind[2] = {a, b};
    char entry[2][512], text[2048];
    const char* section[2];
    for (int s = 0; s < 2; s++) {
        const char* format = things[kind[s]];
        for (int l = 0; l < 3; l++)
            if (strncmp(format, lists[l], strlen(lists[l])) == 0)
                section[s] = lists[l];
        format += strlen(section[s]) + 2;
        snprintf(entry[s], sizeof entry[s], "  ");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(entry[s] + 2, sizeof entry[s] - 2, format, s ? "two" : "one", s ? 0.05 : 0.0,
                 keys[s]);
#pragma GCC diagnostic pop
    }
    int n = snprintf(text, sizeof text, "%s:\n%s\n", section[0], entry[0]);
    if (section[0] != section[1])
        n += snprintf(text + n, sizeof text - (size_t)n, "%s:\n", section[1]);
    snprintf(text + n, sizeof text - (size_t)n, "%s\n%s\n", entry[1], more);
    Trial trial = trial_text("solver: {threads: 1}\n"
                             "materials: [{name: m, youngs_modulus: 1.e+5, poisson_ratio: 0.3, "
                             "density: 1000}]\n",
                             text);
    assert_int_equal(cond_sim_forces(trial.sim, trial.state), COND_OK);
    assert_int_equal(cond_sim_collide(trial.sim, trial.state), COND_OK);
    n = cond_sim_n_contact(trial.sim);
    double depth = audited_depth(&trial, trial.model);
    assert_true(n > 0 || depth == 0.0);
    trial_end(&trial);
    return n;
}

static void test_every_two_kinds(void** state)
{
    (void)state;
    write_text("one.urdf",
               "<robot name='t'><link name='l'><inertial><mass value='1'/><inertia ixx='0.01' "
               "iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>"
               "<box size='0.2 0.2 0.2'/></geometry></collision></link></robot>");
    for (int a = 0; a < N_THING; a++)
        for (int b = 0; b <= a; b++) {
            if (b >= FIRST_STATIC || (a == PARTICLE && b == PARTICLE))
                continue; // never
            int n = count_contacts(a, b, "", "", "");
            if (n == 0)
                fail_msg("things %d and %d do not touch", a, b);
            assert_int_equal(count_contacts(a, b, "", "", "exclude: [[one, two]]"), 0);
            assert_int_equal(
                count_contacts(a, b, ", groups: [x]", ", groups: y, touches: [y, default]", ""), 0);
            assert_int_equal(count_contacts(a, b, ", groups: [x], touches: y",
                                            ", groups: [y, z], touches: [x]", ""),
                             n);
            assert_int_equal(count_contacts(a, b, ", touches: []", "", ""), 0);
        }
}

// Links of a robot have groups of their own.
static void test_links_have_groups(void** state)
{
    (void)state;
    write_text("one.urdf",
               "<robot name='t'><link name='l'><inertial><mass value='1'/><inertia ixx='0.01' "
               "iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>"
               "<box size='0.2 0.2 0.2'/></geometry></collision></link></robot>");
    int n = count_contacts(0, 5, ", groups: [x]", "", "");
    assert_true(n > 0);
    assert_int_equal(
        count_contacts(0, 5, ", groups: [x]", ", link_groups: [{name: l, touches: default}]", ""),
        0);
    assert_int_equal(count_contacts(0, 5, "", "", "exclude: [[one, two/l]]"), 0);
}

// ---- attachments

// Two boxes that overlap and are held together: they touch, or they are kept from it.
static void test_attached_bodies(void** state)
{
    (void)state;
    for (int contact = 0; contact < 2; contact++) {
        char text[512];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - {name: a, mass: 1, shape: {box: [0.2, 0.2, 0.2]}}\n"
                 "  - {name: b, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0.15, 0, 0]}\n"
                 "attachments: [{from: {body: a}, to: {body: b}, contact: %s, end: 0.05}]\n",
                 contact ? "true" : "false");
        Trial trial = trial_text("solver: {threads: 1}\ngravity: [0, 0, 0]\n", text);
        double depth = audited_depth(&trial, trial.model); // before it is made
        assert_near(depth, 0.05, 1e-12);
        assert_int_equal(cond_sim_forces(trial.sim, trial.state), COND_OK); // it is made here
        assert_int_equal(cond_sim_collide(trial.sim, trial.state), COND_OK);
        assert_int_equal(cond_sim_n_contact(trial.sim) > 0, contact);
        if (!contact) {
            trial_step(&trial, 5);
            assert_true(audited_depth(&trial, trial.model) == 0.0);
            assert_near(trial_pose(&trial, 1).position[0], 0.15, 1e-12);
            trial_try(&trial, 2); // let go
            assert_true(cond_sim_n_contact(trial.sim) > 0);
        }
        trial_end(&trial);
    }
}

// ---- sleeping

// Boxes come to rest on the floor and in each other's way, or not: bodies that sleep change no bit.
static void test_sleeping_changes_no_bit(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int sleeping = 0; sleeping < 2; sleeping++) {
        char text[2048] = "planes: [{name: floor, friction: 0.5}]\nbodies:\n";
        for (int i = 0; i < 6; i++) {
            size_t at = strlen(text);
            snprintf(text + at, sizeof text - at,
                     "  - {name: b%d, mass: 1, shape: {box: [0.1, 0.1, 0.1]}, position: [%g, 0, "
                     "%g], groups: g%d, touches: [default, g%d]}\n",
                     i, 0.03 * (i / 2), 0.06 + 0.13 * (i / 2), i % 2, i % 2);
        }
        strcat(text, "exclude: [[b0, b4]]\n");
        char settings[128];
        snprintf(settings, sizeof settings, "step: {sleeping: %s}\nsolver: {threads: 1}\n",
                 sleeping ? "true" : "false");
        Trial trial = trial_text(settings, text);
        trial_step(&trial, 150);
        assert_true(audited_depth(&trial, trial.model) < 1e-6);
        hash[sleeping] = cond_state_hash(trial.state);
        trial_end(&trial);
    }
    assert_true(hash[0] == hash[1]);
}

// ---- what is refused

static void test_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"exclude: [[box, nobody]]",
         "r.yaml:3: exclude[0]: there is no body, link (robot/link), obstacle or plane called "
         "'nobody'"},
        {"exclude: [[box]]", "r.yaml:3: exclude[0]: expected two names, such as [box, arm/hand]"},
        {"exclude: [[box, box]]", "'box' and 'box' are not two things"},
        {"exclude: [[box, same]]\nplanes: [{name: same}]\nobstacles: [{name: same, shape: {sphere: "
         "1}}]",
         "'same' is the name of several: a body, an obstacle or a plane"},
        {"planes: [{touches: [nothing]}]", "r.yaml:3: touches: nothing is in the group 'nothing'"},
        {"planes: [{groups: {a: 1}}]", "expected a name or list of names"},
        {"planes: [{groups: [[a]]}]", "expected the name of a group"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        CondScene* scene;
        CondError error = {0};
        snprintf(text, sizeof text,
                 "bodies:\n  - {name: box, mass: 1, shape: {box: [1, 1, 1]}}\n%s\n", cases[i][0]);
        write_text("r.yaml", text);
        assert_int_equal(cond_scene_read(NULL, "r.yaml", 0, NULL, &scene, &error), COND_BAD_INPUT);
        if (!strstr(error.message, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], error.message);
    }
    CondScene* scene = make_scene();
    CondModel* model;
    CondError error = {0};
    CondBodyDef robot = make_robot("r", "folding.urdf");
    const CondLinkGroups link = {.name = "nobody", .groups = 1, .touches = 1};
    robot.link_groups = &link;
    robot.n_link_groups = 1;
    write_text("folding.urdf", folding);
    add_body(scene, &robot);
    assert_int_equal(cond_scene_compile(scene, &model, &error), COND_BAD_INPUT);
    assert_string_equal(error.message, "body r: link_groups: the robot has no link 'nobody'");
    cond_scene_destroy(scene);
}

// Wherever memory runs out while such a scene is read and compiled, it says so and leaves nothing.
static void test_allocation_failures(void** state)
{
    (void)state;
    write_text("tree.urdf", tree);
    write_text("tree.srdf",
               "<robot name='t'><disable_collisions link1='shell' link2='d'/></robot>");
    write_text(
        "memory.yaml",
        "bodies:\n"
        "  - {name: r, kind: robot, urdf: tree.urdf, srdf: tree.srdf, groups: [a, b],\n"
        "     link_groups: [{name: d, touches: a}]}\n"
        "obstacles: [{name: g, shape: {heightfield: [[0, 1, 2], [1, 3, 1]], extent: [1, 1]}}]\n"
        "exclude: [[r/a, g]]\n");
    for (long i = 1;; i++) {
        FailingAllocator allocator = {.fail_at = i};
        CondContext context = failing_allocator_context(&allocator);
        CondScene* scene = NULL;
        CondModel* model = NULL;
        CondError error = {0};
        CondStatus status = cond_scene_read(&context, "memory.yaml", 0, NULL, &scene, &error);
        if (!status)
            status = cond_scene_compile(scene, &model, &error);
        cond_model_destroy(model);
        cond_scene_destroy(scene);
        assert_int_equal(allocator.live, 0);
        if (!status)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links_stop_each_other),
        cmocka_unit_test(test_contact_within_a_robot),
        cmocka_unit_test(test_pairs_left_out),
        cmocka_unit_test(test_check_lists_them),
        cmocka_unit_test(test_every_two_kinds),
        cmocka_unit_test(test_links_have_groups),
        cmocka_unit_test(test_attached_bodies),
        cmocka_unit_test(test_sleeping_changes_no_bit),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
