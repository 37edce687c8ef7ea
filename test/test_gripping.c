// The scenes and experiments in which something is gripped, cut short: sizes, the keys of the
// results, and that a ball is gripped by the force its motors ask for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "cli_paper.h"
#include "scene_make.h"

static void check_size(const json_t* result, const char* key, double paper)
{
    double ours = number_of(json_object_get(result, "settings"), key);
    assert_true(fabs(ours - paper) <= 0.03 * paper);
}

static void check_row(const json_t* result, const char* label, double residual)
{
    const json_t* row = row_of(result, "rows", label);
    assert_true(number_of(row, "mp_mm") >= 0.0 && number_of(row, "mp_mm") < 0.1);
    assert_true(number_of(row, "ie") >= 0.0 && number_of(row, "ie") < 1.0);
    assert_true(number_of(row, "fe_N") >= 0.0 && number_of(row, "de_mm") >= 0.0);
    assert_true(number_of(row, "iterations") >= 1.0 && number_of(row, "steps") == 2.0);
    assert_true(number_of(row, "residual") <= residual);
}

static void test_ball(void** state)
{
    (void)state;
    json_t* result = run_paper_rows("ball", "1", "1",
#ifdef COND_BASELINES
                                    "cond,pgs,apgd,cond certificate=1e-4,apgd certificate=1e-4"
#else
                                    "cond,cond certificate=1e-4"
#endif
    );
    check_size(result, "nodes", 1463.0);
    check_size(result, "tets", 6928.0);
    check_size(result, "dof", 4397.0);
    check_row(result, "cond", 1e-2);
    check_row(result, "cond certificate=1e-4", 1e-4);
#ifdef COND_BASELINES
    check_row(result, "pgs", 1e-2);
    check_row(result, "apgd", 1e-2);
    check_row(result, "apgd certificate=1e-4", 1e-4);
    assert_true(number_of(row_of(result, "rows", "pgs"), "delassus_ms") > 0.0);
#endif
    assert_true(number_of(row_of(result, "paper", "pgs"), "mp_mm") == 1.9933);
    json_decref(result);
}

static void test_gripper(void** state)
{
    (void)state;
    json_t* result = run_paper_rows("gripper", "1", "1", "cond");
    check_size(result, "nodes", 4889.0);
    check_size(result, "tets", 18122.0);
    check_size(result, "dof", 14681.0);
    check_row(result, "cond", 1e-2);
    assert_true(number_of(row_of(result, "paper", "apgd"), "fe_N") == 0.1172);
    json_decref(result);
}

static void test_stiffness(void** state)
{
    (void)state;
    json_t* result = run_paper_rows("stiffness", "1", "1", "cond");
    const json_t* row = row_of(result, "rows", "cond");
    const json_t* paper = row_of(result, "paper", "apgd");
    assert_int_equal(json_array_size(json_object_get(row, "iterations")), 3);
    assert_int_equal(json_array_size(json_object_get(result, "rows")), 1);
    assert_true(number_of(row, "at_0.1_MPa") >= 1.0 && number_of(row, "at_10_MPa") >= 1.0);
    assert_true(json_number_value(json_array_get(json_object_get(paper, "iterations"), 2)) ==
                200.5);
    json_decref(result);
}

// Too short to grip anything: the rows say so instead of guessing.
static void test_hold(void** state)
{
    (void)state;
    json_t* result = run_paper_rows("hold", "2", "2", "ball");
    const json_t *row = row_of(result, "rows", "ball"),
                 *one = row_of(result, "rows", "ball trial 1");
    assert_true(number_of(row, "trials") == 2.0 && number_of(row, "held") == 0.0);
    assert_true(number_of(row, "allowed") == 0.0 && number_of(row, "lost") == 0.0);
    assert_true(number_of(one, "friction") >= 0.4 && number_of(one, "friction") <= 0.6);
    assert_true(json_is_null(json_object_get(one, "grip_N")));
    json_decref(result);
}

// A ball between the fingers in free fall and without a floor: both motors press, the fingers meet
// the ball, and at rest each side's force is stiffness times what is missing to the target.
static void test_grip_force(void** state)
{
    (void)state;
    const char* override[] = {"gravity=[0, 0, 0]",
                              "bodies.gripper.joints.left.position=0.049",
                              "bodies.gripper.joints.right.position=0.049",
                              "trajectories.left.waypoints=[{time: 0, target: 0.04}]",
                              "trajectories.right.waypoints=[{time: 0, target: 0.04}]",
                              "bodies.ball.mesh=ball:0.05:3",
                              "solver.tolerance=1e-8"};
    Trial trial = trial_read("ball.yaml", sizeof override / sizeof *override, override);
    int ball = cond_model_find_body(trial.model, "ball");
    int gripper = cond_model_find_body(trial.model, "gripper"), n;
    trial_step(&trial, 40);
    double side[2] = {0.0, 0.0};
    for (int c = 0; c < cond_sim_n_contact(trial.sim); c++) {
        CondContactInfo contact = cond_sim_contact(trial.sim, c);
        assert_true(contact.other < 0 || contact.body == ball || contact.other == ball);
        if (contact.other >= 0)
            side[contact.position[0] > 0.0] += contact.force[0] * fabs(contact.frame[0]);
    }
    const double* q = cond_state_configuration(trial.model, trial.state, gripper, &n);
    for (int i = 0; i < 2; i++) {
        double pull = 1500.0 * (q[n - 2 + i] - 0.04);
        assert_true(pull > 5.0);
        assert_near(side[i], pull, 0.02 * pull);
    }
    assert_near(cond_model_mass(trial.model, ball), 1000.0 * 4.19 * 0.05 * 0.05 * 0.05, 0.1);
    trial_end(&trial);
}

// Hands that hold a box, which lies against the fingers with faces or along their edges: what holds
// in a step holds in the next, so that most steps begin with their answer, nothing is corrected,
// and nothing moves.
static void test_hands(void** state)
{
    (void)state;
    static const char* const hands[] = {"small/hand12.xml", "small/hand40.xml"};
    for (size_t h = 0; h < sizeof hands / sizeof hands[0]; h++) {
        enum { WARM_UP = 320, HELD = 40 };
        Trial trial = trial_read(hands[h], 0, NULL);
        int box = cond_model_find_body(trial.model, "object"), passes = 0;
        trial_step(&trial, WARM_UP);
        CondPose before = trial_pose(&trial, box);
        for (int k = 0; k < HELD; k++) {
            trial_step(&trial, 1);
            passes += trial.info.solve.passes + trial.info.impact.passes;
            assert_true(trial.info.corrected == 0.0);
        }
        CondPose after = trial_pose(&trial, box);
        assert_true(passes <= HELD);
        for (int i = 0; i < 3; i++)
            assert_near(after.position[i], before.position[i], 1e-6);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),       cmocka_unit_test(test_gripper),
        cmocka_unit_test(test_stiffness),  cmocka_unit_test(test_hold),
        cmocka_unit_test(test_grip_force), cmocka_unit_test(test_hands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
