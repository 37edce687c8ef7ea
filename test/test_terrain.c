// Ground as an obstacle: heightfields and open surfaces, closed below, and what lies on them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "cond/audit.h"
#include "geometry/mesh_surface.h"
#include "mesh_file/heights_read.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_bytes(const char* path, const void* data, size_t n)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, n, file), n);
    fclose(file);
}

static void write_text(const char* path, const char* text)
{
    write_bytes(path, text, strlen(text));
}

static double audited_depth(const Trial* trial)
{
    CondAudit* audit;
    CondError error;
    double depth = 0.0;
    assert_int_equal(cond_audit_create(trial->model, &audit, &error), COND_OK);
    assert_int_equal(cond_audit_run(audit, trial->state, 0.0), COND_OK);
    if (cond_audit_deepest(audit) >= 0)
        depth = cond_audit_pair(audit, cond_audit_deepest(audit)).depth;
    cond_audit_destroy(audit);
    return depth;
}

// A heightfield of 21 x 21 points that is flat is a plane: what slides or rolls over its seams does
// so as it does on a plane.
static void test_flat_is_a_plane(void** state)
{
    (void)state;
    static const char* const ground[2] = {
        "planes: [{name: ground, friction: %g}]\n",
        "obstacles: [{name: ground, friction: %g, shape: {heightfield: 'flat:21,21', extent: [4, "
        "4]}}]\n"};
    static const char bodies[] =
        "bodies:\n"
        "  - {name: ball, mass: 1, shape: {sphere: 0.1}, position: [-1, 0.01, 0.1], velocity: [2, "
        "0.1, 0]}\n"
        "  - {name: box, mass: 1, shape: {box: [0.3, 0.2, 0.2]}, position: [-1, 1, 0.1], velocity: "
        "[2, 0.1, 0], rotation: {axis: [0, 0, 1], degrees: 20}}\n"
        "  - {name: rod, mass: 1, shape: {capsule: [0.05, 0.3]}, position: [-1, -1, 0.05], "
        "velocity: [2, 0.1, 0], rotation: {axis: [1, 0, 0], degrees: 90}}\n"
        "  - {name: can, mass: 1, shape: {cylinder: [0.1, 0.1]}, position: [-1, 0.5, 0.05], "
        "velocity: [2, 0.1, 0]}\n";
    for (int rough = 0; rough < 2; rough++) {
        CondPose end[2][4];
        for (int field = 0; field < 2; field++) {
            char text[2048];
            int n = snprintf(text, sizeof text, field ? ground[1] : ground[0], rough ? 0.3 : 0.0);
            snprintf(text + n, sizeof text - (size_t)n, "%s", bodies);
            Trial trial = trial_text(
                "step: {time_step: 0.01}\nsolver: {threads: 1, tolerance: 1.e-11}\n", text);
            trial_step(&trial, 80);
            assert_true(audited_depth(&trial) < 1e-9);
            for (int b = 0; b < 4; b++)
                end[field][b] = trial_pose(&trial, b);
            trial_end(&trial);
        }
        for (int b = 0; b < 4; b++)
            for (int i = 0; i < 3; i++) {
                assert_near(end[1][b].velocity[i], end[0][b].velocity[i], 1e-7);
                assert_near(end[1][b].position[i], end[0][b].position[i], 1e-7);
            }
        for (int b = 0; b < 4 && !rough; b++)
            assert_near(end[1][b].velocity[0], 2.0, 1e-9);
    }
}

// Everything falls on hills and comes to lie on them.
static void test_everything_on_hills(void** state)
{
    (void)state;
    write_text("foot.urdf",
               "<robot name='t'><link name='l'><inertial><mass value='1'/><inertia ixx='0.01' "
               "iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>"
               "<cylinder radius='0.08' length='0.1'/></geometry></collision></link></robot>");
    Trial trial = trial_text(
        "step: {time_step: 0.01}\nsolver: {threads: 1, tolerance: 1.e-6}\n"
        "materials: [{name: m, youngs_modulus: 1.e+5, poisson_ratio: 0.3, density: 1000, "
        "stiffness_damping: 0.01}]\n",
        "obstacles: [{name: hills, friction: 0.8, shape: {heightfield: 'noise:25,25:5,4,2', "
        "extent: "
        "[3, 3], height: 0.4}, position: [0.1, 0, -0.2], rotation: {axis: [1, 2, 0], degrees: "
        "5}}]\n"
        "bodies:\n"
        "  - {name: ball, mass: 1, shape: {sphere: 0.1}, position: [-0.8, 0, 0.5]}\n"
        "  - {name: box, mass: 1, shape: {box: [0.2, 0.2, 0.1]}, position: [-0.4, 0, 0.5]}\n"
        "  - {name: rod, mass: 1, shape: {capsule: [0.05, 0.2]}, position: [0, 0, 0.5], rotation: "
        "{axis: [1, 1, 0], degrees: 80}}\n"
        "  - {name: can, mass: 1, shape: {cylinder: [0.1, 0.1]}, position: [0.4, 0, 0.5]}\n"
        "  - {name: dot, kind: particle, mass: 1, position: [0.8, 0, 0.5]}\n"
        "  - {name: foot, kind: robot, urdf: foot.urdf, floating: true, position: [0, 0.6, 0.5]}\n"
        "  - {name: cable, kind: rod, material: m, rod: {links: 6, length: 0.5, circle: 0.02}, "
        "position: [-0.6, -0.6, 0.4], rotation: {axis: [0, 1, 0], degrees: 90}}\n"
        "  - {name: soft, kind: soft, mesh: 'box:2,2,2:0.2,0.2,0.2', material: m, position: [0.5, "
        "-0.5, 0.6], self_contact: false}\n");
    double deepest = 0.0;
    for (int k = 0; k < 3; k++) {
        trial_step(&trial, 40);
        deepest = fmax(deepest, audited_depth(&trial));
    }
    assert_true(deepest < 1e-5);
    for (int b = 0; b < 7; b++)
        assert_true(trial_pose(&trial, b).position[2] > -0.2);
    trial_end(&trial);
}

// Boxes and points shot at ridges: none is under ground. At 25 m/s, a quarter of a ridge a step,
// they are not in it either; at 90 m/s, through one or two ridges a step, they come out.
static void test_nothing_tunnels(void** state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        Dice dice = {7};
        char text[8192];
        double v = fast ? 90.0 : 25.0;
        int n = snprintf(text, sizeof text,
                         "obstacles: [{name: g, shape: {heightfield: 'waves:25,25:3', extent: [3, "
                         "3], height: 0.5}}]\nbodies:\n");
        for (int i = 0; i < 24; i++) {
            double x = dice_uniform(&dice, -1.0, 1.0), y = dice_uniform(&dice, -1.0, 1.0);
            double u = dice_uniform(&dice, -v, v), w = dice_uniform(&dice, -v, v);
            n += snprintf(
                text + n, sizeof text - (size_t)n,
                "  - {name: b%d, %s, position: [%.6f, %.6f, 1], velocity: [%.6f, %.6f, %g], "
                "touches: [default], groups: shot}\n",
                i, i % 2 ? "mass: 1, shape: {box: [0.1, 0.06, 0.04]}" : "kind: particle, mass: 1",
                x, y, u, w, -0.67 * v);
        }
        Trial trial =
            trial_text("step: {time_step: 0.01}\nsolver: {threads: 1, tolerance: 1.e-6}\n", text);
        trial_try(&trial, 6);
        assert_true(fast || audited_depth(&trial) < 1e-6);
        trial_try(&trial, 6);
        for (int b = 0; b < 24; b++) {
            CondPose pose = trial_pose(&trial, b);
            int beside = fabs(pose.position[0]) > 1.5 || fabs(pose.position[1]) > 1.5;
            assert_true(beside || pose.position[2] > -0.05);
        }
        trial_end(&trial);
    }
}

// The volume of the closed ground: over every triangle of the grid its mean height, down to the
// bottom, and the pyramid below that.
static void test_volume(void** state)
{
    (void)state;
    Trial trial =
        trial_text("", "obstacles: [{shape: {heightfield: [[0, 1, 3], [2, 5, 1]], extent: "
                       "[2, 1], height: 0.1, depth: 0.4}}]\n");
    double volume, centre[3], inertia[6];
    const CondMeshSurface* surface = trial.model->obstacle[0].shape.mesh_surface;
    cond_mesh_surface_inertia(surface, &volume, centre, inertia);
    // triangles below, below + 1, v and v, below + 1, v + 1, each of area 1/2
    double mean = (2 + 5 + 0) + (0 + 5 + 1) + (5 + 1 + 1) + (1 + 1 + 3);
    assert_near(volume, 0.5 * 0.1 * mean / 3.0 + 2.0 * 0.4 + 2.0 * 0.04 / 3.0, 1e-12);
    // As on a map: the first row is that of the largest y.
    for (int v = 0; v < 6; v++) {
        const double* x = surface->vertex + 3 * v;
        assert_near(x[1], v < 3 ? 0.5 : -0.5, 1e-15);
        assert_near(x[0], v % 3 - 1.0, 1e-15);
    }
    trial_end(&trial);
}

// An open surface with an outline that is not convex and a hole, which is a pit of half the depth.
static void test_open_surface(void** state)
{
    (void)state;
    char text[8192];
    int n = 0;
    for (int j = 0; j < 7; j++)
        for (int i = 0; i < 7; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "v %d %d 0\n", i, j);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) {
            int v = 7 * j + i + 1;
            if ((i == 2 && j == 2) || (i >= 4 && j >= 4))
                continue;
            n += snprintf(text + n, sizeof text - (size_t)n, "f %d %d %d\nf %d %d %d\n", v, v + 1,
                          v + 8, v, v + 8, v + 7);
        }
    write_text("open.obj", text);
    Trial trial = trial_text(
        "step: {time_step: 0.01}\nsolver: {threads: 1}\n",
        "obstacles: [{name: g, shape: {terrain: open.obj, depth: 0.3}, scale: 0.1, friction: "
        "0.5}]\n"
        "bodies:\n"
        "  - {name: on, mass: 1, shape: {box: [0.08, 0.08, 0.08]}, position: [0.1, 0.35, 0.05]}\n"
        "  - {name: in, mass: 1, shape: {box: [0.08, 0.08, 0.08]}, position: [0.25, 0.25, "
        "0.05]}\n"
        "  - {name: beside, mass: 1, shape: {box: [0.08, 0.08, 0.08]}, position: [0.55, 0.55, "
        "0.05]}\n");
    trial_step(&trial, 40);
    assert_near(trial_pose(&trial, 0).position[2], 0.04, 1e-6);
    assert_near(trial_pose(&trial, 1).position[2], -0.13, 0.03);
    assert_true(trial_pose(&trial, 2).position[2] < -0.5);
    assert_true(audited_depth(&trial) < 1e-6);
    trial_end(&trial);
}

static void check_heights(const char* path, double unit)
{
    CondContext context = cond_context_or_default(NULL);
    CondHeights heights;
    CondError error = {0};
    if (cond_heights_read(&context, path, &heights, &error))
        fail_msg("%s", error.message);
    assert_int_equal(heights.n_row, 2);
    assert_int_equal(heights.n_column, 3);
    for (int k = 0; k < 6; k++)
        assert_near(heights.height[k], k * unit, 1e-15);
    cond_heights_destroy(&heights);
}

static void test_files(void** state)
{
    (void)state;
    static const unsigned char bytes[] = "P5 3 2 255\n\0\1\2\3\4\5";
    static const unsigned char words[] = "P5\n# wide\n3 2\n1000\n\0\0\0\1\0\2\0\3\0\4\0\5";
    write_text("h.txt", "# heights\n0 1, 2\n\n3\t4 5 # the end\n");
    write_text("h2.pgm", "P2\n# grey\n3 2 10\n0 1 2\n3 4 5\n");
    write_bytes("h5.pgm", bytes, sizeof bytes - 1);
    write_bytes("h16.pgm", words, sizeof words - 1);
    check_heights("h.txt", 1.0);
    check_heights("h2.pgm", 0.1);
    check_heights("h5.pgm", 1.0 / 255.0);
    check_heights("h16.pgm", 1e-3);
    static const char* const wrong[][2] = {
        {"0 1\n2 3 4\n", "w.txt:2: this row has another number of heights than the first"},
        {"0 1\n", "w.txt:2: expected at least two rows of two heights"},
        {"0 a\n1 2\n", "w.txt:1: expected numbers"},
        {"P2 1 5 9\n", "w.txt:1: expected width and height, 2 to 4096, and the value of white"},
        {"P5 2 2 9\n\1", "w.txt:1: the image ends too early"},
        {"P2 2 2 9\n1 2 3 10\n", "expected a grey value between 0 and that of white"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CondContext context = cond_context_or_default(NULL);
        CondHeights heights;
        CondError error = {0};
        write_text("w.txt", wrong[i][0]);
        assert_int_equal(cond_heights_read(&context, "w.txt", &heights, &error), COND_BAD_INPUT);
        if (!strstr(error.message, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], error.message);
    }
}

static void test_refusals(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"heightfield: 'flat:3,3'", "shape.extent: is required: two lengths > 0, along x and y"},
        {"heightfield: 'waves:3,3', extent: [1, 1]",
         "'waves:3,3': expected waves:COLUMNS,ROWS:WAVES, of at least 2 by 2"},
        {"heightfield: 'noise:3,1:1,1,1', extent: [1, 1]", "of at least 2 by 2"},
        {"heightfield: [[1, 2], [3]], extent: [1, 1]", "expected a row of 2 numbers"},
        {"heightfield: [1, 2], extent: [1, 1]", "expected a text or list of rows of numbers"},
        {"heightfield: missing.pgm, extent: [1, 1]", "missing.pgm"},
        {"box: [1, 1, 1], depth: 1", "depth: only a heightfield or a terrain has one"},
        {"terrain: shut.obj", "the surface is closed: its shape is mesh"},
        {"depth: 1", "expected one of box, sphere, capsule, cylinder, convex, mesh, heightfield, "
                     "terrain"},
    };
    write_text("shut.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        CondScene* scene = NULL;
        CondModel* model = NULL;
        CondError error = {0};
        snprintf(text, sizeof text, "obstacles:\n  - {name: g, shape: {%s}}\n", cases[i][0]);
        write_text("t.yaml", text);
        CondStatus status = cond_scene_read(NULL, "t.yaml", 0, NULL, &scene, &error);
        if (!status)
            status = cond_scene_compile(scene, &model, &error);
        assert_true(status < 0);
        if (!strstr(error.message, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], error.message);
        cond_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_is_a_plane), cmocka_unit_test(test_everything_on_hills),
        cmocka_unit_test(test_nothing_tunnels), cmocka_unit_test(test_volume),
        cmocka_unit_test(test_open_surface),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
