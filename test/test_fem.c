// Elastic bodies: mass, patch test, rigid motion, conservation, assembly against dense algebra,
// determinism, refusals and lack of memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bsr3_matrix.h"
#include "dense.h"
#include "failing_allocator.h"
#include "fem_grid.h"
#include "math/vec3.h"
#include "model/fem.h"
#include "model/fem_element.h"

static const CondFemMaterialKind KINDS[] = {COND_FEM_COROTATIONAL, COND_FEM_NEOHOOKEAN};

static double* zeros(size_t n)
{
    double* x = calloc(n, sizeof *x);
    assert_non_null(x);
    return x;
}

static double largest(size_t n, const double* x)
{
    double size = 0.0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

static CondFemMaterial make_material(CondFemMaterialKind kind)
{
    CondFemMaterial material = cond_fem_material_default();
    material.kind = kind;
    material.youngs_modulus = 1e5;
    material.poisson_ratio = 0.35;
    return material;
}

// x = A X + t
static void map_linearly(const CondFem* fem, const double A[9], const double t[3], double* x)
{
    for (int i = 0; i < fem->n_node; i++) {
        mat3_multiply(A, fem->rest + 3 * i, x + 3 * i);
        for (int k = 0; k < 3; k++)
            x[3 * i + k] += t[k];
    }
}

static void distort(const CondFem* fem, double amount, uint64_t* seed, double* x)
{
    double Q[9], t[3] = {0.3, -0.2, 0.1};
    fem_random_rotation(seed, Q);
    map_linearly(fem, Q, t, x);
    for (int i = 0; i < 3 * fem->n_node; i++)
        x[i] += amount * fem_random(seed);
}

static void test_mass(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(4, 3, 5, 0.4, 0.2, 0.7);
    uint64_t seed = 1;
    fem_grid_shake(&grid, 0.2, &seed);
    CondFemMaterial material[2] = {cond_fem_material_default(), cond_fem_material_default()};
    material[1].density = 3000.0;
    material[1].mass_damping = 2.0;
    int* which = malloc((size_t)grid.n_tet * sizeof *which);
    assert_non_null(which);
    double heavy = 0.0, mass = 0.0, damping = 0.0;
    for (int i = 0; i < grid.n_tet; i++)
        which[i] = i % 3 == 0;
    CondFem fem;
    assert_int_equal(fem_create_linear(NULL, grid.n_node, grid.node, grid.n_tet, grid.tet, 2,
                                       material, which, &fem, NULL),
                     COND_OK);
    for (int i = 0; i < grid.n_tet; i++)
        heavy += which[i] ? fem.volume[i] : 0.0;
    for (int i = 0; i < grid.n_node; i++) {
        mass += fem.mass[i];
        damping += fem.mass_damping[i];
    }
    double volume = 0.4 * 0.2 * 0.7, expected = 1000.0 * volume + 2000.0 * heavy;
    assert_true(fabs(fem.total_volume - volume) < 1e-15);
    assert_true(fabs(fem.total_mass - expected) < 1e-12);
    assert_true(fabs(mass - expected) < 1e-12);
    assert_true(fabs(damping - 2.0 * 3000.0 * heavy) < 1e-11);
    cond_fem_destroy(&fem);
    cond_fem_destroy(&fem);
    free(which);
    fem_grid_destroy(&grid);
}

// Any linear motion gives one stress everywhere and no force inside.
static void test_patch(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(3, 3, 3, 0.3, 0.3, 0.3);
    uint64_t seed = 2;
    fem_grid_shake(&grid, 0.25, &seed);
    double* x = zeros(6 * (size_t)grid.n_node);
    double *f = x + 3 * grid.n_node, *stress = zeros(7 * (size_t)grid.n_tet);
    for (int trial = 0; trial < 40; trial++) {
        CondFemMaterial material = make_material(KINDS[trial % 2]);
        CondFem fem = fem_grid_body(&grid, &material);
        CondFemWork work;
        assert_int_equal(cond_fem_work_create(&fem, &work), COND_OK);
        double A[9], Q[9], stretch[9], t[3] = {1.0, 2.0, -1.0};
        fem_random_rotation(&seed, Q);
        for (int i = 0; i < 9; i++)
            stretch[i] = (i % 4 == 0) + 0.3 * fem_random(&seed);
        mat3_product(Q, stretch, A);
        map_linearly(&fem, A, t, x);
        cond_fem_forces(&fem, x, &work, f, NULL, 1);
        cond_fem_stress(&fem, x, stress, stress + 6 * fem.n_tet, 1);
        double size = largest(6 * (size_t)fem.n_tet, stress);
        assert_true(size > 1e3);
        for (int i = 0; i < 6 * fem.n_tet; i++)
            assert_true(fabs(stress[i] - stress[i % 6]) < 1e-12 * size);
        for (int i = 0; i < fem.n_tet; i++)
            assert_true(fabs(stress[6 * fem.n_tet + i] - stress[6 * fem.n_tet]) < 1e-12 * size);
        for (int i = 0; i < fem.n_node; i++) {
            int at[3] = {i % 4, i / 4 % 4, i / 16};
            for (int k = 0; k < 3; k++) // force = stress times an area of 0.1 x 0.1
                if (at[0] % 3 && at[1] % 3 && at[2] % 3)
                    assert_true(fabs(f[3 * i + k]) < 1e-13 * size * 0.01 * 10);
        }
        cond_fem_work_destroy(&fem, &work);
        cond_fem_destroy(&fem);
    }
    free(stress);
    free(x);
    fem_grid_destroy(&grid);
}

// Uniaxial and shear stress in closed form, and von Mises' value of them.
static void test_stress(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(1, 1, 1, 1.0, 1.0, 1.0);
    CondFemMaterial material = make_material(COND_FEM_COROTATIONAL);
    CondFem fem = fem_grid_body(&grid, &material);
    double x[24], stress[36], mises[6], energy[6], zero[3] = {0.0}, e = 0.01, nu = 0.35, E = 1e5;
    double pull[9] = {1.0 + e, 0, 0, 0, 1.0 - nu * e, 0, 0, 0, 1.0 - nu * e};
    map_linearly(&fem, pull, zero, x);
    cond_fem_stress(&fem, x, stress, mises, 1);
    cond_fem_element_energy(&fem, x, energy, 1);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(stress[6 * i] - E * e) < 1e-9);
        for (int k = 1; k < 6; k++)
            assert_true(fabs(stress[6 * i + k]) < 1e-9);
        assert_true(fabs(mises[i] - E * e) < 1e-9);
        assert_true(fabs(energy[i] - 0.5 * E * e * e / 6.0) < 1e-12);
    }
    double shear[9] = {1, 0, 0, 0, 1, e / 2, 0, e / 2, 1}; // pure shear of the plane (y, z)
    map_linearly(&fem, shear, zero, x);
    cond_fem_stress(&fem, x, stress, mises, 1);
    double G = E / (2.0 * (1.0 + nu));
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(stress[6 * i + 4] - G * e) < 1e-9);
        assert_true(fabs(mises[i] - sqrt(3.0) * G * e) < 1e-9);
    }
    cond_fem_destroy(&fem);
    fem_grid_destroy(&grid);
}

// A rigid motion leaves no force, no energy; a distorted body has no net force and no net torque.
static void test_rigid_motion(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(4, 3, 3, 0.4, 0.3, 0.3);
    uint64_t seed = 3;
    fem_grid_shake(&grid, 0.25, &seed);
    double* x = zeros(6 * (size_t)grid.n_node);
    double* f = x + 3 * grid.n_node;
    for (int trial = 0; trial < 20; trial++) {
        CondFemMaterial material = make_material(KINDS[trial % 2]);
        CondFem fem = fem_grid_body(&grid, &material);
        CondFemWork work;
        assert_int_equal(cond_fem_work_create(&fem, &work), COND_OK);
        double energy, force[3] = {0.0}, torque[3] = {0.0}, moment[3];
        distort(&fem, 0.0, &seed, x);
        assert_true(cond_fem_force_norm(&fem, x, &work, f, 1) < 1e-9);
        cond_fem_forces(&fem, x, &work, f, &energy, 1);
        assert_true(largest(3 * (size_t)fem.n_node, f) < 1e5 * 0.01 * 1e-13);
        assert_true(fabs(energy) < 1e-14 * 1e5 * fem.total_volume);

        distort(&fem, 0.04, &seed, x);
        cond_fem_forces(&fem, x, &work, f, &energy, 1);
        double size = largest(3 * (size_t)fem.n_node, f);
        assert_true(energy > 1.0 && size > 10.0);
        for (int i = 0; i < fem.n_node; i++) {
            vec3_cross(x + 3 * i, f + 3 * i, moment);
            for (int k = 0; k < 3; k++) {
                force[k] += f[3 * i + k];
                torque[k] += moment[k];
            }
        }
        assert_true(vec3_norm(force) < 1e-12 * size && vec3_norm(torque) < 1e-12 * size);
        cond_fem_work_destroy(&fem, &work);
        cond_fem_destroy(&fem);
    }
    free(x);
    fem_grid_destroy(&grid);
}

// Forces and A of the whole body from finite differences along a random direction.
static void test_body_differences(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(3, 2, 2, 0.3, 0.2, 0.2);
    uint64_t seed = 4;
    int n = 3 * grid.n_node;
    double* x = zeros(7 * (size_t)n);
    double *d = x + n, *f = d + n, *up = f + n, *down = up + n, *y = down + n, *Ad = y + n;
    for (int trial = 0; trial < 6; trial++) {
        CondFemMaterial material = make_material(KINDS[trial % 2]);
        CondFem fem = fem_grid_body(&grid, &material);
        CondFemWork work;
        CondBsr3 A;
        assert_int_equal(cond_fem_work_create(&fem, &work), COND_OK);
        assert_int_equal(bsr3_matrix_create(&fem.arena.context, &fem.pattern, &A), COND_OK);
        distort(&fem, 0.02, &seed, x);
        CondFemPolicy policy = {COND_FEM_GEOMETRIC_EXACT, 0.0};
        cond_fem_assemble(&fem, x, 0.0, 1.0, NULL, &policy, &work, &A, f, 1);
        for (int i = 0; i < n; i++)
            d[i] = fem_random(&seed);
        bsr3_matrix_multiply(&A, d, Ad, 1);
        double high, low, slope = 0.0, step = 1e-6;
        for (int i = 0; i < n; i++)
            y[i] = x[i] + step * d[i];
        cond_fem_forces(&fem, y, &work, up, &high, 1);
        for (int i = 0; i < n; i++)
            y[i] = x[i] - step * d[i];
        cond_fem_forces(&fem, y, &work, down, &low, 1);
        for (int i = 0; i < n; i++)
            slope -= f[i] * d[i];
        assert_true(fabs((high - low) / (2.0 * step) - slope) < 1e-6 * largest((size_t)n, f));
        for (int i = 0; i < n; i++)
            assert_true(fabs(Ad[i] + (up[i] - down[i]) / (2.0 * step)) <
                        1e-6 * largest((size_t)n, Ad));
        bsr3_matrix_destroy(&fem.arena.context, &A);
        cond_fem_work_destroy(&fem, &work);
        cond_fem_destroy(&fem);
    }
    free(x);
    fem_grid_destroy(&grid);
}

// What cond_fem_assemble promises, element by element into a dense matrix.
static void assemble_dense(const CondFem* fem, const double* x, double mass_scale,
                           double stiffness_scale, const double* rayleigh, CondFemPolicy policy,
                           double* A)
{
    int n = 3 * fem->n_node;
    for (int t = 0; t < fem->n_tet; t++) {
        const CondFemMaterial* material = fem->material + fem->material_of_element[t];
        const int* corner = fem->tet + 4 * t;
        double alpha = rayleigh ? rayleigh[0] : material->mass_damping;
        double beta = rayleigh ? rayleigh[1] : material->stiffness_damping;
        double energy, f[12], half[COND_STRAIN_HALF], K[144], E[144];
        cond_fem_evaluate_element(fem, t, x, policy.geometric, 1.0, 0.0, &energy, f, half);
        fem_unpack(half, K);
        cond_fem_evaluate_element(fem, t, x, policy.geometric, 0.0, 1.0, &energy, f, half);
        fem_unpack(half, E);
        for (int i = 0; i < 144; i++) {
            int row = 3 * corner[i / 12 / 3] + i / 12 % 3, column = 3 * corner[i % 12 / 3] + i % 3;
            A[row * n + column] += stiffness_scale * (K[i] + E[i]) + beta * K[i];
            if (i % 13 == 0)
                A[row * n + column] +=
                    (mass_scale + alpha) * 0.25 * material->density * fem->volume[t];
        }
    }
    for (int i = 0; i < n && policy.geometric == COND_FEM_GEOMETRIC_CONSTANT; i++)
        A[i * n + i] += stiffness_scale * policy.constant;
}

static void test_assemble(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(2, 2, 2, 0.2, 0.2, 0.2);
    uint64_t seed = 5;
    fem_grid_shake(&grid, 0.2, &seed);
    CondFemMaterial material[2] = {make_material(COND_FEM_COROTATIONAL),
                                   make_material(COND_FEM_NEOHOOKEAN)};
    material[0].mass_damping = 3.0;
    material[0].stiffness_damping = 0.01;
    material[1].stiffness_damping = 0.02;
    int which[48];
    for (int i = 0; i < 48; i++)
        which[i] = i % 2;
    CondFem fem;
    CondFemWork work;
    CondBsr3 A;
    assert_int_equal(fem_create_linear(NULL, grid.n_node, grid.node, grid.n_tet, grid.tet, 2,
                                       material, which, &fem, NULL),
                     COND_OK);
    assert_int_equal(cond_fem_work_create(&fem, &work), COND_OK);
    assert_int_equal(bsr3_matrix_create(&fem.arena.context, &fem.pattern, &A), COND_OK);
    int n = 3 * fem.n_node;
    double *dense = zeros((size_t)n * n), *x = zeros(3 * (size_t)n), *f = x + n, *g = f + n;
    static const double rayleigh[2] = {0.7, 0.003};
    for (int p = COND_FEM_GEOMETRIC_NONE; p <= COND_FEM_GEOMETRIC_EXACT; p++) {
        CondFemPolicy policy = {(CondFemGeometric)p, 123.0};
        const double* damping = p % 2 ? rayleigh : NULL;
        distort(&fem, 0.03, &seed, x);
        memset(dense, 0, (size_t)n * n * sizeof *dense);
        assemble_dense(&fem, x, 200.0, 0.005, damping, policy, dense);
        for (int i = 0; i < 9 * fem.pattern.row_begin[fem.n_node]; i++)
            A.value[i] = NAN; // nothing of an earlier call survives
        cond_fem_assemble(&fem, x, 200.0, 0.005, damping, &policy, &work, &A, f, 1);
        cond_fem_forces(&fem, x, &work, g, NULL, 1);
        assert_memory_equal(f, g, (size_t)n * sizeof *f);
        cond_fem_assemble(&fem, x, 200.0, 0.005, damping, &policy, &work, &A, NULL, 1);
        double size = largest((size_t)n * n, dense);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int place = cond_bsr3_pattern_find(&fem.pattern, i / 3, j / 3);
                int mirror = cond_bsr3_pattern_find(&fem.pattern, j / 3, i / 3);
                double a = place < 0 ? 0.0 : A.value[9 * place + 3 * (i % 3) + j % 3];
                double b = mirror < 0 ? 0.0 : A.value[9 * mirror + 3 * (j % 3) + i % 3];
                assert_true(a == b);
                assert_true(fabs(a - dense[i * n + j]) < 1e-14 * size);
            }
    }
    free(dense);
    free(x);
    bsr3_matrix_destroy(&fem.arena.context, &A);
    cond_fem_work_destroy(&fem, &work);
    cond_fem_destroy(&fem);
    fem_grid_destroy(&grid);
}

// K of a body at rest, wherever it was carried: six rigid motions cost nothing, all others do.
// Distorted, it has no negative eigenvalue.
static void test_modes(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(2, 2, 1, 0.2, 0.2, 0.1);
    uint64_t seed = 7;
    int n = 3 * grid.n_node;
    double *dense = zeros((size_t)n * n), *x = zeros(2 * (size_t)n), *w = x + n;
    for (int trial = 0; trial < 8; trial++) {
        CondFemMaterial material = make_material(KINDS[trial % 2]);
        CondFem fem = fem_grid_body(&grid, &material);
        CondFemPolicy policy = {COND_FEM_GEOMETRIC_BOUND, 0.0};
        distort(&fem, trial < 4 ? 0.0 : 0.06, &seed, x);
        memset(dense, 0, (size_t)n * n * sizeof *dense);
        assemble_dense(&fem, x, 0.0, 1.0, NULL, policy, dense);
        dense_eigenvalues(n, dense, w);
        for (int i = 0; i < n; i++) {
            assert_true(w[i] > -1e-12 * w[n - 1]);
            if (trial < 4)
                assert_int_equal(fabs(w[i]) < 1e-11 * w[n - 1], i < 6);
        }
        cond_fem_destroy(&fem);
    }
    free(dense);
    free(x);
    fem_grid_destroy(&grid);
}

// Forces, energy, A and stresses have the same bits for any number of threads, and no call
// allocates.
static void test_threads(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(8, 7, 6, 0.8, 0.7, 0.6);
    uint64_t seed = 6;
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    for (int kind = 0; kind < 2; kind++) {
        CondFemMaterial material = make_material(KINDS[kind]);
        CondFem fem;
        CondFemWork work;
        CondBsr3 A[2];
        assert_int_equal(fem_create_linear(&context, grid.n_node, grid.node, grid.n_tet, grid.tet,
                                           1, &material, NULL, &fem, NULL),
                         COND_OK);
        assert_int_equal(cond_fem_work_create(&fem, &work), COND_OK);
        for (int k = 0; k < 2; k++)
            assert_int_equal(bsr3_matrix_create(&context, &fem.pattern, A + k), COND_OK);
        long calls = allocator.calls;
        size_t n = 3 * (size_t)fem.n_node, m = 9 * (size_t)fem.pattern.row_begin[fem.n_node];
        double *x = zeros(3 * n), *f[2] = {x + n, x + 2 * n}, energy[2];
        double* stress[2] = {zeros(7 * (size_t)fem.n_tet), zeros(7 * (size_t)fem.n_tet)};
        CondFemPolicy policy = {COND_FEM_GEOMETRIC_BOUND, 0.0};
        distort(&fem, 0.03, &seed, x);
        for (int threads = 1; threads <= 4; threads++) {
            int k = threads > 1;
            cond_fem_forces(&fem, x, &work, f[k], energy + k, threads);
            assert_true(energy[k] == energy[0]);
            assert_memory_equal(f[k], f[0], n * sizeof(double));
            cond_fem_assemble(&fem, x, 200.0, 0.005, NULL, &policy, &work, A + k, f[k], threads);
            assert_memory_equal(f[k], f[0], n * sizeof(double));
            assert_memory_equal(A[k].value, A[0].value, m * sizeof(double));
            cond_fem_stress(&fem, x, stress[k], stress[k] + 6 * fem.n_tet, threads);
            assert_memory_equal(stress[k], stress[0], 7 * (size_t)fem.n_tet * sizeof(double));
        }
        assert_int_equal(allocator.calls, calls);
        free(stress[0]);
        free(stress[1]);
        free(x);
        for (int k = 0; k < 2; k++)
            bsr3_matrix_destroy(&context, A + k);
        cond_fem_work_destroy(&fem, &work);
        cond_fem_destroy(&fem);
    }
    assert_int_equal(allocator.live, 0);
    fem_grid_destroy(&grid);
}

static void refuse(int n_node, const double* node, int n_tet, const int* tet,
                   const CondFemMaterial* material, const int* which, const char* word)
{
    CondFem fem;
    CondError error = {COND_OK, ""};
    assert_int_equal(
        fem_create_linear(NULL, n_node, node, n_tet, tet, 1, material, which, &fem, &error),
        COND_BAD_ARGUMENT);
    assert_int_equal(error.status, COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, word));
    assert_null(fem.rest);
    assert_int_equal(fem.n_tet, 0);
    assert_int_equal(
        fem_create_linear(NULL, n_node, node, n_tet, tet, 1, material, which, &fem, NULL),
        COND_BAD_ARGUMENT);
}

static void test_refusals(void** state)
{
    (void)state;
    double node[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    int tet[8] = {0, 1, 2, 3, 1, 2, 3, 4}, which[2] = {0, 0};
    CondFem fem;
    const CondFemMaterial good = cond_fem_material_default();
    assert_int_equal(fem_create_linear(NULL, 5, node, 2, tet, 1, &good, which, &fem, NULL),
                     COND_OK);
    cond_fem_destroy(&fem);

    refuse(3, node, 1, tet, &good, which, "3 nodes");
    refuse(5, node, 0, tet, &good, which, "0 tetrahedra");
    refuse(5, node, 1 << 27, tet, &good, which, "tetrahedra");
    refuse(5, node, 1, tet, &good, which, "node 4 belongs to no");
    which[1] = 1;
    refuse(5, node, 2, tet, &good, which, "tetrahedron 1: material 1");
    which[1] = 0;
    tet[6] = 5;
    refuse(5, node, 2, tet, &good, which, "tetrahedron 1: corner 2");
    tet[6] = 2;
    refuse(5, node, 2, tet, &good, which, "tetrahedron 1 is flat");
    tet[5] = 3;
    refuse(5, node, 2, tet, &good, which, "tetrahedron 1 is inverted");
    tet[5] = 2;
    tet[6] = 3;
    node[13] = NAN;
    refuse(5, node, 2, tet, &good, which, "node 4 is not finite");
    node[13] = 1.0;

    static const struct {
        int field; // index among the numbers of the material
        double value;
        const char* word;
    } wrong[] = {
        {0, 0.0, "youngs_modulus"},   {0, NAN, "youngs_modulus"}, {0, INFINITY, "youngs_modulus"},
        {1, 0.5, "poisson_ratio"},    {1, -1.0, "poisson_ratio"}, {1, NAN, "poisson_ratio"},
        {2, 0.0, "density"},          {2, -1.0, "density"},       {3, -1e-9, "mass_damping"},
        {4, NAN, "stiffness_damping"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CondFemMaterial bad = good;
        double* field[] = {&bad.youngs_modulus, &bad.poisson_ratio, &bad.density, &bad.mass_damping,
                           &bad.stiffness_damping};
        *field[wrong[k].field] = wrong[k].value;
        refuse(5, node, 2, tet, &bad, which, wrong[k].word);
    }
    CondFemMaterial bad = good;
    bad.kind = COND_FEM_MATERIAL_KINDS;
    refuse(5, node, 2, tet, &bad, which, "kind");
}

static void test_out_of_memory(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(2, 1, 1, 1.0, 1.0, 1.0);
    CondFemMaterial material = cond_fem_material_default();
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondStatus status = COND_OUT_OF_MEMORY;
    long fail_at = 0;
    while (status != COND_OK) {
        CondFem fem;
        CondFemWork work;
        CondError error = {COND_OK, ""};
        allocator.calls = 0;
        allocator.fail_at = ++fail_at;
        status = fem_create_linear(&context, grid.n_node, grid.node, grid.n_tet, grid.tet, 1,
                                   &material, NULL, &fem, &error);
        assert_int_equal(error.status, status);
        if (status == COND_OK) {
            status = cond_fem_work_create(&fem, &work);
            cond_fem_work_destroy(&fem, &work);
        }
        cond_fem_destroy(&fem);
        assert_true(status == COND_OK || status == COND_OUT_OF_MEMORY);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(fail_at > 20);
    fem_grid_destroy(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_stress),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_body_differences),
        cmocka_unit_test(test_assemble),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
