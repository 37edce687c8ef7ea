// Smoothed tetrahedra: forces and stiffness against finite differences, constant strain to
// rounding, no motion without energy but rigid ones, bending, masses, threads, and scenes.
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
#include "model/fem_element.h"

static void shake(Statics* s, double size, uint64_t* seed)
{
    double Q[9];
    fem_random_rotation(seed, Q);
    for (int i = 0; i < s->fem.n_node; i++) {
        mat3_multiply(Q, s->fem.rest + 3 * i, s->x + 3 * i);
        for (int k = 0; k < 3; k++)
            s->x[3 * i + k] += size * fem_random(seed);
    }
}

static void test_finite_differences(void** state)
{
    (void)state;
    uint64_t seed = 5;
    FemGrid grid = fem_grid_create(2, 1, 1, 0.2, 0.1, 0.1);
    fem_grid_shake(&grid, 0.2, &seed);
    for (int kind = 0; kind < COND_FEM_MATERIAL_KINDS; kind++) {
        CondFemMaterial material = cond_fem_material_default();
        material.kind = (CondFemMaterialKind)kind;
        CondFemPolicy policy = {COND_FEM_GEOMETRIC_EXACT, 0.0};
        Statics s;
        statics_create_smoothed(&grid, &material, &s);
        shake(&s, 0.005, &seed);
        double *up = calloc(3 * (size_t)s.n, sizeof *up), *down = up + s.n, *f = down + s.n;
        double high, low, step = 1e-7, force = 0.0, size = 0.0;
        assert_non_null(up);
        cond_fem_assemble(&s.fem, s.x, 0.0, 1.0, NULL, &policy, &s.work, &s.A, f, 1);
        for (int i = 0; i < s.n; i++)
            force = fmax(force, fabs(f[i]));
        for (int j = 0; j < s.n; j++)
            size = fmax(size, fabs(cond_fem_block(&s.fem, j / 3, j / 3, s.A.value)[4 * (j % 3)]));
        for (int j = 0; j < s.n; j++) {
            double at = s.x[j];
            s.x[j] = at + step;
            cond_fem_forces(&s.fem, s.x, &s.work, up, &high, 1);
            s.x[j] = at - step;
            cond_fem_forces(&s.fem, s.x, &s.work, down, &low, 1);
            s.x[j] = at;
            assert_true(fabs(f[j] + (high - low) / (2.0 * step)) < 1e-5 * force);
            for (int i = 0; i < s.n; i++) {
                int known = cond_bsr3_pattern_find(&s.fem.pattern, i / 3, j / 3) >= 0;
                double entry =
                    known ? cond_fem_block(&s.fem, i / 3, j / 3, s.A.value)[3 * (i % 3) + j % 3]
                          : 0.0;
                assert_true(fabs(entry + (up[i] - down[i]) / (2.0 * step)) < 1e-5 * size);
            }
        }
        for (int k = 0; k < 3; k++) {
            double sum = 0.0;
            for (int i = k; i < s.n; i += 3)
                sum += f[i];
            assert_true(fabs(sum) < 1e-12 * force);
        }
        free(up);
        statics_destroy(&s);
    }
    fem_grid_destroy(&grid);
}

// Masses are those of linear elements, the volume is that of the tetrahedra, and a body that is
// turned has no forces.
static void test_shape(void** state)
{
    (void)state;
    uint64_t seed = 6;
    FemGrid grid = fem_grid_create(4, 3, 3, 0.4, 0.3, 0.3);
    fem_grid_shake(&grid, 0.25, &seed);
    CondFemMaterial material = cond_fem_material_default();
    Statics s, linear;
    statics_create_smoothed(&grid, &material, &s);
    statics_create(&grid, &material, &linear);
    assert_int_equal(s.fem.n_tet, grid.n_tet);
    assert_true(fabs(s.fem.total_volume - 0.036) < 1e-15);
    for (int i = 0; i < s.fem.n_node; i++)
        assert_true(fabs(s.fem.mass[i] - linear.fem.mass[i]) < 1e-14 * linear.fem.mass[i] + 1e-15);
    shake(&s, 0.0, &seed);
    cond_fem_forces(&s.fem, s.x, &s.work, s.f, NULL, 1);
    for (int i = 0; i < s.n; i++)
        assert_true(fabs(s.f[i]) < 1e-9); // of 1e6 Pa times 0.01 m2
    print_message("blocks a row: linear %.1f, smoothed %.1f; %d elements of %d nodes\n",
                  (double)linear.fem.pattern.row_begin[grid.n_node] / grid.n_node,
                  (double)s.fem.pattern.row_begin[grid.n_node] / grid.n_node, s.fem.n_element,
                  s.fem.n_corner);
    statics_destroy(&s);
    statics_destroy(&linear);
    fem_grid_destroy(&grid);
}

static void test_constant_strain(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(3, 3, 3, 0.2, 0.2, 0.2);
    uint64_t seed = 3;
    fem_grid_shake(&grid, 0.25, &seed);
    for (int kind = 0; kind < COND_FEM_MATERIAL_KINDS; kind++) {
        CondFemMaterial material = cond_fem_material_default();
        material.kind = (CondFemMaterialKind)kind;
        Statics s;
        statics_create_smoothed(&grid, &material, &s);
        double F[9];
        for (int i = 0; i < 9; i++)
            F[i] = (i % 4 == 0) + 0.05 * fem_random(&seed);
        for (int i = 0; i < s.fem.n_node; i++) {
            const double* X = s.fem.rest + 3 * i;
            int outer = 0;
            for (int k = 0; k < 3; k++)
                outer |= X[k] < 1e-12 || X[k] > 0.2 - 1e-12;
            for (int k = 0; k < 3; k++) {
                s.held[3 * i + k] = outer;
                s.x[3 * i + k] = vec3_dot(F + 3 * k, X) + (outer ? 0.0 : 0.002 * fem_random(&seed));
            }
        }
        s.load[0] = 1e4; // at a held coordinate: sets the scale of the stop test alone
        assert_true(statics_solve(&s, COND_FEM_GEOMETRIC_CLAMPED, 60, INFINITY) < 60);
        double* stress = calloc(6 * (size_t)s.fem.n_tet, sizeof *stress);
        assert_non_null(stress);
        cond_fem_stress(&s.fem, s.x, stress, NULL, 1);
        for (int i = 0; i < s.fem.n_node; i++)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(s.x[3 * i + k] - vec3_dot(F + 3 * k, s.fem.rest + 3 * i)) < 1e-9);
        for (int i = 6; i < 6 * s.fem.n_tet; i++)
            assert_true(fabs(stress[i] - stress[i % 6]) < 1e-1); // of some 1e5 Pa
        free(stress);
        statics_destroy(&s);
    }
    fem_grid_destroy(&grid);
}

// The softest motion of a body that is held at one end: inverse iteration. Nodal averages would
// have motions that alternate from node to node at almost no energy.
static void test_softest_motion(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(4, 2, 2, 0.4, 0.2, 0.2);
    CondFemMaterial material = cond_fem_material_default();
    double lowest[2];
    for (int smoothed = 0; smoothed < 2; smoothed++) {
        Statics s;
        (smoothed ? statics_create_smoothed : statics_create)(&grid, &material, &s);
        uint64_t seed = 9;
        double* y = calloc((size_t)s.n, sizeof *y);
        assert_non_null(y);
        for (int i = 0; i < s.n; i++) {
            s.held[i] = s.fem.rest[i - i % 3] < 1e-9;
            y[i] = s.held[i] ? 0.0 : fem_random(&seed);
        }
        for (int trial = 0; trial < 20; trial++) {
            double norm = 0.0;
            memcpy(s.x, s.fem.rest, (size_t)s.n * sizeof *s.x);
            memcpy(s.load, y, (size_t)s.n * sizeof *y);
            statics_solve(&s, COND_FEM_GEOMETRIC_NONE, 1, INFINITY);
            for (int i = 0; i < s.n; i++) {
                y[i] = s.x[i] - s.fem.rest[i];
                norm += y[i] * y[i];
            }
            lowest[smoothed] = 1.0 / sqrt(norm);
            for (int i = 0; i < s.n; i++)
                y[i] /= sqrt(norm);
        }
        free(y);
        statics_destroy(&s);
    }
    print_message("softest motion: linear %g, smoothed %g N/m\n", lowest[0], lowest[1]);
    assert_true(lowest[1] < lowest[0] && lowest[1] > 0.3 * lowest[0]);
    fem_grid_destroy(&grid);
}

// Tip of a cantilever, 8 long and 1 high, per unit of the beam formula with shear.
static double cantilever(int n, double poisson)
{
    double length = 8.0, P = 1e-3, E = 1e4, end = 0.0, tip = 0.0;
    FemGrid grid = fem_grid_create(8 * n, n, n, length, 1.0, 1.0);
    CondFemMaterial material = cond_fem_material_default();
    material.youngs_modulus = E;
    material.poisson_ratio = poisson;
    Statics s;
    statics_create_smoothed(&grid, &material, &s);
    for (int i = 0; i < s.fem.n_node; i++) {
        for (int c = 0; s.fem.rest[3 * i] < 1e-9 && c < 3; c++)
            s.held[3 * i + c] = 1;
        end += s.fem.rest[3 * i] > length - 1e-9 ? s.fem.mass[i] : 0.0;
    }
    for (int i = 0; i < s.fem.n_node; i++)
        if (s.fem.rest[3 * i] > length - 1e-9)
            s.load[3 * i + 2] = -P * s.fem.mass[i] / end;
    statics_solve(&s, COND_FEM_GEOMETRIC_NONE, 1, INFINITY);
    for (int i = 0; i < s.fem.n_node; i++)
        tip += s.load[3 * i + 2] / P * (s.x[3 * i + 2] - s.fem.rest[3 * i + 2]);
    statics_destroy(&s);
    fem_grid_destroy(&grid);
    return tip / (P * length * length * length / (3.0 * E / 12.0) +
                  P * length / (5.0 / 6.0 * E / (2.0 * (1.0 + poisson))));
}

static void test_cantilever(void** state)
{
    (void)state;
    static const double poisson[] = {0.0, 0.3, 0.45, 0.49};
    for (int k = 0; k < 4; k++)
        print_message("nu %.2f: %.3f %.3f %.3f of the beam with shear\n", poisson[k],
                      cantilever(1, poisson[k]), cantilever(2, poisson[k]),
                      cantilever(4, poisson[k]));
    assert_true(cantilever(2, 0.3) > 0.93 && fabs(cantilever(4, 0.3) - 0.990) < 0.01);
}

// A beam and a mat that falls on a ball, in a scene: the same bits for any number of threads.
static void test_scene(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        Trial trial = trial_text(
            k == 0 ? "solver: {threads: 1}\n" : "solver: {threads: 2}\n",
            "step: {time_step: 0.005}\n"
            "planes: [{name: floor, friction: 0.5}]\n"
            "materials:\n"
            "  - {name: rubber, youngs_modulus: 1e5, poisson_ratio: 0.4, density: 1000}\n"
            "  - {name: gum, youngs_modulus: 1e5, poisson_ratio: 0.4, density: 1000, elasticity: "
            "neohookean}\n"
            "bodies:\n"
            "  - {name: mat, kind: soft, mesh: 'mat:9,9,2:0.3,0.3,0.02', element: smoothed, "
            "material: rubber, position: [0, 0, 0.12], friction: 0.5}\n"
            "  - {name: ball, kind: soft, mesh: 'ball:0.05:2', element: smoothed, material: gum, "
            "position: [0, 0, 0.05], friction: 0.5}\n");
        trial_step(&trial, 40);
        hash[k] = cond_state_hash(trial.state);
        if (k == 0) {
            CondEquilibriumInfo info;
            assert_int_equal(cond_sim_equilibrium(trial.sim, trial.state, NULL, &info), COND_OK);
            assert_true(info.n_contact > 10);
        }
        trial_end(&trial);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finite_differences), cmocka_unit_test(test_shape),
        cmocka_unit_test(test_constant_strain),    cmocka_unit_test(test_softest_motion),
        cmocka_unit_test(test_cantilever),         cmocka_unit_test(test_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
