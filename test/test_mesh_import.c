// Meshes that assimp reads: units, axes, transforms and colours of a box of 1 x 2 x 3, and files
// that are none; a build without assimp says so. The colours of .obj files need no assimp.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "cond/mesh.h"
#include "mesh_file/mesh_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char nodes[] = "0 0 0 1 0 0 1 2 0 0 2 0 0 0 3 1 0 3 1 2 3 0 2 3";
static const char faces[] =
    "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"
    "";
static const char base64[] =
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAAEAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAEBAAACA"
    "PwAAAAAAAEBAAACAPwAAAEAAAEBAAAAAAAAAAEAAAEBAAAACAAEAAAADAAIABAAFAAYABAAGAAcAAAABAAUA"
    "AAAFAAQAAQACAAYAAQAGAAUAAgADAAcAAgAHAAYAAwAAAAQAAwAEAAcA";

static void write_bytes(const char* path, const char* bytes, size_t length)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

// The box in COLLADA, red, its node moved by 10 units along x and instanced again without that.
static char* make_dae(const char* unit, const char* up)
{
    static char text[8192];
    snprintf(
        text, sizeof text,
        "<?xml version='1.0'?>\n<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
        "version='1.4.1'><asset><unit name='u' meter='%s'/><up_axis>%s</up_axis></asset>\n"
        "<library_effects><effect id='e'><profile_COMMON><technique sid='common'><lambert><diffuse>"
        "<color>0.8 0.1 0.2 1</color></diffuse></lambert></technique></profile_COMMON></effect>"
        "</library_effects><library_materials><material id='red'><instance_effect url='#e'/>"
        "</material></library_materials>\n"
        "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='24'>"
        "%s</float_array><technique_common><accessor source='#a' count='8' stride='3'>"
        "<param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/>"
        "</accessor></technique_common></source><vertices id='v'><input semantic='POSITION' "
        "source='#p'/></vertices><triangles count='12' material='m'><input semantic='VERTEX' "
        "source='#v' offset='0'/><p>%s</p></triangles></mesh></geometry></library_geometries>\n"
        "<library_visual_scenes><visual_scene id='s'><node id='n'><translate>10 0 0</translate>"
        "<instance_geometry url='#g'><bind_material><technique_common><instance_material "
        "symbol='m' target='#red'/></technique_common></bind_material></instance_geometry></node>"
        "<node id='k'><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
        "<scene><instance_visual_scene url='#s'/></scene></COLLADA>\n",
        unit, up, nodes, faces);
    return text;
}

// The box in glTF, blue, twice as wide below a node that moves it by 5.
static char* make_gltf(void)
{
    static char text[4096];
    snprintf(
        text, sizeof text,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
        "{\"translation\":[5,0,0],\"children\":[1]},{\"mesh\":0,\"scale\":[2,1,1]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,"
        "\"material\":0}]}],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":"
        "[0.1,0.2,0.9,1]}}],\"buffers\":[{\"byteLength\":168,\"uri\":"
        "\"data:application/octet-stream;base64,%s\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteOffset\":0,\"byteLength\":96},{\"buffer\":0,\"byteOffset\":96,\"byteLength\":72}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,2,3]},{\"bufferView\":1,\"componentType\":5123,\"count\":36,"
        "\"type\":\"SCALAR\"}]}",
        base64);
    return text;
}

static CondMesh* read_mesh(const char* path, CondMeshReport* report)
{
    CondMesh* mesh;
    CondError error = {.message = ""};
    if (cond_mesh_read(NULL, path, &mesh, report, &error))
        fail_msg("%s", error.message);
    return mesh;
}

// Two closed boxes, in metres, in the file's own axes whatever it calls up.
static void test_collada(void** state)
{
    (void)state;
    static const struct {
        const char *unit, *up;
        double scale;
    } cases[] = {{"1", "Z_UP", 1.0}, {"0.01", "Y_UP", 0.01}, {"0.0254", "X_UP", 0.0254}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char* text = make_dae(cases[i].unit, cases[i].up);
        CondMeshReport report;
        write_bytes("BOX.DAE", text, strlen(text));
        CondMesh* mesh = read_mesh("BOX.DAE", &report);
        double s = cases[i].scale;
        assert_int_equal(mesh->n_node, 16);
        assert_int_equal(mesh->n_triangle, 24);
        assert_int_equal(report.n_open, 0);
        assert_near(report.volume, 12.0 * s * s * s, 1e-5 * s * s * s);
        assert_near(report.extent[0], 11.0 * s, 1e-5 * s);
        assert_near(report.extent[1], 2.0 * s, 1e-5 * s);
        assert_near(report.extent[2], 3.0 * s, 1e-5 * s);
        cond_mesh_destroy(mesh);
    }
}

static void test_gltf(void** state)
{
    (void)state;
    CondMeshReport report;
    const char* text = make_gltf();
    write_bytes("box.gltf", text, strlen(text));
    CondMesh* mesh = read_mesh("box.gltf", &report);
    double least = INFINITY;
    for (int i = 0; i < mesh->n_node; i++)
        least = fmin(least, mesh->node[3 * i]);
    assert_near(least, 5.0, 1e-6);
    assert_near(report.volume, 12.0, 1e-5);
    assert_int_equal(mesh->n_node, 8);
    cond_mesh_destroy(mesh);
}

static void test_ply(void** state)
{
    (void)state;
    static const char text[] =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty "
        "float y\nproperty float z\nelement face 4\nproperty list uchar int "
        "vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
        "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
    CondMeshReport report;
    write_bytes("tet.ply", text, sizeof text - 1);
    CondMesh* mesh = read_mesh("tet.ply", &report);
    assert_near(report.volume, 1.0 / 6.0, 1e-6);
    assert_int_equal(report.n_open, 0);
    cond_mesh_destroy(mesh);
}

static void expect_colour(const char* path, int n, const double colour[3])
{
    CondColouredMesh mesh;
    CondError error = {.message = ""};
    if (cond_coloured_mesh_read(NULL, path, &mesh, &error))
        fail_msg("%s", error.message);
    assert_int_equal(mesh.n_triangle, n);
    for (int k = 0; k < 3; k++)
        assert_near((double)mesh.colour[k], colour[k], 1e-6);
    assert_near((double)mesh.colour[3], 1.0, 0.0);
    cond_coloured_mesh_release(&mesh);
}

static void test_colours(void** state)
{
    (void)state;
    char* text = make_dae("1", "Z_UP");
    write_bytes("red.dae", text, strlen(text));
    expect_colour("red.dae", 24, (double[]){0.8, 0.1, 0.2});
    text = make_gltf();
    write_bytes("blue.gltf", text, strlen(text));
    expect_colour("blue.gltf", 12, (double[]){0.1, 0.2, 0.9});
}

// Three faces of three materials, the last of which is in no file, then one of the second again.
static void test_obj_colours(void** state)
{
    (void)state;
    static const char obj[] = "mtllib no.mtl\nmtllib the colours.mtl # here\nv 0 0 0\nv 1 0 0\n"
                              "v 0 1 0\nv 1 1 0\nf 1 2 3\nusemtl light green\nf 1 2 3 4\n"
                              "usemtl none\nf 1 2 3\nusemtl dark\nf 2 4 3\n";
    static const char mtl[] =
        "# Kd 9 9 9\nKd 1 1 1\nnewmtl light green\r\n\tKd 0.1 0.7 0.3\r\n"
        "Ns 10\nd 0.5\n\nnewmtl dark\nKd spectral x.rfl\nTr 0.25\nKd 2 -1 0.5\n"
        "d 0";
    static const float expected[5][4] = {{-1, -1, -1, 1},
                                         {0.1f, 0.7f, 0.3f, 0.5f},
                                         {0.1f, 0.7f, 0.3f, 0.5f},
                                         {-1, -1, -1, 1},
                                         {1, 0, 0.5f, 0.75f}};
    CondColouredMesh mesh;
    CondError error = {.message = ""};
    write_bytes("c.obj", obj, sizeof obj - 1);
    write_bytes("the colours.mtl", mtl, sizeof mtl - 1);
    if (cond_coloured_mesh_read(NULL, "c.obj", &mesh, &error))
        fail_msg("%s", error.message);
    assert_int_equal(mesh.n_triangle, 5);
    assert_int_equal(mesh.n_node, 4);
    for (int t = 0; t < 5; t++)
        for (int k = 0; k < 4; k++)
            assert_true(mesh.colour[4 * t + k] == expected[t][k]);
    cond_coloured_mesh_release(&mesh);
    // A surface of another format has none.
    static const char stl[] =
        "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
    write_bytes("c.stl", stl, sizeof stl - 1);
    assert_int_equal(cond_coloured_mesh_read(NULL, "c.stl", &mesh, &error), COND_OK);
    assert_int_equal(mesh.n_triangle, 1);
    assert_true(mesh.colour[0] == -1.0f);
    cond_coloured_mesh_release(&mesh);
}

// What is read by assimp alone is refused by name, and how to have it is said.
static void test_without_assimp(void** state)
{
    (void)state;
    static const char* const files[][2] = {{"a.dae", "COLLADA"},
                                           {"a.glb", "glTF"},
                                           {"a.gltf", "glTF"},
                                           {"a.ply", "PLY"},
                                           {"a.3DS", "3ds"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        CondMesh* mesh;
        CondColouredMesh coloured;
        CondError error = {.message = ""};
        write_bytes(files[k][0], "x", 1);
        assert_int_equal(cond_mesh_read(NULL, files[k][0], &mesh, NULL, &error),
                         COND_NOT_SUPPORTED);
        assert_null(mesh);
        assert_non_null(strstr(error.message, files[k][0]));
        assert_non_null(strstr(error.message, files[k][1]));
        assert_non_null(strstr(error.message, "-DCOND_ASSIMP=ON"));
        assert_int_equal(cond_coloured_mesh_read(NULL, files[k][0], &coloured, &error),
                         COND_NOT_SUPPORTED);
        cond_coloured_mesh_release(&coloured);
        remove(files[k][0]);
        assert_int_equal(cond_mesh_read(NULL, files[k][0], &mesh, NULL, &error), COND_NO_FILE);
    }
}

static void refuse(const char* path, const char* text, size_t length)
{
    CondMesh* mesh;
    CondError error = {.message = ""};
    write_bytes(path, text, length);
    assert_int_not_equal(cond_mesh_read(NULL, path, &mesh, NULL, &error), COND_OK);
    assert_null(mesh);
    assert_int_equal(strncmp(error.message, path, strlen(path)), 0);
}

static void test_refuses(void** state)
{
    (void)state;
    CondMesh* mesh;
    CondError error;
    refuse("bad.dae", "<COLLADA", 8);
    refuse("bad.glb", "glTF\2\0\0\0\377\377\377\377", 12);
    refuse("bad.gltf", "{\"asset\":{\"version\":\"2.0\"}}", 27);
    refuse("empty.ply", "", 0);
    assert_int_equal(cond_mesh_read(NULL, "none.dae", &mesh, NULL, &error), COND_NO_FILE);
    // Cut short anywhere: refused, or what is left of it.
    char* text = make_dae("1", "Z_UP");
    for (size_t length = 0, all = strlen(text); length < all; length += 97) {
        write_bytes("cut.dae", text, length);
        if (cond_mesh_read(NULL, "cut.dae", &mesh, NULL, &error) == COND_OK)
            cond_mesh_destroy(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest with[] = {
        cmocka_unit_test(test_collada), cmocka_unit_test(test_gltf),
        cmocka_unit_test(test_ply),     cmocka_unit_test(test_colours),
        cmocka_unit_test(test_refuses), cmocka_unit_test(test_obj_colours),
    };
    const struct CMUnitTest without[] = {
        cmocka_unit_test(test_without_assimp),
        cmocka_unit_test(test_obj_colours),
    };
    return cond_mesh_import_available() ? cmocka_run_group_tests(with, NULL, NULL)
                                        : cmocka_run_group_tests(without, NULL, NULL);
}
