// Closed triangle meshes as solids: distance and sign against brute force, volume and inertia
// against formulas, and rigid bodies in scenes that are shaped by them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "kinds_make.h"

#include "cond/mesh.h"
#include "cond/record.h"
#include "geometry/convex.h"
#include "geometry/triangle.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// An L of unit thickness: the square [0, 2]^2 without (1, 2]^2, from z = 0 to 1. Its notch has a
// reflex edge, and two triangles share each rectangle.
static const double ELL[36] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0, 1, 2, 0, 0, 2, 0,
                               0, 0, 1, 2, 0, 1, 2, 1, 1, 1, 1, 1, 1, 2, 1, 0, 2, 1};
static const int ELL_FACE[60] = {0, 3,  2, 0, 2,  1,  0, 5,  4,  0, 4, 3, 6, 8, 9,
                                 6, 7,  8, 6, 10, 11, 6, 9,  10, 0, 1, 7, 0, 7, 6,
                                 1, 2,  8, 1, 8,  7,  2, 3,  9,  2, 9, 8, 3, 4, 10,
                                 3, 10, 9, 4, 5,  11, 4, 11, 10, 5, 0, 6, 5, 6, 11};

static CondMeshSurface* make_ell(void)
{
    CondMeshSurface* mesh_surface;
    CondError error;
    CondStatus status =
        cond_mesh_surface_create(NULL, 12, ELL, 20, ELL_FACE, &mesh_surface, &error);
    if (status)
        fail_msg("%s", error.message);
    return mesh_surface;
}

static int in_ell(const double x[3])
{
    return x[2] > 0.0 && x[2] < 1.0 && x[0] > 0.0 && x[1] > 0.0 &&
           ((x[0] < 2.0 && x[1] < 1.0) || (x[0] < 1.0 && x[1] < 2.0));
}

static double brute_distance(const CondMeshSurface* mesh_surface, const double x[3])
{
    double least = INFINITY, weight[3], point[3];
    for (int f = 0; f < mesh_surface->n_face; f++) {
        const int* corner = mesh_surface->face + 3 * f;
        least = fmin(least, triangle_nearest(x, mesh_surface->vertex + 3 * corner[0],
                                             mesh_surface->vertex + 3 * corner[1],
                                             mesh_surface->vertex + 3 * corner[2], weight, point));
    }
    return sqrt(least);
}

static void test_distance(void** state)
{
    (void)state;
    CondMeshSurface* mesh_surface = make_ell();
    CondShape shape = {.form = COND_FORM_MESH, .mesh_surface = mesh_surface};
    const double pose[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    Dice dice = {5};
    assert_int_equal(cond_shape_check(&shape, NULL), COND_OK);
    assert_int_equal(mesh_surface->poly.n_corner, 12);
    assert_int_equal(mesh_surface->poly.n_face, 8);
    assert_false(mesh_surface->poly.convex);
    for (int k = 0; k < 5000; k++) {
        double x[3];
        for (int i = 0; i < 3; i++) // many just beside edges and vertices
            x[i] = k % 2 ? dice_uniform(&dice, -1.0, 3.0)
                         : floor(dice_uniform(&dice, 0.0, 3.0)) + dice_uniform(&dice, -0.1, 0.1);
        CondProbe probe;
        cond_shape_probe(&shape, pose, x, &probe);
        double expected = brute_distance(mesh_surface, x) * (in_ell(x) ? -1.0 : 1.0);
        assert_near(probe.gap, expected, 1e-12);
        assert_near(vec3_norm(probe.normal), 1.0, 1e-12);
        assert_near(brute_distance(mesh_surface, probe.point), 0.0, 1e-12);
        // The normal is the gradient of the gap, away from where that jumps.
        double h = 1e-6, gradient[3], turn = 0.0;
        for (int i = 0; i < 3; i++) {
            CondProbe up, down;
            double y[3] = {x[0], x[1], x[2]};
            y[i] += h;
            cond_shape_probe(&shape, pose, y, &up);
            y[i] -= 2.0 * h;
            cond_shape_probe(&shape, pose, y, &down);
            gradient[i] = (up.gap - down.gap) / (2.0 * h);
            turn = fmax(turn, fabs(up.normal[i] - down.normal[i]));
        }
        for (int i = 0; i < 3 && turn < 1e-3; i++)
            assert_near(gradient[i], probe.normal[i], 1e-4);
    }
    cond_mesh_surface_destroy(mesh_surface);
}

// On the surface itself the normal is that of the face, on edges and vertices between the faces'.
static void test_normal_on_the_surface(void** state)
{
    (void)state;
    CondMeshSurface* mesh_surface = make_ell();
    CondMeshSurfacePoint at;
    const double face[3] = {0.5, 0.5, 1.0}, edge[3] = {0.5, 0.0, 1.0}, reflex[3] = {1.0, 1.0, 0.5};
    cond_mesh_surface_nearest(mesh_surface, face, &at);
    assert_near(at.normal[2], 1.0, 1e-12);
    cond_mesh_surface_nearest(mesh_surface, edge, &at);
    assert_near(at.normal[1], -sqrt(0.5), 1e-12);
    assert_near(at.normal[2], sqrt(0.5), 1e-12);
    cond_mesh_surface_nearest(mesh_surface, reflex, &at);
    assert_near(at.normal[0], sqrt(0.5), 1e-12);
    assert_near(at.normal[1], sqrt(0.5), 1e-12);
    cond_mesh_surface_destroy(mesh_surface);
}

static CondMeshSurface* mesh_surface_of(const char* recipe)
{
    CondMesh* mesh;
    CondMeshSurface* mesh_surface;
    assert_int_equal(cond_mesh_make(NULL, recipe, &mesh, NULL), COND_OK);
    assert_int_equal(cond_mesh_surface_create(NULL, mesh->n_node, mesh->node, mesh->n_triangle,
                                              mesh->triangle, &mesh_surface, NULL),
                     COND_OK);
    cond_mesh_destroy(mesh);
    return mesh_surface;
}

static void test_inertia(void** state)
{
    (void)state;
    double volume, c[3], I[6];
    const double shift[3] = {3.0, -2.0, 5.0};
    CondMeshSurface* mesh_surface = mesh_surface_of("box:2,3,1:0.2,0.3,0.5");
    assert_int_equal(cond_mesh_surface_shift(mesh_surface, shift), COND_OK);
    cond_mesh_surface_inertia(mesh_surface, &volume, c, I);
    assert_near(volume, 0.03, 1e-14);
    for (int i = 0; i < 3; i++)
        assert_near(c[i], shift[i], 1e-12);
    assert_near(I[0], 0.03 * (0.09 + 0.25) / 12.0, 1e-14);
    assert_near(I[1], 0.03 * (0.04 + 0.25) / 12.0, 1e-14);
    assert_near(I[2], 0.03 * (0.04 + 0.09) / 12.0, 1e-14);
    for (int k = 3; k < 6; k++)
        assert_near(I[k], 0.0, 1e-13);
    cond_mesh_surface_destroy(mesh_surface);
    // The corner tetrahedron 0, a, b, c: V = abc/6, centre (a, b, c)/4, and about the centre
    // integral x x = V 3 a^2/80, integral x y = -V a b/80.
    const double corner[12] = {0, 0, 0, 0.3, 0, 0, 0, 0.4, 0, 0, 0, 0.5};
    const int face[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2}; // all inward
    assert_int_equal(cond_mesh_surface_create(NULL, 4, corner, 4, face, &mesh_surface, NULL),
                     COND_OK);
    cond_mesh_surface_inertia(mesh_surface, &volume, c, I);
    double V = 0.3 * 0.4 * 0.5 / 6.0;
    assert_near(volume, V, 1e-15);
    for (int i = 0; i < 3; i++)
        assert_near(c[i], corner[3 * (i + 1) + i] / 4.0, 1e-14);
    assert_near(I[0], V * 3.0 / 80.0 * (0.16 + 0.25), 1e-15);
    assert_near(I[2], V * 3.0 / 80.0 * (0.09 + 0.16), 1e-15);
    assert_near(I[3], V * 0.3 * 0.4 / 80.0, 1e-15);
    assert_near(I[5], V * 0.4 * 0.5 / 80.0, 1e-15);
    // Turned outward, the surface looks away from the inside.
    const double inside[3] = {0.05, 0.05, 0.05};
    CondMeshSurfacePoint at;
    cond_mesh_surface_nearest(mesh_surface, inside, &at);
    assert_near(at.gap, -0.05, 1e-12);
    cond_mesh_surface_destroy(mesh_surface);
    // A ball: the error of the polyhedron falls with the square of its edges.
    double error[2];
    for (int k = 0; k < 2; k++) {
        mesh_surface = mesh_surface_of(k ? "ball:0.5:12,0" : "ball:0.5:6,0");
        cond_mesh_surface_inertia(mesh_surface, &volume, c, I);
        error[k] = fabs(I[0] / (0.4 * volume * 0.25) - 1.0);
        assert_near(I[1], I[0], 1e-3 * I[0]);
        cond_mesh_surface_destroy(mesh_surface);
    }
    assert_true(error[1] < 0.02 && error[1] < 0.3 * error[0]);
}

static void assert_refused(int n_face, const int* face, const char* part)
{
    CondMeshSurface* mesh_surface;
    CondError error;
    assert_int_equal(cond_mesh_surface_create(NULL, 12, ELL, n_face, face, &mesh_surface, &error),
                     COND_BAD_ARGUMENT);
    assert_null(mesh_surface);
    if (!strstr(error.message, part))
        fail_msg("'%s' does not say '%s'", error.message, part);
}

static void test_refusals(void** state)
{
    (void)state;
    int face[60];
    assert_refused(19, ELL_FACE, "not closed");
    memcpy(face, ELL_FACE, sizeof face);
    face[0] = 3;
    face[1] = 0; // one triangle the other way round
    assert_refused(20, face, "not closed and oriented");
    face[0] = 99;
    assert_refused(20, face, "names vertex 99");
    CondConvex* convex;
    CondError error;
    assert_int_equal(cond_convex_create(NULL, 12, ELL, 20, ELL_FACE, &convex, &error),
                     COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "not convex"));
}

static void test_allocations(void** state)
{
    (void)state;
    CondStatus status = COND_OUT_OF_MEMORY;
    for (long fail_at = 1; status; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        CondMeshSurface* mesh_surface;
        status = cond_mesh_surface_create(&context, 12, ELL, 20, ELL_FACE, &mesh_surface, NULL);
        cond_mesh_surface_destroy(mesh_surface);
        assert_int_equal(allocator.live, 0);
        assert_true(status == COND_OK || status == COND_OUT_OF_MEMORY);
        assert_true(status || fail_at > 8);
    }
}

// ---- scenes

static void write_ell(const char* path, int n_face)
{
    CondMesh* mesh;
    CondError error;
    assert_int_equal(cond_mesh_create(NULL, 12, 0, n_face, &mesh, NULL), COND_OK);
    memcpy(mesh->node, ELL, sizeof ELL);
    memcpy(mesh->triangle, ELL_FACE, 3 * (size_t)n_face * sizeof(int));
    if (cond_mesh_write(NULL, path, mesh, NULL, &error))
        fail_msg("%s", error.message);
    cond_mesh_destroy(mesh);
}

static CondBodyDef mesh_body(CondShapeKind shape, const char* mesh, double z)
{
    CondBodyDef def = make_box(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, z);
    def.shape = shape;
    def.density = 500.0;
    snprintf(def.mesh, sizeof def.mesh, "%s", mesh);
    return def;
}

// An L of wood laid on the floor: its mass and the height of its centre are those of the file's
// scale, and it rests at once. The centre of an L is not that of its box.
static void test_mesh_rests(void** state)
{
    (void)state;
    const char* const files[] = {"test_shell_ell.obj", "test_shell_ell.stl"};
    for (int k = 0; k < 2; k++) {
        write_ell(files[k], 20);
        CondScene* scene = make_scene();
        CondBodyDef ell = mesh_body(COND_SHAPE_MESH, files[k], 0.06);
        ell.mesh_scale = 0.1;
        add_body(scene, &ell);
        add_floor(scene, 0.5, NAN);
        Trial trial = trial_begin(scene);
        remove(files[k]);
        const CondBody* body = &trial.model->body[0];
        assert_near(body->mass, 500.0 * 3e-3, 1e-9);
        // Three cubes of edge 0.1 about (0.5, 0.5), (1.5, 0.5), (0.5, 1.5), centre (5/6, 5/6).
        double m = body->mass / 3.0, h = 0.01 * m / 6.0;
        double across = 0.01 * m * (1.0 / 9.0 + 1.0 / 9.0 + 4.0 / 9.0);
        assert_near(body->inertia[0], 3.0 * h + across, 1e-9);
        assert_near(body->inertia[8], 3.0 * h + 2.0 * across, 1e-9);
        assert_near(body->inertia[1], 0.01 * m * 3.0 / 9.0, 1e-9); // -integral of x y
        trial_step(&trial, 60);
        CondPose pose = trial_pose(&trial, 0);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(pose.position[2], 0.05, 1e-8);
        assert_near(force[2], body->mass * 9.81, 1e-6 * body->mass * 9.81);
        assert_int_equal(trial.info.n_contact, 5); // the corner in the angle carries nothing
        trial_end(&trial);
    }
}

// A ball of triangles as obstacle, and one as a convex body on it, lowered onto its pole.
static void test_mesh_on_mesh(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        CondScene* scene = make_scene();
        CondBodyDef top = mesh_body(which & 1 ? COND_SHAPE_MESH : COND_SHAPE_CONVEX,
                                    "box:1,1,1:0.1,0.1,0.1", 0.1501);
        CondObstacleDef below = make_obstacle(COND_SHAPE_BOX, 0.4, 0.4, 0.2, 0.0, 0.0, 0.0);
        if (which & 2) {
            below = make_obstacle(COND_SHAPE_MESH, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            snprintf(below.mesh, sizeof below.mesh, "box:3,3,2:0.4,0.4,0.2");
        }
        add_body(scene, &top);
        add_obstacle(scene, &below);
        Trial trial = trial_begin(scene);
        trial_step(&trial, 60);
        double force[3], torque[3];
        cond_sim_body_force(trial.sim, 0, force, torque);
        assert_near(trial_pose(&trial, 0).position[2], 0.15, 1e-8);
        assert_near(force[2], 0.5 * 9.81, 1e-6);
        assert_near(trial_speed(&trial), 0.0, 1e-8);
        trial_end(&trial);
    }
}

// Soft nodes on a mesh, and a recording of it.
static void test_soft_on_mesh(void** state)
{
    (void)state;
    CondScene* scene = make_scene();
    CondMaterialDef rubber = make_material("rubber", 1e5, 1e-2);
    add_material(scene, &rubber);
    CondBodyDef slab = make_soft("slab", "box:4,4,2:0.12,0.12,0.04", "rubber", 0.0, 0.0, 0.071);
    CondObstacleDef below = make_obstacle(COND_SHAPE_MESH, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    snprintf(below.mesh, sizeof below.mesh, "box:1,1,1:0.2,0.2,0.1");
    add_body(scene, &slab);
    add_obstacle(scene, &below);
    Trial trial = trial_begin(scene);
    double force[3], torque[3], m = trial_mass(&trial, 0);
    trial_step(&trial, 100);
    cond_sim_body_force(trial.sim, 0, force, torque);
    assert_near(force[2], m * 9.81, 1e-6 * m * 9.81);
    trial_end(&trial);
}

static void refuse_scene(const CondBodyDef* def, const char* part)
{
    CondScene* scene = make_scene();
    CondModel* model = NULL;
    CondError error = {COND_OK, ""};
    CondStatus status = cond_scene_add_body(scene, def, &error);
    if (!status)
        status = cond_scene_compile(scene, &model, &error);
    cond_scene_destroy(scene);
    assert_true(status < 0);
    assert_null(model);
    if (!strstr(error.message, part))
        fail_msg("'%s' does not say '%s'", error.message, part);
}

static void test_scene_refusals(void** state)
{
    (void)state;
    write_ell("test_shell_open.obj", 19);
    CondBodyDef def = mesh_body(COND_SHAPE_MESH, "test_shell_open.obj", 0.0);
    refuse_scene(&def, "test_shell_open.obj: the mesh is not closed");
    remove("test_shell_open.obj");
    refuse_scene(&def, "body body0: shape:"); // now the file is gone
    write_ell("test_shell_open.obj", 20);
    def.shape = COND_SHAPE_CONVEX;
    refuse_scene(&def, "not convex");
    remove("test_shell_open.obj");
    def.mesh[0] = 0;
    refuse_scene(&def, "needs the file");
    def = mesh_body(COND_SHAPE_MESH, "box:1,1,1:1,1,1", 0.0);
    def.mass = 1.0;
    refuse_scene(&def, "density: the mass is given");
    def = make_box(0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0);
    refuse_scene(&def, "mass: is required");
}

// Every allocation of compiling a scene with meshes fails once.
static void test_scene_allocations(void** state)
{
    (void)state;
    CondStatus status = COND_OUT_OF_MEMORY;
    for (long fail_at = 1; status; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        CondScene* scene;
        CondModel* model = NULL;
        CondBodyDef body = mesh_body(COND_SHAPE_CONVEX, "box:1,1,1:1,1,1", 0.0);
        CondObstacleDef below = make_obstacle(COND_SHAPE_MESH, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        snprintf(below.mesh, sizeof below.mesh, "box:1,1,1:0.2,0.2,0.1");
        status = cond_scene_create(&context, &scene, NULL);
        if (status)
            continue;
        status = cond_scene_add_body(scene, &body, NULL);
        if (!status)
            status = cond_scene_add_obstacle(scene, &below, NULL);
        if (!status)
            status = cond_scene_compile(scene, &model, NULL);
        cond_model_destroy(model);
        cond_scene_destroy(scene);
        assert_int_equal(allocator.live, 0);
        assert_true(status == COND_OK || status == COND_OUT_OF_MEMORY);
    }
}

// Density in place of mass, for shapes that are not meshes.
static void test_density(void** state)
{
    (void)state;
    const double pi = acos(-1.0);
    const CondShapeKind shapes[] = {COND_SHAPE_BOX, COND_SHAPE_SPHERE, COND_SHAPE_CAPSULE,
                                    COND_SHAPE_CYLINDER};
    const double volume[] = {0.1 * 0.2 * 0.3, 4.0 / 3.0 * pi * 1e-3,
                             pi * 0.01 * 0.2 + 4.0 / 3.0 * pi * 1e-3, pi * 0.01 * 0.2};
    for (int k = 0; k < 4; k++) {
        CondScene* scene = make_scene();
        CondBodyDef def = make_box(0.0, 0.1, 0.2, 0.3, 0.0, 0.0, 0.0);
        def.shape = shapes[k];
        def.density = 700.0;
        add_body(scene, &def);
        Trial trial = trial_begin(scene);
        assert_near(trial.model->body[0].mass, 700.0 * volume[k], 1e-12);
        trial_end(&trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),       cmocka_unit_test(test_normal_on_the_surface),
        cmocka_unit_test(test_inertia),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_allocations),    cmocka_unit_test(test_mesh_rests),
        cmocka_unit_test(test_mesh_on_mesh),   cmocka_unit_test(test_soft_on_mesh),
        cmocka_unit_test(test_scene_refusals), cmocka_unit_test(test_scene_allocations),
        cmocka_unit_test(test_density),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
