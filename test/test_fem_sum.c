// Elements in batches of four against elements one by one: the same bits, for every policy, for
// materials that mix, for parts of a body, and where elements are turned inside out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem_grid.h"
#include "mesh/mesh_quadratic.h"
#include "model/fem_sum.h"

typedef void (*AddElements)(const CondFemSum* sum, int first, int last);

typedef struct Result {
    size_t n_A, n_f, n_energy;
    double *A, *f, *energy;
} Result;

static Result result_create(const CondFem* fem)
{
    Result r = {9 * (size_t)fem->pattern.row_begin[fem->n_node],
                3 * (size_t)fem->n_node,
                (size_t)fem->n_element,
                NULL,
                NULL,
                NULL};
    r.A = calloc(r.n_A + r.n_f + r.n_energy, sizeof *r.A);
    assert_non_null(r.A);
    r.f = r.A + r.n_A;
    r.energy = r.f + r.n_f;
    return r;
}

static void run(AddElements add, CondFemSum sum, int first, int last, int matrix, Result* r)
{
    memset(r->A, 0, (r->n_A + r->n_f + r->n_energy) * sizeof *r->A);
    sum.A = matrix ? r->A : NULL;
    sum.f = r->f;
    sum.energy = r->energy;
    add(&sum, first, last);
    for (size_t i = 0; i < r->n_A + r->n_f + r->n_energy; i++)
        r->A[i] = isnan(r->A[i]) ? NAN : r->A[i]; // which of the many it is does not matter
}

static void compare(CondFemSum sum, int first, int last)
{
    Result plain = result_create(sum.fem), batch = result_create(sum.fem);
    size_t size = (plain.n_A + plain.n_f + plain.n_energy) * sizeof *plain.A;
    for (int matrix = 0; matrix < 2; matrix++) {
        run(cond_fem_add_elements_plain, sum, first, last, matrix, &plain);
        int some = 0;
        for (size_t i = 0; i < plain.n_f; i++)
            some |= plain.f[i] != 0.0;
        assert_true(some);
        run(cond_fem_add_elements_generic, sum, first, last, matrix, &batch);
        assert_memory_equal(plain.A, batch.A, size);
        run(cond_fem_add_elements, sum, first, last, matrix, &batch);
        assert_memory_equal(plain.A, batch.A, size);
    }
    free(plain.A);
    free(batch.A);
}

// The grid with elements of a kind.
static CondFem make_elements(const FemGrid* grid, CondFemElementKind kind,
                             const CondFemMaterial* material, const int* of_tet)
{
    CondMesh mesh = {
        .n_node = grid->n_node, .node = grid->node, .n_tet = grid->n_tet, .tet = grid->tet};
    CondFemShape shape = {.kind = kind,
                          .n_node = grid->n_node,
                          .node = grid->node,
                          .n_element = grid->n_tet,
                          .element = grid->tet};
    CondMeshQuadratic made = {0};
    CondFem fem;
    if (kind == COND_FEM_QUADRATIC) {
        assert_int_equal(cond_mesh_quadratic_create(NULL, &mesh, &made, NULL), COND_OK);
        shape = (CondFemShape){.kind = COND_FEM_QUADRATIC,
                               .n_node = made.n_node,
                               .node = made.node,
                               .n_element = made.n_tet,
                               .element = made.element};
    }
    assert_int_equal(cond_fem_create(NULL, &shape, 2, material, of_tet, &fem, NULL), COND_OK);
    cond_mesh_quadratic_destroy(&made);
    return fem;
}

// Two materials, each in stretches longer and shorter than a batch.
static CondFem make_body(const FemGrid* grid, int mixed, CondFemElementKind kind)
{
    CondFemMaterial material[2] = {cond_fem_material_default(), cond_fem_material_default()};
    material[0].stiffness_damping = 0.01;
    material[0].poisson_ratio = 0.45;
    material[1].youngs_modulus = 3e5;
    material[1].kind = mixed ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL;
    int* of_tet = calloc((size_t)grid->n_tet, sizeof *of_tet);
    assert_non_null(of_tet);
    for (int i = 0; i < grid->n_tet; i++)
        of_tet[i] = i % 11 > 8 || i > grid->n_tet / 2;
    CondFem fem = make_elements(grid, kind, material, of_tet);
    free(of_tet);
    return fem;
}

static void test_same_bits(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(4, 3, 3, 0.4, 0.3, 0.3); // 216 elements
    uint64_t seed = 11;
    fem_grid_shake(&grid, 0.2, &seed);
    // At rest, turned, strained, torn about so that many elements are inverted, and flat.
    const double shake[] = {0.0, 0.002, 0.02, 0.15, 0.02};
    static const CondFemElementKind kinds[] = {COND_FEM_LINEAR, COND_FEM_QUADRATIC,
                                               COND_FEM_SMOOTHED};
    for (int mixed = 0; mixed < 6; mixed++) {
        CondFem fem = make_body(&grid, mixed % 2, kinds[mixed / 2]);
        double* x = calloc(3 * (size_t)fem.n_node, sizeof *x);
        assert_non_null(x);
        for (int trial = 0; trial < 5; trial++) {
            double Q[9];
            fem_random_rotation(&seed, Q);
            for (int i = 0; i < 3 * fem.n_node; i++) {
                const double *X = fem.rest + i / 3 * 3, *q = Q + i % 3 * 3;
                x[i] = q[0] * X[0] + q[1] * X[1] + (trial == 4 ? 0.0 : q[2] * X[2]) +
                       shake[trial] * fem_random(&seed);
            }
            for (int policy = 0; policy <= COND_FEM_GEOMETRIC_EXACT; policy++) {
                CondFemSum sum = {.fem = &fem,
                                  .x = x,
                                  .mass_scale = 100.0,
                                  .stiffness_scale = 0.01,
                                  .policy = {(CondFemGeometric)policy, 2.0}};
                compare(sum, 0, fem.n_node);
                compare(sum, fem.n_node / 3, 3 * fem.n_node / 4);
            }
        }
        free(x);
        cond_fem_destroy(&fem);
    }
    fem_grid_destroy(&grid);
}

// What is not finite or out of range goes where single elements go.
static void test_extremes(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(2, 1, 1, 0.2, 0.1, 0.1);
    const double scale[] = {1e200, 1e-200, 0.0, INFINITY};
    CondFem fem = make_body(&grid, 0, COND_FEM_LINEAR);
    double* x = calloc(3 * (size_t)grid.n_node, sizeof *x);
    assert_non_null(x);
    for (size_t k = 0; k < sizeof scale / sizeof scale[0]; k++) {
        for (int i = 0; i < 3 * grid.n_node; i++)
            x[i] = fem.rest[i];
        x[3] *= scale[k]; // not on the side at x = 0
        CondFemSum sum = {.fem = &fem,
                          .x = x,
                          .mass_scale = 100.0,
                          .stiffness_scale = 0.01,
                          .policy = {COND_FEM_GEOMETRIC_BOUND, 0.0}};
        compare(sum, 0, fem.n_node);
    }
    free(x);
    cond_fem_destroy(&fem);
    fem_grid_destroy(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
