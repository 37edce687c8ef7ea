// What tasks are made of: picks and grips, speeds, torques and impedances, points that are
// observed, goals and success.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cond/env.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                       \
    "step: {time_step: 0.005}\n"                                                                   \
    "solver: {tolerance: 1.0e-8}\n"                                                                \
    "materials: [{name: rubber, youngs_modulus: 1.0e5, poisson_ratio: 0.4, density: 1000, "        \
    "stiffness_damping: 0.01}]\n"

// A rope and a cloth on the floor, each with a picker beside it.
static const char PICKERS[] = HEAD
    "planes: [{name: floor, friction: 0.5}]\n"
    "bodies:\n"
    "  - {name: rope, kind: rod, material: rubber, rod: {links: 12, length: 0.24, circle: 0.005},\n"
    "     position: [0, 0, 0.005], rotation: {axis: [0, 1, 0], degrees: 90}}\n"
    "  - {name: mat, kind: soft, material: rubber, mesh: 'mat:4,4,2:0.1,0.1,0.01', position: [0, "
    "0.3, 0.006]}\n"
    "environment: {steps: 100, substeps: 4, success_steps: 3}\n"
    "randomise:\n"
    "  - {name: gx, path: 'rewards.lift.goal[2]', choices: [0.1, 0.2], observe: true}\n"
    "  - {path: planes.floor.friction, low: 0.3, high: 0.6}\n"
    "actions:\n"
    "  - {name: left, kind: pick, takes: rope, point: [0.021, 0, 0.01], linear: 0.01, reach: "
    "0.02,\n"
    "     low: [-1, -1, 0.008], high: [1, 1, 0.5], stiffness: 500, damping: 5}\n"
    "  - {name: cloth, kind: pick, mode: absolute, takes: mat, point: [0.05, 0.35, 0.015], reach: "
    "0.03, stiffness: 100, damping: 1}\n"
    "observations:\n"
    "  - {name: key, kind: points, body: rope, count: 5}\n"
    "  - {name: cloth, kind: points, body: mat, count: 4}\n"
    "  - {name: one, body: rope, at: 0.06}\n"
    "  - {name: gap, kind: distance, body: rope, at: 0.06, to: {body: mat}}\n"
    "  - {name: way, kind: vector, body: rope, at: 0.06, to: {body: mat}}\n"
    "  - {name: up, kind: vector, body: rope, to: {point: [0, 0, 1]}}\n"
    "  - {name: last, kind: action}\n"
    "rewards:\n"
    "  - {name: lift, kind: distance, body: rope, at: 0.02, goal: [0.02, 0, 0.1], scale: 0.1,\n"
    "     desired: true, success_below: 0.5}\n"
    "  - {name: still, kind: action, weight: 0}\n"
    "  - {name: held, kind: holds, weight: 0}\n";

static CondEnv* make(const char* text)
{
    CondEnvDef def = cond_env_def_default();
    CondEnv* env = NULL;
    CondError error = {.message = ""};
    def.text = text;
    def.folder = COND_SCENES;
    if (cond_env_create(NULL, &def, &env, &error))
        fail_msg("%s", error.message);
    return env;
}

static const double* seen(const CondEnv* env, const char* name)
{
    CondEnvSlot slot;
    for (int i = 0; cond_env_observation_slot(env, i, &slot); i++)
        if (strcmp(slot.name, name) == 0)
            return cond_env_observation(env) + slot.begin;
    fail_msg("no slot is called %s", name);
    return NULL;
}

static double value(const CondEnv* env, const char* name)
{
    const char* called;
    for (int i = 0; i < cond_env_n_reward(env); i++) {
        double x = cond_env_reward_value(env, i, &called);
        if (strcmp(called, name) == 0)
            return x;
    }
    fail_msg("no reward is called %s", name);
    return 0.0;
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.12g is not %.12g to %g", a, b, tolerance);
}

static void act(CondEnv* env, const double* action, int times, CondEnvResult* result)
{
    for (int i = 0; i < times; i++)
        assert_true(cond_env_step(env, action, result) >= 0);
}

// Points along the rope and of the cloth are where the model has them.
static void test_points(void** state)
{
    (void)state;
    CondEnv* env = make(PICKERS);
    for (int i = 0; i < 5; i++) {
        near(seen(env, "key")[3 * i], 0.06 * i, 1e-12);
        near(seen(env, "key")[3 * i + 2], 0.005, 1e-12);
    }
    int n;
    const double* q = cond_state_configuration(cond_env_model(env), cond_env_state(env), 1, &n);
    for (int i = 0; i < 4; i++) { // each is a node, and none is another
        int found = 0;
        for (int k = 0; k < n / 3; k++)
            found += memcmp(q + 3 * k, seen(env, "cloth") + 3 * i, 3 * sizeof *q) == 0;
        assert_int_equal(found, 1);
        for (int j = 0; j < i; j++)
            assert_true(
                memcmp(seen(env, "cloth") + 3 * i, seen(env, "cloth") + 3 * j, 3 * sizeof *q) != 0);
    }
    const double *way = seen(env, "way"), *one = seen(env, "one"), *up = seen(env, "up");
    near(seen(env, "gap")[0], sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]), 1e-15);
    near(one[0] + way[0], 0.0, 1e-9); // the cloth's centre
    near(one[1] + way[1], 0.3, 1e-9);
    near(up[0], -0.12, 1e-9); // from the rope's centre of mass to (0, 0, 1)
    near(up[2], 0.995, 1e-9);
    cond_env_destroy(env);
}

// A pick takes the nearest point, leads it, and lets it fall.
static void test_pick(void** state)
{
    (void)state;
    CondEnv* env = make(PICKERS);
    CondEnvResult result;
    double action[8];
    cond_env_action_still(env, action);
    near(action[4], 0.05, 0.0);
    near(action[6], 0.015, 0.0);
    act(env, action, 1, &result);
    assert_true(value(env, "held") == 0.0);
    action[2] = 0.01;            // up
    action[3] = action[7] = 1.0; // and hold
    action[6] = 0.115;           // absolute
    act(env, action, 10, &result);
    assert_true(value(env, "held") == 2.0 && seen(env, "left.holds")[0] == 1.0);
    near(seen(env, "left.place")[2], 0.11, 1e-12);
    double last[2] = {seen(env, "last")[2], seen(env, "last")[6]};
    near(last[0], 0.01, 0.0);
    near(last[1], 0.115, 0.0);
    action[2] = 0.0;
    act(env, action, 30, &result);
    near(value(env, "lift"), fabs(seen(env, "gx")[0] - 0.1), 0.02);
    assert_true(seen(env, "mat.position")[2] > 0.03); // by its corner
    action[2] = -1.0;                                 // cut to the bound and to the box
    act(env, action, 20, &result);
    near(seen(env, "left.place")[2], 0.008, 1e-12);
    action[2] = 0.01;
    action[3] = 0.0;
    act(env, action, 5, &result);
    assert_true(seen(env, "left.holds")[0] == 0.0 && value(env, "held") == 1.0);
    near(seen(env, "left.place")[2], 0.058, 1e-12);
    assert_int_equal(cond_env_reset(env, 0, NULL), COND_OK);
    cond_env_action_still(env, action);
    action[2] = 0.01;
    act(env, action, 3, &result);
    near(seen(env, "key")[2], 0.005, 1e-4); // it stays
    action[3] = 1.0;                        // out of reach
    act(env, action, 1, &result);
    assert_true(seen(env, "left.holds")[0] == 0.0);
    cond_env_destroy(env);
}

// The drawn choice is observed and desired; success needs actions in a row.
static void test_goal(void** state)
{
    (void)state;
    CondEnv* env = make(PICKERS);
    CondEnvResult result;
    CondEnvSlot slot;
    double action[8], achieved[3], desired[3];
    int counts[2] = {0, 0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(cond_env_reset(env, seed, NULL), COND_OK);
        double drawn = cond_env_drawn(env, 0);
        assert_true(drawn == 0.1 || drawn == 0.2);
        counts[drawn > 0.15]++;
        assert_true(seen(env, "gx")[0] == drawn && seen(env, "lift.desired")[2] == drawn);
    }
    assert_true(counts[0] > 3 && counts[1] > 3);
    assert_int_equal(cond_env_n_goal(env), 3);
    assert_true(cond_env_goal_slot(env, 0, &slot) && slot.size == 3);
    assert_false(cond_env_goal_slot(env, 1, &slot));
    cond_env_goal(env, achieved, desired);
    near(achieved[0], 0.02, 1e-12);
    near(desired[2], cond_env_drawn(env, 0), 0.0);
    double way = hypot(achieved[0] - desired[0], achieved[2] - desired[2]);
    near(cond_env_goal_reward(env, achieved, desired), 1.0 - tanh(way / 0.1), 1e-12);
    cond_env_action_still(env, action);
    for (int k = 0; k < 4; k++) {
        act(env, action, 1, &result);
        assert_int_equal(result.success, k >= 2);
        near(result.reward, 1.0 - tanh(value(env, "lift") / 0.1), 1e-12);
        cond_env_goal(env, achieved, desired);
        assert_true(result.goal_reward == cond_env_goal_reward(env, achieved, desired));
        assert_false(result.done);
    }
    cond_env_destroy(env);
}

// Saved in the middle of a hold, the environment goes on with the same bits.
static void test_saved_hold(void** state)
{
    (void)state;
    CondEnv *a = make(PICKERS), *b = make(PICKERS);
    CondError error;
    double action[8] = {0.0, 0.0, 0.01, 1.0, 0.05, 0.35, 0.05, 1.0};
    size_t size;
    act(a, action, 5, NULL);
    assert_int_equal(cond_env_save(a, NULL, 0, &size), COND_OK);
    void* bytes = malloc(size);
    assert_int_equal(cond_env_save(a, bytes, size, &size), COND_OK);
    assert_int_equal(cond_env_load(b, bytes, size, &error), COND_OK);
    assert_true(cond_env_hash(a) == cond_env_hash(b));
    for (int k = 0; k < 6; k++) {
        action[3] = k > 2 ? 0.0 : 1.0;
        act(a, action, 1, NULL);
        act(b, action, 1, NULL);
        assert_true(cond_env_hash(a) == cond_env_hash(b));
    }
    free(bytes);
    cond_env_destroy(a);
    cond_env_destroy(b);
}

// Holds, goals and points in a batch, on any number of threads, as one by one.
static void test_batch(void** state)
{
    (void)state;
    enum { n = 3, steps = 12 };
    CondEnvDef def = cond_env_def_default();
    uint64_t hash[4][n];
    def.text = PICKERS;
    for (int threads = 0; threads <= 4; threads = threads ? 2 * threads : 1) {
        CondEnvBatch* batch;
        CondError error = {.message = ""};
        CondEnvArrays arrays = cond_env_arrays_default();
        double action[8 * n], achieved[3 * n], desired[3 * n];
        uint8_t success[n];
        int row = threads == 4 ? 3 : threads;
        arrays.achieved_goal = achieved;
        arrays.desired_goal = desired;
        arrays.success = success;
        if (threads > 0 && cond_env_batch_create(NULL, &def, n, threads, &batch, &error))
            fail_msg("%s", error.message);
        for (int i = 0; i < n && threads == 0; i++) { // one by one
            CondEnv* env = make(PICKERS);
            assert_int_equal(cond_env_reset(env, (uint64_t)i, NULL), COND_OK);
            for (int k = 0; k < steps; k++) {
                cond_env_action_draw(env, (uint64_t)(10 * k + i), action);
                act(env, action, 1, NULL);
            }
            hash[0][i] = cond_env_hash(env);
            cond_env_destroy(env);
        }
        for (int k = 0; k < steps && threads > 0; k++) {
            for (int i = 0; i < n; i++)
                cond_env_action_draw(cond_env_batch_env(batch, i), (uint64_t)(10 * k + i),
                                     action + 8 * i);
            assert_true(cond_env_batch_advance(batch, action, COND_AUTORESET_NEXT_STEP, &arrays,
                                               &error) >= 0);
            for (int i = 0; i < n; i++) {
                assert_true(desired[3 * i + 2] == cond_env_drawn(cond_env_batch_env(batch, i), 0));
                assert_int_equal(success[i], k >= 2);
            }
        }
        for (int i = 0; i < n && threads > 0; i++) {
            hash[row][i] = cond_env_hash(cond_env_batch_env(batch, i));
            assert_true(hash[row][i] == hash[0][i]);
        }
        if (threads > 0)
            cond_env_batch_destroy(batch);
    }
}

// Two links that swing, with a ball before the tip.
#define ARM(motor, actions)                                                                        \
    HEAD "bodies:\n"                                                                               \
         "  - {name: leg, kind: robot, urdf: pendulum2.urdf, joints: [{name: j0, position: 0.4}, " \
         "{name: j1, position: 0.5}], motor: " motor "}\n"                                         \
         "  - {name: ball, kind: particle, mass: 0.01, position: [0, 5, 0]}\n"                     \
         "environment: {steps: 400, substeps: 2}\n"                                                \
         "actions:\n" actions

static void test_torques(void** state)
{
    (void)state;
    CondEnv* env = make(
        ARM("{stiffness: 0, damping: 0}", "  - {name: t, kind: torques, body: leg, effort: 3}\n"));
    CondEnvSlot slot;
    double action[2] = {0.0, 0.0}, low[2], high[2];
    assert_true(cond_env_action_slot(env, 0, &slot) && strcmp(slot.unit, "N m") == 0);
    cond_env_action_bounds(env, low, high);
    assert_true(low[0] == -3.0 && high[1] == 3.0);
    act(env, action, 50, NULL);
    near(seen(env, "leg.joints")[0], 0.4, 1e-9); // the weight is held
    near(seen(env, "leg.joints")[1], 0.5, 1e-9);
    action[1] = 0.01;
    act(env, action, 20, NULL);
    assert_true(seen(env, "leg.rates")[1] > 1e-3);
    cond_env_destroy(env);
}

static void test_velocities(void** state)
{
    (void)state;
    CondEnv* env = make(ARM("{stiffness: 1000, damping: 50}",
                            "  - {name: v, kind: velocities, body: leg, joints: j1, angular: "
                            "0.3}\n"));
    double action[1] = {0.2};
    assert_int_equal(cond_env_n_action(env), 1);
    act(env, action, 100, NULL);
    near(seen(env, "v.target")[0], 0.5 + 0.2, 1e-9); // 1 s
    near(seen(env, "leg.rates")[1], 0.2, 5e-3);
    near(seen(env, "leg.joints")[0], 0.4, 5e-2);
    cond_env_destroy(env);
}

// The tip is drawn to where it is told, softly.
static void test_impedance(void** state)
{
    (void)state;
    CondEnv* env =
        make(ARM("{stiffness: 0, damping: 0}",
                 "  - {name: i, kind: impedance, body: leg, link: l1, point: [0, 0, -1], turns: "
                 "false, mode: "
                 "absolute, stiffness: 200, damping: 20, rotation_stiffness: 0, rotation_damping: "
                 "0}\n"
                 "observations: [{name: tip, body: leg, link: l1, point: [0, 0, -1]}]\n"));
    double action[3], start[3];
    memcpy(start, seen(env, "tip"), sizeof start);
    cond_env_action_still(env, action);
    act(env, action, 20, NULL);
    for (int k = 0; k < 3; k++)
        near(seen(env, "tip")[k], start[k], 1e-9);
    action[0] += 0.05;
    action[2] += 0.05;
    act(env, action, 300, NULL);
    for (int k = 0; k < 3; k++)
        near(seen(env, "tip")[k], action[k], 1e-3);
    cond_env_destroy(env);
}

static void test_grip(void** state)
{
    (void)state;
    CondEnv* env =
        make(ARM("{stiffness: 1000, damping: 50}",
                 "  - {name: g, kind: grip, body: leg, link: l1, takes: ball, reach: 10}\n"
                 "observations: [{name: far, kind: vector, body: leg, link: l1, to: {body: "
                 "ball}}]\n"));
    double action[1] = {1.0}, start[3];
    memcpy(start, seen(env, "far"), sizeof start);
    act(env, action, 60, NULL);
    near(seen(env, "far")[2], start[2], 0.05); // hangs where it was taken
    action[0] = 0.0;
    act(env, action, 60, NULL);
    assert_true(seen(env, "far")[2] < start[2] - 0.5); // falls
    cond_env_destroy(env);
}

static void refuse(const char* text, const char* words)
{
    CondEnvDef def = cond_env_def_default();
    CondEnv* env;
    CondError error = {.message = ""};
    def.text = text;
    def.folder = COND_SCENES;
    assert_true(cond_env_create(NULL, &def, &env, &error) < 0);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
}

static void test_refused(void** state)
{
    (void)state;
    refuse(ARM("{stiffness: 1}", "  - {kind: joints, body: leg, joints: 'j0, elbow'}\n"), "elbow");
    refuse(ARM("{stiffness: 1}", "  - {kind: joints, body: leg, joints: 'j0, j0'}\n"), "twice");
    refuse(ARM("{stiffness: 1}", "  - {kind: grip, body: leg}\n"), "actions[0].link");
    refuse(ARM("{stiffness: 1}", "  - {kind: pick, takes: leg}\n"), "actions[0].takes");
    refuse(ARM("{stiffness: 1}", "  - {kind: pick, low: [0, 0, 0]}\n"), "actions[0].high");
    refuse("bodies: [{name: a, kind: particle, mass: 1}]\n"
           "observations: [{kind: points, body: a}]\n",
           "text:2: observations[0].body");
    refuse("bodies: [{name: a, kind: particle, mass: 1}]\n"
           "rewards: [{kind: force, body: a, desired: true}]\n",
           "text:2: rewards[0].desired");
    refuse("bodies: [{name: a, kind: particle, mass: 1}]\n"
           "rewards: [{body: a, to: {body: b}}]\n",
           "text:2: rewards[0].to.body");
    refuse("randomise: [{path: gravity, choices: [a]}]\n", "randomise[0].choices");
    refuse("randomise: [{path: gravity, low: 1, high: 2, choices: [1]}]\n", "choices");
    refuse("randomise: [{path: gravity, low: 1}]\n", "high");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),    cmocka_unit_test(test_pick),
        cmocka_unit_test(test_goal),      cmocka_unit_test(test_saved_hold),
        cmocka_unit_test(test_torques),   cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_impedance), cmocka_unit_test(test_grip),
        cmocka_unit_test(test_batch),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
