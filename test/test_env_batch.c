// Environments in bulk: where their scenes come from, arrays of the caller, and episodes that begin
// by themselves.
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

static const char PUSHER[] = COND_SCENES "/pusher.yaml";
static const char* const SHORT[] = {"environment.steps=5"};

static CondEnvDef short_def(void)
{
    CondEnvDef def = cond_env_def_default();
    def.scene = PUSHER;
    def.n_override = 1;
    def.override = SHORT;
    return def;
}

static CondEnv* make(const CondEnvDef* def)
{
    CondEnv* env = NULL;
    CondError error = {.message = ""};
    if (cond_env_create(NULL, def, &env, &error))
        fail_msg("%s", error.message);
    return env;
}

// The hash after some actions of some episodes.
static uint64_t run_env(CondEnv* env)
{
    double action[3];
    assert_int_equal(cond_env_reset(env, 11, NULL), COND_OK);
    for (int k = 0; k < 13; k++) {
        if (cond_env_is_over(env))
            assert_int_equal(cond_env_reset_next(env, NULL), COND_OK);
        cond_env_action_draw(env, (uint64_t)k, action);
        assert_true(cond_env_step(env, action, NULL) >= 0);
    }
    assert_true(cond_env_episode(env) == 2);
    assert_true(cond_env_seed(env) == cond_env_episode_seed(11, 2));
    return cond_env_hash(env);
}

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

// A file, its text and the scene in memory are the same environment.
static void test_sources(void** state)
{
    (void)state;
    CondEnvDef def = short_def();
    CondEnv* env = make(&def);
    uint64_t expected = run_env(env);
    cond_env_destroy(env);

    char* text = read_text(PUSHER);
    def.scene = NULL;
    def.text = text;
    env = make(&def);
    memset(text, 'x', strlen(text)); // it was copied
    free(text);
    assert_true(run_env(env) == expected);
    cond_env_destroy(env);

    CondScene* scene;
    CondError error;
    assert_int_equal(cond_scene_read(NULL, PUSHER, 0, NULL, &scene, &error), COND_OK);
    def.text = NULL;
    def.made = scene;
    env = make(&def);
    cond_scene_destroy(scene); // so was the scene
    assert_true(run_env(env) == expected);
    cond_env_destroy(env);
}

static void test_bad_sources(void** state)
{
    (void)state;
    CondEnvDef def = short_def();
    CondEnv* env;
    CondError error;
    def.text = "bodies: []";
    assert_int_equal(cond_env_create(NULL, &def, &env, &error), COND_BAD_ARGUMENT);
    def.scene = NULL;
    def.folder = "somewhere";
    def.text = "\nbodies: [{name: a, kind: particle, mass: -1}]";
    assert_int_equal(cond_env_create(NULL, &def, &env, &error), COND_BAD_INPUT);
    if (!strstr(error.message, "somewhere/text:2") || !strstr(error.message, "mass"))
        fail_msg("%s", error.message);
    assert_null(env);
}

enum { N = 3, ROUNDS = 17 };

typedef struct Run {
    double* observation; // (ROUNDS x N x n_observation)
    double* final;       // (N x n_observation)
    double reward[ROUNDS][N];
    uint8_t done[N], cut[ROUNDS][N], began[ROUNDS][N], ended[ROUNDS][N];
    int n_observation;
} Run;

static void run_batch(CondAutoreset autoreset, int threads, Run* run)
{
    CondEnvDef def = short_def();
    CondEnvBatch* batch;
    CondError error = {.message = ""};
    double action[3 * N];
    if (cond_env_batch_create(NULL, &def, N, threads, &batch, &error))
        fail_msg("%s", error.message);
    run->n_observation = cond_env_n_observation(cond_env_batch_env(batch, 0));
    size_t size = (size_t)(N * run->n_observation);
    run->observation = calloc(size * ROUNDS, sizeof(double));
    run->final = calloc(size, sizeof(double));
    assert_true(run->observation && run->final);
    for (int k = 0; k < ROUNDS; k++) {
        CondEnvArrays arrays = cond_env_arrays_default();
        arrays.observation = run->observation + (size_t)k * size;
        arrays.reward = run->reward[k];
        arrays.done = run->done;
        arrays.cut = run->cut[k];
        arrays.began = run->began[k];
        arrays.ended = run->ended[k];
        arrays.final_observation = run->final;
        for (int i = 0; i < N; i++)
            cond_env_action_draw(cond_env_batch_env(batch, i), (uint64_t)(100 * k + i),
                                 action + 3 * i);
        assert_true(cond_env_batch_advance(batch, action, autoreset, &arrays, &error) >= 0);
    }
    cond_env_batch_destroy(batch);
}

static void release(Run* run)
{
    free(run->observation);
    free(run->final);
}

// An environment alone, with the same actions and the habits of the mode, observes the same bits.
static void check_alone(CondAutoreset autoreset, const Run* run, int i)
{
    CondEnvDef def = short_def();
    CondEnv* env = make(&def);
    CondEnvResult result;
    double action[3];
    size_t n = (size_t)run->n_observation;
    assert_int_equal(cond_env_reset(env, (uint64_t)i, NULL), COND_OK);
    for (int k = 0; k < ROUNDS; k++) {
        const double* seen = run->observation + ((size_t)k * N + (size_t)i) * n;
        cond_env_action_draw(env, (uint64_t)(100 * k + i), action);
        if (autoreset == COND_AUTORESET_NEXT_STEP && cond_env_is_over(env)) {
            assert_int_equal(cond_env_reset_next(env, NULL), COND_OK);
            assert_true(run->began[k][i] && run->reward[k][i] == 0.0 && !run->cut[k][i]);
        } else if (!cond_env_is_over(env)) {
            assert_true(cond_env_step(env, action, &result) >= 0);
            assert_true(run->reward[k][i] == result.reward && run->cut[k][i] == result.cut);
            assert_int_equal(run->ended[k][i], cond_env_is_over(env));
        }
        if (autoreset == COND_AUTORESET_SAME_STEP && cond_env_is_over(env)) {
            if (k + 5 >= ROUNDS) // the last end of an episode
                assert_memory_equal(run->final + (size_t)i * n, cond_env_observation(env),
                                    n * sizeof(double));
            assert_int_equal(cond_env_reset_next(env, NULL), COND_OK);
            assert_true(run->began[k][i]);
        }
        assert_memory_equal(seen, cond_env_observation(env), n * sizeof(double));
    }
    int episodes = autoreset == COND_AUTORESET_DISABLED    ? 0
                   : autoreset == COND_AUTORESET_NEXT_STEP ? 2
                                                           : 3;
    assert_int_equal((int)cond_env_episode(env), episodes);
    cond_env_destroy(env);
}

static void test_autoreset(void** state)
{
    (void)state;
    const CondAutoreset modes[] = {COND_AUTORESET_NEXT_STEP, COND_AUTORESET_SAME_STEP,
                                   COND_AUTORESET_DISABLED};
    for (int m = 0; m < 3; m++) {
        Run one, many;
        run_batch(modes[m], 1, &one);
        for (int threads = 2; threads <= 4; threads *= 2) {
            run_batch(modes[m], threads, &many);
            assert_memory_equal(one.observation, many.observation,
                                (size_t)(ROUNDS * N * one.n_observation) * sizeof(double));
            assert_memory_equal(one.reward, many.reward, sizeof one.reward);
            assert_memory_equal(one.began, many.began, sizeof one.began);
            release(&many);
        }
        for (int i = 0; i < N; i++)
            check_alone(modes[m], &one, i);
        release(&one);
    }
}

// Saved bytes know which episode comes next.
static void test_saved_episode(void** state)
{
    (void)state;
    CondEnvDef def = short_def();
    CondEnv *a = make(&def), *b = make(&def);
    size_t size;
    CondError error;
    assert_int_equal(cond_env_reset(a, 42, NULL), COND_OK);
    assert_int_equal(cond_env_reset_next(a, NULL), COND_OK);
    assert_int_equal(cond_env_save(a, NULL, 0, &size), COND_OK);
    void* bytes = malloc(size);
    assert_int_equal(cond_env_save(a, bytes, size, &size), COND_OK);
    assert_int_equal(cond_env_load(b, bytes, size, &error), COND_OK);
    assert_true(cond_env_hash(a) == cond_env_hash(b));
    assert_int_equal(cond_env_reset_next(a, NULL), COND_OK);
    assert_int_equal(cond_env_reset_next(b, NULL), COND_OK);
    assert_true(cond_env_hash(a) == cond_env_hash(b));
    assert_true(cond_env_seed(a) == cond_env_episode_seed(42, 2));
    free(bytes);
    cond_env_destroy(a);
    cond_env_destroy(b);
}

// An action that one environment cannot take is told with its place, before any has been stepped.
static void test_refused_action(void** state)
{
    (void)state;
    enum { N = 4 };
    CondEnvDef def = short_def();
    CondEnvBatch* batch;
    CondError error;
    CondEnvArrays arrays = cond_env_arrays_default();
    double action[N * 3] = {0.0};
    uint64_t before[N];
    assert_int_equal(cond_env_batch_create(NULL, &def, N, 2, &batch, &error), COND_OK);
    int n = cond_env_n_action(cond_env_batch_env(batch, 0));
    for (int i = 0; i < N; i++)
        before[i] = cond_env_hash(cond_env_batch_env(batch, i));
    action[2 * n + 1] = NAN;
    assert_int_equal(
        cond_env_batch_advance(batch, action, COND_AUTORESET_NEXT_STEP, &arrays, &error),
        COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "environment 2: action[1] ("));
    assert_non_null(strstr(error.message, "is nan, expected a finite number"));
    for (int i = 0; i < N; i++)
        assert_true(cond_env_hash(cond_env_batch_env(batch, i)) == before[i]);
    CondEnv* env = cond_env_batch_env(batch, 0);
    for (int k = 0; k < 5; k++)
        assert_int_equal(cond_env_step(env, action, NULL), COND_OK);
    assert_string_equal(cond_env_message(env), "");
    assert_int_equal(cond_env_step(env, action, NULL), COND_BAD_ARGUMENT);
    assert_string_equal(cond_env_message(env), "the episode is over: reset is the next call");
    cond_env_batch_destroy(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),        cmocka_unit_test(test_bad_sources),
        cmocka_unit_test(test_autoreset),      cmocka_unit_test(test_saved_episode),
        cmocka_unit_test(test_refused_action),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
