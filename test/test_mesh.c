// Meshes made by rule, their surface, their quality and what is said about bad ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cond/mesh.h"
#include "failing_allocator.h"

#define PI 3.141592653589793

static void expect_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
}

// What every generated mesh must be: sound, closed, outward, of one piece without holes. The
// surface's own volume must be that of the tetrahedra, which also says that it points outward.
static CondMeshReport expect_solid(const CondMesh* mesh)
{
    CondMeshReport report, around;
    CondMesh* boundary;
    CondError error = {0};
    assert_int_equal(cond_mesh_check_solid(NULL, mesh, &error), COND_OK);
    assert_int_equal(cond_mesh_check(NULL, mesh, &report, &error), COND_OK);
    assert_int_equal(report.n_inverted + report.n_degenerate + report.n_loose, 0);
    assert_int_equal(report.n_duplicate + report.n_nonmanifold + report.n_open, 0);
    assert_int_equal(cond_mesh_boundary(NULL, mesh, &boundary, &error), COND_OK);
    assert_int_equal(cond_mesh_check(NULL, boundary, &around, &error), COND_OK);
    expect_near(around.volume, report.volume, 1e-12 * report.volume);
    // Euler: V - E + F = 2 for a sphere, and every edge has two triangles: 2 E = 3 F.
    assert_int_equal(boundary->n_triangle % 2, 0);
    assert_int_equal(boundary->n_node - 3 * (boundary->n_triangle / 2) + boundary->n_triangle, 2);
    cond_mesh_destroy(boundary);
    return report;
}

static void test_box(void** state)
{
    (void)state;
    const double size[3] = {0.4, 0.3, 0.2};
    for (int pattern = 0; pattern < 2; pattern++) {
        for (int i = 1; i <= 3; i++) {
            const int n[3] = {i, 4 - i, 2};
            CondMesh* mesh;
            assert_int_equal(cond_mesh_box(NULL, n, size, (CondMeshPattern)pattern, &mesh, NULL),
                             COND_OK);
            CondMeshReport report = expect_solid(mesh);
            assert_int_equal(mesh->n_node, (n[0] + 1) * (n[1] + 1) * (n[2] + 1));
            assert_int_equal(mesh->n_tet, (5 + pattern) * n[0] * n[1] * n[2]);
            assert_int_equal(mesh->n_triangle, 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]));
            expect_near(report.volume, 0.024, 1e-15);
            for (int k = 0; k < 3; k++)
                expect_near(report.extent[k], size[k], 1e-15);
            cond_mesh_destroy(mesh);
        }
    }
}

// The angles of the two ways to cut a cube are known.
static void test_quality(void** state)
{
    (void)state;
    const int one[3] = {2, 2, 2};
    const double size[3] = {1.0, 1.0, 1.0};
    const double smallest[2] = {acos(1.0 / sqrt(3.0)) * 180.0 / PI, 45.0};
    for (int pattern = 0; pattern < 2; pattern++) {
        CondMesh* mesh;
        assert_int_equal(cond_mesh_box(NULL, one, size, (CondMeshPattern)pattern, &mesh, NULL),
                         COND_OK);
        CondMeshReport report = expect_solid(mesh);
        expect_near(report.min_dihedral, smallest[pattern], 1e-9);
        expect_near(report.max_edge_ratio, pattern == 0 ? sqrt(2.0) : sqrt(3.0), 1e-12);
        cond_mesh_destroy(mesh);
    }
    // A regular tetrahedron: angle acos(1/3), radius ratio 1.
    double node[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    int tet[4] = {0, 1, 2, 3};
    CondMesh regular = {.n_node = 4, .node = node, .n_tet = 1, .tet = tet};
    CondMeshReport report;
    assert_int_equal(cond_mesh_check(NULL, &regular, &report, NULL), COND_OK);
    expect_near(report.min_dihedral, acos(1.0 / 3.0) * 180.0 / PI, 1e-9);
    expect_near(report.mean_dihedral, report.min_dihedral, 1e-9);
    expect_near(report.min_radius_ratio, 1.0, 1e-12);
    expect_near(fabs(report.volume), 8.0 / 3.0, 1e-12);
}

// The sizes of the paper's mat (1477 nodes, 4100 tetrahedra) and ball (1463, 6928), to 3 %.
static void test_paper_sizes(void** state)
{
    (void)state;
    const double size[3] = {0.3, 0.3, 0.01};
    const int mats[2][2] = {{27, 27}, {35, 21}};
    CondMesh* mesh;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cond_mesh_mat(NULL, mats[i][0], mats[i][1], 2, size, &mesh, NULL),
                         COND_OK);
        expect_solid(mesh);
        expect_near(mesh->n_node, 1477, 0.03 * 1477);
        expect_near(mesh->n_tet, 4100, 0.03 * 4100);
        cond_mesh_destroy(mesh);
    }
    assert_int_equal(cond_mesh_ball(NULL, 0.05, 7, 2, &mesh, NULL), COND_OK);
    CondMeshReport report = expect_solid(mesh);
    expect_near(mesh->n_node, 1463, 0.03 * 1463);
    expect_near(mesh->n_tet, 6928, 0.03 * 6928);
    assert_true(report.min_dihedral > 40.0 && report.min_radius_ratio > 0.5);
    cond_mesh_destroy(mesh);
}

static void test_ball(void** state)
{
    (void)state;
    const double R = 0.2, full = 4.0 / 3.0 * PI * R * R * R;
    double gap = 1.0;
    for (int n = 1; n <= 8; n++) {
        CondMesh* mesh;
        assert_int_equal(cond_mesh_ball(NULL, R, n, 0, &mesh, NULL), COND_OK);
        CondMeshReport report = expect_solid(mesh);
        assert_int_equal(mesh->n_tet, 20 * n * n * n);
        assert_int_equal(mesh->n_triangle, 20 * n * n);
        assert_true(report.min_dihedral > 35.0);
        for (int i = 0; i < mesh->n_triangle * 3; i++) {
            const double* p = mesh->node + 3 * mesh->triangle[i];
            expect_near(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), R, 1e-15);
        }
        // The volume grows towards that of the ball.
        double now = 1.0 - report.volume / full;
        assert_true(now > 0.0 && now < gap);
        gap = now;
        cond_mesh_destroy(mesh);
    }
    assert_true(gap < 0.01);
    for (int extra = 0; extra <= 10; extra += 5) { // all ten octahedra of a sector at the end
        CondMesh* mesh;
        assert_int_equal(cond_mesh_ball(NULL, R, 4, extra, &mesh, NULL), COND_OK);
        expect_solid(mesh);
        assert_int_equal(mesh->n_node, 309 + 20 * extra);
        assert_int_equal(mesh->n_tet, 1280 + 80 * extra);
        cond_mesh_destroy(mesh);
    }
}

static void test_cylinder(void** state)
{
    (void)state;
    for (int n = 1; n <= 4; n++) {
        CondMesh* mesh;
        assert_int_equal(cond_mesh_cylinder(NULL, 0.1, 0.3, n, 2 * n + 1, &mesh, NULL), COND_OK);
        CondMeshReport report = expect_solid(mesh);
        assert_int_equal(mesh->n_node, (1 + 3 * n * (n + 1)) * (2 * n + 2));
        assert_int_equal(mesh->n_tet, 18 * n * n * (2 * n + 1));
        // The base is a regular polygon of 6 n corners.
        double base = 3.0 * n * 0.01 * sin(2.0 * PI / (6.0 * n));
        expect_near(report.volume, 0.3 * base, 1e-12);
        assert_true(report.min_dihedral > 10.0);
        cond_mesh_destroy(mesh);
    }
}

static void test_bad_arguments(void** state)
{
    (void)state;
    const int none[3] = {1, 0, 1}, many[3] = {2000, 2000, 2000}, one[3] = {1, 1, 1};
    const double size[3] = {1, 1, 1}, flat[3] = {1, 0, 1}, wrong[3] = {1, NAN, 1};
    CondError error = {0};
    CondMesh* mesh = NULL;
    assert_int_equal(cond_mesh_box(NULL, none, size, COND_MESH_FIVE, &mesh, &error),
                     COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "1 x 0 x 1"));
    assert_int_equal(cond_mesh_box(NULL, many, size, COND_MESH_SIX, &mesh, NULL),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_box(NULL, one, flat, COND_MESH_SIX, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_box(NULL, one, wrong, COND_MESH_SIX, &mesh, NULL),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_mat(NULL, 5, 5, 1, size, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_ball(NULL, 0.0, 3, 0, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_ball(NULL, 1.0, 0, 0, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_ball(NULL, 1.0, 1000000, 0, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_ball(NULL, 1.0, 4, 11, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_cylinder(NULL, 1.0, 1.0, 0, 1, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_cylinder(NULL, 1.0, INFINITY, 1, 1, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_create(NULL, -1, 0, 0, &mesh, NULL), COND_BAD_ARGUMENT);
    assert_null(mesh);
}

static void test_transform(void** state)
{
    (void)state;
    const int n[3] = {1, 1, 1};
    const double size[3] = {2.0, 4.0, 6.0}, quarter[4] = {2.0, 0.0, 0.0, 2.0}; // about z
    const double shift[3] = {10.0, 0.0, 0.5}, zero[4] = {0.0, 0.0, 0.0, 0.0};
    CondMesh* mesh;
    assert_int_equal(cond_mesh_box(NULL, n, size, COND_MESH_FIVE, &mesh, NULL), COND_OK);
    assert_int_equal(cond_mesh_transform(mesh, 0.5, quarter, shift, NULL), COND_OK);
    // The first node, (-1, -2, -3), goes to (1, -0.5, -1.5) + shift.
    expect_near(mesh->node[0], 11.0, 1e-15);
    expect_near(mesh->node[1], -0.5, 1e-15);
    expect_near(mesh->node[2], -1.0, 1e-15);
    expect_near(expect_solid(mesh).volume, 6.0, 1e-12);
    assert_int_equal(cond_mesh_transform(mesh, 0.0, NULL, NULL, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_transform(mesh, -1.0, NULL, NULL, NULL), COND_BAD_ARGUMENT);
    assert_int_equal(cond_mesh_transform(mesh, 1.0, zero, NULL, NULL), COND_BAD_ARGUMENT);
    cond_mesh_destroy(mesh);
}

// Every fault is counted, and the first is named.
static void test_faults(void** state)
{
    (void)state;
    double node[7 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9, 1, 1, 0, 0, 0, 1};
    int tet[3 * 4] = {0, 1, 2, 3, 0, 1, 2, 5, 0, 2, 1, 6}; // fine, flat, inverted
    CondMesh mesh = {.n_node = 7, .node = node, .n_tet = 3, .tet = tet};
    CondMeshReport report;
    CondError error = {0};
    assert_int_equal(cond_mesh_check(NULL, &mesh, &report, &error), COND_OK);
    assert_int_equal(report.n_degenerate, 1);
    assert_int_equal(report.first_degenerate, 1);
    assert_int_equal(report.n_inverted, 1);
    assert_int_equal(report.n_loose, 1);
    assert_int_equal(report.first_loose, 4);
    assert_int_equal(report.n_duplicate, 1);
    assert_int_equal(report.n_nonmanifold, 1); // the face 0, 1, 2 belongs to all three
    assert_int_equal(report.worst, 1);
    assert_true(report.min_dihedral == 0.0);
    assert_int_equal(cond_mesh_check_solid(NULL, &mesh, &error), COND_BAD_INPUT);
    assert_non_null(strstr(error.message, "no volume; the first is number 1"));
    mesh.n_tet = 1;
    assert_int_equal(cond_mesh_check_solid(NULL, &mesh, &error), COND_BAD_INPUT);
    assert_non_null(strstr(error.message, "the first is number 4"));
    tet[2] = 7;
    assert_int_equal(cond_mesh_check(NULL, &mesh, &report, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "tetrahedron 0 names node 7"));
    tet[2] = 2;
    node[4] = NAN;
    assert_int_equal(cond_mesh_check(NULL, &mesh, &report, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "node 1 "));
    mesh.n_tet = 0;
    node[4] = 0.0;
    assert_int_equal(cond_mesh_check_solid(NULL, &mesh, &error), COND_BAD_INPUT);
}

static void test_warnings(void** state)
{
    (void)state;
    const double size[3] = {1.0, 1.0, 1.0};
    const int n[3] = {1, 1, 1};
    const double factor[3] = {1.0, 21.0, 9e-5};
    const char* const text[3] = {"", "more than 20 m", "less than 0.1 mm"};
    for (int i = 0; i < 3; i++) {
        CondMesh *mesh, *boundary;
        CondMeshReport report;
        assert_int_equal(cond_mesh_box(NULL, n, size, COND_MESH_FIVE, &mesh, NULL), COND_OK);
        assert_int_equal(cond_mesh_transform(mesh, factor[i], NULL, NULL, NULL), COND_OK);
        report = expect_solid(mesh);
        assert_non_null(strstr(report.warning, text[i]));
        assert_true((*report.warning == 0) == (i == 0));
        assert_int_equal(cond_mesh_boundary(NULL, mesh, &boundary, NULL), COND_OK);
        for (int k = 0; k < boundary->n_triangle; k++) { // all triangles the other way round
            int kept = boundary->triangle[3 * k];
            boundary->triangle[3 * k] = boundary->triangle[3 * k + 1];
            boundary->triangle[3 * k + 1] = kept;
        }
        assert_int_equal(cond_mesh_check(NULL, boundary, &report, NULL), COND_OK);
        assert_non_null(strstr(report.warning, i == 0 ? "inward" : text[i]));
        boundary->n_triangle--;
        assert_int_equal(cond_mesh_check(NULL, boundary, &report, NULL), COND_OK);
        assert_int_equal(report.n_open, 3);
        cond_mesh_destroy(boundary);
        cond_mesh_destroy(mesh);
    }
}

static void test_compact(void** state)
{
    (void)state;
    CondMesh* mesh;
    assert_int_equal(cond_mesh_create(NULL, 6, 1, 0, &mesh, NULL), COND_OK);
    for (int i = 0; i < 18; i++)
        mesh->node[i] = i % 3 == i / 3 - 2 ? 1.0 : 0.0;
    const int tet[4] = {0, 2, 3, 4};
    memcpy(mesh->tet, tet, sizeof tet);
    assert_int_equal(cond_mesh_surface(mesh, NULL), COND_OK);
    assert_int_equal(mesh->n_triangle, 4);
    assert_int_equal(cond_mesh_compact(mesh, NULL), COND_OK);
    assert_int_equal(mesh->n_node, 4);
    const int expected[4] = {0, 1, 2, 3};
    assert_memory_equal(mesh->tet, expected, sizeof expected);
    expect_near(expect_solid(mesh).volume, 1.0 / 6.0, 1e-15);
    cond_mesh_destroy(mesh);
}

// One of everything with the given context.
static CondStatus make_all(const CondContext* context, CondError* error)
{
    const int n[3] = {2, 1, 1};
    const double size[3] = {1.0, 1.0, 1.0};
    CondMesh *mesh[3] = {NULL, NULL, NULL}, *boundary = NULL;
    CondMeshReport report;
    CondStatus status = cond_mesh_box(context, n, size, COND_MESH_FIVE, &mesh[0], error);
    if (status == COND_OK)
        status = cond_mesh_ball(context, 1.0, 2, 1, &mesh[1], error);
    if (status == COND_OK)
        status = cond_mesh_cylinder(context, 1.0, 1.0, 2, 2, &mesh[2], error);
    if (status == COND_OK)
        status = cond_mesh_check_solid(context, mesh[0], error);
    if (status == COND_OK)
        status = cond_mesh_boundary(context, mesh[0], &boundary, error);
    if (status == COND_OK)
        status = cond_mesh_compact(mesh[0], error);
    if (status == COND_OK)
        status = cond_mesh_check(context, boundary, &report, error);
    for (int i = 0; i < 3; i++)
        cond_mesh_destroy(mesh[i]);
    cond_mesh_destroy(boundary);
    return status;
}

static void test_out_of_memory(void** state)
{
    (void)state;
    FailingAllocator allocator = {0};
    CondContext context = failing_allocator_context(&allocator);
    CondError error = {0};
    assert_int_equal(make_all(&context, &error), COND_OK);
    long calls = allocator.calls;
    assert_true(calls > 30);
    for (long i = 1; i <= calls; i++) {
        allocator = (FailingAllocator){.fail_at = i};
        assert_int_equal(make_all(&context, &error), COND_OUT_OF_MEMORY);
        assert_int_equal(error.status, COND_OUT_OF_MEMORY);
        assert_int_equal(allocator.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),           cmocka_unit_test(test_quality),
        cmocka_unit_test(test_paper_sizes),   cmocka_unit_test(test_ball),
        cmocka_unit_test(test_cylinder),      cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_transform),     cmocka_unit_test(test_faults),
        cmocka_unit_test(test_warnings),      cmocka_unit_test(test_compact),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
