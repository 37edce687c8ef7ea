// Rigid shapes: distances against a search over the surface by membership alone, normals against
// finite differences, bounds and plane points against the support of the shape.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include "geometry/convex.h"
#include "geometry/core.h"
#include "geometry/shape.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORMS = 6 };

// A cube with edges 0.6, 0.8, 1.0 and an octahedron-like crystal with one blunt tip.
static const double CUBE[24] = {-0.3, -0.4, -0.5, 0.3, -0.4, -0.5, -0.3, 0.4, -0.5, 0.3, 0.4, -0.5,
                                -0.3, -0.4, 0.5,  0.3, -0.4, 0.5,  -0.3, 0.4, 0.5,  0.3, 0.4, 0.5};
static const int CUBE_FACE[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const double CRYSTAL[21] = {0.5, 0.0, 0.0,  0.0, 0.6, 0.0, -0.4, 0.0, 0.1, 0.0, -0.5,
                                   0.0, 0.0, 0.05, 0.7, 0.0, 0.0, -0.3, 9.0, 9.0, 9.0};
static const int CRYSTAL_FACE[24] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4,
                                     1, 0, 5, 2, 1, 5, 3, 2, 5, 0, 3, 5};

static CondConvex* make_convex(int n_vertex, const double* vertex, int n_face, const int* face)
{
    CondConvex* convex;
    CondError error = {0};
    assert_int_equal(cond_convex_create(NULL, n_vertex, vertex, n_face, face, &convex, &error),
                     COND_OK);
    return convex;
}

static CondShape make_shape(CondShapeForm form, const CondConvex* convex)
{
    CondShape shape = {
        .form = form, .radius = 0.4, .half = {0.3, 0.4, 0.5}, .mesh_surface = convex};
    assert_int_equal(cond_shape_check(&shape, NULL), COND_OK);
    return shape;
}

static void random_vector(Dice* dice, double size, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = dice_uniform(dice, -size, size);
}

static void random_pose(Dice* dice, double pose[7])
{
    for (int i = 0; i < 7; i++)
        pose[i] = dice_uniform(dice, -1.0, 1.0);
    quat_normalize(pose + 3);
}

static void to_shape(const double pose[7], const double point[3], double x[3])
{
    double R[9], d[3];
    quat_matrix(pose + 3, R);
    for (int i = 0; i < 3; i++)
        d[i] = point[i] - pose[i];
    mat3_multiply_transposed(R, d, x);
}

// Membership straight from the definition of the form, in shape axes.
static int is_member(const CondShape* shape, const double x[3])
{
    double rho2 = x[0] * x[0] + x[1] * x[1];
    double z = fmax(fabs(x[2]) - shape->half[2], 0.0);
    switch (shape->form) {
    case COND_FORM_PLANE:
        return x[2] <= 0.0;
    case COND_FORM_SPHERE:
        return vec3_dot(x, x) <= shape->radius * shape->radius;
    case COND_FORM_CAPSULE:
        return rho2 + z * z <= shape->radius * shape->radius;
    case COND_FORM_BOX:
        return fabs(x[0]) <= shape->half[0] && fabs(x[1]) <= shape->half[1] && z == 0.0;
    case COND_FORM_CYLINDER:
        return rho2 <= shape->radius * shape->radius && z == 0.0;
    default:
        break;
    }
    for (int f = 0; f < shape->mesh_surface->n_face; f++)
        if (vec3_dot(shape->mesh_surface->plane + 4 * f, x) > shape->mesh_surface->plane[4 * f + 3])
            return 0;
    return 1;
}

// The surface point in direction u from the origin, which lies inside: by bisection.
static double surface_distance(const CondShape* shape, const double u[3], const double x[3])
{
    double inside = 0.0, outside = 4.0, length = vec3_norm(u), sum = 0.0, s[3];
    for (int pass = 0; pass < 40; pass++) {
        double middle = 0.5 * (inside + outside);
        for (int i = 0; i < 3; i++)
            s[i] = middle * u[i] / length;
        if (is_member(shape, s))
            inside = middle;
        else
            outside = middle;
    }
    for (int i = 0; i < 3; i++)
        sum += (inside * u[i] / length - x[i]) * (inside * u[i] / length - x[i]);
    return sqrt(sum);
}

// Distance to the surface by a random search that narrows.
static double searched_distance(Dice* dice, const CondShape* shape, const double x[3])
{
    double best[3] = {1.0, 0.0, 0.0}, nearest = surface_distance(shape, best, x), u[3];
    for (int k = 0; k < 1500; k++) {
        double width = k < 400 ? 3.0 : pow(0.5, (double)(k - 400) / 60.0);
        random_vector(dice, width, u);
        for (int i = 0; i < 3; i++)
            u[i] += best[i] / vec3_norm(best);
        double found = surface_distance(shape, u, x);
        if (found < nearest) {
            nearest = found;
            memcpy(best, u, sizeof best);
        }
    }
    return nearest;
}

static void test_distance_by_search(void** state)
{
    (void)state;
    Dice dice = {3};
    CondConvex* convex = make_convex(7, CRYSTAL, 8, CRYSTAL_FACE);
    assert_int_equal(convex->n_vertex, 6); // the seventh is not used by any face
    for (int form = COND_FORM_SPHERE; form < FORMS; form++) {
        CondShape shape = make_shape((CondShapeForm)form, convex);
        for (int trial = 0; trial < 60; trial++) {
            double pose[7], point[3], x[3];
            CondProbe probe;
            random_pose(&dice, pose);
            random_vector(&dice, trial % 2 ? 0.5 : 1.0, point);
            for (int i = 0; i < 3; i++)
                point[i] += pose[i];
            cond_shape_probe(&shape, pose, point, &probe);
            to_shape(pose, point, x);
            // The search finds points of the surface, so it can only come out too far.
            double searched = searched_distance(&dice, &shape, x), distance = fabs(probe.gap);
            assert_int_equal(probe.gap < 0.0, is_member(&shape, x));
            assert_true(distance < searched + 1e-9);
            assert_true(distance > searched - 2e-3);
        }
    }
    cond_mesh_surface_destroy(convex);
}

// The normal is the gradient of the gap, of length 1, and the surface point has no gap; with and
// without margin, at the surface, near edges and far away.
static void test_normal_is_gradient(void** state)
{
    (void)state;
    Dice dice = {5};
    const double h = 1e-6;
    CondConvex* convex = make_convex(7, CRYSTAL, 8, CRYSTAL_FACE);
    for (int form = 0; form < FORMS; form++) {
        CondShape shape = make_shape((CondShapeForm)form, convex);
        int checked = 0;
        for (int trial = 0; trial < 400; trial++) {
            double pose[7], point[3];
            CondProbe probe, ahead, behind, again;
            shape.margin = trial % 3 == 0 ? 0.05 : 0.0;
            random_pose(&dice, pose);
            random_vector(&dice, trial % 2 ? 0.6 : 2.0, point);
            for (int i = 0; i < 3; i++)
                point[i] += pose[i];
            cond_shape_probe(&shape, pose, point, &probe);
            assert_near(vec3_norm(probe.normal), 1.0, 1e-12);
            cond_shape_probe(&shape, pose, probe.point, &again);
            assert_near(again.gap, 0.0, 1e-12);
            for (int i = 0; i < 3; i++) {
                assert_near(probe.point[i] + probe.gap * probe.normal[i], point[i], 1e-12);
                double p[3] = {point[0], point[1], point[2]};
                p[i] += h;
                cond_shape_probe(&shape, pose, p, &ahead);
                p[i] -= 2.0 * h;
                cond_shape_probe(&shape, pose, p, &behind);
                if (vec3_dot(ahead.normal, behind.normal) < 0.999)
                    continue; // across the middle, where the gap has a kink
                assert_near((ahead.gap - behind.gap) / (2.0 * h), probe.normal[i], 1e-4);
                checked++;
            }
        }
        assert_true(checked > 1150);
    }
    cond_mesh_surface_destroy(convex);
}

// A mesh of a cube is the box.
static void test_convex_equals_box(void** state)
{
    (void)state;
    Dice dice = {7};
    CondConvex* convex = make_convex(8, CUBE, 12, CUBE_FACE);
    CondShape mesh = make_shape(COND_FORM_CONVEX, convex), box = make_shape(COND_FORM_BOX, NULL);
    for (int trial = 0; trial < 500; trial++) {
        double pose[7], point[3], bound_a[6], bound_b[6];
        CondProbe a, b;
        mesh.margin = box.margin = trial % 2 ? 0.1 : 0.0;
        random_pose(&dice, pose);
        random_vector(&dice, 1.5, point);
        cond_shape_probe(&mesh, pose, point, &a);
        cond_shape_probe(&box, pose, point, &b);
        assert_near(a.gap, b.gap, 1e-12);
        cond_shape_bound(&mesh, pose, bound_a);
        cond_shape_bound(&box, pose, bound_b);
        for (int i = 0; i < 6; i++)
            assert_near(bound_a[i], bound_b[i], 1e-12);
        for (int i = 0; i < 3; i++)
            assert_near(a.normal[i], b.normal[i], 1e-9);
    }
    cond_mesh_surface_destroy(convex);
}

static void probe_at(const CondShape* shape, double x, double y, double z, const double* last,
                     CondProbe* probe)
{
    const double pose[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}, point[3] = {x, y, z};
    cond_shape_probe_again(shape, pose, point, last, probe);
}

static void assert_normal(const CondProbe* probe, double x, double y, double z)
{
    assert_near(probe->normal[0], x, 1e-9);
    assert_near(probe->normal[1], y, 1e-9);
    assert_near(probe->normal[2], z, 1e-9);
}

static void test_corners_and_rims(void** state)
{
    (void)state;
    CondShape box = make_shape(COND_FORM_BOX, NULL), rod = make_shape(COND_FORM_CYLINDER, NULL);
    CondProbe probe;
    probe_at(&box, 0.3 + 0.1, 0.4 + 0.2, 0.5 + 0.2, NULL, &probe); // off a corner by (1, 2, 2)/10
    assert_near(probe.gap, 0.3, 1e-12);
    assert_normal(&probe, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0);
    probe_at(&box, -0.3 - 0.3, 0.0, -0.5 - 0.4, NULL, &probe); // off an edge
    assert_near(probe.gap, 0.5, 1e-12);
    assert_normal(&probe, -0.6, 0.0, -0.8);
    probe_at(&box, 0.3, 0.4, 0.5, NULL, &probe); // on a corner: some face of it
    assert_near(probe.gap, 0.0, 1e-15);
    assert_normal(&probe, 1.0, 0.0, 0.0);
    probe_at(&rod, 0.0, 0.4 + 0.3, 0.5 + 0.4, NULL, &probe); // off the rim
    assert_near(probe.gap, 0.5, 1e-12);
    assert_normal(&probe, 0.0, 0.6, 0.8);
    probe_at(&rod, 0.35, 0.0, 0.0, NULL, &probe);
    assert_near(probe.gap, -0.05, 1e-12);
    assert_normal(&probe, 1.0, 0.0, 0.0);
    probe_at(&rod, 0.1, 0.0, -0.45, NULL, &probe);
    assert_near(probe.gap, -0.05, 1e-12);
    assert_normal(&probe, 0.0, 0.0, -1.0);
    box.margin = 0.1; // corners become round
    probe_at(&box, 0.3 + 0.1, 0.4 + 0.2, 0.5 + 0.2, NULL, &probe);
    assert_near(probe.gap, 0.2, 1e-12);
}

// Centre and axes: the first choice, the same each time; the last normal where one is given.
static void test_ties(void** state)
{
    (void)state;
    const double down[3] = {0.0, 0.0, -1.0}, left[3] = {0.0, -1.0, 0.0};
    CondShape ball = make_shape(COND_FORM_SPHERE, NULL), pill = make_shape(COND_FORM_CAPSULE, NULL);
    CondShape rod = make_shape(COND_FORM_CYLINDER, NULL), box = make_shape(COND_FORM_BOX, NULL);
    CondProbe probe;
    probe_at(&ball, 0.0, 0.0, 0.0, NULL, &probe);
    assert_normal(&probe, 0.0, 0.0, 1.0);
    probe_at(&ball, 0.0, 0.0, 0.0, left, &probe);
    assert_normal(&probe, 0.0, -1.0, 0.0);
    probe_at(&pill, 0.0, 0.0, 0.2, NULL, &probe);
    assert_normal(&probe, 1.0, 0.0, 0.0);
    probe_at(&pill, 0.0, 0.0, 0.2, left, &probe);
    assert_normal(&probe, 0.0, -1.0, 0.0);
    assert_near(probe.gap, -0.4, 1e-12);
    probe_at(&rod, 0.0, 0.0, 0.0, left, &probe);
    assert_normal(&probe, 0.0, -1.0, 0.0);
    probe_at(&box, 0.0, 0.0, 0.0, NULL, &probe);
    assert_normal(&probe, 1.0, 0.0, 0.0);
    // A cube has all six faces equally far from its centre.
    box.half[0] = box.half[1] = box.half[2] = 0.5;
    probe_at(&box, 0.0, 0.0, 0.0, down, &probe);
    assert_normal(&probe, 0.0, 0.0, -1.0);
    // A point that trembles across the middle keeps its normal; one that leaves it gives it up.
    double last[3] = {-1.0, 0.0, 0.0};
    for (int k = 0; k < 20; k++) {
        probe_at(&box, k % 2 ? 0.02 : -0.02, 0.0, 0.0, last, &probe);
        assert_normal(&probe, -1.0, 0.0, 0.0);
        assert_near(probe.gap, k % 2 ? -0.52 : -0.48, 1e-12);
    }
    probe_at(&box, 0.1, 0.0, 0.0, last, &probe);
    assert_normal(&probe, 1.0, 0.0, 0.0);
    // Near a face nothing is kept that is not as near.
    probe_at(&box, 0.499, 0.45, 0.0, left, &probe);
    assert_normal(&probe, 1.0, 0.0, 0.0);
}

// The support point of a core lies on the shape, as far along an axis as the bounding box says.
static void test_supports_and_bounds(void** state)
{
    (void)state;
    Dice dice = {11};
    CondConvex* convex = make_convex(7, CRYSTAL, 8, CRYSTAL_FACE);
    for (int form = COND_FORM_SPHERE; form < FORMS; form++) {
        CondShape shape = make_shape((CondShapeForm)form, convex);
        if (form != COND_FORM_CONVEX)
            shape.mesh_surface = NULL;
        for (int trial = 0; trial < 200; trial++) {
            const double origin[3] = {0.1, -0.2, 0.3};
            double pose[7], d[3] = {0.0, 0.0, 0.0}, box[6], x[3];
            CondCore core;
            CondProbe probe;
            shape.margin = trial % 2 ? 0.1 : 0.0;
            random_pose(&dice, pose);
            int axis = trial % 3, up = trial % 4 < 2;
            d[axis] = up ? 1.0 : -1.0;
            cond_shape_bound(&shape, pose, box);
            cond_core_make(&shape, pose, origin, &core);
            cond_core_support(&core, d, trial % 5 == 0, x);
            for (int i = 0; i < 3; i++)
                x[i] += origin[i] + core.round * d[i];
            cond_shape_probe(&shape, pose, x, &probe);
            assert_near(probe.gap, 0.0, 1e-12);
            assert_near(x[axis], up ? box[3 + axis] : box[axis], 1e-12);
        }
    }
    cond_mesh_surface_destroy(convex);
}

static void test_plane(void** state)
{
    (void)state;
    CondShape plane = make_shape(COND_FORM_PLANE, NULL);
    double pose[7] = {0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0}, box[6], point[3] = {4.0, 5.0, 2.5};
    CondProbe probe;
    plane.margin = 0.1;
    cond_shape_probe(&plane, pose, point, &probe);
    assert_near(probe.gap, 0.4, 1e-15);
    assert_normal(&probe, 0.0, 0.0, 1.0);
    cond_shape_bound(&plane, pose, box);
    assert_near(box[5], 2.1, 1e-15);
    assert_true(isinf(box[0]) && isinf(box[2]) && isinf(box[3]));
    make_turn(1.0, 0.0, 0.0, 1.0, pose + 3);
    cond_shape_bound(&plane, pose, box);
    assert_true(box[5] == INFINITY && box[2] == -INFINITY);
}

static void assert_refused(const CondShape* shape, const char* word)
{
    CondError error = {0};
    assert_int_equal(cond_shape_check(shape, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, word));
}

static void test_bad_shapes(void** state)
{
    (void)state;
    CondShape shape = make_shape(COND_FORM_SPHERE, NULL);
    shape.radius = 0.0;
    assert_refused(&shape, "radius");
    shape = make_shape(COND_FORM_CAPSULE, NULL);
    shape.half[2] = NAN;
    assert_refused(&shape, "half[2]");
    shape = make_shape(COND_FORM_BOX, NULL);
    shape.half[1] = -1.0;
    assert_refused(&shape, "half[1]");
    shape.margin = -0.1;
    assert_refused(&shape, "margin");
    shape = make_shape(COND_FORM_CYLINDER, NULL);
    shape.radius = -1.0;
    assert_refused(&shape, "radius");
    shape.radius = 1.0;
    shape.form = COND_FORM_CONVEX;
    assert_refused(&shape, "mesh");
    shape.form = (CondShapeForm)77;
    assert_refused(&shape, "form");
}

static void assert_mesh_refused(int n_vertex, const double* vertex, int n_face, const int* face,
                                const char* word)
{
    CondError error = {0};
    CondConvex* convex;
    assert_int_equal(cond_convex_create(NULL, n_vertex, vertex, n_face, face, &convex, &error),
                     COND_BAD_ARGUMENT);
    assert_null(convex);
    assert_non_null(strstr(error.message, word));
}

static void test_bad_meshes(void** state)
{
    (void)state;
    double vertex[24];
    int face[36];
    memcpy(vertex, CUBE, sizeof vertex);
    memcpy(face, CUBE_FACE, sizeof face);
    assert_mesh_refused(8, vertex, 11, face, "closed");
    assert_mesh_refused(3, vertex, 12, face, "4 vertices");
    face[4] = 8;
    assert_mesh_refused(8, vertex, 12, face, "names vertex 8");
    memcpy(face, CUBE_FACE, sizeof face);
    face[0] = 2; // one triangle turned round
    face[1] = 0;
    assert_mesh_refused(8, vertex, 12, face, "oriented");
    memcpy(face, CUBE_FACE, sizeof face);
    vertex[0] = 0.2; // a corner pushed in
    vertex[1] = vertex[2] = 0.2;
    assert_mesh_refused(8, vertex, 12, face, "not convex");
    vertex[0] = NAN;
    assert_mesh_refused(8, vertex, 12, face, "finite");
    for (int i = 0; i < 24; i++)
        vertex[i] = i % 3 == 2 ? 0.0 : CUBE[i]; // pressed flat
    assert_mesh_refused(8, vertex, 12, face, "area");
    // Turned inside out, the mesh is still understood.
    for (int f = 0; f < 12; f++) {
        face[3 * f] = CUBE_FACE[3 * f + 1];
        face[3 * f + 1] = CUBE_FACE[3 * f];
    }
    CondConvex* convex = make_convex(8, CUBE, 12, face);
    CondShape shape = make_shape(COND_FORM_CONVEX, convex);
    CondProbe probe;
    probe_at(&shape, 0.0, 0.0, 0.45, NULL, &probe);
    assert_near(probe.gap, -0.05, 1e-12);
    assert_normal(&probe, 0.0, 0.0, 1.0);
    cond_mesh_surface_destroy(convex);
}

static void test_allocations(void** state)
{
    (void)state;
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        CondConvex* convex;
        CondStatus status = cond_convex_create(&context, 8, CUBE, 12, CUBE_FACE, &convex, NULL);
        cond_mesh_surface_destroy(convex);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK) {
            assert_true(fail_at > 5);
            break;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_by_search),
        cmocka_unit_test(test_normal_is_gradient),
        cmocka_unit_test(test_convex_equals_box),
        cmocka_unit_test(test_corners_and_rims),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_supports_and_bounds),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_bad_shapes),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
