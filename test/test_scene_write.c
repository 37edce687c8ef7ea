// Every scene that ships with COND, written and read again, or copied: the same text, and the same
// bits of a run.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
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

static CondScene* copy_scene(const CondScene* scene)
{
    CondScene* copy = NULL;
    CondError error = {0};
    if (cond_scene_copy(scene, &copy, &error))
        fail_msg("%s", error.message);
    return copy;
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
        CondScene* copy = copy_scene(scene);
        cond_scene_destroy(scene);
        write_scene(copy, "twice.yaml");
        same_files("once.yaml", "twice.yaml");
        cond_scene_destroy(copy);
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
        CondScene* copy = copy_scene(scene);
        uint64_t hash = run(scene, 5);
        assert_int_equal(run(copy, 5), hash);
        assert_int_equal(run(read_scene("once.yaml"), 5), hash);
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

// A mesh that stands in the scene is written with it, in a file and in memory, and a file of its
// name plays no part.
static void test_meshes(void** state)
{
    (void)state;
    CondError error = {0};
    CondMesh* mesh = NULL;
    CondScene *scene = make_scene(), *again = NULL;
    CondMaterialDef rubber = cond_material_def_default();
    CondBodyDef def = cond_body_def_default();
    snprintf(rubber.name, sizeof rubber.name, "rubber");
    rubber.youngs_modulus = 1e5;
    rubber.poisson_ratio = 0.3;
    rubber.density = 1000.0;
    assert_int_equal(cond_mesh_make(NULL, "box:2,1,1:0.3,0.1,0.1", &mesh, &error), COND_OK);
    assert_int_equal(cond_scene_add_mesh(scene, "block", mesh, &error), COND_OK);
    assert_int_equal(cond_scene_add_mesh(scene, "block", mesh, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "another mesh is called 'block' already"));
    assert_int_equal(cond_scene_add_mesh(scene, "block.obj", mesh, &error), COND_BAD_ARGUMENT);
    mesh->tet[2] = mesh->n_node;
    assert_int_equal(cond_scene_add_mesh(scene, "bad", mesh, &error), COND_BAD_ARGUMENT);
    cond_mesh_destroy(mesh);
    def.kind = COND_BODY_SOFT;
    snprintf(def.mesh, sizeof def.mesh, "block");
    snprintf(def.material, sizeof def.material, "rubber");
    assert_int_equal(cond_scene_add_material(scene, &rubber, &error), COND_OK);
    add_body(scene, &def);
    FILE* file = fopen("block", "w");
    assert_non_null(file);
    fclose(file);
    write_scene(scene, "once.yaml");
    again = read_scene("once.yaml");
    write_scene(again, "twice.yaml");
    same_files("once.yaml", "twice.yaml");
    size_t size;
    assert_int_equal(cond_scene_save(scene, NULL, 0, &size, &error), COND_OK);
    char* text = malloc(size);
    assert_int_equal(cond_scene_save(scene, text, size - 1, &size, &error), COND_BAD_ARGUMENT);
    assert_int_equal(cond_scene_save(scene, text, size, &size, &error), COND_OK);
    assert_int_equal(strlen(text) + 1, size);
    CondScene* third = NULL;
    assert_int_equal(cond_scene_read_text(NULL, text, NULL, 0, NULL, &third, &error), COND_OK);
    uint64_t hash = run(scene, 3);
    assert_int_equal(run(again, 3), hash);
    Trial t = trial_begin(third);
    int n;
    assert_int_equal(cond_model_n_tet(t.model, 0), 10);
    assert_memory_equal(cond_model_rest(t.model, 0),
                        cond_state_configuration(t.model, t.state, 0, &n),
                        (size_t)cond_model_n_node(t.model, 0) * 3 * sizeof(double));
    for (int i = 0; i < 40; i++)
        assert_in_range(cond_model_tet(t.model, 0)[i], 0, cond_model_n_node(t.model, 0) - 1);
    assert_non_null(cond_model_triangle(t.model, 0, &n));
    assert_int_equal(n, 20);
    trial_try(&t, 3);
    assert_int_equal(cond_state_hash(t.state), hash);
    trial_end(&t);
    free(text);
    remove("block");
}

// Keys by the names of their fields are read, and written by their own; folders of packages stay.
static void test_names_of_fields(void** state)
{
    (void)state;
    static const char text[] =
        "bodies:\n"
        "  - {name: stone, mass: 1, shape: {mesh: \"box:2,2,2:1,1,1\"}, mesh_scale: 0.5}\n"
        "  - {name: arm, kind: robot, package_dirs: [/one, /two], links: [{name: base}]}\n"
        "attachments: [{name: hold, from: {body: stone}, to: {}, end_time: 2}]\n"
        "sensors: [{name: feel, body: stone, kind: imu}]\n";
    CondScene* scene = NULL;
    CondError error = {0};
    if (cond_scene_read_text(NULL, text, NULL, 0, NULL, &scene, &error))
        fail_msg("%s", error.message);
    const CondBodyDef* stone = cond_scene_get(scene, COND_SCENE_BODY, 0);
    const CondAttachmentDef* hold = cond_scene_get(scene, COND_SCENE_ATTACHMENT, 0);
    const CondSensorDef* feel = cond_scene_get(scene, COND_SCENE_SENSOR, 0);
    assert_true(stone->mesh_scale == 0.5 && hold->end_time == 2.0);
    assert_int_equal(feel->kind, COND_SENSOR_IMU);
    char written[4096];
    size_t size;
    assert_int_equal(cond_scene_save(scene, written, sizeof written, &size, &error), COND_OK);
    assert_non_null(strstr(written, "scale: 0.5"));
    assert_non_null(strstr(written, "package_dirs: [\"/one\", \"/two\"]"));
    assert_non_null(strstr(written, "measures: imu"));
    assert_null(strstr(written, "mesh_scale"));
    cond_scene_destroy(scene);
    static const char twice[] = "bodies: [{kind: soft, scale: 1, mesh_scale: 2}]\n";
    assert_int_equal(cond_scene_read_text(NULL, twice, NULL, 0, NULL, &scene, &error),
                     COND_BAD_INPUT);
    assert_non_null(strstr(error.message, "mesh_scale: given twice (first on line 1)"));
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
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_runs),
        cmocka_unit_test(test_values),      cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_names_of_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
