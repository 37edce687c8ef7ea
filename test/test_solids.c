// Benchmarks of solids with linear, quadratic and smoothed elements: rates of convergence of Cook's
// membrane in plane stress, of a twisted beam and of a bonded block of rubber, and natural
// frequencies.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem_statics.h"
#include "kinds_make.h"
#include "math/vec3.h"
#include "model/state.h"

#include <stdio.h>

typedef void Shape(double X[3]);
typedef enum Kind { LINEAR, QUADRATIC, SMOOTHED, KINDS } Kind;

// A grid of cells over the unit cube in a shape, with elements of a kind.
static void build(int nx, int ny, int nz, Shape* shape, double E, double nu, Kind kind, Statics* s,
                  FemGrid* grid)
{
    *grid = fem_grid_create(nx, ny, nz, 1.0, 1.0, 1.0);
    CondFemMaterial material = cond_fem_material_default();
    material.youngs_modulus = E;
    material.poisson_ratio = nu;
    for (int i = 0; i < grid->n_node; i++)
        shape(grid->node + 3 * i);
    static void (*const create[])(const FemGrid*, const CondFemMaterial*, Statics*) = {
        statics_create, statics_create_quadratic, statics_create_smoothed};
    create[kind](grid, &material, s);
}

static void drop(Statics* s, FemGrid* grid)
{
    statics_destroy(s);
    fem_grid_destroy(grid);
}

// A total force along an axis, spread over the nodes with mark 1 by their masses.
static void spread(Statics* s, const int* mark, int axis, double force)
{
    double sum = 0.0;
    for (int i = 0; i < s->fem.n_node; i++)
        sum += mark[i] ? s->fem.mass[i] : 0.0;
    for (int i = 0; i < s->fem.n_node; i++)
        s->load[3 * i + axis] += mark[i] ? force * s->fem.mass[i] / sum : 0.0;
}

static double mean(const Statics* s, const int* mark, int axis)
{
    double sum = 0.0, n = 0.0;
    for (int i = 0; i < s->fem.n_node; i++)
        if (mark[i]) {
            sum += s->x[3 * i + axis] - s->fem.rest[3 * i + axis];
            n += 1.0;
        }
    return sum / n;
}

static int* marks(const Statics* s)
{
    int* mark = calloc((size_t)s->fem.n_node, sizeof *mark);
    assert_non_null(mark);
    return mark;
}

// ---- Cook's membrane in plane stress: E 1, nu 1/3, thickness 1, load 1

static void cook_shape(double X[3])
{
    double u = X[0], w = X[1];
    X[0] = 48.0 * u;
    X[1] = 44.0 * u + w * (44.0 * (1.0 - u) + 16.0 * u);
}

static double cook(int n, Kind kind)
{
    Statics s;
    FemGrid grid;
    build(n, n, 1, cook_shape, 1.0, 1.0 / 3.0, kind, &s, &grid);
    int *end = marks(&s), *tip = marks(&s);
    for (int i = 0; i < s.fem.n_node; i++) {
        const double* X = s.fem.rest + 3 * i;
        for (int c = 0; X[0] < 1e-9 && c < 2; c++)
            s.held[3 * i + c] = 1;
        s.held[3 * i + 2] = X[0] < 1e-9 && X[2] < 1e-9; // else free across
        end[i] = X[0] > 48.0 - 1e-9;
        tip[i] = hypot(X[0] - 48.0, X[1] - 52.0) < 1e-9;
    }
    spread(&s, end, 1, 1.0);
    statics_solve(&s, COND_FEM_GEOMETRIC_NONE, 1, INFINITY);
    double out = mean(&s, tip, 1);
    free(end);
    free(tip);
    drop(&s, &grid);
    return out;
}

static void test_cook(void** state)
{
    (void)state;
    double exact = 23.97, last[KINDS] = {1.0, 1.0, 1.0};
    for (int n = 4; n <= 16; n *= 2) {
        double error[KINDS];
        for (int k = 0; k < KINDS; k++)
            error[k] = cook(n, (Kind)k) / exact - 1.0;
        print_message("Cook, plane stress, %d a side: linear %.4f, quadratic %.4f, smoothed %.4f "
                      "(rates %.1f %.1f %.1f)\n",
                      n, 1.0 + error[0], 1.0 + error[1], 1.0 + error[2],
                      log2(fabs(last[0] / error[0])), log2(fabs(last[1] / error[1])),
                      log2(fabs(last[2] / error[2])));
        memcpy(last, error, sizeof last);
    }
    assert_true(fabs(last[QUADRATIC]) < 0.005 && fabs(last[SMOOTHED]) < 0.02);
}

// ---- a beam twisted by 90 degrees: 12 x 1.1 x 0.32, E 29e6, nu 0.22, load 1 at its end

static void twisted_shape(double X[3])
{
    double angle = X[0] * 1.57079632679489662, y = 1.1 * (X[1] - 0.5), z = 0.32 * (X[2] - 0.5);
    X[0] *= 12.0;
    X[1] = y * cos(angle) - z * sin(angle);
    X[2] = y * sin(angle) + z * cos(angle);
}

static double twisted(int n, int axis, Kind kind)
{
    Statics s;
    FemGrid grid;
    build(12 * n, 2 * n, n, twisted_shape, 29e6, 0.22, kind, &s, &grid);
    int* end = marks(&s);
    for (int i = 0; i < s.fem.n_node; i++) {
        for (int c = 0; c < 3; c++)
            s.held[3 * i + c] = s.fem.rest[3 * i] < 1e-9;
        end[i] = s.fem.rest[3 * i] > 12.0 - 1e-9;
    }
    spread(&s, end, axis, 1.0);
    statics_solve(&s, COND_FEM_GEOMETRIC_NONE, 1, INFINITY);
    double out = mean(&s, end, axis);
    free(end);
    drop(&s, &grid);
    return out;
}

static void test_twisted_beam(void** state)
{
    (void)state;
    static const double exact[] = {1.754e-3, 5.424e-3};
    static const int axis[] = {1, 2};
    for (int k = 0; k < 2; k++) {
        double one = twisted(1, axis[k], QUADRATIC) / exact[k],
               two = twisted(2, axis[k], QUADRATIC) / exact[k];
        print_message(
            "twisted beam, load along %c: linear %.3f %.3f, quadratic %.4f %.4f, smoothed "
            "%.3f %.3f of %g\n",
            "xyz"[axis[k]], twisted(1, axis[k], LINEAR) / exact[k],
            twisted(2, axis[k], LINEAR) / exact[k], one, two,
            twisted(1, axis[k], SMOOTHED) / exact[k], twisted(2, axis[k], SMOOTHED) / exact[k],
            exact[k]);
        assert_true(fabs(one - 1.0) < 0.02 && fabs(two - 1.0) < 0.01);
    }
}

// ---- a flat block of rubber, nu 0.4999, bonded to plates that press it

static void block_shape(double X[3])
{
    X[0] *= 0.05;
    X[1] *= 0.05;
    X[2] *= 0.02;
}

// The stiffness of a quarter of a block of 0.1 x 0.1 x 0.04 m: force over displacement.
static double bonded(int n, Kind kind)
{
    Statics s;
    FemGrid grid;
    build(2 * n, 2 * n, n, block_shape, 1e6, 0.4999, kind, &s, &grid);
    for (int i = 0; i < s.fem.n_node; i++) { // an eighth, by symmetry
        const double* X = s.fem.rest + 3 * i;
        s.held[3 * i] = X[0] < 1e-9;
        s.held[3 * i + 1] = X[1] < 1e-9;
        s.held[3 * i + 2] = X[2] < 1e-9;
        for (int c = 0; X[2] > 0.02 - 1e-9 && c < 3; c++)
            s.held[3 * i + c] = 1;
        if (X[2] > 0.02 - 1e-9)
            s.x[3 * i + 2] -= 1e-6;
    }
    s.load[0] = 1.0; // at a held coordinate: the scale of the stop test
    statics_solve(&s, COND_FEM_GEOMETRIC_NONE, 1, INFINITY);
    double force = 0.0, energy;
    cond_fem_forces(&s.fem, s.x, &s.work, s.f, &energy, 1);
    for (int i = 0; i < s.fem.n_node; i++)
        force += s.fem.rest[3 * i + 2] > 0.02 - 1e-9 ? s.f[3 * i + 2] : 0.0;
    drop(&s, &grid);
    return fabs(force) / 1e-6;
}

static void test_bonded_block(void** state)
{
    (void)state;
    double value[KINDS][3];
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < 3; i++)
            value[k][i] = bonded(1 << i, (Kind)k);
    // E (1 + 2 S^2) A/h with the shape factor S = 0.625 of Gent and Lindley, roughly
    double rough = 1e6 * (1.0 + 2.0 * 0.625 * 0.625) * 0.0025 / 0.02;
    print_message(
        "bonded block: linear %.3f %.3f %.3f, quadratic %.4f %.4f %.4f, smoothed %.3f %.3f "
        "%.3f of %g N/m\n",
        value[0][0] / rough, value[0][1] / rough, value[0][2] / rough, value[1][0] / rough,
        value[1][1] / rough, value[1][2] / rough, value[2][0] / rough, value[2][1] / rough,
        value[2][2] / rough, rough);
    assert_true(fabs(value[1][1] / value[1][2] - 1.0) < 0.05);
    assert_true(fabs(value[1][2] / rough - 1.0) < 0.15);
}

// ---- the silicone beam of 100 x 30 x 30 mm, as a scene: at rest, and let go from straight

static Trial silicone(double mass, double alpha, double beta)
{
    char text[2048], load[600] = "";
    if (mass > 0.0)
        snprintf(load, sizeof load,
                 "  - {name: load, kind: particle, mass: %g, position: [0.05, 0, 0]}\n", mass);
    snprintf(text, sizeof text,
             "step: {time_step: 0.002}\n"
             "materials: [{name: silicone, youngs_modulus: 263824, poisson_ratio: 0.499, density: "
             "1070, mass_damping: %g, stiffness_damping: %g}]\n"
             "bodies:\n  - {name: beam, kind: soft, mesh: 'box:6,2,2:0.1,0.03,0.03', element: "
             "quadratic, material: silicone}\n%s"
             "patches:\n  - {name: root, body: beam, low: [-0.0501, -1, -1], high: [-0.0499, 1, 1]}"
             "\n  - {name: tip, body: beam, low: [0.0499, -1, -1], high: [0.0501, 1, 1]}\n"
             "attachments:\n  - {from: {body: beam, patch: root}, to: {}, stiffness: .inf}\n%s",
             alpha, beta, load,
             mass > 0.0 ? "  - {from: {body: beam, patch: tip}, to: {body: load}, contact: false, "
                          "turns: false, stiffness: 1e5}\n"
                        : "");
    return trial_text("solver: {threads: 1}\n", text);
}

// How far a marker 6 mm above the upper edge of the tip has come down [m].
static double marker(const Trial* trial)
{
    const CondFem* fem = trial->model->body[0].fem;
    const double* q = trial->state->q + trial->model->body[0].q_begin;
    double top[3] = {0.0}, bottom[3] = {0.0}, n[2] = {0.0};
    for (int i = 0; i < fem->n_node; i++) {
        const double* X = fem->rest + 3 * i;
        if (X[0] < 0.05 - 1e-6 || fabs(fabs(X[2]) - 0.015) > 1e-6)
            continue;
        for (int k = 0; k < 3; k++)
            *((X[2] > 0.0 ? top : bottom) + k) += q[3 * i + k];
        n[X[2] < 0.0] += 1.0;
    }
    double u[3];
    for (int k = 0; k < 3; k++)
        u[k] = (top[k] /= n[0]) - (bottom[k] /= n[1]);
    return 0.015 + 0.006 - (top[2] + 0.006 * u[2] / vec3_norm(u));
}

// Measured at rest 6.6 to 6.7, 17.5 to 17.6 and 26.6 to 27.6 mm with 0, 52 and 101 g, peaks 10.4
// to 10.9, 25.7 to 27.5 and 39 to 42 mm. The damping is fitted to the peaks: two numbers for three.
static void test_silicone(void** state)
{
    (void)state;
    static const double mass[] = {0.0, 0.052, 0.101},
                        rest[][2] = {{6.6, 6.7}, {17.5, 17.6}, {26.6, 27.6}},
                        peaks[][2] = {{10.4, 10.9}, {25.7, 27.5}, {39.0, 42.0}};
    for (int k = 0; k < 3; k++) {
        Trial trial = silicone(mass[k], 8.5, 0.0055);
        double peak = 0.0;
        for (int i = 0; i < 150; i++) {
            trial_step(&trial, 1);
            peak = fmax(peak, 1e3 * marker(&trial));
        }
        assert_int_equal(cond_sim_equilibrium(trial.sim, trial.state, NULL, NULL), COND_OK);
        double droop = 1e3 * marker(&trial);
        print_message("silicone with %g g: at rest %.2f of %.1f .. %.1f mm, peak %.2f of %.1f .. "
                      "%.1f\n",
                      1e3 * mass[k], droop, rest[k][0], rest[k][1], peak, peaks[k][0], peaks[k][1]);
        trial_end(&trial);
        assert_true(droop > 0.93 * rest[k][0] && droop < 1.05 * rest[k][1]);
        assert_true(peak > 0.95 * peaks[k][0] && peak < 1.05 * peaks[k][1]);
    }
}

// ---- natural frequencies of a cantilever, by inverse iteration with the lumped masses

static void rod_shape(double X[3])
{
    X[0] *= 1.0;
    X[1] *= 0.06;
    X[2] *= 0.05;
}

// The lowest frequency [rad/s] that a motion along an axis leads to.
static double frequency(int n, int axis, Kind kind)
{
    Statics s;
    FemGrid grid;
    build(20 * n, n, n, rod_shape, 1e6, 0.0, kind, &s, &grid);
    double square = 0.0;
    double* y = calloc((size_t)s.n, sizeof *y);
    assert_non_null(y);
    for (int i = 0; i < s.n; i++) {
        s.held[i] = s.fem.rest[i - i % 3] < 1e-9;
        y[i] = i % 3 == axis;
    }
    for (int trial = 0; trial < 6; trial++) {
        double yMy = 0.0, yMx = 0.0;
        for (int i = 0; i < s.n; i++) {
            s.x[i] = s.fem.rest[i];
            s.load[i] = s.held[i] ? 0.0 : 1e-3 * s.fem.mass[i / 3] * y[i];
        }
        statics_solve(&s, COND_FEM_GEOMETRIC_NONE, 1, INFINITY);
        for (int i = 0; i < s.n; i++) {
            double x = (s.x[i] - s.fem.rest[i]) / 1e-3;
            yMx += s.fem.mass[i / 3] * y[i] * x;
            yMy += s.fem.mass[i / 3] * x * x;
            s.d[i] = x;
        }
        square = yMx / yMy;
        for (int i = 0; i < s.n; i++)
            y[i] = s.d[i] * square;
    }
    free(y);
    drop(&s, &grid);
    return sqrt(square);
}

static void test_frequencies(void** state)
{
    (void)state;
    double c = sqrt(1e6 / 1000.0), exact[3] = {0.0};
    static const double height[] = {1.0, 0.06, 0.05};
    for (int k = 1; k < 3; k++) // Euler's beam; Timoshenko's is 0.4 % lower
        exact[k] = 1.875104 * 1.875104 * c * height[k] / sqrt(12.0);
    for (int k = 1; k < 3; k++) {
        double one = frequency(1, k, QUADRATIC) / exact[k],
               two = frequency(2, k, QUADRATIC) / exact[k];
        print_message("first frequency along %c: linear %.3f %.3f, quadratic %.4f %.4f, smoothed "
                      "%.3f %.3f of %g rad/s\n",
                      "xyz"[k], frequency(1, k, LINEAR) / exact[k],
                      frequency(2, k, LINEAR) / exact[k], one, two,
                      frequency(1, k, SMOOTHED) / exact[k], frequency(2, k, SMOOTHED) / exact[k],
                      exact[k]);
        assert_true(fabs(one - 1.0) < 0.01 && fabs(two - 1.0) < 0.006);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cook),         cmocka_unit_test(test_twisted_beam),
        cmocka_unit_test(test_bonded_block), cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_silicone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
