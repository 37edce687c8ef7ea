// Robots whose links are given in the scene: the same as from URDF, links without mass between
// joints, loops closed by attachments, targets ahead of positions, refusals.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include "model/articulation.h"
#include "model/model.h"
#include "model/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROBOT(rest) "bodies:\n  - {name: r, kind: robot, " rest "}\n"

// M of a trial's first body at the given joint positions.
static void mass_at(const Trial* trial, const double* joints, double* M)
{
    const CondArticulation* arm = trial->model->body[0].arm;
    CondArticulationWork* work;
    CondError error;
    double q[16];
    assert_int_equal(cond_articulation_work_create(NULL, arm, &work, &error), COND_OK);
    cond_articulation_rest(arm, q);
    memcpy(q + arm->n_q - arm->n_joint, joints, (size_t)arm->n_joint * sizeof *q);
    cond_articulation_kinematics(arm, q, work);
    cond_articulation_mass(arm, work, M);
    cond_articulation_work_destroy(work);
}

#define POLE "mass: 1, center: [0, 0, -0.5], inertia: [0.083, 0.083, 0.001]"

static void test_links_are_a_urdf(void** state)
{
    (void)state;
    Trial a = trial_text("", ROBOT("urdf: " COND_SCENES "/pendulum2.urdf"));
    Trial b = trial_text(
        "",
        ROBOT(
            "links: [{name: base}, {name: l0, parent: base, " POLE
            ", joint: {name: j0, kind: continuous, axis: [0, 1, 0]}}, {name: l1, parent: l0, " POLE
            ", joint: {name: j1, kind: continuous, axis: [0, 3, 0], position: [0, 0, "
            "-1]}}]"));
    double q[2] = {0.4, -1.1}, M[4], N[4];
    mass_at(&a, q, M);
    mass_at(&b, q, N);
    assert_memory_equal(M, N, sizeof M);
    trial_end(&a);
    trial_end(&b);
}

// Three hinges with nothing between them carry a body: the kinetic energy of a turn about one of
// them is that of the body.
static void test_links_without_mass(void** state)
{
    (void)state;
    Trial t = trial_text(
        "", ROBOT("links: [{name: base},"
                  "{name: a, parent: base, joint: {kind: revolute, axis: [1, 0, 0]}},"
                  "{name: b, parent: a, joint: {kind: revolute, axis: [0, 1, 0]}},"
                  "{name: c, parent: b, joint: {kind: revolute, axis: [0, 0, 1]}, mass: 2, "
                  "center: [0, 0, -1], inertia: [0.1, 0.2, 0.3]}]"));
    double q[3] = {0.0, 0.0, 0.0}, M[9];
    mass_at(&t, q, M);
    assert_near(M[0], 0.1 + 2.0, 1e-14);
    assert_near(M[4], 0.2 + 2.0, 1e-14);
    assert_near(M[8], 0.3, 1e-14);
    trial_step(&t, 10);
    trial_end(&t);
}

static void refuses(const char* text, const char* message)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondError error = {0};
    FILE* file = fopen("s.yaml", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    CondStatus status = cond_scene_read(NULL, "s.yaml", 0, NULL, &scene, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    assert_int_not_equal(status, COND_OK);
    if (!strstr(error.message, message))
        fail_msg("'%s' instead of '%s'", error.message, message);
    cond_scene_destroy(scene);
}

static void test_refusals(void** state)
{
    (void)state;
    refuses(ROBOT("floating: true"), "urdf: is required");
    refuses(ROBOT("urdf: a.urdf, links: [{name: a}]"), "only one of them may be");
    refuses(ROBOT("links: [{name: a, parent: b}]"), "the first link is the base");
    refuses(ROBOT("links: [{name: a}, {name: b, parent: c}]"), "no link before it is called 'c'");
    refuses(ROBOT("links: [{name: a}, {name: a, parent: a}]"), "another link is called 'a'");
    refuses(ROBOT("links: [{name: a}, {name: b, parent: a, joint: {mimic: x}}]"),
            "there is no joint called 'x'");
    refuses(ROBOT("links: [{name: a}, {name: b, parent: a, joint: {kind: ball}}]"),
            "expected one of fixed, revolute, continuous, prismatic, spherical, planar, floating, "
            "not ball");
    refuses(ROBOT("links: [{name: a, shapes: [{box: [1, 1]}]}]"), "expected a vector of 3");
    refuses(ROBOT("links: [{name: a, shapes: [{position: [0, 0, 0]}]}]"), "expected one of box");
    refuses(ROBOT("links: [{name: a}, {name: b, parent: a, joint: {kind: revolute}}]"),
            "link 'b' moves but");
    refuses(ROBOT("links: [{name: a}, {name: b, parent: a, joint: {kind: revolute}}, {name: c, "
                  "parent: b, joint: {kind: revolute}, mass: 1, inertia: [1, 1, 1]}]"),
            "some joints can move without moving any mass");
    refuses("bodies:\n  - {name: r, mass: 1, shape: {sphere: 1}, links: [{name: a}]}\n",
            "links: a rigid body has none");
}

// A motor whose target is ahead by 0.2 at the start pulls with stiffness times that.
static void test_lead(void** state)
{
    (void)state;
    Trial t = trial_text("gravity: [0, 0, 0]\n",
                         ROBOT("joints: [{name: j, position: 0.1, stiffness: 50, damping: 7, lead: "
                               "0.2}], links: [{name: a}, {name: b, parent: a, joint: {name: j, "
                               "kind: prismatic}, mass: 2, inertia: [1, 1, 1]}]"));
    assert_near(t.state->target[0], 0.3, 1e-15);
    trial_step(&t, 2000);
    assert_near(t.state->q[0], 0.3, 1e-9);
    trial_end(&t);
}

// A four-bar linkage: three links in a chain, the last attached to the base. What the attachment
// holds stays together while the loop swings.
static void test_loop(void** state)
{
    (void)state;
#define BAR "mass: 1, center: [0, 0, -0.5], inertia: [0.08, 0.08, 0.01]"
    Trial t = trial_text(
        "step: {time_step: 0.002}\n",
        ROBOT("links: [{name: base},"
              "{name: a, parent: base, joint: {kind: revolute, axis: [0, 1, 0]}, " BAR "},"
              "{name: b, parent: a, joint: {kind: revolute, axis: [0, 1, 0], position: "
              "[0, 0, -1], "
              "rotation: {axis: [0, 1, 0], degrees: -90}}, " BAR "},"
              "{name: c, parent: b, joint: {kind: revolute, axis: [0, 1, 0], position: "
              "[0, 0, -1], "
              "rotation: {axis: [0, 1, 0], degrees: -90}}, " BAR "}],"
              "joints: [{name: a, velocity: 1}, {name: b, velocity: -1}, {name: c, "
              "velocity: 1}]") "attachments:\n  - {name: pin, from: {body: r, link: c, "
                               "point: [0, 0, -1]}, to: {body: r, "
                               "link: base, point: [1, 0, 0]}, turns: false, stiffness: "
                               "1e7, damping: 1e4}\n");
    const CondArticulation* arm = t.model->body[0].arm;
    CondArticulationWork* work;
    CondError error;
    assert_int_equal(cond_articulation_work_create(NULL, arm, &work, &error), COND_OK);
    double least = 0.0;
    for (int k = 0; k < 300; k++) {
        double tip[3], local[3] = {0.0, 0.0, -1.0};
        trial_step(&t, 1);
        cond_articulation_kinematics(arm, t.state->q, work);
        cond_articulation_point(arm, work, 3, local, tip, NULL);
        assert_near(tip[0], 1.0, 1e-5);
        assert_near(tip[2], 0.0, 1e-5);
        least = fmin(least, -fabs(t.state->q[0]));
    }
    assert_true(least < -0.2); // it does swing
    cond_articulation_work_destroy(work);
    trial_end(&t);
}

static CondStatus build(const CondContext* context, CondError* error)
{
    CondScene* scene = NULL;
    CondModel* model = NULL;
    CondStatus status = cond_scene_read(context, "s.yaml", 0, NULL, &scene, error);
    if (!status)
        status = cond_scene_compile(scene, &model, error);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
    return status;
}

static void test_allocation_failures(void** state)
{
    (void)state;
    FILE* file = fopen("s.yaml", "w");
    assert_non_null(file);
    fputs(ROBOT("links: [{name: base, shapes: [{sphere: 0.1}, {box: [1, 1, 1]}]},"
                "{name: a, parent: base, joint: {kind: revolute, axis: [1, 0, 0]}},"
                "{name: b, parent: a, joint: {kind: revolute, axis: [0, 1, 0]}, mass: 1, inertia: "
                "[1, 1, 1], shapes: [{capsule: [0.1, 1]}]}]"),
          file);
    fclose(file);
    CondError error;
    CondStatus status = COND_OUT_OF_MEMORY;
    for (long n = 1; n < 100000 && status; n++) {
        FailingAllocator counter = {.fail_at = n};
        CondContext context = failing_allocator_context(&counter);
        status = build(&context, &error);
        if (status)
            assert_int_equal(status, COND_OUT_OF_MEMORY);
        assert_int_equal(counter.live, 0);
    }
    assert_int_equal(status, COND_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links_are_a_urdf),
        cmocka_unit_test(test_links_without_mass),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_lead),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
