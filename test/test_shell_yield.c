// Shells that yield: moment and curvature against the theory of plastic bending, on meshes of any
// kind; the springback of a strip in a scene, the energy it loses, and its creases as a part of the
// state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kinds_make.h"

#include "model/fem.h"
#include "model/shell.h"
#include "shell_statics.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12 };
static const double YIELD = 0.5, HARDENING = 0.25;

// A plate of 1 m by 1 m, 1 cm thick.
static void make_plate(int turn, double shake, double nu, ShellGrid* grid, ShellStatics* s)
{
    CondFemMaterial material = cond_fem_material_default();
    *grid = shell_grid_create(N, N, turn, shake);
    material.youngs_modulus = 2e5;
    material.poisson_ratio = nu;
    material.yield_curvature = YIELD;
    material.yield_hardening = HARDENING;
    shell_statics_create(grid, 0.01, &material, s);
    assert_int_equal(s->fem.n_inner, 3 * s->fem.n_element);
}

// Rolls it up to a cylinder of that curvature.
static void roll(const ShellGrid* grid, double curvature, ShellStatics* s)
{
    for (int i = 0; i < grid->n_node; i++) {
        double u = curvature * grid->node[3 * i];
        s->x[3 * i] = curvature != 0.0 ? sin(u) / curvature : grid->node[3 * i];
        s->x[3 * i + 2] = curvature != 0.0 ? (1.0 - cos(u)) / curvature : 0.0;
    }
}

// 1 where all of a triangle is well within the plate: a border has no moment across.
static int inside(const ShellGrid* grid, int triangle)
{
    double most = 0.0;
    for (int k = 0; k < 9; k++) {
        const double* p = grid->node + 3 * grid->triangle[3 * triangle + k / 3];
        most = k % 3 < 2 ? fmax(most, fabs(p[k % 3] - 0.5)) : most;
    }
    return most < 0.32;
}

// The moment along the strip inside, in the mean; its largest difference from that over it.
static double moment_of(const ShellGrid* grid, const ShellStatics* s, double* spread)
{
    double mean = 0.0, low = INFINITY, high = -INFINITY;
    int n = 0;
    for (int i = 0; i < grid->n_triangle; i++) {
        double force[3], moment[3];
        if (!inside(grid, i))
            continue;
        cond_shell_resultants(&s->fem, i, s->x, force, moment);
        mean += moment[0];
        low = fmin(low, moment[0]);
        high = fmax(high, moment[0]);
        n++;
    }
    mean /= n;
    *spread = (high - low) / fmax(fabs(high), fabs(low));
    return mean;
}

// Bent to and fro: the moment is B kappa, from the yield on that of the hardening, and back it
// goes elastically through twice the yield, whatever the mesh.
static void test_moment(void** state)
{
    (void)state;
    static const double path[] = {0.25, 0.48, 0.75, 1.25, 0.5, 0.1, -0.75};
    for (int mode = 0; mode < 3; mode++)
        for (int poisson = 0; poisson < 2; poisson++) {
            ShellGrid grid;
            ShellStatics s;
            double nu = poisson ? 0.3 : 0.0, plastic = 0.0, spread;
            double B = 2e5 * 1e-6 / 12.0 / (1.0 - nu * nu), harden = HARDENING / (1.0 - HARDENING);
            make_plate(mode, mode == 2 ? 0.2 : 0.0, nu, &grid, &s);
            for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
                double kappa = path[k], over = kappa - (1.0 + harden) * plastic, before, after;
                roll(&grid, kappa, &s);
                cond_fem_forces(&s.fem, s.x, &s.work, NULL, &before, 1);
                double lost = cond_shell_yield(&s.fem, s.x);
                cond_fem_forces(&s.fem, s.x, &s.work, NULL, &after, 1);
                assert_true(lost >= 0.0 && fabs(before - after - lost) <= 1e-12 * before);
                if (fabs(over) > YIELD)
                    plastic += (over - copysign(YIELD, over)) / (1.0 + harden);
                double moment = moment_of(&grid, &s, &spread);
                // A polygon for an arc: the angles at the edges are of the second order.
                assert_near(moment, B * (kappa - plastic), 0.01 * B * YIELD);
                assert_true(spread < 0.03);
                assert_true((lost > 0.0) == (fabs(over) > YIELD));
            }
            shell_statics_destroy(&s);
            shell_grid_destroy(&grid);
        }
}

// Let go, it keeps the plastic curvature: rolled up to 1.25 /m, 0.5 /m of them are elastic but for
// the hardening.
static void test_springback(void** state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        ShellGrid grid;
        ShellStatics s;
        double spread, before, after, rest = (1.25 - YIELD) * (1.0 - HARDENING);
        make_plate(mode, mode == 2 ? 0.2 : 0.0, 0.0, &grid, &s);
        roll(&grid, 1.25, &s);
        cond_shell_yield(&s.fem, s.x);
        cond_fem_forces(&s.fem, s.x, &s.work, NULL, &before, 1);
        for (int k = 0; k < 3; k++) { // a node, an edge and a plane
            s.held[3 * shell_grid_node(&grid, N / 2, N / 2) + k] = 1;
            s.held[3 * shell_grid_node(&grid, N / 2, 0) + k] = k != 1;
            s.held[3 * shell_grid_node(&grid, N / 2 + 1, N / 2) + k] = k == 2;
        }
        assert_true(shell_statics_solve(&s, 300) < 300);
        double moment = moment_of(&grid, &s, &spread), B = 2e5 * 1e-6 / 12.0;
        cond_fem_forces(&s.fem, s.x, &s.work, NULL, &after, 1);
        assert_near(moment, 0.0, 0.01 * B * YIELD);
        // Over the middle two thirds of the strip: the angle between the chords at both ends.
        double d[2][2];
        for (int side = 0; side < 2; side++) {
            int a = shell_grid_node(&grid, side ? N - 3 : 2, N / 2);
            d[side][0] = s.x[3 * a + 3] - s.x[3 * a];
            d[side][1] = s.x[3 * a + 5] - s.x[3 * a + 2];
        }
        double angle =
            atan2(d[0][0] * d[1][1] - d[0][1] * d[1][0], d[0][0] * d[1][0] + d[0][1] * d[1][1]);
        double length = (double)(N - 5) / N;
        if (mode < 2) // chords of nodes that are not shaken
            assert_near(angle / length, rest, 0.02 * rest);
        // What is left is stored by the hardening, but in the triangles at the ends: no moment acts
        // across a border, and they do not yield.
        double stored = 0.5 * B * HARDENING / (1.0 - HARDENING) * rest * rest * (1.0 - 1.0 / N);
        assert_near(after, stored, 0.03 * stored);
        shell_statics_destroy(&s);
        shell_grid_destroy(&grid);
    }
}

// ---- a strip in a scene

static const double LENGTH = 0.2, WIDTH = 0.02, STIFF = 2e-3; // m, m, N m

// A force upward on the five nodes of the tip.
static void pull(Trial* trial, double force)
{
    for (int j = 0; j < 5; j++) {
        int node = (j + 1) * trial->model->body[0].fem->n_node / 5 - 1;
        trial->state->force[3 * node + 2] = force * (j % 4 == 0 ? 0.125 : 0.25);
    }
}

// Clamped in the middle between its first two rows of nodes; a force on its tip.
static Trial strip(int n, double root, double yield, CondIntegrator integrator)
{
    CondScene* scene = make_scene();
    CondSceneSettings* settings = cond_scene_settings(scene);
    CondMaterialDef paper = make_material("paper", 1e7, 0.0);
    char mesh[64];
    double h = LENGTH / n, end = LENGTH - 0.5 * h;
    if (integrator == COND_INTEGRATOR_THETA)
        settings->theta = 1.0;
    settings->integrator = integrator;
    settings->time_step = integrator == COND_INTEGRATOR_THETA ? 0.05 : 0.01;
    settings->solver.tolerance = 1e-9;
    settings->solver.threads = 1;
    memset(settings->gravity, 0, sizeof settings->gravity);
    paper.poisson_ratio = 0.0;
    paper.bending = STIFF;
    paper.mass_damping = integrator == COND_INTEGRATOR_THETA ? 20.0 : 0.0;
    paper.yield_curvature = yield;
    paper.yield_hardening = yield > 0.0 ? 0.5 : 0.0;
    add_material(scene, &paper);
    snprintf(mesh, sizeof mesh, "sheet:%d,5:%g,%g", n + 1, LENGTH, WIDTH);
    CondBodyDef def = make_soft("strip", mesh, "paper", 0.0, 0.0, 1.0);
    def.kind = COND_BODY_SHELL;
    def.thickness = 2e-4;
    add_body(scene, &def);
    double half = 0.5 * LENGTH, low[3] = {-half - 1e-9, -1.0, 0.0};
    double high[3] = {-half + 1.001 * h, 1.0, 2.0};
    add_patch(scene, "clamp", "strip", low, high);
    CondAttachmentDef hold = make_attachment("hold", "strip", "", 1);
    snprintf(hold.end[0].patch, sizeof hold.end[0].patch, "clamp");
    hold.stiffness = INFINITY;
    add_attachment(scene, &hold);
    Trial trial = trial_begin(scene);
    pull(&trial, root * STIFF * WIDTH / end);
    return trial;
}

static double height_of_tip(const Trial* trial)
{
    int n = trial->model->body[0].fem->n_node;
    return trial->state->q[3 * (n - 1) + 2] - 1.0;
}

// A strip whose root is bent half as much again as it bears stays bent where the moment P (l - x)
// was above the yield: small deflections, hardening 1/2, so that kp is half of what it is bent by
// beyond the yield, which is twice what the elastic strip would be.
static void test_strip(void** state)
{
    (void)state;
    double yield = 0.1, root = 0.15;
    for (int n = 20; n <= 40; n += 20) {
        Trial trial = strip(n, root, yield, COND_INTEGRATOR_THETA);
        double l = LENGTH - 0.5 * LENGTH / n, a = l * (1.0 - yield / root);
        // Integral of kp (l - x) over 0 .. a, kp = root (1 - x/l) - yield, plus the elastic part.
        double kept = root * (l * a - a * a + a * a * a / (3.0 * l)) - yield * (l * a - a * a / 2);
        double under = kept + root * l * l / 3.0;
        trial_step(&trial, 100);
        assert_near(height_of_tip(&trial), under, 0.01 * under);
        pull(&trial, 0.0);
        trial_step(&trial, 100);
        assert_near(height_of_tip(&trial), kept, 0.02 * kept);
        trial_end(&trial);
        // Static equilibrium finds the same.
        CondEquilibriumInfo info;
        trial = strip(n, root, yield, COND_INTEGRATOR_THETA);
        assert_int_equal(cond_sim_equilibrium(trial.sim, trial.state, NULL, &info), COND_OK);
        assert_near(height_of_tip(&trial), under, 0.01 * under);
        trial_end(&trial);
    }
}

// What yields takes energy, and all of it is accounted for.
static void test_energy(void** state)
{
    (void)state;
    for (int yields = 0; yields < 2; yields++) {
        Trial trial = strip(20, 1.0, yields ? 0.3 : 0.0, COND_INTEGRATOR_AUTO);
        double first = 0.0, given = 0.0, damping = 0.0, numerical = 0.0, other = 0.0, most = 0.0;
        for (int k = 0; k < 50; k++) {
            trial_step(&trial, 1);
            const CondStepInfo* info = &trial.info;
            first = k == 0 ? info->kinetic_before + info->potential_before : first;
            given += info->work_given;
            damping += info->work_damping;
            numerical += info->work_numerical;
            other += fabs(info->work_other);
            most = fmax(most, info->kinetic_after + info->potential_after);
            assert_true(info->work_damping <= 0.0);
        }
        double now = trial.info.kinetic_after + trial.info.potential_after;
        assert_true(other < 1e-9 * most);
        assert_true(yields ? damping < -0.1 * most : damping == 0.0);
        assert_near(now - first, given + damping + numerical + other, 1e-9 * most);
        assert_true(most > 0.0);
        trial_end(&trial);
    }
}

// Creases are a part of the state: copied, hashed, saved and loaded; another pose has none.
static void test_state(void** state)
{
    (void)state;
    Trial trial = strip(20, 1.0, 0.3, COND_INTEGRATOR_THETA);
    const CondBody* body = &trial.model->body[0];
    assert_int_equal(body->n_q, body->n_dof + 3 * body->fem->n_element);
    CondState *copy = NULL, *loaded = NULL;
    size_t size = 0;
    assert_int_equal(cond_state_create(trial.model, &copy, NULL), COND_OK);
    assert_int_equal(cond_state_create(trial.model, &loaded, NULL), COND_OK);
    trial_step(&trial, 20);
    assert_int_equal(cond_state_copy(copy, trial.state), COND_OK);
    assert_int_equal(cond_state_save(trial.model, trial.state, NULL, 0, &size), COND_OK);
    void* bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cond_state_save(trial.model, trial.state, bytes, size, &size), COND_OK);
    assert_int_equal(cond_state_load(trial.model, loaded, bytes, size, NULL), COND_OK);
    free(bytes);
    assert_true(cond_state_hash(copy) == cond_state_hash(trial.state));
    assert_true(cond_state_hash(loaded) == cond_state_hash(trial.state));
    double plastic = 0.0;
    for (int i = body->n_dof; i < body->n_q; i++)
        plastic = fmax(plastic, fabs(trial.state->q[body->q_begin + i]));
    assert_true(plastic > 0.1);
    trial_step(&trial, 20);
    CondStepInfo info;
    for (int k = 0; k < 20; k++)
        assert_int_equal(cond_sim_step(trial.sim, loaded, &info), COND_OK);
    assert_true(cond_state_hash(loaded) == cond_state_hash(trial.state));
    CondPose pose = cond_state_pose(trial.model, loaded, 0);
    assert_int_equal(cond_state_set_pose(trial.model, loaded, 0, &pose), COND_OK);
    for (int i = body->n_dof; i < body->n_q; i++)
        assert_true(loaded->q[body->q_begin + i] == 0.0);
    assert_int_equal(cond_state_between(trial.model, copy, trial.state,
                                        0.5 * (copy->time + trial.state->time), loaded),
                     COND_OK);
    cond_state_destroy(copy);
    cond_state_destroy(loaded);
    trial_end(&trial);
}

static void test_refused(void** state)
{
    (void)state;
    CondFemMaterial material = cond_fem_material_default();
    CondError error;
    material.yield_curvature = -1.0;
    assert_int_equal(cond_fem_material_check(&material, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "yield_curvature"));
    material.yield_curvature = 1.0;
    material.yield_hardening = 1.0;
    assert_int_equal(cond_fem_material_check(&material, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "yield_hardening"));
    CondScene* scene = make_scene();
    CondMaterialDef def = make_material("paper", 1e7, 0.0);
    def.yield_hardening = 0.5;
    assert_int_equal(cond_scene_add_material(scene, &def, &error), COND_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "yield_curvature"));
    cond_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moment), cmocka_unit_test(test_springback),
        cmocka_unit_test(test_strip),  cmocka_unit_test(test_energy),
        cmocka_unit_test(test_state),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
