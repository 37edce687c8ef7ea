// Vectors, 3x3 matrices and rotations against their definitions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_make.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

static void random_vector(Dice* dice, double scale, double a[3])
{
    for (int i = 0; i < 3; i++)
        a[i] = dice_uniform(dice, -scale, scale);
}

// exp([w]x) = I + sin(a)/a [w]x + (1 - cos(a))/a^2 [w]x^2 with a = |w|, written without
// cancellation: (1 - cos a)/a^2 = 1/2 (sin(a/2)/(a/2))^2.
static void rodrigues(const double w[3], double R[9])
{
    double a = vec3_norm(w), h = 0.5 * a, S[9], SS[9];
    double first = a > 0.0 ? sin(a) / a : 1.0;
    double second = h > 0.0 ? 0.5 * (sin(h) / h) * (sin(h) / h) : 0.5;
    mat3_cross(w, S);
    mat3_product(S, S, SS);
    for (int i = 0; i < 9; i++)
        R[i] = (i % 4 == 0) + first * S[i] + second * SS[i];
}

static void test_exponential_is_rodrigues(void** state)
{
    (void)state;
    Dice dice = {1};
    // Lengths on both sides of where the series takes over (|w|/2 = 1e-4), and beyond a turn.
    const double lengths[] = {0.0,     1e-300, 1e-30, 1e-9, 1e-5,    1.99e-4, 2.0e-4,
                              2.01e-4, 1e-3,   0.1,   1.0,  3.14159, 6.3,     10.0};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        for (int trial = 0; trial < 20; trial++) {
            double w[3], q[4], R[9], expected[9];
            random_vector(&dice, 1.0, w);
            double norm = vec3_norm(w);
            for (int i = 0; i < 3; i++)
                w[i] *= lengths[k] / norm;
            quat_exp(w, q);
            quat_matrix(q, R);
            rodrigues(w, expected);
            for (int i = 0; i < 9; i++)
                assert_near(R[i], expected[i], 1e-14);
            // The antisymmetric part keeps its digits however small the turn is.
            double S[9];
            mat3_cross(w, S);
            if (lengths[k] > 0.0 && lengths[k] < 1e-8)
                for (int i = 1; i < 4; i++)
                    assert_near(q[i], 0.5 * w[i - 1], 1e-15 * lengths[k]);
            assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-15 * 4);
        }
    }
}

static void test_product_composes_rotations(void** state)
{
    (void)state;
    Dice dice = {2};
    for (int trial = 0; trial < 100; trial++) {
        double a[4], b[4], ab[4], A[9], B[9], AB[9], R[9], w[3];
        random_vector(&dice, 3.0, w);
        quat_exp(w, a);
        random_vector(&dice, 3.0, w);
        quat_exp(w, b);
        quat_product(a, b, ab);
        quat_matrix(a, A);
        quat_matrix(b, B);
        mat3_product(A, B, AB);
        quat_matrix(ab, R);
        for (int i = 0; i < 9; i++)
            assert_near(R[i], AB[i], 1e-14);
    }
}

static void test_rotation_keeps_lengths_and_hands(void** state)
{
    (void)state;
    Dice dice = {3};
    for (int trial = 0; trial < 100; trial++) {
        double q[4], R[9], x[3], y[3], Rx[3], Ry[3], c[3], Rc[3], back[3];
        for (int i = 0; i < 4; i++)
            q[i] = dice_uniform(&dice, -5.0, 5.0);
        quat_normalize(q);
        quat_matrix(q, R);
        random_vector(&dice, 1.0, x);
        random_vector(&dice, 1.0, y);
        mat3_multiply(R, x, Rx);
        mat3_multiply(R, y, Ry);
        assert_near(vec3_dot(Rx, Ry), vec3_dot(x, y), 1e-14);
        vec3_cross(x, y, c);
        mat3_multiply(R, c, Rc);
        vec3_cross(Rx, Ry, c);
        mat3_multiply_transposed(R, Rx, back);
        for (int i = 0; i < 3; i++) {
            assert_near(c[i], Rc[i], 1e-14);
            assert_near(back[i], x[i], 1e-14);
        }
    }
}

static void test_cross_matrix(void** state)
{
    (void)state;
    Dice dice = {4};
    double a[3], b[3], c[3], d[3], S[9];
    random_vector(&dice, 1.0, a);
    random_vector(&dice, 1.0, b);
    mat3_cross(a, S);
    mat3_multiply(S, b, c);
    vec3_cross(a, b, d);
    for (int i = 0; i < 3; i++)
        assert_near(c[i], d[i], 1e-16);
    assert_near(vec3_dot(a, d), 0.0, 1e-15);
    double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3];
    vec3_cross(x, y, z);
    assert_true(z[0] == 0.0 && z[1] == 0.0 && z[2] == 1.0);
}

static void test_solve(void** state)
{
    (void)state;
    Dice dice = {5};
    for (int trial = 0; trial < 200; trial++) {
        double A[9], x[3], b[3], found[3];
        for (int i = 0; i < 9; i++)
            A[i] = dice_uniform(&dice, -1.0, 1.0) + 3.0 * (i % 4 == 0);
        random_vector(&dice, 1.0, x);
        mat3_multiply(A, x, b);
        assert_int_equal(mat3_solve(A, b, found), 0);
        for (int i = 0; i < 3; i++)
            assert_near(found[i], x[i], 1e-13);
    }
    const double singular[9] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 1.0, 1.0};
    const double zero[9] = {0.0}, infinite[9] = {INFINITY, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double b[3] = {1.0, 1.0, 1.0}, x[3];
    assert_int_equal(mat3_solve(singular, b, x), 1);
    assert_int_equal(mat3_solve(zero, b, x), 1);
    assert_int_equal(mat3_solve(infinite, b, x), 1);
    double nan[9];
    for (int i = 0; i < 9; i++)
        nan[i] = NAN;
    assert_int_equal(mat3_solve(nan, b, x), 1);
}

static void check_frame(const double n[3], const double hint[3])
{
    double R[9];
    mat3_frame(n, hint, R);
    for (int i = 0; i < 3; i++) {
        assert_near(R[i], n[i], 0.0);
        for (int j = 0; j < 3; j++)
            assert_near(vec3_dot(R + 3 * i, R + 3 * j), i == j, 1e-14);
    }
    double c[3];
    vec3_cross(R, R + 3, c);
    assert_near(vec3_dot(c, R + 6), 1.0, 1e-14);
}

static void test_frames_are_orthonormal(void** state)
{
    (void)state;
    Dice dice = {6};
    for (int trial = 0; trial < 200; trial++) {
        double n[3], hint[3], R[9];
        random_vector(&dice, 1.0, n);
        double norm = vec3_norm(n);
        for (int i = 0; i < 3; i++)
            n[i] /= norm;
        random_vector(&dice, 1.0, hint);
        check_frame(n, hint);
        // Tangent 1 lies in the plane of the normal and the hint, on the hint's side.
        mat3_frame(n, hint, R);
        assert_near(vec3_dot(R + 6, hint), 0.0, 1e-14);
        assert_true(vec3_dot(R + 3, hint) > 0.0);
        const double zero[3] = {0.0, 0.0, 0.0};
        check_frame(n, zero);
        check_frame(n, n); // a hint along the normal says nothing
        // A hint almost along the normal costs digits by cancellation, not more.
        double across[3], almost[3];
        vec3_cross(n, hint, across);
        double length = vec3_norm(across);
        for (int i = 0; i < 3; i++)
            almost[i] = n[i] + 1e-6 * across[i] / length;
        mat3_frame(n, almost, R);
        assert_near(vec3_dot(R, R + 3), 0.0, 1e-9);
    }
    for (int axis = 0; axis < 3; axis++) {
        double n[3] = {0.0, 0.0, 0.0}, x[3] = {1.0, 0.0, 0.0};
        n[axis] = 1.0;
        check_frame(n, x);
        n[axis] = -1.0;
        check_frame(n, x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential_is_rodrigues),
        cmocka_unit_test(test_product_composes_rotations),
        cmocka_unit_test(test_rotation_keeps_lengths_and_hands),
        cmocka_unit_test(test_cross_matrix),
        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_frames_are_orthonormal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
