// Forces, rows and energies by nodes (model/fem_item.h) on the device of the processors, against
// those of cond_fem_assemble: both materials, mixed, strained, turned and inside out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "fem_grid.h"
#include "model/fem_item.h"

static CondFem make_body(const FemGrid* grid, int mixed)
{
    CondFemMaterial material[2] = {cond_fem_material_default(), cond_fem_material_default()};
    material[0].stiffness_damping = 0.01;
    material[0].poisson_ratio = 0.45;
    material[0].mass_damping = 0.3;
    material[0].kind = mixed == 2 ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL;
    material[1].youngs_modulus = 3e5;
    material[1].kind = mixed ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL;
    int* of_tet = calloc((size_t)grid->n_tet, sizeof *of_tet);
    assert_non_null(of_tet);
    for (int i = 0; i < grid->n_tet; i++)
        of_tet[i] = i % 11 > 8 || i > grid->n_tet / 2;
    CondFemShape shape = {.kind = COND_FEM_LINEAR,
                          .n_node = grid->n_node,
                          .node = grid->node,
                          .n_element = grid->n_tet,
                          .element = grid->tet};
    CondFem fem;
    assert_int_equal(cond_fem_create(NULL, &shape, 2, material, of_tet, &fem, NULL), COND_OK);
    free(of_tet);
    return fem;
}

static void assert_near(size_t n, const double* a, const double* b)
{
    double most = 0.0, scale = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    assert_true(scale > 0.0 && most <= 1e-13 * scale);
}

// threads: of the device.
static void compare(const CondFem* fem, const double* x, CondFemPolicy policy, int threads)
{
    size_t nA = 9 * (size_t)fem->pattern.row_begin[fem->n_node], nf = 3 * (size_t)fem->n_node,
           ne = (size_t)fem->n_element;
    double *A = calloc(2 * (nA + nf + ne), sizeof *A), *f = A + nA, *energy = f + nf,
           *A_item = energy + ne, *f_item = A_item + nA, *energy_item = f_item + nf;
    int *begin = calloc((size_t)fem->n_node + 2, sizeof *begin), *of = calloc(4 * ne, sizeof *of);
    CondFemWork work = {.energy = energy};
    CondBsr3 matrix = {&fem->pattern, A};
    CondDevice device = cond_device_threads(NULL, threads);
    cond_fem_assemble(fem, x, 100.0, 0.01, NULL, &policy, &work, &matrix, f, 1);
    cond_fem_list_corners(fem, begin, of);
    CondFemView view = cond_fem_view(fem);
    view.x = x;
    view.corner_begin = begin;
    view.corner_of = of;
    view.mass_scale = 100.0;
    view.stiffness_scale = 0.01;
    view.constant = policy.geometric == COND_FEM_GEOMETRIC_CONSTANT ? policy.constant : 0.0;
    view.A = A_item;
    view.f = f_item;
    view.energy = energy_item;
    for (size_t k = 0; k < nA; k++)
        A_item[k] = NAN; // what is there does not matter
    assert_int_equal(device.ops->loop(&device, &cond_fem_rows, view.n_node, 4096, &view), COND_OK);
    assert_int_equal(device.ops->wait(&device), COND_OK);
    assert_near(nA, A_item, A);
    assert_near(nf, f_item, f);
    assert_near(ne, energy_item, energy);
    view.A = NULL; // forces alone
    memset(f_item, 0, nf * sizeof *f_item);
    assert_int_equal(device.ops->loop(&device, &cond_fem_rows, view.n_node, 4096, &view), COND_OK);
    assert_near(nf, f_item, f);
    free(A), free(begin), free(of);
}

static void items_are_those_of_the_elements(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(4, 3, 3, 0.4, 0.3, 0.3); // 216 elements
    uint64_t seed = 11;
    fem_grid_shake(&grid, 0.2, &seed);
    const double shake[] = {0.002, 0.02, 0.15}; // in the last many are inverted
    for (int mixed = 0; mixed < 3; mixed++) {
        CondFem fem = make_body(&grid, mixed);
        double* x = calloc(3 * (size_t)fem.n_node, sizeof *x);
        for (int trial = 0; trial < 3; trial++) {
            double Q[9];
            fem_random_rotation(&seed, Q);
            for (int i = 0; i < 3 * fem.n_node; i++) {
                const double *X = fem.rest + i / 3 * 3, *q = Q + i % 3 * 3;
                x[i] = q[0] * X[0] + q[1] * X[1] + q[2] * X[2] + shake[trial] * fem_random(&seed);
            }
            assert_true(cond_fem_item_serves(&fem, COND_FEM_GEOMETRIC_NONE));
            assert_int_equal(cond_fem_item_serves(&fem, COND_FEM_GEOMETRIC_BOUND), mixed == 2);
            compare(&fem, x, (CondFemPolicy){COND_FEM_GEOMETRIC_NONE, 0.0}, 1);
            compare(&fem, x, (CondFemPolicy){COND_FEM_GEOMETRIC_CONSTANT, 2.0}, 3);
        }
        free(x);
        cond_fem_destroy(&fem);
    }
    fem_grid_destroy(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_those_of_the_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
