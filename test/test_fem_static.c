// Elastic bodies at rest under load, against closed forms: a bar, a cantilever, a beam bent far.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem_statics.h"

// A bar pulled at its ends, free at its sides: the force is E A strain, the sides move in by nu.
static void test_bar(void** state)
{
    (void)state;
    static const double poisson[] = {-0.3, 0.0, 0.3, 0.45};
    FemGrid grid = fem_grid_create(4, 2, 2, 0.8, 0.2, 0.2);
    uint64_t seed = 1;
    fem_grid_shake(&grid, 0.25, &seed);
    for (int trial = 0; trial < 8; trial++) {
        CondFemMaterial material = cond_fem_material_default();
        material.kind = trial < 4 ? COND_FEM_COROTATIONAL : COND_FEM_NEOHOOKEAN;
        material.poisson_ratio = poisson[trial % 4];
        // Linear in the strain, the first exactly; the second to first order.
        double strain = trial < 4 ? 0.05 : 1e-5, tolerance = trial < 4 ? 1e-9 : 1e-4;
        Statics s;
        statics_create(&grid, &material, &s);
        for (int i = 0; i < grid.n_node; i++) {
            int end = i % 5 == 0 || i % 5 == 4;
            s.held[3 * i] = end;
            s.x[3 * i] *= end ? 1.0 + strain : 1.0;
            s.held[3 * i + 1] = i / 5 % 3 == 0; // planes of symmetry at the origin
            s.held[3 * i + 2] = i / 15 == 0;
        }
        s.load[0] = 1e4 * strain; // at a held coordinate: sets the scale of the stop test alone
        assert_true(statics_solve(&s, COND_FEM_GEOMETRIC_CLAMPED, 40, INFINITY) < 40);
        cond_fem_forces(&s.fem, s.x, &s.work, s.f, NULL, 1);
        double pull = 0.0, expected = material.youngs_modulus * 0.04 * strain;
        for (int i = 0; i < grid.n_node; i++) {
            if (i % 5 == 4)
                pull -= s.f[3 * i];
            for (int k = 1; k < 3; k++) {
                double X = s.fem.rest[3 * i + k];
                double sideways = (s.x[3 * i + k] - X) + material.poisson_ratio * strain * X;
                assert_true(fabs(sideways) < tolerance * strain * 0.2);
            }
        }
        assert_true(fabs(pull - expected) < tolerance * expected);
        statics_destroy(&s);
    }
    fem_grid_destroy(&grid);
}

// Deflection of the tip of a cantilever of length 8 and height 1 under a small load spread over
// its end, per unit of the beam formula P L^3/(3 E I).
static double cantilever(int n_height)
{
    double length = 8.0, P = 1e-3, E = 1e4;
    FemGrid grid = fem_grid_create(8 * n_height, n_height, n_height, length, 1.0, 1.0);
    CondFemMaterial material = cond_fem_material_default();
    material.youngs_modulus = E;
    material.poisson_ratio = 0.0; // the clamp does not fight the change of section then
    Statics s;
    statics_create(&grid, &material, &s);
    int across = n_height + 1, along = 8 * n_height + 1;
    for (int i = 0; i < grid.n_node; i++) {
        int at = i % along, j = i / along % across, k = i / along / across;
        for (int c = 0; at == 0 && c < 3; c++)
            s.held[3 * i + c] = 1;
        if (at == along - 1) { // a uniform traction: half weights on edges, quarters on corners
            double weight = (j % n_height ? 1.0 : 0.5) * (k % n_height ? 1.0 : 0.5);
            s.load[3 * i + 2] = -P * weight / (n_height * n_height);
        }
    }
    statics_solve(&s, COND_FEM_GEOMETRIC_NONE, 1, INFINITY);
    double tip = 0.0, weights = 0.0;
    for (int i = 0; i < grid.n_node; i++) {
        tip += s.load[3 * i + 2] * (s.x[3 * i + 2] - s.fem.rest[3 * i + 2]);
        weights += s.load[3 * i + 2];
    }
    tip /= -weights;
    statics_destroy(&s);
    fem_grid_destroy(&grid);
    return tip / (P * length * length * length / (3.0 * E / 12.0));
}

// Linear tetrahedra are stiff in bending; they converge with the square of their size to the beam
// of Euler and Bernoulli plus its shear, P L/(5/6 G A): together 1 + 0.6/64 of the formula.
static void test_cantilever(void** state)
{
    (void)state;
    double ratio[4], exact = 1.0 + 0.6 / 64.0;
    for (int k = 0; k < 4; k++) {
        ratio[k] = cantilever(1 << k);
        print_message("cantilever, %d cells high: %.4f of the beam formula\n", 1 << k, ratio[k]);
        assert_true(ratio[k] < exact && (k == 0 || ratio[k] > ratio[k - 1]));
    }
    double order = log2((exact - ratio[2]) / (exact - ratio[3]));
    double limit = ratio[3] + (ratio[3] - ratio[2]) / 3.0; // extrapolated with order two
    print_message("order %.2f, extrapolated %.4f, beam with shear %.4f\n", order, limit, exact);
    assert_true(order > 1.6 && order < 2.2);
    assert_true(fabs(limit - exact) < 0.02);
}

// Bent by a load that a linear model would answer with four times its length, the beam keeps its
// length: rotations are taken out.
static void test_large_bending(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(16, 2, 2, 1.0, 0.1, 0.1);
    for (int kind = 0; kind < COND_FEM_MATERIAL_KINDS; kind++) {
        CondFemMaterial material = cond_fem_material_default();
        material.kind = (CondFemMaterialKind)kind;
        Statics s;
        statics_create(&grid, &material, &s);
        for (int i = 0; i < grid.n_node; i++) {
            for (int c = 0; i % 17 == 0 && c < 3; c++)
                s.held[3 * i + c] = 1;
            if (i % 17 == 16)
                s.load[3 * i + 2] = -100.0 / 9.0;
        }
        assert_true(statics_solve(&s, COND_FEM_GEOMETRIC_CLAMPED, 300, 0.1) < 300);
        double length = 0.0; // along the middle line
        const double* middle = s.x + 3 * (size_t)(17 * 4);
        for (int i = 0; i < 16; i++) {
            double dx = middle[3 * i + 3] - middle[3 * i],
                   dz = middle[3 * i + 5] - middle[3 * i + 2];
            length += sqrt(dx * dx + dz * dz);
        }
        double drop = 0.05 - middle[3 * 16 + 2];
        print_message("%s: drop %.3f, length %.3f\n", kind ? "neo-Hookean" : "co-rotational", drop,
                      length);
        assert_true(drop > 0.4 && drop < 0.9);
        assert_true(fabs(length - 1.0) < 0.05);
        statics_destroy(&s);
    }
    fem_grid_destroy(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_large_bending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
