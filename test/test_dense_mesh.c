// Meshes of thousands of triangles that are not convex, as links of robots have them: a pair costs
// what of it is near, finds what a search over everything finds, and far inside each other they
// have few contacts that part them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "base/memory.h"
#include "collide/mesh_near.h"
#include "collide/mesh_pair.h"
#include "collide/pair.h"
#include "cond/mesh.h"
#include "geometry/mesh_surface.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 48, ALONG = 48 };
static const double LENGTH = 0.3, RADIUS = 0.05, PI = 3.14159265358979323846;

// A tube about z with two waists.
static CondMesh* make_tube(void)
{
    CondMesh* mesh;
    int n = AROUND * (ALONG + 1) + 2, *t;
    assert_int_equal(cond_mesh_create(NULL, n, 0, 2 * AROUND * (ALONG + 1), &mesh, NULL), COND_OK);
    for (int j = 0; j <= ALONG; j++)
        for (int k = 0; k < AROUND; k++) {
            double* x = mesh->node + 3 * (size_t)(j * AROUND + k);
            double r = RADIUS * (0.75 + 0.25 * cos(4.0 * PI * j / ALONG)),
                   a = 2.0 * PI * k / AROUND;
            x[0] = r * cos(a);
            x[1] = r * sin(a);
            x[2] = LENGTH * ((double)j / ALONG - 0.5);
        }
    mesh->node[3 * (size_t)n - 4] = -0.5 * LENGTH;
    mesh->node[3 * (size_t)n - 1] = 0.5 * LENGTH;
    t = mesh->triangle;
    for (int k = 0; k < AROUND; k++) {
        int next = (k + 1) % AROUND, top = AROUND * ALONG;
        const int caps[6] = {n - 2, next, k, n - 1, top + k, top + next};
        memcpy(t, caps, sizeof caps);
        t += 6;
        for (int j = 0; j < ALONG; j++, t += 6) {
            int a = j * AROUND + k, b = j * AROUND + next;
            const int wall[6] = {a, b, b + AROUND, a, b + AROUND, a + AROUND};
            memcpy(t, wall, sizeof wall);
        }
    }
    return mesh;
}

static CondMeshSurface* make_surface(void)
{
    CondMesh* mesh = make_tube();
    CondMeshSurface* surface;
    CondError error;
    if (cond_mesh_surface_create(NULL, mesh->n_node, mesh->node, mesh->n_triangle, mesh->triangle,
                                 &surface, &error))
        fail_msg("%s", error.message);
    cond_mesh_destroy(mesh);
    return surface;
}

// About the x axis by an angle.
static CondCore place(const CondMeshSurface* surface, double x, double y, double z, double angle)
{
    const CondShape shape = {.form = COND_FORM_MESH, .mesh_surface = surface};
    const double origin[3] = {0.0, 0.0, 0.0};
    const double pose[7] = {x, y, z, cos(0.5 * angle), sin(0.5 * angle), 0.0, 0.0};
    CondCore core;
    cond_core_make(&shape, pose, origin, &core);
    return core;
}

static double gap_at(const CondCore* own, int vertex, const CondCore* other)
{
    CondMeshSurfacePoint nearest;
    double x[3], local[3];
    cond_core_place(own, own->mesh_surface->vertex + 3 * (size_t)vertex, x);
    cond_core_local(other, x, local);
    cond_mesh_surface_nearest(other->mesh_surface, local, &nearest);
    return nearest.gap;
}

static int has(const CondMeshNear* near, int item)
{
    int found = 0;
    for (int k = 0; k < near->n; k++)
        found |= near->item[k] == item;
    return found;
}

// Crossed tubes whose thick ends or waists are near: all corners within reach are found, also those
// just inside, and of the others few.
static void test_near(void** state)
{
    (void)state;
    const double far = 0.002, x[] = {0.0995, 0.1005, 0.1015};
    CondMeshSurface* surface = make_surface();
    CondMeshNear near;
    CondContext context = cond_context_or_default(NULL);
    cond_mesh_near_begin(&context, &near);
    const CondPolyhedron* poly = &surface->poly;
    assert_int_equal(poly->convex, 0);
    for (int k = 0; k < 3; k++) {
        CondCore a = place(surface, 0.0, 0.0, 0.0, 0.0), b = place(surface, x[k], 0.0, 0.0, 1.3);
        assert_int_equal(cond_mesh_near_corners(&a, &b, far, &near), COND_OK);
        for (int c = 0; c < poly->n_corner; c++)
            if (fabs(gap_at(&a, poly->corner[c], &b)) <= far)
                assert_true(has(&near, c));
        assert_true(near.n < poly->n_corner / 10);
        assert_int_equal(cond_mesh_near_edges(&a, &b, far, &near), COND_OK);
        assert_true(near.n < poly->n_edge / 10);
    }
    cond_mesh_near_end(&near);
    cond_mesh_surface_destroy(surface);
}

// Far inside each other the manifold is small, its deepest meeting is the deepest of all corners,
// and the same pose gives the same bits.
static void test_deep(void** state)
{
    (void)state;
    CondMeshSurface* surface = make_surface();
    CondContext context = cond_context_or_default(NULL);
    CondPairWork work;
    cond_pair_work_begin(&context, &work);
    for (int k = 0; k < 4; k++) {
        CondCore a = place(surface, 0.0, 0.0, 0.0, 0.0),
                 b = place(surface, 0.01 * k, 0.02, 0.03 * k, 0.7 * k);
        double deepest = 0.0, found = 0.0;
        assert_int_equal(cond_mesh_meets_mesh(&work, &a, &b, 0.001, 1e-8), COND_OK);
        assert_true(work.manifold.n > 0 && work.manifold.n < 400);
        for (int c = 0; c < surface->n_vertex; c++)
            deepest = fmax(deepest, -fmin(gap_at(&a, c, &b), gap_at(&b, c, &a)));
        for (int i = 0; i < work.manifold.n; i++)
            found = fmax(found, -work.manifold.meeting[i].gap);
        assert_true(deepest > 0.01);
        assert_true(found >= deepest - 1e-9);
    }
    cond_pair_work_end(&work);
    cond_mesh_surface_destroy(surface);
}

// Two tubes that start 3.5 cm in each other come apart, every step certified, and stay apart.
static void test_part(void** state)
{
    (void)state;
    CondMesh* mesh = make_tube();
    CondError error;
    if (cond_mesh_write(NULL, "tube.obj", mesh, NULL, &error))
        fail_msg("%s", error.message);
    cond_mesh_destroy(mesh);
    Trial trial =
        trial_text("gravity: [0, 0, 0]\nsolver: {tolerance: 1e-6}\n",
                   "bodies:\n  - {name: a, density: 500, shape: {mesh: tube.obj}}\n"
                   "  - {name: b, density: 500, shape: {mesh: tube.obj}, position: [0.065, 0, 0], "
                   "rotation: {axis: [1, 0, 0], degrees: 90}}\n");
    remove("tube.obj");
    trial_step(&trial, 1);
    double before = trial.info.penetration;
    assert_true(before > 0.02);
    for (int k = 0; k < 20 && trial.info.penetration > 0.0; k++)
        trial_step(&trial, 1);
    assert_true(trial.info.penetration < 1e-6);
    assert_near(trial_pose(&trial, 1).position[1], 0.0, 0.02);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
