// Groups that move as rigid bodies: the coarse matrix is that of Galerkin with attachments and ties
// of all kinds, held nodes stay out of it, and conjugate gradients find the same with far fewer
// products.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cond/solver.h"
#include "dense.h"
#include "failing_allocator.h"
#include "scene_make.h"
#include "solve/tie_system.h"

static Trial make_trial(const char* scene, const char* mesh, const char* stiffness, int steps)
{
    const char* override[] = {mesh, stiffness, "solver.threads=1"};
    Trial trial = trial_read(scene, 3, override);
    trial_step(&trial, steps);
    cond_sim_forces(trial.sim, trial.state);
    cond_sim_collide(trial.sim, trial.state);
    cond_sim_assemble(trial.sim, trial.state);
    return trial;
}

// A soft ball between fingers.
static Trial make_ball(const char* stiffness)
{
    return make_trial("ball.yaml", "bodies.ball.mesh=ball:0.05:6", stiffness, 2);
}

// A mat on the floor, held at some nodes.
static Trial make_mat(void)
{
    return make_trial("mat.yaml", "bodies.mat.mesh=mat:14,14,2:0.4,0.4,0.016",
                      "materials.mat.poisson_ratio=0.35", 1);
}

// Ties of all kinds: open, sticking, slipping.
static double* make_ties(const CondProblem* problem)
{
    double* D = dense_zeros(9 * (size_t)problem->n_contact + 1);
    double* diagonal = dense_zeros((size_t)problem->n_dof);
    cond_problem_diagonal(problem, diagonal);
    for (int c = 0; c < problem->n_contact; c++) {
        double scale = 1.0 / cond_contact_delassus(&problem->contact[c], diagonal);
        if (c % 3 == 0)
            continue;
        D[9 * c] = 1e4 * scale;
        D[9 * c + 4] = D[9 * c + 8] = c % 3 == 1 ? 1e4 * scale : 0.3 * scale;
    }
    free(diagonal);
    return D;
}

static CondTieSystem make_system(const CondProblem* problem, const double* D, int threads)
{
    CondTieSystem system = {.context = cond_context_or_default(NULL)};
    int fits;
    assert_int_equal(cond_tie_system_plan(&system, problem, threads, &fits), COND_OK);
    assert_int_equal(fits, 1);
    assert_int_equal(cond_tie_system_group(&system, &fits), COND_OK);
    assert_int_equal(fits, 0); // not packed yet
    assert_int_equal(cond_tie_system_build(&system, D, 9, 0), COND_OK);
    assert_int_equal(cond_tie_system_group(&system, &fits), COND_OK);
    assert_int_equal(fits, 1);
    assert_int_equal(cond_tie_system_build(&system, D, 9, 0), COND_OK);
    return system;
}

static int group_of(const CondTiePacked* packed, int node)
{
    return packed->partition.leaf_group[packed->four_part[packed->rank[node] / 4]];
}

static double motion_of(const CondTiePacked* packed, int node, int row, int motion)
{
    return (double)packed->coarse.rows[24 * packed->rank[node] + 8 * row + motion];
}

// (P' H P) times its inverse, a column at a time, by products of the whole system.
static void check_matrix(const CondTieSystem* system)
{
    const CondTiePacked* packed = &system->packed;
    int n = system->problem->n_dof, nc = packed->coarse.n, stride = packed->coarse.stride;
    double *x = dense_zeros((size_t)n), *y = dense_zeros((size_t)n), *f = dense_zeros((size_t)nc);
    for (int e = 0; e < nc; e++) {
        memset(x, 0, (size_t)n * sizeof *x);
        memset(f, 0, (size_t)nc * sizeof *f);
        for (int i = 0; i < system->n_node; i++)
            for (int r = 0; r < 3 && group_of(packed, i) == e / 6; r++)
                x[system->place[i] + r] = motion_of(packed, i, r, e % 6);
        cond_tie_system_multiply(system, x, y);
        for (int i = 0; i < system->n_node; i++)
            for (int m = 0; m < 6; m++)
                for (int r = 0; r < 3; r++)
                    f[6 * group_of(packed, i) + m] +=
                        motion_of(packed, i, r, m) * y[system->place[i] + r];
        for (int i = 0; i < nc; i++) {
            double sum = 0.0, size = 0.0;
            for (int j = 0; j < nc; j++) {
                double term = packed->coarse.matrix[i * stride + j] * f[j];
                sum += term;
                size += fabs(term);
            }
            assert_true(fabs(sum - (i == e)) < 1e-5 * fmax(size, 1.0));
        }
    }
    free(x);
    free(y);
    free(f);
}

static void coarse_matrix_is_that_of_galerkin(void** state)
{
    (void)state;
    Trial trial[] = {make_mat(), make_ball("materials.ball.youngs_modulus=1e6")};
    for (int t = 0; t < 2; t++) {
        const CondProblem* problem = cond_sim_problem(trial[t].sim);
        double* D = make_ties(problem);
        CondTieSystem system = make_system(problem, D, 1);
        assert_true(system.packed.coarse.n_group > 3);
        assert_true(t == 1 || system.packed.n_join > 0);
        check_matrix(&system);
        cond_tie_system_destroy(&system);
        free(D);
        trial_end(&trial[t]);
    }
}

// The motions are those of rigid bodies where nothing ties a node, and none where a tie holds it.
static void ties_cut_motions(void** state)
{
    (void)state;
    Trial trial = make_mat();
    const CondProblem* problem = cond_sim_problem(trial.sim);
    double* D = make_ties(problem);
    CondTieSystem system = make_system(problem, D, 1);
    const CondTiePacked* packed = &system.packed;
    int* tied = calloc((size_t)system.n_node, sizeof *tied);
    for (int c = 0; c < problem->n_contact; c++) {
        int node = cond_tie_system_lone_node(&system, &problem->contact[c]);
        const double *R = problem->contact[c].frame, *Dc = D + 9 * (size_t)c;
        if (node < 0)
            continue;
        tied[node] |= Dc[0] != 0.0;
        for (int m = 0; m < 6; m++)
            for (int r = 0; r < 3; r++) {
                double along = 0.0;
                for (int k = 0; k < 3; k++)
                    along += R[3 * r + k] * motion_of(packed, node, k, m);
                assert_true(!(Dc[4 * r] > 1e3 * Dc[8] || (Dc[8] > 0.0 && Dc[8] == Dc[0])) ||
                            fabs(along) < 1e-6);
            }
    }
    for (int i = 0; i < system.n_node; i++)
        for (int r = 0; r < 3 && !tied[i]; r++)
            for (int k = 0; k < 3; k++) {
                assert_true(motion_of(packed, i, r, k) == (r == k));
                assert_true(motion_of(packed, i, r, 3 + k) == -motion_of(packed, i, k, 3 + r));
            }
    free(tied);
    cond_tie_system_destroy(&system);
    free(D);
    trial_end(&trial);
}

static void conjugate_gradients_need_fewer_products(void** state)
{
    (void)state;
    Trial trial = make_ball("materials.ball.youngs_modulus=1e7");
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof, products[2];
    double *D = make_ties(problem), *x[2], *r = dense_zeros((size_t)n);
    CondTieSystem system = make_system(problem, D, 1);
    for (int grouped = 0; grouped < 2; grouped++) {
        system.grouped = grouped;
        assert_int_equal(cond_tie_system_build(&system, D, 9, 0), COND_OK);
        x[grouped] = dense_zeros((size_t)n);
        memcpy(r, problem->b, (size_t)n * sizeof *r);
        products[grouped] = cond_tie_system_solve(&system, r, x[grouped], 1e-6, 3000);
        assert_true(products[grouped] > 0);
    }
    assert_true(3 * products[1] < products[0]);
    assert_true(dense_distance(n, x[0], x[1]) < 1e-4 * dense_norm(n, x[0]));
    for (int k = 0; k < 2; k++)
        free(x[k]);
    free(r);
    free(D);
    cond_tie_system_destroy(&system);
    trial_end(&trial);
}

static void same_bits_for_any_number_of_threads(void** state)
{
    (void)state;
    Trial trial = make_ball("materials.ball.youngs_modulus=1e7");
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof;
    double *D = make_ties(problem), *x[3], *r = dense_zeros((size_t)n);
    for (int k = 0; k < 3; k++) {
        CondTieSystem system = make_system(problem, D, 1 + k);
        x[k] = dense_zeros((size_t)n);
        memcpy(r, problem->b, (size_t)n * sizeof *r);
        assert_true(cond_tie_system_solve(&system, r, x[k], 1e-2, 3000) > 0);
        assert_memory_equal(x[k], x[0], (size_t)n * sizeof **x);
        cond_tie_system_destroy(&system);
    }
    for (int k = 0; k < 3; k++)
        free(x[k]);
    free(r);
    free(D);
    trial_end(&trial);
}

static void memory_runs_out(void** state)
{
    (void)state;
    Trial trial = make_ball("materials.ball.youngs_modulus=1e7");
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int failures = 0, grouped = 0;
    double* D = make_ties(problem);
    for (int call = 1; call < 2000; call++) {
        FailingAllocator allocator = {.fail_at = call};
        CondTieSystem system = {.context = failing_allocator_context(&allocator)};
        int fits;
        CondStatus status = cond_tie_system_plan(&system, problem, 1, &fits);
        if (!status)
            status = cond_tie_system_build(&system, D, 9, 0);
        if (!status) {
            grouped++;
            status = cond_tie_system_group(&system, &fits);
        }
        if (!status)
            status = cond_tie_system_build(&system, D, 9, 0);
        cond_tie_system_destroy(&system);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK)
            break;
        assert_int_equal(status, COND_OUT_OF_MEMORY);
        failures++;
    }
    assert_in_range(failures, 40, 1000);
    assert_in_range(grouped, 10, 100);
    free(D);
    trial_end(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_matrix_is_that_of_galerkin),
        cmocka_unit_test(ties_cut_motions),
        cmocka_unit_test(conjugate_gradients_need_fewer_products),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
