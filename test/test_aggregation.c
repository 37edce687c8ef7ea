// The coarse correction by aggregation, shallow and deep: groups, the Galerkin product, symmetry,
// what is cut of motions and what a change rebuilds, and that answers are the same with it while
// stiff bodies need far fewer products.
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
#include "linear/aggregate.h"
#include "scene_make.h"
#include "soft/soft_system.h"

static Trial make_trial(const char* scene, const char* mesh, const char* stiffness, int steps)
{
    const char* override[] = {mesh, stiffness, "solver.threads=1"};
    Trial trial = trial_read(scene, 3, override);
    trial_step(&trial, steps);
    cond_sim_forces(trial.sim, trial.state);
    cond_sim_matrix(trial.sim);
    cond_sim_collide(trial.sim, trial.state);
    cond_sim_assemble(trial.sim, trial.state);
    return trial;
}

// A soft ball on the floor between fingers.
static Trial make_mesh(const char* mesh, const char* stiffness, int steps)
{
    return make_trial("ball.yaml", mesh, stiffness, steps);
}

static Trial make_ball(const char* stiffness, int steps)
{
    return make_mesh("bodies.ball.mesh=ball:0.05:4", stiffness, steps);
}

// One that is large enough to be packed without levels.
static Trial make_large_ball(const char* stiffness)
{
    return make_mesh("bodies.ball.mesh=ball:0.05:6", stiffness, 2);
}

// A mat on the floor, held at some nodes.
static Trial make_mat(void)
{
    return make_trial("mat.yaml", "bodies.mat.mesh=mat:14,14,2:0.4,0.4,0.016",
                      "materials.mat.poisson_ratio=0.35", 1);
}

// Ties of all kinds: open, sticking, slipping; `turn` picks which contact is what.
static double* make_ties(const CondProblem* problem, int turn)
{
    double* D = dense_zeros(9 * (size_t)problem->n_contact + 1);
    double* diagonal = dense_zeros((size_t)problem->n_dof);
    cond_problem_diagonal(problem, diagonal);
    for (int c = 0; c < problem->n_contact; c++) {
        double scale = 1.0 / cond_contact_delassus(&problem->contact[c], diagonal);
        int kind = (c + turn) % 3;
        if (kind == 0)
            continue;
        D[9 * c] = 1e4 * scale;
        D[9 * c + 4] = D[9 * c + 8] = kind == 1 ? 1e4 * scale : 0.3 * scale;
    }
    free(diagonal);
    return D;
}

static double dot(int n, const double* x, const double* y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void groups_cover_and_touch(void** state)
{
    (void)state;
    Trial trial = make_ball("materials.ball.youngs_modulus=1e6", 0);
    const CondBlock* block = NULL;
    const CondProblem* problem = cond_sim_problem(trial.sim);
    for (int b = 0; b < problem->n_block; b++)
        if (problem->block[b].kind == COND_BLOCK_BSR3)
            block = &problem->block[b];
    int n = block->n_dof / 3;
    int* group = malloc((size_t)n * sizeof *group);
    int count = cond_aggregate(n, block->row_begin, block->column, group);
    assert_true(count > 1 && count < n / 3);
    int* members = calloc((size_t)count, sizeof *members);
    for (int i = 0; i < n; i++) {
        assert_in_range(group[i], 0, count - 1);
        members[group[i]]++;
        int candidates = 0; // a node of its group among its neighbours
        for (int k = block->row_begin[i]; k < block->row_begin[i + 1]; k++)
            candidates += block->column[k] != i && group[block->column[k]] == group[i];
        assert_true(candidates > 0);
    }
    for (int g = 0; g < count; g++)
        assert_true(members[g] > 1);
    free(members);
    free(group);
    trial_end(&trial);
}

static double motion_of(const CondSoftPacked* packed, int node, int row, int motion)
{
    return (double)packed->coarse.rows[24 * packed->rank[node] + 8 * row + motion];
}

// x = P e, on the coordinates of the problem.
static void prolong(const CondSoftSystem* system, const double* e, double* x)
{
    const CondSoftPacked* packed = &system->packed;
    for (int i = 0; i < system->n_node; i++)
        for (int r = 0; r < 3; r++) {
            x[system->place[i] + r] = 0.0;
            for (int k = 0; k < 6; k++)
                x[system->place[i] + r] +=
                    motion_of(packed, i, r, k) * e[6 * packed->coarse.node_group[i] + k];
        }
}

// With few groups (deep = 0), for which it has to be packed first, or with levels.
static CondSoftSystem make_system(const CondProblem* problem, const double* D, int deep,
                                  int threads)
{
    CondSoftSystem system = {.arena.context = cond_context_or_default(NULL)};
    int fits;
    assert_int_equal(cond_soft_system_plan(&system, problem, threads, &fits), COND_OK);
    assert_int_equal(fits, 1);
    if (deep) {
        assert_int_equal(cond_soft_system_deepen(&system, &fits), COND_OK);
    } else {
        assert_int_equal(cond_soft_system_group(&system, &fits), COND_OK);
        assert_int_equal(fits, 0); // not packed yet
        assert_int_equal(cond_soft_system_build(&system, D, 9, 0), COND_OK);
        assert_int_equal(cond_soft_system_group(&system, &fits), COND_OK);
    }
    assert_int_equal(fits, 1);
    assert_int_equal(cond_soft_system_build(&system, D, 9, 0), COND_OK);
    assert_int_equal(system.packed.coarse.on, 1);
    return system;
}

// P' H P e by products of the whole system.
static void multiply_coarse(const CondSoftSystem* system, const double* e, double* x, double* y,
                            double* f)
{
    const CondSoftPacked* packed = &system->packed;
    memset(x, 0, (size_t)system->problem->n_dof * sizeof *x);
    memset(f, 0, 6 * (size_t)packed->coarse.n_group * sizeof *f);
    prolong(system, e, x);
    cond_soft_system_multiply(system, x, y);
    for (int i = 0; i < system->n_node; i++)
        for (int m = 0; m < 6; m++)
            for (int r = 0; r < 3; r++)
                f[6 * packed->coarse.node_group[i] + m] +=
                    motion_of(packed, i, r, m) * y[system->place[i] + r];
}

// (P' H P) times its inverse, a column at a time.
static void check_inverse(const CondSoftSystem* system)
{
    const CondAggregation* coarse = &system->packed.coarse;
    int n = system->problem->n_dof, nc = coarse->n;
    double *x = dense_zeros((size_t)n), *y = dense_zeros((size_t)n), *f = dense_zeros((size_t)nc);
    double* unit = dense_zeros((size_t)nc);
    for (int e = 0; e < nc; e++) {
        unit[e] = 1.0;
        multiply_coarse(system, unit, x, y, f);
        unit[e] = 0.0;
        for (int i = 0; i < nc; i++) {
            double sum = 0.0, size = 0.0;
            for (int j = 0; j < nc; j++) {
                double term = coarse->matrix[i * coarse->stride + j] * f[j];
                sum += term;
                size += fabs(term);
            }
            assert_true(fabs(sum - (i == e)) < 1e-5 * fmax(size, 1.0));
        }
    }
    free(x);
    free(y);
    free(f);
    free(unit);
}

static void inverse_is_that_of_galerkin(void** state)
{
    (void)state;
    Trial trial[] = {make_mat(), make_large_ball("materials.ball.youngs_modulus=1e6")};
    for (int t = 0; t < 2; t++) {
        const CondProblem* problem = cond_sim_problem(trial[t].sim);
        double* D = make_ties(problem, 0);
        CondSoftSystem system = make_system(problem, D, 0, 1);
        assert_true(system.packed.coarse.n_group > 3);
        assert_true(t == 1 || system.packed.n_join > 0);
        check_inverse(&system);
        cond_soft_system_destroy(&system);
        free(D);
        trial_end(&trial[t]);
    }
}

// The energy of what lifts the diagonals of the coarse matrix, a millionth of each block's trace.
static double lifted(const CondLevel* coarse, const double* e)
{
    const double shift = 1e-6;
    double sum = 0.0;
    for (int i = 0; i < coarse->n_node; i++)
        for (int k = coarse->row_begin[i]; k < coarse->row_begin[i + 1]; k++)
            for (int a = 0; a < 6 && coarse->column[k] == i; a++) {
                double trace = 0.0;
                for (int b = 0; b < 6; b++)
                    trace += coarse->A[36 * (size_t)k + (size_t)(7 * b)];
                sum += shift * trace / (1.0 + 6.0 * shift) * e[6 * i + a] * e[6 * i + a];
            }
    return sum;
}

static void first_level_is_that_of_galerkin(void** state)
{
    (void)state;
    Trial trial = make_large_ball("materials.ball.youngs_modulus=1e6");
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof;
    double* D = make_ties(problem, 0);
    CondSoftSystem system = make_system(problem, D, 1, 1);
    assert_true(system.packed.coarse.n_level > 1);
    const CondLevel* coarse = &system.packed.coarse.level[0];
    int nc = 6 * coarse->n_node;
    double *e = dense_zeros((size_t)nc), *f = dense_zeros((size_t)nc), *g = dense_zeros((size_t)nc);
    double *x = dense_zeros((size_t)n), *Hx = dense_zeros((size_t)n);
    Dice dice = {7};
    for (int i = 0; i < nc; i++)
        e[i] = dice_uniform(&dice, -1.0, 1.0);
    multiply_coarse(&system, e, x, Hx, g);
    for (int i = 0; i < coarse->n_node; i++)
        for (int k = coarse->row_begin[i]; k < coarse->row_begin[i + 1]; k++)
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++)
                    f[6 * i + a] += coarse->A[36 * (size_t)k + (size_t)(6 * b + a)] *
                                    e[6 * coarse->column[k] + b];
    double energy = dot(n, x, Hx), ours = dot(nc, e, f) - lifted(coarse, e);
    assert_true(energy > 0.0);
    assert_true(fabs(energy - ours) <= 1e-7 * energy); // entries are floats
    // Not blown up by the gains: a node that is held does not move.
    double* Ax = dense_zeros((size_t)n);
    cond_problem_multiply(problem, x, Ax);
    assert_true(energy <= 3.0 * dot(n, x, Ax));
    free(Ax);
    free(Hx);
    free(x);
    free(f);
    free(g);
    free(e);
    free(D);
    cond_soft_system_destroy(&system);
    trial_end(&trial);
}

// z = the coarse correction of r, nodes in order.
static void correct(CondSoftSystem* system, int n, const double* r, double* z)
{
    CondSoftPacked* packed = &system->packed;
    const float* motion;
    CondTeam team = {0};
    double* sum = dense_zeros(8 * (size_t)packed->n_part);
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 6; m++)
            sum[8 * packed->four_part[packed->rank[i / 3] / 4] + m] +=
                motion_of(packed, i / 3, i % 3, m) * r[i];
    for (int k = 0; k < 8 * packed->n_part; k++)
        packed->coarse.sum[k] = (float)sum[k];
    free(sum);
    double rz = cond_aggregation_correct(packed, &team, 0, 1, &motion);
    for (int i = 0; i < n; i++) {
        z[i] = 0.0;
        for (int m = 0; m < 6; m++)
            z[i] += motion_of(packed, i / 3, i % 3, m) *
                    (double)motion[8 * packed->coarse.node_group[i / 3] + m];
    }
    assert_true(fabs(rz - dot(n, r, z)) <= 1e-7 * rz);
}

static void correction_is_symmetric_and_positive(void** state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        Trial trial = make_large_ball("materials.ball.youngs_modulus=1e7");
        const CondProblem* problem = cond_sim_problem(trial.sim);
        double* D = make_ties(problem, 1);
        CondSoftSystem system = make_system(problem, D, deep, 1);
        int n = 3 * system.n_node;
        double *a = dense_zeros((size_t)n), *b = dense_zeros((size_t)n);
        double *Ca = dense_zeros((size_t)n), *Cb = dense_zeros((size_t)n);
        Dice dice = {3};
        for (int trial_number = 0; trial_number < 5; trial_number++) {
            for (int i = 0; i < n; i++) {
                a[i] = dice_uniform(&dice, -1.0, 1.0);
                b[i] = dice_uniform(&dice, -1.0, 1.0);
            }
            correct(&system, n, a, Ca);
            correct(&system, n, b, Cb);
            double ab = dot(n, a, Cb), ba = dot(n, b, Ca);
            double aa = dot(n, a, Ca), bb = dot(n, b, Cb);
            assert_true(aa > 0.0 && bb > 0.0);
            assert_true(fabs(ab - ba) <= 1e-6 * sqrt(aa * bb)); // in floats
        }
        free(Ca);
        free(Cb);
        free(a);
        free(b);
        free(D);
        cond_soft_system_destroy(&system);
        trial_end(&trial);
    }
}

static void change_of_ties_rebuilds_what_it_must(void** state)
{
    (void)state;
    Trial trial = make_large_ball("materials.ball.youngs_modulus=1e6");
    const CondProblem* problem = cond_sim_problem(trial.sim);
    CondSoftSystem system[2];
    int fits, turns[2][2] = {{0, 1}, {1, 1}};
    double* z[2];
    for (int s = 0; s < 2; s++) {
        system[s] = (CondSoftSystem){.arena.context = cond_context_or_default(NULL)};
        assert_int_equal(cond_soft_system_plan(&system[s], problem, 1, &fits), COND_OK);
        assert_int_equal(cond_soft_system_deepen(&system[s], &fits), COND_OK);
        for (int k = s; k < 2; k++) { // the first one by way of other ties
            double* D = make_ties(problem, turns[s][k]);
            assert_int_equal(cond_soft_system_build(&system[s], D, 9, 0), COND_OK);
            free(D);
        }
        int n = 3 * system[s].n_node;
        double* r = dense_zeros((size_t)n);
        z[s] = dense_zeros((size_t)n);
        Dice dice = {11};
        for (int i = 0; i < n; i++)
            r[i] = dice_uniform(&dice, -1.0, 1.0);
        correct(&system[s], n, r, z[s]);
        free(r);
    }
    assert_true(problem->n_contact > 3);
    for (int i = 0; i < 3 * system[0].n_node; i++)
        assert_true(z[0][i] == z[1][i]);
    for (int s = 0; s < 2; s++) {
        free(z[s]);
        cond_soft_system_destroy(&system[s]);
    }
    trial_end(&trial);
}

// The motions are those of rigid bodies where nothing ties a node, and none where a tie holds it.
static void ties_cut_motions(void** state)
{
    (void)state;
    Trial trial = make_mat();
    const CondProblem* problem = cond_sim_problem(trial.sim);
    double* D = make_ties(problem, 0);
    CondSoftSystem system = make_system(problem, D, 0, 1);
    const CondSoftPacked* packed = &system.packed;
    int* tied = calloc((size_t)system.n_node, sizeof *tied);
    for (int c = 0; c < problem->n_contact; c++) {
        int node = cond_soft_system_lone_node(&system, &problem->contact[c]);
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
    cond_soft_system_destroy(&system);
    free(D);
    trial_end(&trial);
}

static void few_groups_need_fewer_products(void** state)
{
    (void)state;
    Trial trial = make_large_ball("materials.ball.youngs_modulus=1e7");
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof, products[2];
    double *D = make_ties(problem, 0), *x[2], *r = dense_zeros((size_t)n);
    CondSoftSystem system = make_system(problem, D, 0, 1);
    for (int grouped = 0; grouped < 2; grouped++) {
        system.grouped = grouped;
        assert_int_equal(cond_soft_system_build(&system, D, 9, 0), COND_OK);
        x[grouped] = dense_zeros((size_t)n);
        memcpy(r, problem->b, (size_t)n * sizeof *r);
        products[grouped] = cond_soft_system_solve(&system, r, x[grouped], 1e-6, 3000);
        assert_true(products[grouped] > 0);
    }
    assert_true(3 * products[1] < products[0]);
    assert_true(dense_distance(n, x[0], x[1]) < 1e-4 * dense_norm(n, x[0]));
    for (int k = 0; k < 2; k++)
        free(x[k]);
    free(r);
    free(D);
    cond_soft_system_destroy(&system);
    trial_end(&trial);
}

// Rounds in single precision reach what was asked for in double, with the same bits on any number
// of threads, with the coarse levels and without.
static void iterations_have_the_same_bits_on_any_threads(void** state)
{
    (void)state;
    Trial trial = make_ball("materials.ball.youngs_modulus=1e6", 2);
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof, fits;
    double *D = make_ties(problem, 2), *first = dense_zeros((size_t)n);
    double *x = dense_zeros((size_t)n), *r = dense_zeros((size_t)n), *Hx = dense_zeros((size_t)n);
    for (int deep = 0; deep < 2; deep++)
        for (int threads = 1; threads <= 4; threads++) {
            CondSoftSystem system = {.arena.context = cond_context_or_default(NULL)};
            assert_int_equal(cond_soft_system_plan(&system, problem, threads, &fits), COND_OK);
            if (deep)
                assert_int_equal(cond_soft_system_deepen(&system, &fits), COND_OK);
            assert_int_equal(cond_soft_system_build(&system, D, 9, 0), COND_OK);
            assert_true(system.packed.ready);
            memcpy(r, problem->b, (size_t)n * sizeof *r);
            assert_in_range(cond_soft_system_solve(&system, r, x, 1e-3, 5000), 1, 4999);
            cond_soft_system_multiply(&system, x, Hx);
            double left = 0.0, size = 0.0, drift = 0.0;
            for (int i = 0; i < n; i++) {
                left = fmax(left, fabs(problem->b[i] - Hx[i]));
                drift = fmax(drift, fabs(problem->b[i] - Hx[i] - r[i]));
                size = fmax(size, fabs(problem->b[i]));
            }
            assert_true(left < 1e-2 * size && drift < 1e-12 * size);
            if (threads == 1)
                memcpy(first, x, (size_t)n * sizeof *x);
            assert_memory_equal(first, x, (size_t)n * sizeof *x);
            cond_soft_system_destroy(&system);
        }
    free(D);
    free(first);
    free(x);
    free(r);
    free(Hx);
    trial_end(&trial);
}

static void groups_have_the_same_bits_on_any_threads(void** state)
{
    (void)state;
    Trial trial = make_large_ball("materials.ball.youngs_modulus=1e7");
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof;
    double *D = make_ties(problem, 0), *x[3], *r = dense_zeros((size_t)n);
    for (int k = 0; k < 3; k++) {
        CondSoftSystem system = make_system(problem, D, 0, 1 + k);
        x[k] = dense_zeros((size_t)n);
        memcpy(r, problem->b, (size_t)n * sizeof *r);
        assert_true(cond_soft_system_solve(&system, r, x[k], 1e-2, 3000) > 0);
        assert_memory_equal(x[k], x[0], (size_t)n * sizeof **x);
        cond_soft_system_destroy(&system);
    }
    for (int k = 0; k < 3; k++)
        free(x[k]);
    free(r);
    free(D);
    trial_end(&trial);
}

static void needs_fewer_products_on_stiff_bodies(void** state)
{
    (void)state;
    static const char* const stiffness[] = {"materials.ball.youngs_modulus=1e5",
                                            "materials.ball.youngs_modulus=1e7"};
    int products[2][2];
    for (int s = 0; s < 2; s++) {
        Trial trial = make_ball(stiffness[s], 2);
        const CondProblem* problem = cond_sim_problem(trial.sim);
        int n = problem->n_dof;
        double* x[2];
        for (int deep = 0; deep < 2; deep++) {
            CondSoftSystem system = {.arena.context = cond_context_or_default(NULL)};
            int fits;
            assert_int_equal(cond_soft_system_plan(&system, problem, 1, &fits), COND_OK);
            if (deep)
                assert_int_equal(cond_soft_system_deepen(&system, &fits), COND_OK);
            double* D = make_ties(problem, 2);
            assert_int_equal(cond_soft_system_build(&system, D, 9, 0), COND_OK);
            double* r = dense_zeros((size_t)n);
            x[deep] = dense_zeros((size_t)n);
            memcpy(r, problem->b, (size_t)n * sizeof *r);
            products[s][deep] = cond_soft_system_solve(&system, r, x[deep], 1e-10, 5000);
            free(r);
            free(D);
            cond_soft_system_destroy(&system);
        }
        double difference = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) {
            difference = fmax(difference, fabs(x[0][i] - x[1][i]));
            size = fmax(size, fabs(x[0][i]));
        }
        assert_true(difference <= 1e-6 * size);
        free(x[0]);
        free(x[1]);
        trial_end(&trial);
    }
    assert_true(products[1][1] < products[1][0]);
    assert_true(products[1][1] < 1.5 * products[0][1] && products[0][1] < 1.5 * products[1][1]);
}

static void answers_do_not_depend_on_it(void** state)
{
    (void)state;
    Trial trial = make_ball("materials.ball.youngs_modulus=1e6", 2);
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof, nc3 = 3 * problem->n_contact;
    double *v[3], *lambda[3];
    for (int use = 0; use < 3; use++) {
        CondSolverSettings settings = cond_solver_settings_default();
        CondSolver* solver;
        CondSolveInfo info;
        CondError error;
        settings.multilevel = (CondMultilevelUse)use;
        settings.tolerance = 1e-10;
        settings.threads = 1;
        assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, &error), COND_OK);
        v[use] = dense_zeros((size_t)n);
        lambda[use] = dense_zeros((size_t)nc3 + 1);
        assert_int_equal(cond_solver_solve(solver, problem, v[use], lambda[use], &info), COND_OK);
        cond_solver_destroy(solver);
    }
    double size = 0.0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(v[0][i]));
    for (int use = 1; use < 3; use++)
        for (int i = 0; i < n; i++)
            assert_true(fabs(v[use][i] - v[0][i]) <= 1e-6 * size);
    for (int use = 0; use < 3; use++) {
        free(v[use]);
        free(lambda[use]);
    }
    trial_end(&trial);
}

static void same_bits_for_any_number_of_threads(void** state)
{
    (void)state;
    Trial trial = make_mesh("bodies.ball.mesh=ball:0.05:7", "materials.ball.youngs_modulus=1e6", 0);
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof, nc3 = 3 * problem->n_contact;
    double *v[3], *lambda[3];
    for (int k = 0; k < 3; k++) {
        CondSolverSettings settings = cond_solver_settings_default();
        CondSolver* solver;
        CondSolveInfo info;
        CondError error;
        settings.multilevel = COND_MULTILEVEL_ON;
        settings.tolerance = 1e-4;
        settings.threads = 1 + k;
        assert_int_equal(cond_solver_create(NULL, "strategy", &settings, &solver, &error), COND_OK);
        v[k] = dense_zeros((size_t)n);
        lambda[k] = dense_zeros((size_t)nc3 + 1);
        assert_int_equal(cond_solver_solve(solver, problem, v[k], lambda[k], &info), COND_OK);
        assert_true(info.cg_iterations > 0);
        cond_solver_destroy(solver);
    }
    for (int k = 1; k < 3; k++) {
        assert_memory_equal(v[k], v[0], (size_t)n * sizeof **v);
        assert_memory_equal(lambda[k], lambda[0], (size_t)nc3 * sizeof **lambda);
    }
    for (int k = 0; k < 3; k++) {
        free(v[k]);
        free(lambda[k]);
    }
    trial_end(&trial);
}

static void memory_runs_out(void** state)
{
    (void)state;
    Trial trial = make_mesh("bodies.ball.mesh=ball:0.05:3", "materials.ball.youngs_modulus=1e6", 0);
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int n = problem->n_dof, nc3 = 3 * problem->n_contact, failures = 0;
    CondSolverSettings settings = cond_solver_settings_default();
    settings.multilevel = COND_MULTILEVEL_ON;
    settings.tolerance = 1e-3;
    settings.threads = 1;
    for (int call = 1; call < 2000; call++) {
        FailingAllocator allocator = {.fail_at = call};
        CondContext context = failing_allocator_context(&allocator);
        CondSolver* solver = NULL;
        CondError error;
        CondSolveInfo info;
        double *v = dense_zeros((size_t)n), *lambda = dense_zeros((size_t)nc3 + 1);
        CondStatus status = cond_solver_create(&context, "strategy", &settings, &solver, &error);
        if (!status)
            status = cond_solver_solve(solver, problem, v, lambda, &info);
        cond_solver_destroy(solver);
        assert_int_equal(allocator.live, 0);
        free(v);
        free(lambda);
        if (status != COND_OUT_OF_MEMORY) {
            assert_int_equal(status, COND_OK);
            break;
        }
        failures++;
    }
    assert_in_range(failures, 40, 1000);
    trial_end(&trial);
}

static void memory_runs_out_for_groups(void** state)
{
    (void)state;
    Trial trial = make_large_ball("materials.ball.youngs_modulus=1e7");
    const CondProblem* problem = cond_sim_problem(trial.sim);
    int failures = 0, grouped = 0;
    double* D = make_ties(problem, 0);
    for (int call = 1; call < 2000; call++) {
        FailingAllocator allocator = {.fail_at = call};
        CondSoftSystem system = {.arena.context = failing_allocator_context(&allocator)};
        int fits;
        CondStatus status = cond_soft_system_plan(&system, problem, 1, &fits);
        if (!status)
            status = cond_soft_system_build(&system, D, 9, 0);
        if (!status) {
            grouped++;
            status = cond_soft_system_group(&system, &fits);
        }
        if (!status)
            status = cond_soft_system_build(&system, D, 9, 0);
        cond_soft_system_destroy(&system);
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
        cmocka_unit_test(groups_cover_and_touch),
        cmocka_unit_test(inverse_is_that_of_galerkin),
        cmocka_unit_test(first_level_is_that_of_galerkin),
        cmocka_unit_test(ties_cut_motions),
        cmocka_unit_test(few_groups_need_fewer_products),
        cmocka_unit_test(correction_is_symmetric_and_positive),
        cmocka_unit_test(change_of_ties_rebuilds_what_it_must),
        cmocka_unit_test(iterations_have_the_same_bits_on_any_threads),
        cmocka_unit_test(groups_have_the_same_bits_on_any_threads),
        cmocka_unit_test(needs_fewer_products_on_stiff_bodies),
        cmocka_unit_test(answers_do_not_depend_on_it),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_runs_out_for_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
