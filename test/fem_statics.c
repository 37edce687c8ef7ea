// Newton's method on the static problem of one elastic body, for tests.
#include "fem_statics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bsr3_matrix.h"
#include "linear/conjugate_gradients.h"
#include "mesh/mesh_quadratic.h"

void statics_begin(Statics* s)
{
    assert_int_equal(cond_fem_work_create(&s->fem, &s->work), COND_OK);
    assert_int_equal(bsr3_matrix_create(&s->fem.arena.context, &s->fem.pattern, &s->A), COND_OK);
    s->n = 3 * s->fem.n_node;
    size_t n = (size_t)s->n;
    s->held = calloc(n, sizeof *s->held);
    s->x = calloc(8 * n, sizeof *s->x);
    assert_non_null(s->held);
    assert_non_null(s->x);
    s->load = s->x + n;
    s->f = s->load + n;
    s->d = s->f + n;
    s->scale = s->d + n;
    s->cg = s->scale + n;
    memcpy(s->x, s->fem.rest, n * sizeof *s->x);
}

void statics_create(const FemGrid* grid, const CondFemMaterial* material, Statics* s)
{
    s->fem = fem_grid_body(grid, material);
    statics_begin(s);
}

void statics_create_quadratic(const FemGrid* grid, const CondFemMaterial* material, Statics* s)
{
    CondMesh mesh = {
        .n_node = grid->n_node, .node = grid->node, .n_tet = grid->n_tet, .tet = grid->tet};
    CondMeshQuadratic made;
    assert_int_equal(cond_mesh_quadratic_create(NULL, &mesh, &made, NULL), COND_OK);
    CondFemShape shape = {.kind = COND_FEM_QUADRATIC,
                          .n_node = made.n_node,
                          .node = made.node,
                          .n_element = made.n_tet,
                          .element = made.element};
    assert_int_equal(cond_fem_create(NULL, &shape, 1, material, NULL, &s->fem, NULL), COND_OK);
    cond_mesh_quadratic_destroy(&made);
    statics_begin(s);
}

void statics_create_smoothed(const FemGrid* grid, const CondFemMaterial* material, Statics* s)
{
    CondFemShape shape = {.kind = COND_FEM_SMOOTHED,
                          .n_node = grid->n_node,
                          .node = grid->node,
                          .n_element = grid->n_tet,
                          .element = grid->tet};
    assert_int_equal(cond_fem_create(NULL, &shape, 1, material, NULL, &s->fem, NULL), COND_OK);
    statics_begin(s);
}

void statics_destroy(Statics* s)
{
    bsr3_matrix_destroy(&s->fem.arena.context, &s->A);
    cond_fem_work_destroy(&s->fem, &s->work);
    cond_fem_destroy(&s->fem);
    free(s->held);
    free(s->x);
}

// y = A x on the free coordinates, identity on the held ones; x is zero there.
static void multiply_free(const void* data, const double* x, double* y)
{
    const Statics* s = data;
    bsr3_matrix_multiply(&s->A, x, y, 1);
    for (int i = 0; i < s->n; i++)
        if (s->held[i])
            y[i] = x[i];
}

// z = diag(A) \ r
static void divide(const void* data, const double* r, double* z)
{
    const Statics* s = data;
    for (int i = 0; i < s->n; i++)
        z[i] = r[i] / s->scale[i];
}

int statics_solve(Statics* s, CondFemGeometric geometric, int max_steps, double limit)
{
    CondFemPolicy policy = {geometric, 0.0};
    double force_scale = 0.0;
    for (int i = 0; i < s->n; i++)
        force_scale = fmax(force_scale, fabs(s->load[i]));
    for (int step = 0; step < max_steps; step++) {
        cond_fem_assemble(&s->fem, s->x, 0.0, 1.0, NULL, &policy, &s->work, &s->A, s->f, 1);
        bsr3_matrix_diagonal(&s->A, s->scale);
        double residual = 0.0, longest = 0.0, rounding = 0.0;
        for (int i = 0; i < s->n; i++) {
            s->d[i] = 0.0;
            s->f[i] = s->held[i] ? 0.0 : s->f[i] + s->load[i];
            s->scale[i] = s->held[i] ? 1.0 : s->scale[i];
            residual = fmax(residual, fabs(s->f[i]));
            rounding = fmax(rounding, DBL_EPSILON * s->scale[i] * fabs(s->x[i]));
        }
        if (step > 0 && residual < fmax(1e-9 * force_scale, rounding))
            return step;
        CondCgSystem system = {.A = {s->n, multiply_free, s},
                               .M = {divide, s},
                               .threads = 1,
                               .x = s->d,
                               .r = s->f,
                               .z = s->cg,
                               .p = s->cg + s->n,
                               .q = s->cg + 2 * (size_t)s->n};
        CondCg cg = {.goal = -1.0, .reduction = 1e-12, .max_products = 50000};
        cond_cg_solve(&system, &cg);
        assert_int_equal(cg.failed, 0);
        for (int i = 0; i < s->n; i++)
            longest = fmax(longest, fabs(s->d[i]));
        double part = longest > limit ? limit / longest : 1.0;
        for (int i = 0; i < s->n; i++)
            s->x[i] += part * s->d[i];
    }
    return max_steps;
}
