// Every scene that ships with COND, written and read again: the same text, and the same bits of a
// run.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static CondScene* read_scene(const char* path)
{
    CondScene* scene = NULL;
    CondError error = {0};
    if (cond_scene_read(NULL, path, 0, NULL, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

static void write_scene(const CondScene* scene, const char* path)
{
    CondError error = {0};
    if (cond_scene_write(scene, path, &error))
        fail_msg("%s", error.message);
}

static void same_files(const char* a, const char* b)
{
    FILE* file[2] = {fopen(a, "rb"), fopen(b, "rb")};
    int c[2];
    assert_true(file[0] && file[1]);
    do
        for (int k = 0; k < 2; k++)
            c[k] = fgetc(file[k]);
    while (c[0] == c[1] && c[0] != EOF);
    fclose(file[0]);
    fclose(file[1]);
    assert_int_equal(c[0], c[1]);
}

static void test_round_trips(void** state)
{
    (void)state;
    static const char* const names[] = {
        "anisotropic", "arch",     "ball",   "bin",    "box",      "cable",  "capsule",
        "chain",       "dominoes", "drop",   "forces", "gripper",  "hertz",  "incline",
        "kitchen",     "limp",     "loop",   "mat",    "push",     "pusher", "shapes",
        "spin",        "springs",  "tumble", "wall",   "pendulum2"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.yaml", COND_SCENES, names[k]);
        CondScene* scene = read_scene(path);
        write_scene(scene, "once.yaml");
        CondScene* again = read_scene("once.yaml");
        write_scene(again, "twice.yaml");
        same_files("once.yaml", "twice.yaml");
        cond_scene_destroy(scene);
        cond_scene_destroy(again);
    }
}

static uint64_t run(CondScene* scene, int n)
{
    Trial t = trial_begin(scene);
    trial_try(&t, n);
    uint64_t hash = cond_state_hash(t.state);
    trial_end(&t);
    return hash;
}

static void test_runs(void** state)
{
    (void)state;
    static const char* const names[] = {"drop", "shapes", "forces", "springs", "capsule", "limp"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.yaml", COND_SCENES, names[k]);
        CondScene* scene = read_scene(path);
        write_scene(scene, "once.yaml");
        assert_int_equal(run(scene, 5), run(read_scene("once.yaml"), 5));
    }
}

// Words that YAML would take for something else, and numbers to the last bit.
static void test_values(void** state)
{
    (void)state;
    static const char* const names[] = {"true", "1e5", "a: b", "quote \" and \\", "inf", "-x", "#"};
    CondScene* scene = make_scene();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        CondBodyDef def = make_box(1.0 / 3.0, 0.1, 0.2, 0.3, 1.0 / 7.0, -1e-17, 1e22);
        snprintf(def.name, sizeof def.name, "%s", names[k]);
        add_body(scene, &def);
    }
    write_scene(scene, "once.yaml");
    CondScene* again = read_scene("once.yaml");
    assert_int_equal(again->n_body, scene->n_body);
    for (int i = 0; i < scene->n_body; i++) {
        assert_string_equal(again->body[i].name, scene->body[i].name);
        assert_memory_equal(again->body[i].position, scene->body[i].position,
                            sizeof scene->body[i].position);
        assert_memory_equal(&again->body[i].mass, &scene->body[i].mass, sizeof(double));
    }
    cond_scene_destroy(scene);
    cond_scene_destroy(again);
}

static void test_refusals(void** state)
{
    (void)state;
    CondError error = {0};
    CondScene* scene = make_scene();
    assert_int_equal(cond_scene_write(scene, "no/such/folder/s.yaml", &error), COND_NO_FILE);
    assert_int_equal(cond_scene_write(scene, NULL, &error), COND_BAD_ARGUMENT);
    cond_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
