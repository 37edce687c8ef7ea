// Elastic energies of one tetrahedron: forces and stiffness against finite differences and against
// the textbook matrices, in ordinary, flat and inverted shapes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "fem_grid.h"
#include "math/eigen.h"
#include "math/polar.h"
#include "math/vec3.h"
#include "model/fem_element.h"

static const double YOUNG = 2e5;
static const double POISSON[] = {-0.6, 0.0, 0.3, 0.49};
static const int CORNER[4] = {0, 1, 2, 3};

// One tetrahedron of about 10 cm, of random shape but never thin.
static CondFem random_tet(CondFemMaterialKind kind, double poisson, uint64_t* seed)
{
    double node[12] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1};
    for (int i = 0; i < 12; i++)
        node[i] += 0.02 * fem_random(seed);
    CondFemMaterial material = cond_fem_material_default();
    material.kind = kind;
    material.youngs_modulus = YOUNG;
    material.poisson_ratio = poisson;
    CondFem fem;
    assert_int_equal(fem_create_linear(NULL, 4, node, 1, CORNER, 1, &material, NULL, &fem, NULL),
                     COND_OK);
    return fem;
}

// x = Q X + noise of `amount` times the edge length; a third of the shapes is turned inside out.
static void random_shape(const CondFem* fem, double amount, int trial, uint64_t* seed, double x[12])
{
    double Q[9];
    fem_random_rotation(seed, Q);
    for (int a = 0; a < 4; a++) {
        double X[3];
        memcpy(X, fem->rest + 3 * a, sizeof X);
        if (trial % 3 == 2)
            X[trial / 3 % 3] *= -0.8;
        mat3_multiply(Q, X, x + 3 * a);
        for (int i = 0; i < 3; i++)
            x[3 * a + i] += 0.1 * amount * fem_random(seed);
    }
}

static void evaluate(const CondFem* fem, const double x[12], CondFemGeometric geometric, double k,
                     double g, double* energy, double f[12], double A[144])
{
    double half[COND_STRAIN_HALF];
    cond_fem_evaluate_element(fem, 0, x, geometric, k, g, energy, f, A ? half : NULL);
    if (A)
        fem_unpack(half, A);
}

// The two smallest sums of singular values tell how near a shape is to a kink of the energy.
static double least_stretch_sum(const CondFem* fem, const double x[12])
{
    double F[9], U[9], s[3], V[9];
    cond_fem_deformation(fem, 0, x, F);
    cond_svd3(F, U, s, V);
    return s[1] + s[2];
}

static double least_eigenvalue(const double A[144])
{
    double B[144], w[12], Q[144], least = INFINITY;
    memcpy(B, A, sizeof B);
    cond_eigen_symmetric(12, B, w, Q);
    for (int i = 0; i < 12; i++)
        least = fmin(least, w[i]);
    return least;
}

static double scale_of(const double A[144])
{
    double size = 0.0;
    for (int i = 0; i < 144; i++)
        size = fmax(size, fabs(A[i]));
    return size;
}

// f = -d energy/dx, although the rotation is held in the formula; K + E = -df/dx with EXACT.
static void test_finite_differences(void** state)
{
    (void)state;
    uint64_t seed = 1;
    int checked = 0;
    for (int trial = 0; trial < 240; trial++) {
        CondFem fem = random_tet(trial % 2 ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL,
                                 POISSON[trial % 4], &seed);
        double x[12], f[12], A[144], energy, step = 1e-7;
        random_shape(&fem, 0.3, trial, &seed, x);
        if (least_stretch_sum(&fem, x) > 0.2) {
            checked++;
            evaluate(&fem, x, COND_FEM_GEOMETRIC_EXACT, 1.0, 1.0, &energy, f, A);
            double force_scale = 0.0, size = scale_of(A);
            for (int i = 0; i < 12; i++)
                force_scale = fmax(force_scale, fabs(f[i]));
            for (int j = 0; j < 12; j++) {
                double up[12], down[12], high, low, at = x[j];
                x[j] = at + step;
                evaluate(&fem, x, COND_FEM_GEOMETRIC_NONE, 0.0, 0.0, &high, up, NULL);
                x[j] = at - step;
                evaluate(&fem, x, COND_FEM_GEOMETRIC_NONE, 0.0, 0.0, &low, down, NULL);
                x[j] = at;
                assert_true(fabs(f[j] + (high - low) / (2.0 * step)) < 3e-6 * force_scale);
                for (int i = 0; i < 12; i++)
                    assert_true(fabs(A[12 * i + j] + (up[i] - down[i]) / (2.0 * step)) <
                                1e-6 * size);
            }
        }
        cond_fem_destroy(&fem);
    }
    assert_true(checked > 150);
}

// No net force, no net torque; energy unchanged and forces turned by a rigid motion.
static void test_invariance(void** state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 200; trial++) {
        CondFem fem = random_tet(trial % 2 ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL,
                                 POISSON[trial % 4], &seed);
        double x[12], y[12], f[12], h[12], energy, other, Q[9], turned[3];
        random_shape(&fem, 0.4, trial, &seed, x);
        evaluate(&fem, x, COND_FEM_GEOMETRIC_NONE, 0.0, 0.0, &energy, f, NULL);
        double force[3] = {0.0}, torque[3] = {0.0}, size = 1e-30;
        for (int a = 0; a < 4; a++) {
            double moment[3];
            vec3_cross(x + 3 * a, f + 3 * a, moment);
            for (int i = 0; i < 3; i++) {
                force[i] += f[3 * a + i];
                torque[i] += moment[i];
                size = fmax(size, fabs(f[3 * a + i]));
            }
        }
        assert_true(vec3_norm(force) < 1e-14 * size);
        assert_true(vec3_norm(torque) < 1e-13 * 0.1 * size + 1e-16 * YOUNG * 1e-3);

        fem_random_rotation(&seed, Q);
        for (int a = 0; a < 4; a++) {
            mat3_multiply(Q, x + 3 * a, y + 3 * a);
            y[3 * a] += 0.7;
        }
        evaluate(&fem, y, COND_FEM_GEOMETRIC_NONE, 0.0, 0.0, &other, h, NULL);
        double kink = fmin(1.0, least_stretch_sum(&fem, x));
        assert_true(fabs(energy - other) < 1e-11 * energy + 1e-16);
        for (int a = 0; a < 4; a++) {
            mat3_multiply(Q, f + 3 * a, turned);
            for (int i = 0; i < 3; i++)
                assert_true(fabs(turned[i] - h[3 * a + i]) * kink < 1e-11 * (size + 1.0));
        }
        cond_fem_destroy(&fem);
    }
}

// K is positive semi-definite wherever it is taken; the stand-ins for the geometric stiffness are
// so too, and none is below it.
static void test_definite(void** state)
{
    (void)state;
    static const CondFemGeometric stand_in[] = {
        COND_FEM_GEOMETRIC_BOUND, COND_FEM_GEOMETRIC_CLAMPED, COND_FEM_GEOMETRIC_PROJECTED};
    uint64_t seed = 3;
    for (int trial = 0; trial < 300; trial++) {
        CondFem fem = random_tet(trial % 2 ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL,
                                 POISSON[trial % 4], &seed);
        double x[12], f[12], K[144], G[144], E[144], D[144], energy, distance[3];
        random_shape(&fem, 0.5, trial, &seed, x);
        evaluate(&fem, x, COND_FEM_GEOMETRIC_NONE, 1.0, 1.0, &energy, f, K);
        assert_true(least_eigenvalue(K) > -1e-13 * scale_of(K));
        for (int i = 0; i < 144; i++)
            assert_true(K[i] == K[12 * (i % 12) + i / 12]);
        evaluate(&fem, x, COND_FEM_GEOMETRIC_EXACT, 0.0, 1.0, &energy, f, G);
        double size = scale_of(K) + scale_of(G);
        for (int p = 0; p < 3; p++) {
            evaluate(&fem, x, stand_in[p], 0.0, 1.0, &energy, f, E);
            assert_true(least_eigenvalue(E) > -1e-13 * size);
            distance[p] = 0.0;
            for (int i = 0; i < 144; i++) {
                D[i] = E[i] - G[i];
                distance[p] += D[i] * D[i];
            }
            assert_true(least_eigenvalue(D) > -1e-13 * size);
            for (int i = 0; i < 36; i++) { // a translation along axis i % 3 is free
                double force = 0.0;
                for (int a = 0; a < 4; a++)
                    force += E[12 * (i / 3) + 3 * a + i % 3];
                assert_true(fabs(force) < 1e-12 * size);
            }
        }
        double slack = 1e-12 * size * size; // the projection is the nearest of all
        assert_true(distance[2] <= distance[0] + slack && distance[2] <= distance[1] + slack);
        cond_fem_destroy(&fem);
    }
}

// The textbook element: B (6 x 12) in the rotated frame, D, V B'D B.
static void textbook_stiffness(const CondFem* fem, const double R[9], double A[144])
{
    const CondFemMaterial* material = fem->material;
    double E = material->youngs_modulus, nu = material->poisson_ratio, D[36] = {0.0};
    double B[72] = {0.0}, BR[72], DB[72];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            D[6 * i + j] = E / ((1.0 + nu) * (1.0 - 2.0 * nu)) * (i == j ? 1.0 - nu : nu);
        D[7 * (i + 3)] = E / (2.0 * (1.0 + nu));
    }
    for (int a = 0; a < 4; a++) {
        double g[3];
        for (int i = 0; i < 3; i++)
            g[i] = a > 0 ? fem->gradient[3 * (a - 1) + i]
                         : -(fem->gradient[i] + fem->gradient[3 + i] + fem->gradient[6 + i]);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3; // shear strain of the plane (i, j)
            B[12 * i + 3 * a + i] = g[i];
            B[12 * (3 + i) + 3 * a + i] = g[j];
            B[12 * (3 + i) + 3 * a + j] = g[i];
        }
    }
    for (int i = 0; i < 72; i++) { // B R'
        BR[i] = 0.0;
        for (int k = 0; k < 3; k++)
            BR[i] += B[i / 12 * 12 + i % 12 / 3 * 3 + k] * R[3 * (i % 3) + k];
    }
    for (int i = 0; i < 72; i++) {
        DB[i] = 0.0;
        for (int k = 0; k < 6; k++)
            DB[i] += D[i / 12 * 6 + k] * BR[12 * k + i % 12];
    }
    for (int i = 0; i < 144; i++) {
        A[i] = 0.0;
        for (int k = 0; k < 6; k++)
            A[i] += fem->volume[0] * BR[12 * k + i / 12] * DB[12 * k + i % 12];
    }
}

// Co-rotational K is R Ke R' and f = R Ke (X - R'x); neo-Hookean agrees with both near rest. Six
// rigid motions cost nothing at rest, all others do.
static void test_textbook(void** state)
{
    (void)state;
    uint64_t seed = 4;
    for (int trial = 0; trial < 60; trial++) {
        CondFem fem = random_tet(trial % 2 ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL,
                                 POISSON[trial % 4], &seed);
        int small = trial % 2;
        double x[12], f[12], K[144], T[144], F[9], R[9], w[12], Q[144], energy;
        random_shape(&fem, small ? 0.0 : 0.3, 0, &seed, x);
        evaluate(&fem, x, COND_FEM_GEOMETRIC_NONE, 1.0, 0.0, &energy, f, K);
        cond_fem_deformation(&fem, 0, x, F);
        cond_polar_rotation(F, R);
        textbook_stiffness(&fem, R, T);
        double size = scale_of(T), work = 0.0;
        for (int i = 0; i < 144; i++)
            assert_true(fabs(K[i] - T[i]) < 1e-12 * size);
        for (int i = 0; i < 12; i++) {
            double sum = 0.0; // row i of R Ke R' (R X - x)
            for (int j = 0; j < 12; j++)
                sum += T[12 * i + j] * (vec3_dot(R + 3 * (j % 3), fem.rest + j / 3 * 3) - x[j]);
            assert_true(fabs(f[i] - sum) < 1e-13 * size);
            work += 0.5 * sum * (vec3_dot(R + 3 * (i % 3), fem.rest + i / 3 * 3) - x[i]);
        }
        assert_true(fabs(energy - work) < 1e-13 * size * 0.1);
        cond_eigen_symmetric(12, K, w, Q);
        int zero = 0;
        for (int i = 0; i < 12; i++)
            zero += fabs(w[i]) < 1e-12 * size;
        assert_int_equal(zero, 6);
        cond_fem_destroy(&fem);
    }
}

// The two materials differ by the square of the strain.
static void test_small_strain(void** state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 40; trial++) {
        CondFemMaterial material = cond_fem_material_default();
        material.poisson_ratio = POISSON[trial % 4];
        CondFemModuli linear = cond_strain_corotational.moduli(&material);
        CondFemModuli neo = cond_strain_neohookean.moduli(&material);
        double H[9], last = 0.0;
        for (int i = 0; i < 9; i++)
            H[i] = fem_random(&seed);
        for (int k = 0; k < 2; k++) {
            double difference = 0.0, strain = k == 0 ? 1e-3 : 1e-4;
            CondStrainPoint P, N;
            for (int i = 0; i < 9; i++)
                P.F[i] = N.F[i] = (i % 4 == 0) + strain * H[i];
            cond_strain_corotational.measure(&P);
            cond_strain_neohookean.measure(&N);
            P.pressure = linear.lambda * P.theta;
            N.pressure = neo.lambda * (N.theta - cond_strain_neohookean.theta_free(&neo));
            cond_strain_corotational.evaluate(&linear, &P);
            cond_strain_neohookean.evaluate(&neo, &N);
            for (int i = 0; i < 9; i++)
                difference = fmax(difference, fabs(P.P[i] - N.P[i]));
            if (k == 1)
                assert_true(difference < 0.015 * last && difference > 0.005 * last);
            last = difference;
        }
    }
}

// A point, a needle, a sheet, a mirror image and sizes far off: all finite.
static void test_degenerate(void** state)
{
    (void)state;
    static const double shape[][3] = {{0, 0, 0},    {1, 0, 0},       {1, 1, 0},          {1, 1, -1},
                                      {-1, -1, -1}, {1e4, 1e4, 1e4}, {1e-9, 1e-9, -1e-9}};
    uint64_t seed = 6;
    for (int kind = 0; kind < COND_FEM_MATERIAL_KINDS; kind++)
        for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
            for (int p = COND_FEM_GEOMETRIC_NONE; p <= COND_FEM_GEOMETRIC_EXACT; p++) {
                CondFem fem = random_tet((CondFemMaterialKind)kind, 0.3, &seed);
                double x[12], f[12], A[144], energy;
                for (int i = 0; i < 12; i++)
                    x[i] = shape[k][i % 3] * fem.rest[i];
                evaluate(&fem, x, (CondFemGeometric)p, 1.0, 1.0, &energy, f, A);
                assert_true(isfinite(energy));
                for (int i = 0; i < 144; i++)
                    assert_true(isfinite(A[i]) && isfinite(f[i % 12]));
                if (p != COND_FEM_GEOMETRIC_EXACT)
                    assert_true(least_eigenvalue(A) >= -1e-12 * scale_of(A));
                cond_fem_destroy(&fem);
            }
}

// Followed downhill, an element that was turned inside out finds back to its rest shape.
static void test_recovery(void** state)
{
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 24; trial++) {
        CondFem fem =
            random_tet(trial % 2 ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL, 0.3, &seed);
        double x[12], f[12], A[144], energy, rest_energy = YOUNG * fem.total_volume;
        random_shape(&fem, 0.1, 2 + 3 * (trial / 2), &seed, x);
        evaluate(&fem, x, COND_FEM_GEOMETRIC_NONE, 1.0, 0.0, &energy, f, A);
        assert_true(energy > 0.01 * rest_energy);
        double step = 0.2 / (12.0 * scale_of(A));
        for (int pass = 0; pass < 40000; pass++) {
            evaluate(&fem, x, COND_FEM_GEOMETRIC_NONE, 0.0, 0.0, &energy, f, NULL);
            for (int i = 0; i < 12; i++)
                x[i] += step * f[i];
        }
        assert_true(fabs(energy) < 1e-9 * rest_energy);
        double F[9], U[9], s[3], V[9];
        cond_fem_deformation(&fem, 0, x, F);
        cond_svd3(F, U, s, V);
        assert_true(fabs(s[2] - 1.0) < 1e-3);
        cond_fem_destroy(&fem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finite_differences), cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_definite),           cmocka_unit_test(test_textbook),
        cmocka_unit_test(test_small_strain),       cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_recovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
