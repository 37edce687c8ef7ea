// What robots look like: colours of materials and meshes, what is coarser, what is hidden, and that
// a recording keeps it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "cond/record.h"
#include "cond/recording.h"
#include "mesh_file/mesh_import.h"
#include "record/visual.h"
#include "robot_file/urdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define BOX "<geometry><box size='1 1 1'/></geometry>"
#define MASS                                                                                       \
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"        \
    "</inertial>"

static const char robot[] =
    "<robot name='r'><material name='red'><color rgba='1 0 0 1'/></material>"
    "<link name='a'><visual>" BOX "<material name='red'/></visual>"
    "<visual>" BOX "<material name='own'><color rgba='0 0.5 1 0.2'/></material></visual>"
    "<collision>" BOX "</collision></link>"
    "<link name='b'>" MASS "<visual>" BOX "<material name='own'/></visual></link>"
    "<link name='c'>" MASS "<visual><geometry><mesh filename='no.stl'/></geometry></visual>"
    "<visual>" BOX "<material name='unknown'/></visual><visual/>"
    "<visual><geometry><cone/></geometry></visual></link>"
    "<link name='d'>" MASS "<collision>" BOX "</collision></link>"
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint>"
    "<joint name='l' type='continuous'><parent link='c'/><child link='d'/>"
    "<origin xyz='0 0 5'/></joint></robot>";

static void test_materials(void** state)
{
    (void)state;
    CondArticulation* a;
    CondError error = {.message = ""};
    write_text("seen.urdf", robot);
    if (cond_urdf_read(NULL, "seen.urdf", NULL, &a, &error))
        fail_msg("%s", error.message);
    assert_int_equal(a->n_visual, 4);
    assert_int_equal(a->n_shape, 2);
    static const float expected[4][4] = {
        {1, 0, 0, 1}, {0, 0.5f, 1, 0.2f}, {0, 0.5f, 1, 0.2f}, {-1, -1, -1, -1}};
    for (int i = 0; i < 4; i++)
        assert_memory_equal(a->visual[i].colour, expected[i], sizeof expected[i]);
    // What is wrong with the looks is no fault; missing meshes are counted.
    assert_int_equal(a->n_warning, 1);
    assert_string_equal(a->warning[0], "seen.urdf:1: 1 visual mesh is not there");
    cond_articulation_destroy(a);
}

// A look that this build cannot read is told of, and the robot is as good as before.
static void test_looks_without_assimp(void** state)
{
    (void)state;
    CondArticulation* a;
    CondError error = {.message = ""};
    write_text("look.dae", "<COLLADA/>");
    write_text("look.urdf", "<robot name='r'><link name='a'><visual><geometry>"
                            "<mesh filename='look.dae'/></geometry></visual></link></robot>");
    if (cond_urdf_read(NULL, "look.urdf", NULL, &a, &error))
        fail_msg("%s", error.message);
    assert_int_equal(a->n_visual, 1);
    assert_int_equal(a->n_warning, !cond_mesh_import_available());
    if (a->n_warning)
        assert_non_null(strstr(a->warning[0], "1 visual mesh is of a format that needs assimp"));
    cond_articulation_destroy(a);
}

// A sphere of 64 x 64 x 2 triangles of two colours in an .obj, its upper half green.
static void write_ball(void)
{
    enum { N = 64 };
    FILE* file = fopen("ball.obj", "w");
    assert_non_null(file);
    fputs("mtllib ball.mtl\n", file);
    for (int i = 0; i <= N; i++)
        for (int j = 0; j < N; j++) {
            double a = 2.0 * acos(-1.0) * j / N, b = acos(-1.0) * i / N;
            fprintf(file, "v %.6f %.6f %.6f\n", sin(b) * cos(a), sin(b) * sin(a), cos(b));
        }
    for (int i = 0; i < N; i++) {
        if (i == 0 || i == N / 2)
            fprintf(file, "usemtl %s\n", i ? "blue" : "green");
        for (int j = 0; j < N; j++) {
            int a = N * i + j + 1, b = N * i + (j + 1) % N + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + N, b, b, a + N, b + N);
        }
    }
    assert_int_equal(fclose(file), 0);
    write_text("ball.mtl", "newmtl green\nKd 0 1 0\nnewmtl blue\nKd 0 0 1\n");
}

// Coarser, but round to a few hundredths, mirrored without turning inside out, and in its colours.
static void test_meshes_are_made_coarser(void** state)
{
    (void)state;
    char file[] = "ball.obj";
    CondLinkShape visual = cond_link_shape_default();
    CondTessellation t = {.arena.context = cond_context_or_default(NULL)};
    write_ball();
    visual.kind = COND_LINK_MESH;
    visual.file = file;
    for (int pass = 0; pass < 3; pass++) {
        visual.size[0] = pass == 1 ? -2.0 : 2.0;
        visual.size[1] = visual.size[2] = 2.0;
        assert_int_equal(cond_visual_tessellate(&visual, pass == 2 ? 20 : 1, 0, &t), COND_OK);
        assert_in_range(t.n_triangle, 300, pass == 2 ? 1200 : 4000);
        double volume = 0.0;
        int green = 0, blue = 0;
        for (int k = 0; k < t.n_point; k++)
            assert_near(hypot(hypot(t.point[3 * k], t.point[3 * k + 1]), t.point[3 * k + 2]), 2.0,
                        0.1);
        for (int k = 0; k < t.n_triangle; k++) {
            const double *a = t.point + 3 * t.triangle[3 * k],
                         *b = t.point + 3 * t.triangle[3 * k + 1],
                         *c = t.point + 3 * t.triangle[3 * k + 2];
            volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0])) /
                      6.0;
            green += t.colour[k] == 0x00ff00;
            blue += t.colour[k] == 0x0000ff;
        }
        assert_near(volume, 32.0 / 3.0 * acos(-1.0), 2.0);
        assert_int_equal(green + blue, t.n_triangle);
        assert_near((double)green / t.n_triangle, 0.5, 0.1);
    }
    visual.colour[0] = 1.0f; // the robot's own colour comes first
    visual.colour[1] = visual.colour[2] = 0.0f;
    assert_int_equal(cond_visual_tessellate(&visual, 1, 0, &t), COND_OK);
    assert_int_equal(t.colour[0], 0xff0000);
    cond_tessellation_destroy(&t);
}

static void count_colours(const CondScenery* s, int* red, int* blue, int* none, int* hidden)
{
    *red = *blue = *none = *hidden = 0;
    for (int c = 0; c < s->n_cell; c++) {
        *red += s->colour[c] == 0xff0000;
        *blue += s->colour[c] == 0x0080ff;
        *none += s->colour[c] == COND_COLOUR_NONE;
        *hidden += s->colour[c] == COND_COLOUR_HIDDEN;
    }
}

// Link a is seen by two boxes and its collision shape is hidden; d is seen by its collision shape.
static void test_recordings_keep_colours(void** state)
{
    (void)state;
    write_text("seen.urdf", robot);
    Trial trial = trial_text("", "bodies: [{name: r, kind: robot, urdf: seen.urdf}]\n");
    CondRecord* record;
    CondRecording* recording;
    CondError error = {.message = ""};
    if (cond_record_open(NULL, "seen.h5", trial.model, NULL, &record, &error) ||
        cond_record_frame(record, NULL, trial.state, NULL, &error))
        fail_msg("%s", error.message);
    cond_record_close(record);
    if (cond_recording_open(NULL, "seen.h5", &recording, &error))
        fail_msg("%s", error.message);
    int red, blue, none, hidden;
    count_colours(cond_recording_scenery(recording), &red, &blue, &none, &hidden);
    assert_int_equal(red, 12);
    assert_int_equal(blue, 24);
    assert_int_equal(none, 24);
    assert_int_equal(hidden, 12);
    cond_recording_close(recording);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_looks_without_assimp),
        cmocka_unit_test(test_meshes_are_made_coarser),
        cmocka_unit_test(test_recordings_keep_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
