// Triangles of shapes: closed, outward, and of the right size.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "failing_allocator.h"
#include "math/vec3.h"
#include "record/tessellate.h"
#include "scene_make.h"

// Volume inside the triangles, after a look that every edge has its opposite.
static double closed_volume(const CondTessellation* t)
{
    double volume = 0.0;
    for (int i = 0; i < 3 * t->n_triangle; i++) {
        int a = t->triangle[i], b = t->triangle[i % 3 == 2 ? i - 2 : i + 1], opposite = 0;
        assert_in_range(a, 0, t->n_point - 1);
        for (int k = 0; k < 3 * t->n_triangle; k++)
            opposite += t->triangle[k] == b && t->triangle[k % 3 == 2 ? k - 2 : k + 1] == a;
        assert_int_equal(opposite, 1);
    }
    for (int i = 0; i < t->n_triangle; i++) {
        const int* c = t->triangle + 3 * i;
        double n[3];
        vec3_cross(t->point + 3 * c[0], t->point + 3 * c[1], n);
        volume += vec3_dot(n, t->point + 3 * c[2]) / 6.0;
    }
    return volume;
}

static void test_shapes(void** state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    FailingAllocator allocator = {0};
    CondTessellation t = {.arena.context = failing_allocator_context(&allocator)};
    CondShape shape = {.form = COND_FORM_SPHERE, .radius = 0.5};
    // A polygon of 24 corners fills 0.9886 of its circle.
    assert_int_equal(cond_tessellate_shape(&shape, &t), COND_OK);
    assert_near(closed_volume(&t) / (4.0 / 3.0 * pi * 0.125), 0.98, 0.01);
    for (int k = 0; k < t.n_point; k++)
        assert_near(vec3_norm(t.point + 3 * k), 0.5, 1e-15);
    shape = (CondShape){.form = COND_FORM_CAPSULE, .radius = 0.25, .half = {0, 0, 1.0}};
    assert_int_equal(cond_tessellate_shape(&shape, &t), COND_OK);
    assert_near(closed_volume(&t) / (pi * 0.0625 * (2.0 + 1.0 / 3.0)), 0.988, 0.002);
    shape =
        (CondShape){.form = COND_FORM_CYLINDER, .radius = 0.2, .half = {0, 0, 0.9}, .margin = 0.1};
    assert_int_equal(cond_tessellate_shape(&shape, &t), COND_OK);
    assert_near(closed_volume(&t) / (pi * 0.09 * 2.0), 12.0 * sin(pi / 12.0) / pi, 1e-12);
    shape = (CondShape){.form = COND_FORM_BOX, .half = {0.5, 1.0, 1.5}};
    assert_int_equal(cond_tessellate_shape(&shape, &t), COND_OK);
    assert_near(closed_volume(&t), 6.0, 1e-14);
    assert_int_equal(t.n_triangle, 12);
    cond_tessellation_destroy(&t);
    assert_int_equal(allocator.live, 0);
}

static void test_hull(void** state)
{
    (void)state;
    // The corners of a cube, points inside it, on an edge, on a face, and one corner twice.
    double point[13 * 3] = {0};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            point[3 * i + k] = i >> k & 1 ? 1.0 : -1.0;
    point[3 * 9] = point[3 * 9 + 1] = 1.0;
    point[3 * 10] = 1.0;
    point[3 * 11 + 2] = 0.5;
    memcpy(point + 3 * 12, point, 3 * sizeof *point);
    FailingAllocator allocator = {0};
    CondTessellation t = {.arena.context = failing_allocator_context(&allocator)};
    assert_int_equal(cond_tessellate_hull(12, point, &t), COND_OK);
    assert_int_equal(t.n_triangle, 12);
    assert_near(closed_volume(&t), 8.0, 1e-12);
    assert_int_equal(cond_tessellate_hull(13, point, &t), COND_OK);
    assert_int_equal(t.n_triangle, 12);
    assert_int_equal(cond_tessellate_hull(4, point, &t), COND_OK); // a square has two sides
    assert_int_equal(t.n_triangle, 4);
    assert_int_equal(cond_tessellate_hull(2, point, &t), COND_OK);
    assert_int_equal(t.n_triangle, 0);
    assert_int_equal(cond_tessellate_hull(0, NULL, &t), COND_OK);
    assert_int_equal(t.n_triangle, 0);
    // Points on a sphere: all are corners, so Euler says 2 n - 4 triangles.
    enum { N = 60 };
    double ball[3 * N];
    Dice dice = {7};
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            ball[3 * i + k] = dice_uniform(&dice, -1.0, 1.0);
        double norm = vec3_norm(ball + 3 * i);
        for (int k = 0; k < 3; k++)
            ball[3 * i + k] /= norm;
    }
    assert_int_equal(cond_tessellate_hull(N, ball, &t), COND_OK);
    assert_int_equal(t.n_triangle, 2 * N - 4);
    assert_true(closed_volume(&t) > 3.0 && closed_volume(&t) < 4.19);
    cond_tessellation_destroy(&t);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_hull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
