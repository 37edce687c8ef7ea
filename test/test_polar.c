// Polar and singular value decomposition of 3x3 matrices, symmetric eigenvalues: by what defines
// them, on ordinary and on hopeless input.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "fem_grid.h"
#include "math/eigen.h"
#include "math/polar.h"
#include "math/vec3.h"

static double determinant(const double M[9])
{
    double c[3];
    vec3_cross(M + 3, M + 6, c);
    return vec3_dot(M, c);
}

static void transpose(const double M[9], double T[9])
{
    for (int i = 0; i < 9; i++)
        T[i] = M[3 * (i % 3) + i / 3];
}

static double largest(const double M[9])
{
    double size = 0.0;
    for (int i = 0; i < 9; i++)
        size = fmax(size, fabs(M[i]));
    return size;
}

static void assert_rotation(const double R[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(fabs(vec3_dot(R + 3 * i, R + 3 * j) - (i == j)) < 4e-15);
    assert_true(fabs(determinant(R) - 1.0) < 8e-15);
}

// F = U diag(s) V'
static void compose(const double U[9], const double s[3], const double V[9], double F[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            F[3 * i + j] = s[0] * U[3 * i] * V[3 * j] + s[1] * U[3 * i + 1] * V[3 * j + 1] +
                           s[2] * U[3 * i + 2] * V[3 * j + 2];
}

static double trace_with(const double R[9], const double F[9])
{
    double sum = 0.0;
    for (int i = 0; i < 9; i++)
        sum += R[i] * F[i];
    return sum;
}

// Everything that the headers promise of a finite F.
static void check_all(const double F[9], uint64_t* seed)
{
    double R[9], Rt[9], S[9], U[9], s[3], V[9], back[9];
    double size = largest(F), tiny = 1e-14 * size + 32 * DBL_TRUE_MIN;
    cond_polar_rotation(F, R);
    assert_rotation(R);
    transpose(R, Rt);
    mat3_product(Rt, F, S);
    for (int i = 0; i < 9; i++)
        assert_true(fabs(S[i] - S[3 * (i % 3) + i / 3]) <= tiny);

    cond_svd3(F, U, s, V);
    assert_rotation(U);
    assert_rotation(V);
    assert_true(s[0] >= s[1] * (1.0 - 1e-15) && s[1] >= fabs(s[2]));
    compose(U, s, V, back);
    for (int i = 0; i < 9; i++)
        assert_true(fabs(back[i] - F[i]) <= tiny);

    // R maximises tr(R'F) over the rotations; its value is the sum of the signed singular values.
    // Denormal numbers carry too few digits to tell.
    if (size < DBL_MIN)
        return;
    double scale = 1.0 / size, G[9], Q[9];
    for (int i = 0; i < 9; i++)
        G[i] = F[i] * scale;
    assert_true(fabs(trace_with(R, G) - (s[0] + s[1] + s[2]) * scale) < 1e-13);
    for (int trial = 0; trial < 10; trial++) {
        fem_random_rotation(seed, Q);
        assert_true(trace_with(Q, G) <= trace_with(R, G) + 1e-13);
    }
}

static void test_random(void** state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 3000; trial++) {
        double F[9];
        for (int i = 0; i < 9; i++)
            F[i] = fem_random(&seed);
        check_all(F, &seed);
    }
}

// Singular values chosen: flat, needles, points, reflections, repeated ones, and all sizes.
static void test_prescribed(void** state)
{
    (void)state;
    static const double stretch[][3] = {
        {1, 1, 1},     {1, 1, -1},      {1, -1, -1},    {-1, -1, -1},       {2, 1, 0},
        {1, 1, 0},     {1, 0, 0},       {0, 0, 0},      {3, 2, -1},         {1, 1, 1e-8},
        {1, 1, -1e-8}, {1, 1e-8, 1e-8}, {1, 1e-16, 0},  {1, 1e-14, -1e-15}, {1, 1e-200, 1e-250},
        {1, 1, 1e-16}, {1, 0.03, 0.03}, {5, 5, 0.0316}, {1e3, 1, 1e-3},     {1, 1 + 1e-15, 1},
    };
    static const double size[] = {1.0, 1e-8, 1e8, 1e-150, 1e150, 1e-300, 1e300, 1e-320};
    uint64_t seed = 2;
    for (size_t k = 0; k < sizeof stretch / sizeof *stretch; k++)
        for (size_t m = 0; m < sizeof size / sizeof *size; m++)
            for (int trial = 0; trial < 20; trial++) {
                double U[9], V[9], F[9];
                fem_random_rotation(&seed, U);
                fem_random_rotation(&seed, V);
                if (trial == 0) { // on the axes, where zeros are exact
                    memset(U, 0, sizeof U);
                    U[0] = U[4] = U[8] = 1.0;
                    memcpy(V, U, sizeof V);
                }
                compose(U, stretch[k], V, F);
                for (int i = 0; i < 9; i++)
                    F[i] *= size[m];
                check_all(F, &seed);
            }
}

// A rotation comes back as it is, and a stretched one as the rotation.
static void test_known_answer(void** state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 500; trial++) {
        double Q[9], V[9], S[9], F[9], R[9], s[3];
        fem_random_rotation(&seed, Q);
        fem_random_rotation(&seed, V);
        for (int i = 0; i < 3; i++)
            s[i] = pow(10.0, 1.5 * fem_random(&seed)) * (trial % 2 ? 1.0 : 1e120);
        compose(V, s, V, S);
        mat3_product(Q, S, F);
        cond_polar_rotation(F, R);
        for (int i = 0; i < 9; i++)
            assert_true(fabs(R[i] - Q[i]) < 1e-13 * fmax(1.0, s[0] / (s[1] + s[2])));
        cond_polar_rotation(Q, R);
        for (int i = 0; i < 9; i++)
            assert_true(fabs(R[i] - Q[i]) < 4e-15);
    }
}

// Zero and needles turn no more than they must, and numbers that are none do not spread.
static void test_open_cases(void** state)
{
    (void)state;
    double F[9] = {0.0}, R[9], U[9], s[3], V[9];
    cond_polar_rotation(F, R);
    for (int i = 0; i < 9; i++)
        assert_true(R[i] == (i % 4 == 0));
    F[4] = 2.0; // a needle along y
    cond_polar_rotation(F, R);
    for (int i = 0; i < 9; i++)
        assert_true(fabs(R[i] - (i % 4 == 0)) < 1e-15);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        F[7] = bad[k];
        cond_polar_rotation(F, R);
        cond_svd3(F, U, s, V);
        for (int i = 0; i < 9; i++)
            assert_true(R[i] == (i % 4 == 0) && U[i] == R[i] && V[i] == R[i]);
        assert_true(s[0] == 0.0 && s[1] == 0.0 && s[2] == 0.0);
    }
}

// R follows F smoothly where the answer is unique: through the flat state, and where the iteration
// hands over to the decomposition.
static void test_continuous(void** state)
{
    (void)state;
    uint64_t seed = 4;
    for (int trial = 0; trial < 20; trial++) {
        double U[9], V[9], last[9] = {0.0};
        fem_random_rotation(&seed, U);
        fem_random_rotation(&seed, V);
        for (int step = 0; step <= 2000; step++) {
            double s[3] = {1.0, 0.9, 1.0 - 0.9 * step / 1000.0}, F[9], R[9];
            compose(U, s, V, F);
            F[trial % 9] += 1e-3 * sin(0.01 * step);
            cond_polar_rotation(F, R);
            // The rotation is sensitive like 1/(s1 + s2), which is at least 0.1 here.
            for (int i = 0; step > 0 && i < 9; i++)
                assert_true(fabs(R[i] - last[i]) < 4e-4);
            memcpy(last, R, sizeof last);
        }
    }
}

static void test_eigen(void** state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        int n = 1 + trial % 12;
        double size = trial % 3 == 0 ? 1e-120 : trial % 3 == 1 ? 1.0 : 1e120;
        double A[144], B[144], w[12], Q[144];
        for (int i = 0; i < n; i++)
            for (int j = i; j < n; j++)
                A[i * n + j] = A[j * n + i] = size * (trial % 7 == 0 ? 1.0 : fem_random(&seed));
        memcpy(B, A, sizeof B);
        cond_eigen_symmetric(n, B, w, Q);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double a = 0.0, q = 0.0; // Q diag(w) Q' and Q Q'
                for (int k = 0; k < n; k++) {
                    a += Q[i * n + k] * w[k] * Q[j * n + k];
                    q += Q[i * n + k] * Q[j * n + k];
                }
                assert_true(fabs(a - A[i * n + j]) < 1e-13 * size);
                assert_true(fabs(q - (i == j)) < 1e-13);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),       cmocka_unit_test(test_prescribed),
        cmocka_unit_test(test_known_answer), cmocka_unit_test(test_open_cases),
        cmocka_unit_test(test_continuous),   cmocka_unit_test(test_eigen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
