// Shells: forces and tangent against finite differences, rigid motion, constant strain and
// curvature, and the obstacle course: roof, cylinder, hemisphere, twisted beam, large bending.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem_grid.h"
#include "math/vec3.h"
#include "model/fem_element.h"
#include "model/shell.h"
#include "shell_statics.h"

static const double PI = 3.14159265358979323846;

static CondFemMaterial material_of(double E, double nu)
{
    CondFemMaterial material = cond_fem_material_default();
    material.youngs_modulus = E;
    material.poisson_ratio = nu;
    return material;
}

// A curved patch with a warp, all triangles different.
static void make_patch(int kind, ShellStatics* s)
{
    ShellGrid grid = shell_grid_create(3, 3, 2, 0.2);
    CondFemMaterial material = material_of(1e5, 0.3);
    material.kind = kind == 1 ? COND_FEM_NEOHOOKEAN : COND_FEM_COROTATIONAL;
    if (kind == 3 || kind == 4) {
        material.strain_limit = 0.02;
        material.limit_modulus = 2e6;
    }
    if (kind == 4)
        material.kind = COND_FEM_NEOHOOKEAN;
    if (kind == 2) {
        material.weft_modulus = 4e4;
        material.shear_modulus = 1e4;
        material.bending = 2e-3;
        material.bending_weft = 1e-3;
    }
    if (kind == 5) {
        material.yield_curvature = 1.0;
        material.yield_hardening = 0.2;
    }
    for (int i = 0; i < grid.n_node; i++) {
        double* p = grid.node + 3 * i;
        p[2] = 0.3 * p[0] * p[0] - 0.2 * p[0] * p[1];
    }
    shell_statics_create(&grid, 0.05, &material, s);
    shell_grid_destroy(&grid);
}

// Dense matrix of the body under a policy, stiffness_scale 1.
static void dense(ShellStatics* s, CondFemGeometric geometric, double* K)
{
    CondFemPolicy policy = {geometric, 0.0};
    const CondBsr3Pattern* p = &s->fem.pattern;
    cond_fem_assemble(&s->fem, s->x, 0.0, 1.0, NULL, &policy, &s->work, &s->A, s->f, 1);
    memset(K, 0, (size_t)s->n * (size_t)s->n * sizeof *K);
    for (int i = 0; i < p->n_row; i++)
        for (int k = p->row_begin[i]; k < p->row_begin[i + 1]; k++)
            for (int c = 0; c < 9; c++)
                K[(size_t)(3 * i + c / 3) * (size_t)s->n + (size_t)(3 * p->column[k] + c % 3)] =
                    s->A.value[9 * (size_t)k + c];
}

static void test_finite_differences(void** state)
{
    (void)state;
    uint64_t seed = 3;
    for (int kind = 0; kind < 6; kind++) {
        ShellStatics s;
        double Q[9];
        make_patch(kind, &s);
        int n = s.n;
        double *K = calloc((size_t)n * (size_t)n, sizeof *K), *f = calloc((size_t)n, sizeof *f);
        double *plus = calloc((size_t)n, sizeof *f), *minus = calloc((size_t)n, sizeof *f);
        fem_random_rotation(&seed, Q);
        for (int i = 0; i < n; i += 3) {
            mat3_multiply(Q, s.fem.rest + i, s.x + i);
            for (int k = 0; k < 3; k++)
                s.x[i + k] += 0.04 * fem_random(&seed);
        }
        for (int i = 0; i < s.fem.n_inner; i++)
            s.x[n + i] = fem_random(&seed);
        dense(&s, COND_FEM_GEOMETRIC_EXACT, K);
        double size = 0.0, force = 0.0, step = 1e-6;
        cond_fem_forces(&s.fem, s.x, &s.work, f, NULL, 1);
        for (int i = 0; i < n * n; i++)
            size = fmax(size, fabs(K[i]));
        for (int i = 0; i < n; i++)
            force = fmax(force, fabs(f[i]));
        for (int j = 0; j < n; j++) {
            double high, low, x = s.x[j];
            s.x[j] = x + step;
            cond_fem_forces(&s.fem, s.x, &s.work, plus, &high, 1);
            s.x[j] = x - step;
            cond_fem_forces(&s.fem, s.x, &s.work, minus, &low, 1);
            s.x[j] = x;
            assert_true(fabs(-(high - low) / (2.0 * step) - f[j]) < 1e-6 * force);
            for (int i = 0; i < n; i++)
                assert_true(fabs(-(plus[i] - minus[i]) / (2.0 * step) - K[i * n + j]) <
                            1e-6 * size);
        }
        free(K);
        free(f);
        free(plus);
        free(minus);
        shell_statics_destroy(&s);
    }
}

// A plate rolled up to a cylinder of radius R towards its first side: that side is compressed by
// E h/(2 (1 - nu^2) R), the other stretched.
static void test_stress(void** state)
{
    (void)state;
    ShellGrid g = shell_grid_create(8, 8, 2, 0.2);
    CondFemMaterial m = material_of(2e5, 0.3);
    ShellStatics s;
    double R = 40.0, h = 0.02, bent = m.youngs_modulus * h / (2.0 * (1.0 - 0.09) * R);
    shell_statics_create(&g, h, &m, &s);
    for (int i = 0; i < g.n_node; i++) {
        s.x[3 * i] = R * sin(g.node[3 * i] / R);
        s.x[3 * i + 2] = R * (1.0 - cos(g.node[3 * i] / R));
    }
    int n = g.n_triangle, checked = 0;
    double* stress = calloc(12 * (size_t)n, sizeof *stress);
    double* von_mises = calloc(2 * (size_t)n, sizeof *von_mises);
    double* larger = calloc((size_t)n, sizeof *larger);
    cond_shell_stress(&s.fem, s.x, stress, von_mises);
    cond_shell_von_mises(&s.fem, s.x, larger);
    for (int i = 0; i < n; i++) {
        const int* corner = g.triangle + 3 * (size_t)i;
        double x = 0.0;
        assert_true(larger[i] == fmax(von_mises[i], von_mises[n + i]));
        for (int k = 0; k < 3; k++)
            x = fmax(
                x, fmax(fabs(g.node[3 * corner[k]] - 0.5), fabs(g.node[3 * corner[k] + 1] - 0.5)));
        if (x > 0.3)
            continue; // a border has no moment across
        checked++;
        for (int side = 0; side < 2; side++) {
            const double* at = stress + 6 * ((size_t)i + (size_t)side * (size_t)n);
            assert_true(fabs(at[0] - (side ? bent : -bent)) < 0.01 * bent);
            assert_true(fabs(at[1] - (side ? 0.3 : -0.3) * bent) < 0.01 * bent);
            assert_true(fabs(at[3]) < 0.01 * bent);
        }
    }
    assert_true(checked > 20);
    free(stress);
    free(von_mises);
    free(larger);
    shell_statics_destroy(&s);
    shell_grid_destroy(&g);
}

static double scordelis(int n, int turn, double shake)
{
    ShellGrid g = shell_grid_create(n, n, turn, shake);
    CondFemMaterial m = material_of(4.32e8, 0.0);
    ShellStatics s;
    for (int i = 0; i < g.n_node; i++) {
        double* p = g.node + 3 * i;
        double angle = (p[0] - 0.5) * 80.0 * PI / 180.0, y = 50.0 * p[1];
        p[0] = 25.0 * sin(angle);
        p[1] = y;
        p[2] = 25.0 * cos(angle);
    }
    shell_statics_create(&g, 0.25, &m, &s);
    for (int i = 0; i < g.n_node; i++) {
        int end = s.fem.rest[3 * i + 1] < 1e-9 || s.fem.rest[3 * i + 1] > 50.0 - 1e-9;
        s.held[3 * i] = s.held[3 * i + 2] = end;
        s.load[3 * i + 2] = -90.0 * s.fem.mass[i] / (1000.0 * 0.25);
    }
    s.held[3 * shell_grid_node(&g, n / 2, 0) + 1] = 1;
    shell_statics_linear(&s);
    int k = 3 * shell_grid_node(&g, 0, n / 2) + 2;
    double w = s.fem.rest[k] - s.x[k];
    shell_statics_destroy(&s);
    shell_grid_destroy(&g);
    return w;
}

// Joins the last column of nodes to the first.
static void close_grid(ShellGrid* g)
{
    for (int k = 0; k < 3 * g->n_triangle; k++) {
        int v = g->triangle[k], i = v % (g->nx + 1), j = v / (g->nx + 1);
        g->triangle[k] = i % g->nx + g->nx * j;
    }
    for (int j = 0; j <= g->ny; j++)
        for (int i = 0; i < g->nx; i++)
            memmove(g->node + 3 * (size_t)(i + g->nx * j),
                    g->node + 3 * (size_t)(i + (g->nx + 1) * j), 3 * sizeof *g->node);
    g->n_node = g->nx * (g->ny + 1);
}

// A load at a node, or spread over a radius on the surface as (1 - r^2)^2. The deflection that
// belongs to it is its work.
static void press(const ShellGrid* g, double radius, ShellStatics* s)
{
    double sum[2] = {0.0};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < g->n_node; i++) {
            const double* X = s->fem.rest + 3 * i;
            double r = hypot(300.0 * atan2(X[0], fabs(X[2])), X[1] - 300.0) / fmax(radius, 1e-3);
            double share = r < 1.0 ? s->fem.mass[i] * (1.0 - r * r) * (1.0 - r * r) : 0.0;
            int top = X[2] > 0.0;
            sum[top] += pass ? 0.0 : share;
            s->load[3 * i + 2] = pass ? (top ? -share : share) / sum[top] : 0.0;
        }
}

static double cylinder(int n, int turn, double shake, double radius)
{
    ShellGrid g = shell_grid_create(4 * n, 2 * n, turn, shake);
    CondFemMaterial m = material_of(3e6, 0.3);
    ShellStatics s;
    close_grid(&g);
    for (int i = 0; i < g.n_node; i++) {
        double *p = g.node + 3 * i, angle = 2.0 * PI * p[0], y = 600.0 * p[1];
        if (i / g.nx == n && i % g.nx % n == 0) {
            angle = 2.0 * PI * (i % g.nx) / g.nx;
            y = 300.0;
        }
        p[0] = 300.0 * sin(angle);
        p[1] = y;
        p[2] = 300.0 * cos(angle);
    }
    shell_statics_create(&g, 3.0, &m, &s);
    for (int i = 0; i < g.n_node; i++) {
        int end = s.fem.rest[3 * i + 1] < 1e-9 || s.fem.rest[3 * i + 1] > 600.0 - 1e-9;
        s.held[3 * i] = s.held[3 * i + 2] = end;
    }
    s.held[1] = 1;
    press(&g, radius, &s);
    shell_statics_linear(&s);
    double w = 0.0;
    for (int i = 0; i < s.n; i++)
        w += 0.5 * s.load[i] * (s.x[i] - s.fem.rest[i]);
    shell_statics_destroy(&s);
    shell_grid_destroy(&g);
    return w;
}

static double hemisphere(int n, int turn, double shake)
{
    ShellGrid g = shell_grid_create(4 * n, n, turn, shake);
    CondFemMaterial m = material_of(6.825e7, 0.3);
    ShellStatics s;
    close_grid(&g);
    for (int i = 0; i < g.n_node; i++) {
        double *p = g.node + 3 * i, angle = 2.0 * PI * p[0], up = 72.0 * PI / 180.0 * p[1];
        p[0] = 10.0 * cos(angle) * cos(up);
        p[1] = 10.0 * sin(angle) * cos(up);
        p[2] = 10.0 * sin(up);
    }
    shell_statics_create(&g, 0.04, &m, &s);
    s.load[0] = 2.0;
    s.load[3 * n + 1] = -2.0;
    s.load[6 * n] = -2.0;
    s.load[9 * n + 1] = 2.0;
    // rigid motions: along z, and by symmetry the four loaded nodes
    s.held[2] = s.held[1] = s.held[6 * n + 1] = s.held[3 * n] = s.held[9 * n] = 1;
    s.held[3 * n + 2] = s.held[6 * n + 2] = 1;
    shell_statics_linear(&s);
    double w = s.x[0] - s.fem.rest[0];
    shell_statics_destroy(&s);
    shell_grid_destroy(&g);
    return w;
}

static double twisted(int n, int across, int turn, double shake, int direction)
{
    ShellGrid g = shell_grid_create(n + 1, across, turn, shake);
    CondFemMaterial m = material_of(29e6, 0.22);
    ShellStatics s;
    for (int i = 0; i < g.n_node; i++) {
        double* p = g.node + 3 * i;
        double x = 12.0 * (p[0] * (n + 1) - 0.5) / (n + 0.5), y = 1.1 * (p[1] - 0.5);
        double angle = 0.5 * PI * x / 12.0;
        p[0] = x;
        p[1] = y * cos(angle);
        p[2] = y * sin(angle);
    }
    shell_statics_create(&g, 0.32, &m, &s);
    for (int j = 0; j <= across; j++)
        for (int c = 0; c < 6; c++)
            s.held[3 * shell_grid_node(&g, 0, j) + c] = 1;
    double w = 0.0;
    for (int j = 0; j <= across; j++)
        s.load[3 * shell_grid_node(&g, n + 1, j) + direction] =
            (j == 0 || j == across ? 0.5 : 1.0) / across;
    shell_statics_linear(&s);
    int k = 3 * shell_grid_node(&g, n + 1, across / 2) + direction;
    w = s.x[k] - s.fem.rest[k];
    shell_statics_destroy(&s);
    shell_grid_destroy(&g);
    return w;
}

static void strip(int n, int across, int turn, double shake, double out[2])
{
    ShellGrid g = shell_grid_create(n + 1, across, turn, shake);
    CondFemMaterial m = material_of(1.2e6, 0.0);
    ShellStatics s;
    for (int i = 0; i < g.n_node; i++) {
        double* p = g.node + 3 * i;
        p[0] = 10.0 * (p[0] * (n + 1) - 0.5) / (n + 0.5);
    }
    shell_statics_create(&g, 0.1, &m, &s);
    for (int j = 0; j <= across; j++) {
        for (int c = 0; c < 6; c++)
            s.held[3 * shell_grid_node(&g, 0, j) + c] = 1;
    }
    for (int part = 1; part <= 4; part++) {
        for (int j = 0; j <= across; j++)
            s.load[3 * shell_grid_node(&g, n + 1, j) + 2] =
                part * (j == 0 || j == across ? 0.5 : 1.0) / across;
        int it = shell_statics_solve(&s, 100);
        assert_true(it < 100);
    }
    int k = 3 * shell_grid_node(&g, n + 1, across / 2);
    out[0] = s.x[k + 2] - s.fem.rest[k + 2];
    out[1] = s.fem.rest[k] - s.x[k];
    shell_statics_destroy(&s);
    shell_grid_destroy(&g);
}

// Forces inside a flat patch, all of whose triangles are different, under constant strain (which 0)
// and, linear, under constant curvatures (which 1 .. 3), over the largest force anywhere.
static double patch_error(int which)
{
    ShellGrid g = shell_grid_create(8, 8, 2, 0.25);
    CondFemMaterial m = material_of(1e6, 0.3);
    ShellStatics s;
    double inside = 0.0, most = 0.0;
    shell_statics_create(&g, 0.01, &m, &s);
    double* u = calloc((size_t)s.n, sizeof *u);
    assert_non_null(u);
    for (int i = 0; i < s.fem.n_node; i++) {
        const double *X = s.fem.rest + 3 * i, x = X[0], y = X[1];
        if (which == 0) {
            s.x[3 * i] += 0.02 * x + 0.03 * y;
            s.x[3 * i + 1] += -0.01 * x + 0.05 * y;
        }
        u[3 * i + 2] = which == 1 ? x * x : which == 2 ? y * y : x * y;
    }
    CondFemPolicy policy = {COND_FEM_GEOMETRIC_NONE, 0.0};
    cond_fem_assemble(&s.fem, s.x, 0.0, 1.0, NULL, &policy, &s.work, &s.A, s.f, 1);
    const CondBsr3Pattern* p = &s.fem.pattern;
    for (int i = 0; i < p->n_row; i++) {
        double force[3] = {s.f[3 * i], s.f[3 * i + 1], s.f[3 * i + 2]};
        for (int k = p->row_begin[i]; k < p->row_begin[i + 1] && which > 0; k++)
            force[2] += s.A.value[9 * (size_t)k + 8] * u[3 * p->column[k] + 2];
        const double* X = s.fem.rest + 3 * i;
        // Curvature: two rows from the border, where no moment acts.
        double rim = which > 0 ? 0.3 : 0.01, norm = vec3_norm(force);
        most = fmax(most, norm);
        if (fmin(fmin(X[0], 1.0 - X[0]), fmin(X[1], 1.0 - X[1])) > rim)
            inside = fmax(inside, norm);
    }
    free(u);
    shell_statics_destroy(&s);
    shell_grid_destroy(&g);
    return inside / most;
}

static void test_patch(void** state)
{
    (void)state;
    for (int which = 0; which < 4; which++)
        assert_true(patch_error(which) < 1e-9);
}

// Meshes: all diagonals one way, alternating, at random with shaken nodes.
static double shake_of(int mode)
{
    return mode == 2 ? 0.25 : 0.0;
}

static void assert_share(double value, double reference, double share)
{
    if (!(fabs(value / reference - 1.0) < share))
        print_error("%g is %g of %g\n", value, value / reference, reference);
    assert_true(fabs(value / reference - 1.0) < share);
}

static void test_scordelis(void** state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++)
        assert_share(scordelis(40, mode, shake_of(mode)), 0.3024, 0.015);
}

// A simply supported square plate of side 1 and stiffness 1 under a force in its middle: how much
// more than by theory it gives way.
static double plate_excess(int n, int turn)
{
    ShellGrid g = shell_grid_create(n, n, turn, 0.0);
    double t = 1e-3;
    CondFemMaterial m = material_of(12.0 * (1.0 - 0.09) / (t * t * t), 0.3);
    ShellStatics s;
    shell_statics_create(&g, t, &m, &s);
    for (int i = 0; i < g.n_node; i++) {
        const double* p = g.node + 3 * i;
        s.held[3 * i] = s.held[3 * i + 1] = 1;
        s.held[3 * i + 2] = fmin(fmin(p[0], 1.0 - p[0]), fmin(p[1], 1.0 - p[1])) < 1e-9;
    }
    int middle = 3 * shell_grid_node(&g, n / 2, n / 2) + 2;
    s.load[middle] = 1.0;
    shell_statics_linear(&s);
    double w = s.x[middle];
    shell_statics_destroy(&s);
    shell_grid_destroy(&g);
    return w - 0.011600838;
}

// Constant moments in balance with a force at one node: by the principle of least complementary
// energy the plate is too soft, by h^2/D (a + b ln n). Moments change with 1/r around the force, so
// every ring of elements adds its share, and the logarithm is that of their number.
static void test_point_load(void** state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        double c[4];
        for (int k = 0; k < 4; k++) {
            int n = 8 << k;
            c[k] = plate_excess(n, turn) * n * n;
        }
        for (int k = 2; k < 4; k++)
            assert_share(c[k] - c[k - 1], c[1] - c[0], 0.1);
        assert_true(c[0] > 0.07 && c[0] < 0.082 && c[1] - c[0] > 0.017 && c[1] - c[0] < 0.02);
    }
}

// That is the error under a single node; a load over a fifth of the radius has 1 %.
static void test_cylinder(void** state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++)
        assert_share(cylinder(20, mode, shake_of(mode), 0.0), 1.135 * 1.8248e-5, 0.01);
    assert_share(cylinder(40, 0, 0.0, 0.0), 1.048 * 1.8248e-5, 0.003);
    assert_share(cylinder(40, 0, 0.0, 60.0), 0.6228 * 1.8248e-5, 0.015);
}

static void test_hemisphere(void** state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        double w = hemisphere(20, mode, shake_of(mode));
        assert_true(w > 0.0924 && w < 0.0945);
    }
}

static void test_twisted_beam(void** state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        assert_share(twisted(80, 8, mode, shake_of(mode), 1), 1.754e-3, 0.015);
        assert_share(twisted(80, 8, mode, shake_of(mode), 2), 5.424e-3, 0.015);
    }
}

static void test_large_bending(void** state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        double w[2];
        strip(40, 3, mode, shake_of(mode), w);
        assert_share(w[0], 6.70, 0.005);
        assert_share(w[1], 3.29, 0.006);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finite_differences),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_scordelis),
        cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_point_load),
        cmocka_unit_test(test_hemisphere),
        cmocka_unit_test(test_twisted_beam),
        cmocka_unit_test(test_large_bending),
        cmocka_unit_test(test_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
