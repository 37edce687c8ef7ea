// Static problems of shells, linear and non-linear, by Newton's method with a sparse factorisation.
#include "shell_statics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bsr3_matrix.h"
#include "fem_grid.h"

int shell_grid_node(const ShellGrid* grid, int i, int j)
{
    return i + (grid->nx + 1) * j;
}

ShellGrid shell_grid_create(int nx, int ny, int turn, double shake)
{
    ShellGrid g = {.nx = nx, .ny = ny, .n_node = (nx + 1) * (ny + 1), .n_triangle = 2 * nx * ny};
    uint64_t seed = 7;
    g.node = calloc(3 * (size_t)g.n_node, sizeof *g.node);
    g.triangle = calloc(3 * (size_t)g.n_triangle, sizeof *g.triangle);
    assert_non_null(g.node);
    assert_non_null(g.triangle);
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++) {
            double* p = g.node + 3 * (size_t)shell_grid_node(&g, i, j);
            double a = fem_random(&seed), b = fem_random(&seed);
            p[0] = (i + (i > 0 && i < nx ? shake * a : 0.0)) / nx;
            p[1] = (j + (j > 0 && j < ny ? shake * b : 0.0)) / ny;
        }
    for (int j = 0, t = 0; j < ny; j++)
        for (int i = 0; i < nx; i++, t += 2) {
            int* out = g.triangle + 3 * (size_t)t;
            int a = shell_grid_node(&g, i, j), b = a + 1, d = a + nx + 1, c = d + 1;
            int other = turn == 1 ? (i + j) % 2 : turn == 2 ? fem_random(&seed) > 0.0 : 0;
            const int one[6] = {a, b, d, b, c, d}, two[6] = {a, b, c, a, c, d};
            memcpy(out, other ? two : one, sizeof one);
        }
    return g;
}

void shell_grid_destroy(ShellGrid* grid)
{
    free(grid->node);
    free(grid->triangle);
}

void shell_statics_create(const ShellGrid* grid, double thickness, const CondFemMaterial* material,
                          ShellStatics* s)
{
    CondFemShape shape = {.kind = COND_FEM_SHELL,
                          .n_node = grid->n_node,
                          .node = grid->node,
                          .n_element = grid->n_triangle,
                          .element = grid->triangle,
                          .thickness = thickness};
    CondError error = {COND_OK, ""};
    memset(s, 0, sizeof *s);
    CondStatus status = cond_fem_create(NULL, &shape, 1, material, NULL, &s->fem, &error);
    if (status)
        print_error("%s\n", error.message);
    assert_int_equal(status, COND_OK);
    assert_int_equal(cond_fem_work_create(&s->fem, &s->work), COND_OK);
    assert_int_equal(bsr3_matrix_create(&s->fem.arena.context, &s->fem.pattern, &s->A), COND_OK);
    s->n = 3 * s->fem.n_node;
    s->held = calloc((size_t)s->n, sizeof *s->held);
    s->x = calloc(3 * (size_t)s->n + (size_t)s->fem.n_inner, sizeof *s->x);
    assert_non_null(s->held);
    assert_non_null(s->x);
    s->load = s->x + s->n + s->fem.n_inner;
    s->f = s->load + s->n;
    memcpy(s->x, s->fem.rest, (size_t)s->n * sizeof *s->x);
    int *size = malloc((size_t)s->fem.n_node * sizeof *size), fits;
    assert_non_null(size);
    for (int i = 0; i < s->fem.n_node; i++)
        size[i] = 3;
    cond_arena_begin(NULL, &s->lu.order.arena);
    assert_int_equal(cond_block_lu_begin(&s->lu, s->fem.n_node, size), COND_OK);
    const CondBsr3Pattern* p = &s->fem.pattern;
    for (int i = 0; i < p->n_row; i++)
        for (int k = p->row_begin[i]; k < p->row_begin[i + 1]; k++)
            if (p->column[k] > i)
                assert_int_equal(cond_block_lu_join(&s->lu, i, p->column[k]), COND_OK);
    assert_int_equal(cond_block_lu_plan(&s->lu, INFINITY, &fits), COND_OK);
    assert_true(fits);
    free(size);
}

void shell_statics_destroy(ShellStatics* s)
{
    cond_block_lu_destroy(&s->lu);
    bsr3_matrix_destroy(&s->fem.arena.context, &s->A);
    cond_fem_work_destroy(&s->fem, &s->work);
    cond_fem_destroy(&s->fem);
    free(s->held);
    free(s->x);
}

// f = A \ f on the free coordinates; the sum of the diagonal's `shift` is added.
static void solve(ShellStatics* s, double shift)
{
    const CondBsr3Pattern* p = &s->fem.pattern;
    cond_block_lu_clear(&s->lu);
    for (int i = 0; i < p->n_row; i++)
        for (int k = p->row_begin[i]; k < p->row_begin[i + 1]; k++) {
            int j = p->column[k];
            CondBlockLuEntry entry = cond_block_lu_block(&s->lu, i, j);
            for (int c = 0; c < 9; c++) {
                int row = 3 * i + c / 3, column = 3 * j + c % 3;
                double value = s->A.value[9 * (size_t)k + c] + (row == column ? shift : 0.0);
                if (s->held[row] || s->held[column])
                    value = row == column ? 1.0 : 0.0;
                entry.value[entry.row * (c / 3) + entry.column * (c % 3)] = value;
            }
        }
    assert_int_equal(cond_block_lu_factor(&s->lu), 0);
    cond_block_lu_solve(&s->lu, s->f, 1);
}

static double residual(ShellStatics* s)
{
    double most = 0.0;
    for (int i = 0; i < s->n; i++) {
        s->f[i] = s->held[i] ? 0.0 : s->f[i] + s->load[i];
        most = fmax(most, fabs(s->f[i]));
    }
    return most;
}

void shell_statics_linear(ShellStatics* s)
{
    CondFemPolicy policy = {COND_FEM_GEOMETRIC_NONE, 0.0};
    cond_fem_assemble(&s->fem, s->fem.rest, 0.0, 1.0, NULL, &policy, &s->work, &s->A, s->f, 1);
    residual(s);
    solve(s, 0.0);
    for (int i = 0; i < s->n; i++)
        s->x[i] = s->fem.rest[i] + s->f[i];
}

static double energy_of(ShellStatics* s, const double* x)
{
    double energy;
    cond_fem_forces(&s->fem, x, &s->work, NULL, &energy, 1);
    for (int i = 0; i < s->n; i++)
        energy -= s->load[i] * (x[i] - s->fem.rest[i]);
    return energy;
}

int shell_statics_solve(ShellStatics* s, int max_steps)
{
    size_t n_x = (size_t)(s->n + s->fem.n_inner);
    double *trial = malloc(n_x * sizeof *trial), scale = 0.0;
    assert_non_null(trial);
    int step = 0;
    for (int i = 0; i < s->n; i++)
        scale = fmax(scale, fabs(s->load[i]));
    for (; step < max_steps; step++) {
        CondFemPolicy policy = {step % 2 ? COND_FEM_GEOMETRIC_EXACT : COND_FEM_GEOMETRIC_CLAMPED,
                                0.0};
        double now = energy_of(s, s->x), slope = 0.0, part = 1.0;
        cond_fem_assemble(&s->fem, s->x, 0.0, 1.0, NULL, &policy, &s->work, &s->A, s->f, 1);
        double left = residual(s);
        scale = scale > 0.0 ? scale : left; // nothing but what it holds within
        if (left < 1e-8 * scale)
            break;
        memcpy(trial, s->x, n_x * sizeof *trial);
        memcpy(trial, s->f, (size_t)s->n * sizeof *trial);
        solve(s, 0.0);
        for (int i = 0; i < s->n; i++)
            slope += trial[i] * s->f[i];
        if (!(slope > 0.0))
            continue;
        for (int k = 0; k < 40; k++, part *= 0.5) {
            for (int i = 0; i < s->n; i++)
                trial[i] = s->x[i] + part * s->f[i];
            if (energy_of(s, trial) <= now - 1e-4 * part * slope + 1e-14 * fabs(now))
                break;
        }
        memcpy(s->x, trial, (size_t)s->n * sizeof *trial);
    }
    free(trial);
    return step;
}
