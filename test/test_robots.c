// Robots as people have them: those of tools/make_test_robots.py load, hold what they should and
// step; variants with one thing wrong load with the expected warning or are refused with the
// expected words.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "model/articulation.h"
#include "robot_file/urdf.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROBOTS COND_TEST_DATA "/robots/"

static void test_all_load_and_step(void** state)
{
    (void)state;
    FILE* table = fopen(ROBOTS "expected.txt", "r");
    assert_non_null(table);
    char line[200], name[64];
    int links, joints, balls, floating, n = 0;
    assert_non_null(fgets(line, sizeof line, table)); // the head
    while (fscanf(table, "%63s %d %d %d %d", name, &links, &joints, &balls, &floating) == 5) {
        char text[400];
        snprintf(text, sizeof text,
                 "bodies: [{name: r, kind: robot, urdf: %s%s.urdf, package_dirs: [%s..]}]\n",
                 ROBOTS, name, ROBOTS);
        Trial trial = trial_text("step: {time_step: 0.002}\n", text);
        const CondArticulation* arm = trial.model->body[0].arm;
        if (arm->n_link != links || arm->n_joint != joints || arm->n_ball != balls ||
            arm->floating != floating)
            fail_msg("%s: %d links, %d joint coordinates, %d balls, floating %d", name, arm->n_link,
                     arm->n_joint, arm->n_ball, arm->floating);
        trial_step(&trial, 2);
        trial_end(&trial);
        n++;
    }
    fclose(table);
    assert_true(n >= 40);
}

typedef struct Variant {
    const char *robot, *find, *replace; // the first place where it stands; find "" is the begin
    int loads;                          // 1: with the words in a warning, 0: refused with them
    const char* words;                  // "": no warning that is not there without the change
} Variant;

#define CART "cart_pole"
#define JAW "parallel_jaw"
#define TURN "turntable"
#define MESH "mesh_arm"

static const Variant variants[] = {
    // XML
    {CART, "</robot>", "", 0, "cart_pole.urdf"},
    {CART, "</link>", "", 0, "mismatch"},
    {CART, "", "<!DOCTYPE robot>\n", 0, "document types"},
    {CART, "", "\n\n<?xml version=\"1.0\"?>\n", 1, ""},
    {CART, "", "<!-- -- hand -- made -- --><?xml version=\"1.0\"?>", 1, ""},
    {CART, "", "\xef\xbb\xbf", 1, ""},
    {CART, "", "\xef\xbb\xbf<?xml version=\"0.0\"?>", 1, ""},
    {CART, "", "<?xml version=\"0.0\" ?>\n", 1, ""},
    {CART, "", "<?xml version='2.0' encoding=\"UTF-8\"?>\n", 1, ""},
    {CART, "", "<?xml  version = \"x\"?>\n", 0, "cart_pole.urdf:1"},
    {CART, "<link name=\"rail\">", "<!-- a -- b --><link name=\"rail\">", 1, ""},
    {CART, "<robot name=\"cart_pole\">", "<robot>", 1, ""},
    {CART, "<robot name=\"cart_pole\">", "<robot name=\"c\" version=\"1.0\">", 1, ""},
    {CART, "<robot name=\"cart_pole\">", "<robot name=\"c\" xmlns:xacro=\"x\">", 1, ""},
    {CART, "<link name=\"rail\">", "<xacro:arm/><link name=\"rail\">", 0, "xacro FILE -o"},
    {CART, "name=\"rail\"", "name=\"${rail}\"", 0, "xacro FILE -o"},
    {CART, "<robot name=\"cart_pole\">", "<robot name=\"c\"><link name=\"rail\"", 0, ".urdf:"},
    // Trees
    {CART, "<link name=\"cart\">", "<link>", 0, "<link> without name"},
    {CART, "<link name=\"cart\">", "<link name=\"rail\">", 0, "two links named 'rail'"},
    {CART, "<joint name=\"pole_joint\"", "<joint name=\"cart_joint\"", 0, "two joints named"},
    {CART, "<parent link=\"rail\"/>", "", 0, "without <parent>"},
    {CART, "<parent link=\"rail\"/>", "<parent link=\"none\"/>", 0, "there is no link 'none'"},
    {CART, "<parent link=\"rail\"/>", "<parent link=\"cart\"/>", 0, "joins link 'cart' to itself"},
    {CART, "<parent link=\"rail\"/>", "<parent link=\"pole\"/>", 0, "loop"},
    {"scara", "<child link=\"quill\"/>", "<child link=\"arm1\"/>", 0, "is the child of two joints"},
    {CART, "<link name=\"rail\">", "<link name=\"lost\"/><link name=\"rail\">", 0,
     "two links are the child of no joint"},
    // Joints
    {CART, "type=\"prismatic\"", "type=\"elastic\"", 0, "unknown type 'elastic'"},
    {CART, "type=\"prismatic\"", "", 0, "<joint> without type"},
    {CART, "<axis xyz=\"1 0 0\"/>", "", 1, ""},
    {CART, "<axis xyz=\"1 0 0\"/>", "<axis xyz=\" 2.5\t0  0 \"/>", 1, ""},
    {CART, "<axis xyz=\"1 0 0\"/>", "<axis xyz=\"0 0 0\"/>", 0, "the axis is zero"},
    {CART, "<axis xyz=\"1 0 0\"/>", "<axis xyz=\"1,0 0 0\"/>", 0, "decimal points and blanks"},
    {CART, "<axis xyz=\"1 0 0\"/>", "<axis xyz=\"1 0\"/>", 0, "expected 3 numbers"},
    {CART, "lower=\"-1\"", "lower=\"2\"", 1, "is above upper limit"},
    {CART, "lower=\"-1\"", "lower=\"-inf\"", 1, ""},
    {CART, "lower=\"-1\"", "lower=\"\"", 1, ""},
    {CART, "lower=\"-1\" upper=\"1\"", "", 1, "are both 0: both are ignored"},
    {CART, "lower=\"-1\" upper=\"1\"", "lower=\"-.5E0\" upper=\"+1.\"", 1, ""},
    {CART, "lower=\"-1\"", "lower=\"one\"", 0, "lower='one' of <limit>: expected 1 number"},
    {CART, "effort=\"50\" velocity=\"3\"", "effort=\"0\" velocity=\"0\"", 1, "velocity limit 0"},
    {CART, "effort=\"50\"", "", 1, "no effort limit given"},
    {CART, "<limit lower=\"-1\" upper=\"1\" effort=\"50\" velocity=\"3\"/>", "", 1,
     "<limit> is missing"},
    {CART, "<dynamics friction=\"0.5\"/>", "<dynamics friction=\"-1\"/>", 1, "is ignored"},
    {CART, "<dynamics friction=\"0.5\"/>", "<safety_controller/><transmission/>", 1,
     "ignored: 1 <safety_controller>, 1 <transmission>"},
    {CART, "<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\"/>", 1,
     "no velocity limit given"},
    {TURN, "type=\"continuous\"", "type=\"spherical\"", 1, ""},
    {TURN, "type=\"continuous\"", "type=\"planar\"", 1, ""},
    {CART, "type=\"prismatic\"", "type=\"planar\"", 1, "with several coordinates are ignored"},
    {CART, "type=\"prismatic\"", "type=\"ball\"", 1, "it turns freely, friction 0.5 is ignored"},
    {JAW, "<mimic joint=\"left_joint\"", "<mimic joint=\"none\"", 0, "which does not exist"},
    {JAW, "<mimic joint=\"left_joint\"", "<mimic joint=\"right_joint\"", 0, "in a circle"},
    {JAW, "multiplier=\"1\"", "multiplier=\"-1\"", 1,
     "its limits leave no motion to the joint it mimics"},
    {JAW, "multiplier=\"1\"", "multiplier=\"nan\"", 0, "multiplier='nan'"},
    // Links
    {CART, "<mass value=\"2\"/>", "<mass value=\"-2\"/>", 0, "mass -2 is negative"},
    {CART, "<mass value=\"2\"/>", "<mass value=\"0\"/>", 1, "inertia without mass is ignored"},
    {CART, "<mass value=\"2\"/>", "", 1, "<inertial> without <mass> is ignored"},
    {CART, "ixx=\"0.00833333\"", "ixx=\"1\"", 1, "no mass has the principal moments"},
    {CART, "ixx=\"0.00833333\" iyy=\"0.0283333\" izz=\"0.0333333\"",
     "ixx=\"0\" iyy=\"0\" izz=\"0\"", 1, "no mass has the principal moments"},
    {CART, "ixx=\"0.00833333\"", "", 0, "<inertia> without ixx"},
    {CART, "rpy=\"0 0 0\"", "rpy=\"0 0 0,1\"", 0, "not commas"},
    {CART, "<box size=\"0.4 0.2 0.1\"/>", "", 1, "<collision> without a shape is ignored"},
    {CART, "<box size=\"0.4 0.2 0.1\"/>", "<box size=\"0.4 0 0.1\"/>", 1, "of size 0"},
    {CART, "<box size=\"0.4 0.2 0.1\"/>", "<box size=\"-1 1 1\"/>", 0, "impossible size -1"},
    {CART, "<box size=\"0.4 0.2 0.1\"/>", "<cone/>", 1, "none of sphere, capsule"},
    {CART, "<box size=\"0.4 0.2 0.1\"/>", "<box/>", 0, "<box> without size"},
    {CART, "<box size=\"0.4 0.2 0.1\"/>", "<mesh filename=\"\"/>", 1, "without filename"},
    {CART, "<box size=\"0.4 0.2 0.1\"/>", "<mesh filename=\"no.dae\"/>", 0, "missing_meshes: true"},
    {CART, "<box size=\"0.4 0.2 0.1\"/>", "<mesh filename=\"no.fbx\"/>", 0, "is not there"},
    {MESH, "package://robots/wedge.obj", "$(find robots)/wedge.obj", 1, ""},
    {MESH, "package://robots/wedge.obj", "package://other/no.obj", 0,
     "'package://other/no.obj' is not there"},
    {MESH, "scale=\"0.1 0.1 0.1\"", "scale=\"0.1\"", 1, ""},
    {MESH, "scale=\"0.1 0.1 0.1\"", "scale=\"0.1 0.1\"", 0, "expected 3 numbers"},
    {MESH, "scale=\"0.1 0.1 0.1\"", "scale=\"0.1 0.1 0.1 1\"", 1, "only the first three are used"},
};

static char* load(const char* path)
{
    static char text[200000];
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = 0;
    fclose(file);
    return text;
}

static void write_variant(const Variant* v)
{
    char path[300], name[80];
    snprintf(path, sizeof path, ROBOTS "%s.urdf", v->robot);
    snprintf(name, sizeof name, "%s.urdf", v->robot);
    char *text = load(path), *at = strstr(text, v->find);
    if (!at)
        fail_msg("%s: no '%s'", v->robot, v->find);
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    fwrite(text, 1, (size_t)(at - text), file);
    fputs(v->replace, file);
    fputs(at + strlen(v->find), file);
    assert_int_equal(fclose(file), 0);
}

// Compiles a scene with the variant; its warnings, or why it was refused, with line breaks between.
static int compile(const char* robot, const char* more, char* said, size_t room)
{
    char text[600];
    CondScene* scene;
    CondModel* model;
    CondError error = {.message = ""};
    snprintf(text, sizeof text,
             "bodies: [{name: r, kind: robot, urdf: %s.urdf, package_dirs: [%s..]%s}]\n", robot,
             ROBOTS, more);
    FILE* file = fopen("variant.yaml", "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    if (cond_scene_read(NULL, "variant.yaml", 0, NULL, &scene, &error))
        fail_msg("%s", error.message);
    CondStatus status = cond_scene_compile(scene, &model, &error);
    snprintf(said, room, "%s", status ? error.message : "");
    for (int i = 0; !status && cond_model_warning(model, i); i++) {
        strncat(said, cond_model_warning(model, i), room - strlen(said) - 2);
        strcat(said, "\n");
    }
    if (!status)
        cond_model_destroy(model);
    cond_scene_destroy(scene);
    return status == COND_OK;
}

// A mesh that one of the robots names without a package lies beside it.
static void copy_mesh(void)
{
    char* text = load(ROBOTS "wedge.obj");
    FILE* file = fopen("wedge.obj", "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_variants(void** state)
{
    (void)state;
    copy_mesh();
    size_t n = sizeof variants / sizeof variants[0];
    int wrong = 0;
    assert_true(n >= 60);
    for (size_t i = 0; i < n; i++) {
        const Variant* v = &variants[i];
        char said[4096];
        write_variant(v);
        int loads = compile(v->robot, "", said, sizeof said);
        // The open bowl of the arm of meshes is mended with or without a change.
        int quiet = !*said || (strcmp(v->robot, MESH) == 0 && !strstr(said, ".urdf"));
        if (loads == v->loads && (*v->words ? strstr(said, v->words) != NULL : quiet))
            continue;
        print_error("%s: '%s' -> '%s': %s: %s\n", v->robot, v->find, v->replace,
                    loads ? "loads" : "refused", said);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

// What a scene can say about meshes: hulls, nothing, and going on without those that are missing.
static void test_keys_of_meshes(void** state)
{
    (void)state;
    char said[4096];
    copy_mesh();
    Variant missing = {MESH, "package://robots/wedge.obj", "package://robots/gone.obj", 1, ""};
    write_variant(&missing);
    assert_false(compile(MESH, "", said, sizeof said));
    assert_true(compile(MESH, ", missing_meshes: true", said, sizeof said));
    assert_non_null(strstr(said, "mesh 'package://robots/gone.obj' is not there"));
    assert_true(compile(MESH, ", collision: none", said, sizeof said));
    write_variant(&(Variant){MESH, "", "", 1, ""});
    assert_true(compile(MESH, ", collision: hull", said, sizeof said));
    assert_string_equal(said, "");
    // A closed mesh that is inside out is turned, and nothing is said.
    FILE* file = fopen("wedge.obj", "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n", file);
    assert_int_equal(fclose(file), 0);
    assert_true(compile(MESH, "", said, sizeof said));
    assert_null(strstr(said, "wedge.obj"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_load_and_step),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_keys_of_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
