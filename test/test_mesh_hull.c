// Convex hulls: closed, convex, around all nodes, with the volume that they should have; and robots
// whose collision meshes are open.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "cond/mesh.h"
#include "cond/sim.h"
#include "geometry/convex.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The hull of the nodes as a solid; the volume of it.
static double hull_volume(CondMesh* mesh, CondConvex** out)
{
    CondMesh* hull;
    CondError error = {0};
    if (cond_mesh_hull(mesh, &hull, &error))
        fail_msg("%s", error.message);
    if (cond_convex_create(NULL, hull->n_node, hull->node, hull->n_triangle, hull->triangle, out,
                           &error))
        fail_msg("%s", error.message);
    cond_mesh_destroy(hull);
    double volume, centre[3], inertia[6];
    cond_mesh_surface_inertia(*out, &volume, centre, inertia);
    return volume;
}

static CondMesh* make_points(int n)
{
    CondMesh* mesh;
    assert_int_equal(cond_mesh_create(NULL, n, 0, 0, &mesh, NULL), COND_OK);
    return mesh;
}

static void test_random_points(void** state)
{
    (void)state;
    Dice dice = {3};
    for (int trial = 0; trial < 40; trial++) {
        int n = 4 + 5 * trial;
        CondMesh* mesh = make_points(n);
        for (int k = 0; k < 3 * n; k++)
            mesh->node[k] = dice_uniform(&dice, -1.0, 1.0) + 10.0 * (k % 3);
        CondConvex* convex;
        assert_true(hull_volume(mesh, &convex) > 0.0);
        for (int i = 0; i < n; i++)
            for (int f = 0; f < convex->n_face; f++) {
                const double *plane = convex->plane + 4 * (size_t)f,
                             *x = mesh->node + 3 * (size_t)i;
                double height = plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2];
                assert_true(height < plane[3] + 1e-9);
            }
        cond_mesh_surface_destroy(convex);
        cond_mesh_destroy(mesh);
    }
}

// Nodes all over the faces and edges of a box, and within it: many lie on lines and in planes.
static void test_box_of_nodes(void** state)
{
    (void)state;
    enum { N = 5 };
    CondMesh* mesh = make_points(N * N * N);
    for (int k = 0; k < N * N * N; k++) {
        mesh->node[3 * k] = 0.1 * (k % N);
        mesh->node[3 * k + 1] = 0.2 * (k / N % N);
        mesh->node[3 * k + 2] = 0.3 * (k / (N * N));
    }
    CondConvex* convex;
    assert_near(hull_volume(mesh, &convex), 0.4 * 0.8 * 1.2, 1e-9);
    cond_mesh_surface_destroy(convex);
    cond_mesh_destroy(mesh);
}

static void test_flat_nodes(void** state)
{
    (void)state;
    CondMesh *mesh = make_points(9), *hull;
    CondError error = {0};
    for (int k = 0; k < 9; k++) {
        mesh->node[3 * k] = k % 3;
        mesh->node[3 * k + 1] = k / 3;
    }
    assert_int_equal(cond_mesh_hull(mesh, &hull, &error), COND_BAD_ARGUMENT);
    assert_null(hull);
    assert_non_null(strstr(error.message, "no convex hull"));
    cond_mesh_destroy(mesh);
}

static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// A robot with a tent of two triangles less than a closed one falls on the ground and lies there.
static void test_open_robot_mesh(void** state)
{
    (void)state;
    write_text("open.obj", "v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0.1 0.1 0\nv -0.1 0.1 0\nv 0 0 0.2\n"
                           "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n");
    write_text("open.urdf",
               "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='0.01' "
               "iyy='0.01' izz='0.01'/></inertial><collision><geometry><mesh filename='open.obj'/>"
               "</geometry></collision></link></robot>");
    write_text("open.yaml", "planes: [{name: ground}]\nbodies:\n"
                            "  - {name: tent, kind: robot, urdf: open.urdf, floating: true, "
                            "position: [0, 0, 0.01]}\n");
    CondScene* scene;
    CondModel* model;
    CondState* now;
    CondSim* sim;
    CondStepInfo info;
    CondError error = {0};
    if (cond_scene_read(NULL, "open.yaml", 0, NULL, &scene, &error) ||
        cond_scene_compile(scene, &model, &error) || cond_state_create(model, &now, &error) ||
        cond_sim_create(model, &sim, &error))
        fail_msg("%s", error.message);
    assert_non_null(cond_model_warning(model, 0));
    assert_non_null(strstr(cond_model_warning(model, 0), "open.obj"));
    assert_non_null(strstr(cond_model_warning(model, 0), "taken as convex"));
    for (int k = 0; k < 100; k++)
        assert_int_equal(cond_sim_step(sim, now, &info), COND_OK);
    assert_true(info.n_contact >= 3);
    cond_sim_destroy(sim);
    cond_state_destroy(now);
    cond_model_destroy(model);
    cond_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_points),
        cmocka_unit_test(test_box_of_nodes),
        cmocka_unit_test(test_flat_nodes),
        cmocka_unit_test(test_open_robot_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
