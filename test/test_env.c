// Environments: seeds, actions, rewards, and the same bits whoever steps them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "kinds_make.h"

#include "base/random.h"
#include "cond/env.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PUSHER[] = COND_SCENES "/pusher.yaml";

// A particle that is dragged over the floor.
static const char DRAG[] =
    "step: {time_step: 0.01}\n"
    "solver: {tolerance: 1.0e-6}\n"
    "planes: [{name: floor, friction: 0.3}]\n"
    "bodies: [{name: dot, kind: particle, mass: 0.1, position: [0.1, 0, 0]}]\n"
    "attachments:\n"
    "  - {name: hand, from: {body: dot}, to: {}, turns: false, stiffness: 200, damping: 2}\n"
    "randomise: [{path: planes.floor.friction, low: 0.1, high: 0.6}]\n"
    "actions: [{name: hand, kind: anchor, attachment: hand, turns: false, linear: 0.005}]\n"
    "rewards: [{kind: distance, body: dot, goal: [0.2, 0, 0]}]\n";

static CondEnv* make_env(const char* scene, int n_override, const char* const* override)
{
    CondEnvDef def = cond_env_def_default();
    CondError error = {.message = ""};
    CondEnv* env = NULL;
    def.scene = scene;
    def.n_override = n_override;
    def.override = override;
    if (cond_env_create(NULL, &def, &env, &error))
        fail_msg("%s", error.message);
    return env;
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int find_slot(const CondEnv* env, const char* name, int action)
{
    CondEnvSlot slot;
    for (int i = 0;
         action ? cond_env_action_slot(env, i, &slot) : cond_env_observation_slot(env, i, &slot);
         i++)
        if (strcmp(slot.name, name) == 0)
            return slot.begin;
    fail_msg("no slot is called %s", name);
    return -1;
}

static double observed(const CondEnv* env, const char* name)
{
    return cond_env_observation(env)[find_slot(env, name, 0)];
}

// The published test vector of SplitMix64 for the seed 1234567.
static void test_generator(void** state)
{
    (void)state;
    const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                 UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                 UINT64_C(16408922859458223821)};
    CondRandom random = {1234567};
    for (int i = 0; i < 5; i++)
        assert_true(cond_random_bits(&random) == expected[i]);
    double mean = 0.0;
    for (int i = 0; i < 10000; i++) {
        double u = cond_random_uniform(&random);
        assert_true(u >= 0.0 && u < 1.0);
        mean += u / 10000;
    }
    assert_near(mean, 0.5, 0.01);
}

// Draws stay within their bounds, fill them, and reach what the path names.
static void test_draws(void** state)
{
    (void)state;
    CondEnv* env = make_env(PUSHER, 0, NULL);
    double low = INFINITY, high = 0.0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        assert_int_equal(cond_env_reset(env, seed, NULL), COND_OK);
        assert_true(cond_env_seed(env) == seed);
        double friction = cond_env_drawn(env, 0), mass = cond_env_drawn(env, 1);
        assert_true(friction >= 0.2 && friction <= 0.5 && mass >= 0.2 && mass <= 1.0);
        assert_near(observed(env, "box.position") * 0.0 +
                        cond_env_observation(env)[find_slot(env, "box.position", 0) + 1],
                    cond_env_drawn(env, 2), 0.0);
        low = fmin(low, mass);
        high = fmax(high, mass);
    }
    assert_true(low < 0.25 && high > 0.8);
    assert_true(isnan(cond_env_drawn(env, 3)) && isnan(cond_env_drawn(env, -1)));
    cond_env_destroy(env);
    // Several paths get one value, and a drawn scene is the one with these overrides.
    write_text("drawn.yaml",
               "bodies: [{name: a, kind: particle, mass: 1}, {name: b, kind: particle, mass: 1}]\n"
               "randomise: [{path: 'bodies.a.mass, bodies.b.mass', low: 2, high: 3},"
               " {path: gravity, low: 1, high: 2}]\n");
    CondScene* scene;
    CondError error;
    assert_int_equal(cond_scene_read_drawn(NULL, "drawn.yaml", 0, NULL, 5, &scene, &error),
                     COND_BAD_INPUT); // gravity is a vector
    assert_null(scene);
    if (!strstr(error.message, "gravity"))
        fail_msg("%s", error.message);
    remove("drawn.yaml");
}

static void test_reset_repeats(void** state)
{
    (void)state;
    CondEnv *a = make_env(PUSHER, 0, NULL), *b = make_env(PUSHER, 0, NULL);
    double action[3];
    assert_int_equal(cond_env_reset(a, 7, NULL), COND_OK);
    for (int k = 0; k < 30; k++) {
        cond_env_action_draw(a, (uint64_t)k, action);
        assert_true(cond_env_step(a, action, NULL) >= 0);
    }
    uint64_t hash = cond_env_hash(a);
    assert_int_equal(cond_env_reset(a, 8, NULL), COND_OK);
    assert_true(cond_env_hash(a) != hash);
    assert_int_equal(cond_env_n_step(a), 0);
    assert_int_equal(cond_env_reset(b, 7, NULL), COND_OK);
    for (int k = 0; k < 30; k++) {
        cond_env_action_draw(b, (uint64_t)k, action);
        assert_true(cond_env_step(b, action, NULL) >= 0);
    }
    assert_true(cond_env_hash(b) == hash);
    cond_env_destroy(a);
    cond_env_destroy(b);
}

enum { ENVS = 64, MOST = 8 }; // environments, values of an action

// Hashes of all environments, folded at every tenth step, with random actions that are the same for
// every number of threads. `load`: halfway all are saved, and loaded into others.
static uint64_t run_batch(const char* scene, const char* set, int envs, int threads, int load,
                          int steps)
{
    int half = steps / 2 + 3;
    CondEnvDef def = cond_env_def_default();
    CondEnvBatch *batch, *other = NULL;
    CondEnvResult result[ENVS];
    double action[MOST * ENVS];
    uint64_t hash = 0;
    def.scene = scene;
    def.n_override = set ? 1 : 0;
    def.override = &set;
    assert_int_equal(cond_env_batch_create(NULL, &def, envs, threads, &batch, NULL), COND_OK);
    int n_action = cond_env_n_action(cond_env_batch_env(batch, 0));
    assert_true(n_action <= MOST);
    for (int k = 0; k < steps; k++) {
        if (k == half && load) {
            assert_int_equal(cond_env_batch_create(NULL, &def, envs, threads, &other, NULL),
                             COND_OK);
            for (int i = 0; i < envs; i++) {
                size_t size;
                CondEnv* env = cond_env_batch_env(batch, i);
                assert_int_equal(cond_env_save(env, NULL, 0, &size), COND_OK);
                void* bytes = malloc(size);
                assert_int_equal(cond_env_save(env, bytes, size, &size), COND_OK);
                // into an environment that had another seed
                assert_int_equal(
                    cond_env_load(cond_env_batch_env(other, envs - 1 - i), bytes, size, NULL),
                    COND_OK);
                free(bytes);
            }
            cond_env_batch_destroy(batch);
            batch = other;
        }
        for (int i = 0; i < envs; i++) {
            int who = k >= half && load ? envs - 1 - i : i;
            cond_env_action_draw(cond_env_batch_env(batch, who), (uint64_t)(1000 * k + i),
                                 action + n_action * who);
        }
        assert_true(cond_env_batch_step(batch, action, result) >= 0);
        for (int i = 0; i < envs && (k % 10 == 9 || k + 1 == steps); i++) {
            int who = k >= half && load ? envs - 1 - i : i;
            hash = hash * 31 + cond_env_hash(cond_env_batch_env(batch, who));
        }
    }
    cond_env_batch_destroy(batch);
    return hash;
}

static void test_threads_and_restore_keep_the_bits(void** state)
{
    (void)state;
    write_text("env_drag.yaml", DRAG);
    const struct {
        const char *scene, *set;
        int envs, steps;
    } cases[] = {{"env_drag.yaml", NULL, ENVS, 200},
                 {PUSHER, NULL, ENVS, 12},
                 {COND_SCENES "/cable.yaml", "bodies.cable.rod.links=20", 6, 8}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *scene = cases[c].scene, *set = cases[c].set;
        int envs = cases[c].envs, steps = cases[c].steps;
        uint64_t hash = run_batch(scene, set, envs, 1, 0, steps);
        assert_true(run_batch(scene, set, envs, 2, 0, steps) == hash);
        assert_true(run_batch(scene, set, envs, 4, 1, steps) == hash);
    }
    remove("env_drag.yaml");
}

static void test_bad_actions(void** state)
{
    (void)state;
    CondEnv* env = make_env(PUSHER, 0, NULL);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    CondEnvResult result;
    uint64_t hash = cond_env_hash(env);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double action[3] = {0.0, 0.0, 0.0};
            action[k] = bad[i];
            assert_int_equal(cond_env_step(env, action, &result), COND_BAD_ARGUMENT);
            assert_int_equal(result.status, COND_BAD_ARGUMENT);
            assert_true(cond_env_hash(env) == hash);
        }
    assert_int_equal(cond_env_step(env, NULL, &result), COND_BAD_ARGUMENT);
    // What lies beyond the bounds is cut to them.
    double far[3] = {1e9, 0.0, 0.0}, low[3], high[3];
    cond_env_action_bounds(env, low, high);
    assert_near(high[0], 0.005, 0.0);
    assert_near(low[2], -0.005, 0.0);
    double before = observed(env, "hand.goal_position");
    assert_int_equal(cond_env_step(env, far, &result), COND_OK);
    assert_near(observed(env, "hand.goal_position") - before, 0.005, 1e-15);
    cond_env_destroy(env);
}

// An episode ends by its number of steps, or by a bound, and then takes no more actions.
static void test_episodes_end(void** state)
{
    (void)state;
    const char* const short_one[] = {"environment.steps=3"};
    CondEnv* env = make_env(PUSHER, 1, short_one);
    double action[3] = {0.0, 0.0, 0.0};
    CondEnvResult result;
    for (int k = 0; k < 3; k++) {
        assert_false(cond_env_is_over(env));
        assert_int_equal(cond_env_step(env, action, &result), COND_OK);
        assert_int_equal(result.cut, k == 2);
        assert_int_equal(result.done, 0);
    }
    assert_true(cond_env_is_over(env));
    assert_int_equal(cond_env_step(env, action, &result), COND_BAD_ARGUMENT);
    assert_int_equal(result.cut, 1);
    assert_int_equal(cond_env_reset(env, 0, NULL), COND_OK);
    assert_int_equal(cond_env_step(env, action, &result), COND_OK);
    cond_env_destroy(env);
    const char* const near_goal[] = {"rewards.way.done_below=0.3"};
    env = make_env(PUSHER, 1, near_goal);
    assert_int_equal(cond_env_step(env, action, &result), COND_OK);
    assert_int_equal(result.done, 1);
    assert_int_equal(result.cut, 0);
    assert_true(cond_env_is_over(env));
    cond_env_destroy(env);
}

static double own_reward(const CondEnv* env, void* user, int* done)
{
    *done = cond_env_n_step(env) == *(int*)user;
    return 100.0;
}

// Rewards against what the observation says: -|box - goal| - 0.001 |contact force on the ball|.
static void test_rewards(void** state)
{
    (void)state;
    CondEnvDef def = cond_env_def_default();
    CondEnv* env;
    CondEnvResult result;
    int end = 45;
    double action[3] = {0.005, 0.0, 0.0};
    def.scene = PUSHER;
    def.reward = own_reward;
    def.user = &end;
    assert_int_equal(cond_env_create(NULL, &def, &env, NULL), COND_OK);
    assert_int_equal(cond_env_n_reward(env), 3);
    double most = 0.0;
    for (int k = 0; k < end; k++) {
        assert_int_equal(cond_env_step(env, action, &result), COND_OK);
        const double* x = cond_env_observation(env) + find_slot(env, "box.position", 0);
        const double* f = cond_env_observation(env) + find_slot(env, "ball.contact_force", 0);
        double way =
            sqrt((x[0] - 0.2) * (x[0] - 0.2) + x[1] * x[1] + (x[2] - 0.05) * (x[2] - 0.05));
        double force = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        assert_near(result.reward, 100.0 - way - 0.001 * force, 1e-12);
        const char* name = NULL;
        assert_near(cond_env_reward_value(env, 1, &name), x[2] - 0.05, 1e-12);
        assert_string_equal(name, "tilt");
        assert_int_equal(result.done, k + 1 == end);
        most = fmax(most, force);
    }
    assert_true(most > 0.1); // it did touch
    assert_true(isnan(cond_env_reward_value(env, 3, NULL)));
    cond_env_destroy(env);
}

// The anchor leads the ball: after its spring has settled it hangs m g / k below.
static void test_anchor_leads(void** state)
{
    (void)state;
    CondEnv* env = make_env(PUSHER, 0, NULL);
    double up[3] = {0.0, 0.003, 0.005}, still[3];
    CondEnvResult result;
    for (int k = 0; k < 20; k++)
        assert_int_equal(cond_env_step(env, up, &result), COND_OK);
    for (int k = 0; k < 60; k++) {
        cond_env_action_still(env, still);
        assert_int_equal(cond_env_step(env, still, &result), COND_OK);
    }
    const double* ball = cond_env_observation(env) + find_slot(env, "ball.position", 0);
    const double* wrench = cond_env_observation(env) + find_slot(env, "hand.wrench", 0);
    assert_near(ball[0], -0.15, 1e-6);
    assert_near(ball[1], 0.06, 1e-6);
    assert_near(ball[2], 0.05 + 0.1 - 0.2 * 9.81 / 2000.0, 1e-6);
    assert_near(wrench[2], 0.2 * 9.81, 1e-4);
    assert_near(observed(env, "time"), 1.6, 1e-12);
    cond_env_destroy(env);
}

static const char ARM[] = "name: arm\n"
                          "step: {time_step: 0.01}\n"
                          "bodies:\n"
                          "  - {name: leg, kind: robot, urdf: env_leg.urdf,"
                          " motor: {stiffness: 10000, damping: 200}}\n"
                          "environment: {substeps: 4}\n";

// Joint targets, told as increments and as targets, and the pose of a link: the slider of one joint
// goes where it is told, at an even rate.
static void test_joints_and_poses(void** state)
{
    (void)state;
    static const struct {
        const char* action;
        double value[7];
        int n;
        double goal; // of the joint after ten actions
    } cases[] = {
        {"{kind: joints, body: leg, linear: 0.01}", {0.004}, 1, 0.04},
        {"{kind: joints, body: leg, mode: absolute}", {0.03}, 1, 0.03},
        {"{kind: pose, body: leg, link: foot, turns: false}\n"
         "trajectories: [{body: leg, link: foot, waypoints: [{time: 0, position: [0, 0, 1]}]}]",
         {0.0, 0.0, 0.004},
         3,
         0.04}, // the action takes the place of the trajectory
        {"{kind: pose, body: leg, link: foot}", {0.0, 0.0, 0.004}, 6, 0.04},
        {"{kind: pose, body: leg, link: foot, mode: absolute}",
         {0.0, 0.0, 0.03, 2.0, 0.0, 0.0, 0.0},
         7,
         0.03},
    };
    write_slider("env_leg.urdf", 1.0, 0.1);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[1024];
        CondEnvResult result;
        snprintf(text, sizeof text, "%sactions:\n  - %s\n", ARM, cases[c].action);
        write_text("env_arm.yaml", text);
        CondEnv* env = make_env("env_arm.yaml", 0, NULL);
        assert_int_equal(cond_env_n_action(env), cases[c].n);
        double start = observed(env, "leg.joints"), still[7];
        for (int k = 0; k < 10; k++)
            assert_int_equal(cond_env_step(env, cases[c].value, &result), COND_OK);
        for (int k = 0; k < 20; k++) {
            cond_env_action_still(env, still);
            assert_int_equal(cond_env_step(env, still, &result), COND_OK);
        }
        assert_near(start, 0.0, 0.0);
        // the motor carries the weight: m g / k below its target
        assert_near(observed(env, "leg.joints"), cases[c].goal - 9.81 / 10000.0, 1e-6);
        cond_env_destroy(env);
    }
    remove("env_arm.yaml");
    remove("env_leg.urdf");
}

// A helix of two and a half turns, seen from either side.
static void test_winding(void** state)
{
    (void)state;
    double angle[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        const double pi = acos(-1.0);
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, 0]\n"
            "materials: [{name: m, youngs_modulus: 1.0e6, poisson_ratio: 0.3, density: 1000}]\n"
            "bodies: [{name: rod, kind: rod, material: m, rod: {shape: helix, links: 100, "
            "length: %.17g, bend_radius: 0.05, pitch: 0.02, circle: 0.002}}]\n"
            "rewards: [{kind: winding, body: rod, goal: [0.05, 0, 0], axis: [0, 0, %d]}]\n",
            2.5 * hypot(2.0 * pi * 0.05, 0.02), k ? -3 : 2);
        write_text("env_helix.yaml", text);
        CondEnv* env = make_env("env_helix.yaml", 0, NULL);
        angle[k] = cond_env_reward_value(env, 0, NULL);
        cond_env_destroy(env);
    }
    // from the middle of the first link to that of the last
    assert_near(fabs(angle[0]), 5.0 * acos(-1.0) * 0.99, 0.01);
    assert_near(angle[1], -angle[0], 1e-12);
    remove("env_helix.yaml");
}

// Half a ring, upright, against the curve that it is, told from either end; and away from it. A
// winding with a target tells how far it is from there.
static void test_curve(void** state)
{
    (void)state;
    const double pi = acos(-1.0);
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, 0]\n"
            "materials: [{name: m, youngs_modulus: 1.0e6, poisson_ratio: 0.3, density: 1000}]\n"
            "bodies: [{name: rod, kind: rod, material: m, position: [0.1, %d, 0.2], rod: "
            "{shape: arc, links: 100, length: %.17g, bend_radius: 0.05, circle: 0.002}}]\n"
            "rewards: [{kind: curve, body: rod, goal: [0.15, 0, 0.25], axis: [0, -2, 0], "
            "heading: %.17g, curvature: [%d, %d]},\n"
            "  {kind: winding, body: rod, goal: [0.15, 0, 0.2], axis: [0, 1, 0], target: 4}]\n",
            k / 2, 0.05 * pi, k == 1 ? pi : 0.0, k == 1 ? 20 : -20, k == 1 ? 20 : -20);
        write_text("env_arc.yaml", text);
        CondEnv* env = make_env("env_arc.yaml", 0, NULL);
        assert_near(cond_env_reward_value(env, 0, NULL), k / 2, 1e-5);
        assert_near(cond_env_reward_value(env, 1, NULL), 4.0 - 0.99 * pi, 1e-3);
        cond_env_destroy(env);
    }
    remove("env_arc.yaml");
}

static void refuse(const char* text, CondStatus expected, const char* words)
{
    CondEnvDef def = cond_env_def_default();
    CondEnv* env;
    CondError error = {.message = ""};
    char whole[2048];
    snprintf(whole, sizeof whole, "%s%s", ARM, text);
    write_text("env_bad.yaml", whole);
    def.scene = "env_bad.yaml";
    CondStatus status = cond_env_create(NULL, &def, &env, &error);
    if (status != expected || !strstr(error.message, words) ||
        !strstr(error.message, "env_bad.yaml"))
        fail_msg("status %d, '%s' does not say '%s'", status, error.message, words);
    assert_null(env);
}

static void test_bad_scenes(void** state)
{
    (void)state;
    write_slider("env_leg.urdf", 1.0, 0.1);
    refuse("actions: [{kind: jump}]\n", COND_BAD_INPUT, "env_bad.yaml:6: actions[0].kind");
    refuse("actions: [{kind: joints}]\n", COND_BAD_INPUT, "body");
    refuse("actions: [{kind: joints, body: lek}]\n", COND_BAD_INPUT, "did you mean 'leg'");
    refuse("actions: [{kind: pose, body: leg}]\n", COND_BAD_INPUT, "link: is required");
    refuse("actions: [{kind: pose, body: leg, link: toe}]\n", COND_BAD_INPUT, "no link 'toe'");
    refuse("actions: [{kind: anchor, attachment: x}]\n", COND_BAD_INPUT, "attachment");
    refuse("actions: [{kind: joints, body: leg, linear: 0}]\n", COND_BAD_INPUT, "linear");
    refuse("rewards: [{body: leg}]\n", COND_BAD_INPUT, "link: is required");
    refuse("rewards: [{kind: force, body: lag}]\n", COND_BAD_INPUT, "lag");
    refuse("randomise: [{path: bodies.leg.mass, low: 2, high: 1}]\n", COND_BAD_INPUT, "below low");
    refuse("randomise: [{path: gravity, low: 0, high: 1, scale: log}]\n", COND_BAD_INPUT, "> 0");
    refuse("randomise: [{low: 0, high: 1}]\n", COND_BAD_INPUT, "path: is required");
    refuse("rewards: [{kind: winding, body: leg}]\n", COND_BAD_INPUT, "only rods wind");
    refuse("rewards: [{kind: curve, body: leg}]\n", COND_BAD_INPUT, "only rods follow a curve");
    refuse("environment: {steps: 0}\n", COND_BAD_INPUT, "environment");
    CondEnvDef def = {.scene = PUSHER};
    CondEnv* env;
    assert_int_equal(cond_env_create(NULL, &def, &env, NULL), COND_BAD_ARGUMENT);
    remove("env_bad.yaml");
    remove("env_leg.urdf");
}

// Bytes that are damaged, cut short or of another environment leave it as it was.
static void test_bad_bytes(void** state)
{
    (void)state;
    const char* const other_one[] = {"rewards=[]"};
    CondEnv *env = make_env(PUSHER, 0, NULL), *other = make_env(PUSHER, 1, other_one);
    double action[3] = {0.001, 0.0, 0.0};
    CondError error;
    size_t size;
    for (int k = 0; k < 5; k++)
        assert_true(cond_env_step(env, action, NULL) >= 0);
    assert_int_equal(cond_env_save(env, NULL, 0, &size), COND_OK);
    unsigned char* bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cond_env_save(env, bytes, size - 1, &size), COND_BAD_ARGUMENT);
    assert_int_equal(cond_env_save(env, bytes, size, &size), COND_OK);
    uint64_t hash = cond_env_hash(env);
    for (size_t cut = 0; cut < size; cut += 7)
        assert_int_equal(cond_env_load(env, bytes, cut, &error), COND_BAD_INPUT);
    for (size_t at = 0; at < size; at += 11) {
        bytes[at] ^= 16;
        assert_true(cond_env_load(env, bytes, size, &error) < 0);
        bytes[at] ^= 16;
    }
    assert_true(cond_env_hash(env) == hash);
    assert_int_equal(cond_env_load(other, bytes, size, &error), COND_BAD_INPUT);
    assert_non_null(strstr(error.message, "another environment"));
    assert_int_equal(cond_env_load(env, bytes, size, &error), COND_OK);
    assert_true(cond_env_hash(env) == hash);
    free(bytes);
    cond_env_destroy(env);
    cond_env_destroy(other);
}

// Every allocation of creation, a step, a reset, saving and loading fails in turn.
static void test_memory_runs_out(void** state)
{
    (void)state;
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondEnvDef def = cond_env_def_default();
    unsigned char bytes[16384];
    double action[3] = {0.002, 0.0, 0.0};
    size_t size = 0;
    int done = 0;
    def.scene = PUSHER;
    long stride = getenv("COND_VALGRIND") ? 17 : 1;
    for (long fail = 1; !done; fail += stride) {
        CondEnv* env = NULL;
        CondError error = {0};
        allocator.calls = 0;
        allocator.fail_at = fail;
        CondStatus status = cond_env_create(&context, &def, &env, &error);
        if (status) {
            assert_int_equal(status, COND_OUT_OF_MEMORY);
            assert_int_equal(error.status, COND_OUT_OF_MEMORY);
            assert_null(env);
        } else {
            for (int what = 0; what < 3; what++) {
                uint64_t hash = cond_env_hash(env);
                status = what == 0   ? cond_env_step(env, action, NULL)
                         : what == 1 ? cond_env_reset(env, 3, NULL)
                                     : cond_env_load(env, bytes, size, NULL);
                if (status < 0) {
                    assert_int_equal(status, COND_OUT_OF_MEMORY);
                    assert_true(cond_env_hash(env) == hash);
                }
                if (what == 0)
                    assert_int_equal(cond_env_save(env, bytes, sizeof bytes, &size), COND_OK);
            }
            done = allocator.calls < fail;
        }
        cond_env_destroy(env);
        assert_int_equal(allocator.live, 0);
    }
}

static void test_batch(void** state)
{
    (void)state;
    const char* const short_one[] = {"environment.steps=2"};
    CondEnvDef def = cond_env_def_default();
    CondEnvBatch* batch;
    CondEnvResult result[3];
    CondError error;
    double action[9] = {0.0};
    def.scene = PUSHER;
    def.n_override = 1;
    def.override = short_one;
    assert_int_equal(cond_env_batch_create(NULL, &def, 0, 1, &batch, &error), COND_BAD_ARGUMENT);
    def.scene = "nowhere.yaml";
    assert_int_equal(cond_env_batch_create(NULL, &def, 3, 1, &batch, &error), COND_NO_FILE);
    assert_non_null(strstr(error.message, "nowhere.yaml"));
    def.scene = PUSHER;
    assert_int_equal(cond_env_batch_create(NULL, &def, 3, 1, &batch, &error), COND_OK);
    assert_int_equal(cond_env_batch_size(batch), 3);
    assert_null(cond_env_batch_env(batch, 3));
    for (int i = 0; i < 3; i++)
        assert_true(cond_env_seed(cond_env_batch_env(batch, i)) == (uint64_t)i);
    const uint64_t seeds[3] = {9, 9, 9};
    const int which[3] = {0, 1, 0};
    assert_int_equal(cond_env_batch_step(batch, action, result), COND_OK);
    assert_int_equal(cond_env_batch_reset(batch, seeds, which, &error), COND_OK);
    assert_int_equal(cond_env_batch_step(batch, action, result), COND_OK);
    assert_int_equal(result[0].cut, 1);
    assert_int_equal(result[1].cut, 0);
    assert_int_equal(cond_env_batch_step(batch, action, result), COND_OK); // 0 and 2 are over
    assert_near(result[0].reward, 0.0, 0.0);
    assert_int_equal(result[0].cut, 1);
    action[0] = NAN;
    assert_int_equal(cond_env_batch_reset(batch, seeds, NULL, &error), COND_OK);
    assert_int_equal(cond_env_batch_step(batch, action, result), COND_BAD_ARGUMENT);
    assert_int_equal(result[1].status, COND_OK);
    int n = cond_env_n_observation(cond_env_batch_env(batch, 0));
    double* all = malloc(3 * (size_t)n * sizeof *all);
    cond_env_batch_observe(batch, all);
    assert_memory_equal(all + 2 * n, cond_env_observation(cond_env_batch_env(batch, 2)),
                        (size_t)n * sizeof *all);
    free(all);
    cond_env_batch_destroy(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generator),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_reset_repeats),
        cmocka_unit_test(test_threads_and_restore_keep_the_bits),
        cmocka_unit_test(test_bad_actions),
        cmocka_unit_test(test_episodes_end),
        cmocka_unit_test(test_rewards),
        cmocka_unit_test(test_anchor_leads),
        cmocka_unit_test(test_joints_and_poses),
        cmocka_unit_test(test_winding),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_bad_scenes),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
