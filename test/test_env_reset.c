// Resets: whatever a seed draws, an environment that is reset has the same bits, at once and later,
// as one that was made with that seed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"

#include "cond/env.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 }; // seeds

static void compare(const char* what, uint64_t seed, const CondEnv* env, const CondEnv* fresh)
{
    size_t n = (size_t)cond_env_n_observation(fresh);
    assert_int_equal(cond_env_n_observation(env), cond_env_n_observation(fresh));
    if (memcmp(cond_env_observation(env), cond_env_observation(fresh), n * sizeof(double)) != 0)
        fail_msg("%s, seed %d: the observation differs", what, (int)seed);
    for (int i = 0; i < cond_env_n_reward(fresh); i++)
        if (cond_env_reward_value(env, i, NULL) != cond_env_reward_value(fresh, i, NULL))
            fail_msg("%s, seed %d: reward %d differs", what, (int)seed, i);
    if (cond_state_hash(cond_env_state(env)) != cond_state_hash(cond_env_state(fresh)))
        fail_msg("%s, seed %d: the state differs", what, (int)seed);
}

static void follow(const char* what, uint64_t seed, CondEnv* env, CondEnv* fresh, int steps)
{
    int n = cond_env_n_action(fresh);
    double* action = calloc((size_t)n + 1, sizeof *action);
    compare(what, seed, env, fresh);
    for (int k = 0; k < steps && !cond_env_is_over(fresh); k++) {
        CondEnvResult a, b;
        cond_env_action_draw(fresh, (uint64_t)k, action);
        cond_env_step(fresh, action, &a);
        cond_env_step(env, action, &b);
        assert_int_equal(a.status, b.status);
        assert_true(a.reward == b.reward && a.certificate == b.certificate);
        compare(what, seed, env, fresh);
    }
    free(action);
}

// Memory that is never given twice, so that an address tells what stayed where it was.
typedef struct Block {
    struct Block* next;
    max_align_t room[];
} Block;

static void* keep(size_t bytes, void* user)
{
    Block** first = user;
    Block* block = malloc(sizeof *block + bytes);
    if (!block)
        return NULL;
    block->next = *first;
    *first = block;
    return block->room;
}

static void keep_on(void* memory, void* user)
{
    (void)memory;
    (void)user;
}

// Resets one environment through all seeds, and back, next to new ones. Returns 1 where the model
// was changed in place.
static int check(const char* what, const CondEnvDef* def, int steps)
{
    CondEnvBatch* batch;
    CondEnv* env;
    CondError error = {.message = ""};
    Block* first = NULL;
    CondContext context = {.allocate = keep, .release = keep_on, .user = &first};
    if (cond_env_create(&context, def, &env, &error))
        fail_msg("%s: %s", what, error.message);
    const CondModel* model = cond_env_model(env);
    for (int round = 0; round < 2; round++) {
        if (cond_env_batch_create(NULL, def, N, 1, &batch, &error))
            fail_msg("%s: %s", what, error.message);
        for (int i = 0; i < N; i++) {
            uint64_t seed = (uint64_t)(round ? N - 1 - i : i);
            if (cond_env_reset(env, seed, &error))
                fail_msg("%s: %s", what, error.message);
            follow(what, seed, env, cond_env_batch_env(batch, (int)seed), steps);
        }
        cond_env_batch_destroy(batch);
    }
    int kept = model == cond_env_model(env);
    cond_env_destroy(env);
    while (first) {
        Block* block = first;
        first = block->next;
        free(block);
    }
    return kept;
}

// A scene of everything that can be drawn.
static const char WORLD[] =
    "step: {time_step: 0.01}\n"
    "gravity: [0, 0, -9.81]\n"
    "solver: {tolerance: 1.0e-6}\n"
    "materials: [{name: rubber, youngs_modulus: 1.0e5, poisson_ratio: 0.4, density: 1000, "
    "stiffness_damping: 0.01, mass_damping: 0.1},\n"
    "  {name: foam, youngs_modulus: 2.0e4, poisson_ratio: 0.3, density: 300, stiffness_damping: "
    "0.02}]\n"
    "planes: [{name: floor, normal: [0, 0, 1], friction: 0.3, restitution: 0.1}]\n"
    "obstacles:\n"
    "  - {name: post, shape: {cylinder: [0.02, 0.2]}, position: [0.3, 0, 0.1], friction: 0.4}\n"
    "  - {name: rock, shape: {convex: voussoir_thick.obj}, scale: 0.05, position: [-0.6, 0.6, 0]}\n"
    "  - {name: hill, shape: {heightfield: [[0, 0, 0], [0, 0.02, 0], [0, 0, 0]], extent: [0.4, "
    "0.4]}, position: [-0.7, -0.7, 0]}\n"
    "bodies:\n"
    "  - {name: box, mass: 0.5, shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 0.05], friction: "
    "0.3, rotation: {axis: [0, 0, 1], degrees: 0}}\n"
    "  - {name: ball, density: 800, shape: {sphere: 0.03}, position: [-0.15, 0, 0.03], velocity: "
    "[1, 0, 0]}\n"
    "  - {name: dot, kind: particle, mass: 0.1, position: [0.6, 0, 0.02]}\n"
    "  - {name: ell, density: 500, shape: {mesh: ell.obj}, scale: 0.05, position: [0, -0.5, 0.2]}\n"
    "  - {name: rope, kind: rod, material: rubber, rod: {links: 8, length: 0.2, circle: 0.005}, "
    "position: [0.2, 0.2, 0.006], rotation: {axis: [0, 1, 0], degrees: 90}}\n"
    "  - {name: mat, kind: soft, material: foam, mesh: 'mat:3,3,2:0.1,0.1,0.02', position: [-0.3, "
    "0.3, 0.011]}\n"
    "  - {name: leg, kind: robot, urdf: pendulum2.urdf, position: [0.8, 0.8, 2.5], joints: "
    "[{name: j0, position: 0.1}], motor: {stiffness: 50, damping: 5}}\n"
    "patches: [{name: edge, body: mat, low: [-0.4, 0.2, 0], high: [-0.28, 0.4, 0.1]}]\n"
    "attachments:\n"
    "  - {name: hand, from: {body: ball}, to: {}, turns: false, stiffness: 200, damping: 2}\n"
    "  - {name: end, from: {body: rope, at: 0.19}, to: {}, turns: false, stiffness: 20, damping: "
    "0.2}\n"
    "forces: [{name: push, body: box, force: [0.3, 0, 0], point: [0, 0, 0.01]}]\n"
    "springs: [{name: tie, from: {body: dot}, to: {point: [0.6, 0.1, 0.02]}, stiffness: 10}]\n"
    "sensors: [{name: feel, body: box, point: [0, 0, 0]}]\n"
    "actions: [{name: hand, kind: anchor, attachment: hand, turns: false, linear: 0.005},\n"
    "  {name: leg, kind: joints, body: leg}]\n"
    "observations: [{name: key, kind: points, body: rope, count: 3}, {name: far, kind: distance, "
    "body: rope, at: 0.1, to: {body: mat}}]\n"
    "rewards: [{name: way, kind: distance, body: box, goal: [0.2, 0, 0.05]}, {name: hit, kind: "
    "force, body: ball}]\n";

typedef struct Key {
    const char* path;
    double low, high;
    int in_place; // 1: the model is changed, 0: it is made anew, -1: as the seeds have it
} Key;

static const Key keys[] = {
    {"gravity[2]", -11.0, -9.0, 1},
    {"materials.rubber.youngs_modulus", 5e4, 2e5, 1},
    {"materials.rubber.density", 800.0, 1200.0, 1},
    {"materials.foam.youngs_modulus", 1e4, 4e4, 0},
    {"materials.foam.poisson_ratio", 0.1, 0.4, 0},
    {"planes.floor.friction", 0.1, 0.6, 1},
    {"planes.floor.restitution", 0.0, 0.5, 1},
    {"planes.floor.offset", -0.01, 0.0, 1},
    {"planes.floor.normal[0]", -0.05, 0.05, 1},
    {"obstacles.post.position[0]", 0.2, 0.4, 1},
    {"obstacles.post.shape.cylinder[0]", 0.01, 0.03, 1},
    {"obstacles.post.friction", 0.1, 0.9, 1},
    {"obstacles.rock.position[2]", -0.1, 0.0, 1},
    {"obstacles.hill.shape.height", 0.5, 1.5, 1},
    {"bodies.box.mass", 0.2, 1.0, 1},
    {"bodies.box.position[1]", -0.03, 0.03, 1},
    {"bodies.box.shape.box[2]", 0.08, 0.1, 1},
    {"bodies.box.friction", 0.1, 0.9, 1},
    {"bodies.box.rotation.degrees", 0.0, 5.0, 1},
    {"bodies.ball.shape.sphere", 0.02, 0.03, 1},
    {"bodies.ball.velocity[0]", 0.0, 2.0, 1},
    {"bodies.dot.mass", 0.05, 0.2, 1},
    {"bodies.ell.position[2]", 0.2, 0.3, 1},
    {"bodies.ell.density", 400.0, 600.0, 1},
    {"bodies.rope.friction", 0.1, 0.9, 1},
    {"bodies.rope.position[0]", 0.19, 0.21, 1},
    {"bodies.rope.rod.length", 0.195, 0.21, 1},
    {"bodies.rope.rod.circle", 0.004, 0.006, 1},
    {"bodies.mat.friction", 0.1, 0.9, 0},
    {"bodies.mat.position[0]", -0.32, -0.28, 0},
    {"bodies.leg.position[2]", 2.4, 2.6, 1},
    {"bodies.leg.joints[0].position", -0.3, 0.3, 1},
    {"bodies.leg.motor.stiffness", 20.0, 80.0, 1},
    {"patches.edge.high[0]", -0.35, -0.25, -1},
    {"attachments.hand.stiffness", 100.0, 300.0, 1},
    {"attachments.end.from.at", 0.1, 0.195, 1},
    {"forces.push.force[0]", 0.0, 1.0, 1},
    {"springs.tie.stiffness", 5.0, 20.0, 1},
    {"springs.tie.to.point[1]", 0.05, 0.15, 1},
    {"sensors.feel.point[0]", 0.0, 0.02, 1},
    {"actions.hand.linear", 0.001, 0.01, 1},
    {"observations.far.at", 0.05, 0.15, 1},
    {"rewards.way.goal[0]", 0.1, 0.3, 1},
    {"step.time_step", 0.005, 0.01, 0},
    {"contact.friction_scale", 0.5, 1.0, 0},
};

static void test_every_key(void** state)
{
    (void)state;
    char text[8192];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CondEnvDef def = cond_env_def_default();
        snprintf(text, sizeof text, "%srandomise: [{path: '%s', low: %.17g, high: %.17g}]\n", WORLD,
                 keys[i].path, keys[i].low, keys[i].high);
        def.text = text;
        def.folder = COND_SCENES;
        int kept = check(keys[i].path, &def, 2);
        if (keys[i].in_place >= 0 && kept != keys[i].in_place)
            fail_msg("%s: the model was%s changed in place", keys[i].path, kept ? "" : " not");
    }
}

// Several at once, and the same value twice: what one draw does another must not undo.
static void test_together(void** state)
{
    (void)state;
    char text[8192];
    snprintf(text, sizeof text,
             "%srandomise:\n"
             "  - {path: 'bodies.box.friction, planes.floor.friction', low: 0.1, high: 0.6}\n"
             "  - {path: 'bodies[0].mass', low: 0.2, high: 1, scale: log}\n"
             "  - {path: bodies.box.mass, low: 1, high: 2}\n"
             "  - {path: materials.rubber.youngs_modulus, choices: [1.0e5, 2.0e5]}\n"
             "  - {path: 'bodies.leg.joints[0].position', low: -0.2, high: 0.2, observe: true}\n",
             WORLD);
    CondEnvDef def = cond_env_def_default();
    def.text = text;
    def.folder = COND_SCENES;
    check("together", &def, 4);
}

static void test_scenes(void** state)
{
    (void)state;
    static const char* const set[] = {"bodies.cable.rod.links=20"};
    CondEnvDef def = cond_env_def_default();
    def.scene = COND_SCENES "/pusher.yaml";
    assert_true(check("pusher", &def, 20));
    def.scene = COND_SCENES "/cable.yaml";
    def.n_override = 1;
    def.override = set;
    assert_true(check("cable", &def, 4));
}

// All tasks that draw something.
static void test_tasks(void** state)
{
    (void)state;
    DIR* folder = opendir(COND_SCENES "/tasks");
    assert_non_null(folder);
    for (const struct dirent* file; (file = readdir(folder));) {
        char path[1024];
        CondScene* scene;
        CondError error;
        CondEnvDef def = cond_env_def_default();
        if (!strstr(file->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof path, "%s/tasks/%s", COND_SCENES, file->d_name);
        if (cond_scene_read(NULL, path, 0, NULL, &scene, &error))
            fail_msg("%s", error.message);
        int n = cond_scene_n_variation(scene);
        cond_scene_destroy(scene);
        def.scene = path;
        if (n > 0)
            check(file->d_name, &def, 1);
    }
    closedir(folder);
}

// A value that is refused leaves the environment as it was, and it can be reset again.
static void test_refused(void** state)
{
    (void)state;
    static const char text[] =
        "step: {time_step: 0.01}\n"
        "materials: [{name: rubber, youngs_modulus: 1.0e5, poisson_ratio: 0.4, density: 1000}]\n"
        "planes: [{friction: 0.3}]\n"
        "bodies: [{name: rope, kind: rod, material: rubber, rod: {links: 8, length: 0.2, circle: "
        "0.005}, position: [0, 0, 0.1]}]\n"
        "attachments: [{name: end, from: {body: rope, at: 0.19}, to: {}, turns: false}]\n"
        "randomise: [{path: bodies.rope.rod.length, low: 0.15, high: 0.3}]\n"
        "rewards: [{kind: distance, body: rope, at: 0.17}]\n";
    CondEnvDef def = cond_env_def_default();
    CondEnv* env = NULL;
    CondError error;
    int refused = 0, fine = 0;
    def.text = text;
    if (cond_env_create(NULL, &def, &env, &error))
        fail_msg("%s", error.message);
    for (uint64_t seed = 0; seed < 30; seed++) {
        uint64_t before = cond_env_hash(env), was = cond_env_seed(env);
        CondStatus status = cond_env_reset(env, seed, &error);
        refused += status != COND_OK;
        fine += status == COND_OK;
        if (!status)
            continue;
        assert_true(cond_env_hash(env) == before && cond_env_seed(env) == was);
        if (!strstr(error.message, "attachments.end"))
            fail_msg("%s", error.message);
        assert_true(cond_env_step(env, NULL, NULL) >= 0);
    }
    assert_true(refused > 3 && fine > 3);
    cond_env_destroy(env);
}

// Memory that runs out in a reset leaves the environment as it was.
static void test_memory_runs_out(void** state)
{
    (void)state;
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondEnvDef def = cond_env_def_default();
    CondEnv *env = NULL, *other = NULL;
    CondError error;
    def.scene = COND_SCENES "/pusher.yaml";
    assert_int_equal(cond_env_create(&context, &def, &env, &error), COND_OK);
    assert_int_equal(cond_env_create(NULL, &def, &other, &error), COND_OK);
    for (int round = 0; round < 3; round++)
        for (long fail = 1;; fail++) {
            double action[3] = {0.001, 0.0, 0.0};
            uint64_t before = cond_env_hash(env), seed = (uint64_t)fail;
            allocator.calls = 0;
            allocator.fail_at = fail;
            CondStatus status = cond_env_reset(env, seed, &error);
            allocator.fail_at = 0;
            if (!status) {
                assert_int_equal(cond_env_reset(other, seed, NULL), COND_OK);
                follow("after failures", seed, env, other, 3);
                break;
            }
            assert_int_equal(status, COND_OUT_OF_MEMORY);
            assert_true(cond_env_hash(env) == before);
            assert_true(cond_env_step(env, action, NULL) >= 0);
            if (cond_env_is_over(env))
                assert_int_equal(cond_env_reset(env, 0, NULL), COND_OK);
        }
    cond_env_destroy(env);
    cond_env_destroy(other);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key), cmocka_unit_test(test_together),
        cmocka_unit_test(test_scenes),    cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
