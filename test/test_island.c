// Islands: the parts of a problem are what nothing joins, their answers together are the answer of
// the whole, and neither threads nor the user's allocator notice.
#include "dense.h"
#include "random_problem.h"
#include "verifier.h"

#include "base/components.h"
#include "strategy/island.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Many bodies with few contacts: a problem that falls apart.
static RandomOptions loose(uint64_t seed)
{
    RandomOptions options = random_options_default(seed);
    options.n_rigid = 6 + (int)(seed % 5);
    options.n_particle = 5;
    options.n_contact = 6 + (int)(seed % 7);
    options.n_coupling = (int)(seed % 3);
    return options;
}

// 1 where the blocks are joined: by brute force, spreading over contacts and couplings.
static void spread(const CondProblem* p, const int* block_of, int* reached)
{
    for (int again = 1; again;) {
        again = 0;
        for (int k = 0; k < p->n_coupling + p->n_contact; k++) {
            int any = 0, all = 1;
            for (int turn = 0; turn < 2; turn++)
                for (int s = 0; s < 2; s++) {
                    int coupling = k < p->n_coupling;
                    const CondSide* side = coupling ? NULL : &p->contact[k - p->n_coupling].side[s];
                    int n = !coupling ? side->n_coordinate
                            : s == 0  ? p->coupling[k].n_coordinate
                                      : 0;
                    const int* at = coupling ? p->coupling[k].coordinate : side->coordinate;
                    for (int i = 0; i < n; i++) {
                        int* one = &reached[block_of[at[i]]];
                        if (turn == 0) {
                            any |= *one;
                            all &= *one;
                        } else if (any) {
                            *one = 1;
                        }
                    }
                }
            again |= any && !all;
        }
    }
}

static void parts_are_what_nothing_joins(void** state)
{
    (void)state;
    int split = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        RandomOptions options = loose(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        const CondProblem* p = &made.problem;
        CondIslands islands;
        cond_islands_begin(NULL, &islands);
        assert_int_equal(cond_islands_find(&islands, p), COND_OK);
        assert_int_equal(cond_islands_split(&islands, p), COND_OK);
        split += islands.n > 1;
        for (int i = 0; i < p->n_block; i++) {
            int* reached = calloc((size_t)p->n_block, sizeof *reached);
            reached[i] = 1;
            spread(p, islands.block_of, reached);
            for (int j = 0; j < p->n_block; j++)
                assert_int_equal(reached[j], islands.blocks.of[i] == islands.blocks.of[j]);
            free(reached);
        }
        int n_dof = 0, n_contact = 0, n_block = 0;
        for (int i = 0; i < islands.n; i++) {
            CondProblem one = cond_islands_problem(&islands, i);
            CondError error;
            if (cond_problem_check(NULL, &one, &error))
                fail_msg("%s", error.message);
            n_dof += one.n_dof;
            n_contact += one.n_contact;
            n_block += one.n_block;
        }
        assert_int_equal(n_dof, p->n_dof);
        assert_int_equal(n_contact, p->n_contact);
        assert_int_equal(n_block, p->n_block);
        cond_islands_end(&islands);
        random_problem_free(&made);
    }
    assert_true(split >= 15);
}

// Against the same problem whose islands a coupling without stiffness joins.
static void answers_together_are_that_of_the_whole(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        RandomOptions options = loose(seed);
        RandomProblem made;
        random_problem_make(&options, &made);
        CondProblem joined = made.problem;
        int n = joined.n_dof, m = 3 * joined.n_contact;
        int* all = calloc((size_t)n, sizeof *all);
        double *row = dense_zeros((size_t)n), none = 0.0;
        CondCoupling* coupling = calloc((size_t)joined.n_coupling + 1, sizeof *coupling);
        for (int i = 0; i < n; i++)
            all[i] = i;
        for (int i = 0; i < joined.n_coupling; i++)
            coupling[i] = made.problem.coupling[i];
        coupling[joined.n_coupling++] = (CondCoupling){1, n, all, row, &none};
        joined.coupling = coupling;
        CondSolverSettings settings = cond_solver_settings_default();
        settings.tolerance = 1e-10;
        double *v = dense_zeros((size_t)n), *w = dense_zeros((size_t)n);
        double *lambda = dense_zeros((size_t)m), *mu = dense_zeros((size_t)m);
        CondSolveInfo info;
        assert_int_equal(verifier_solve(&made.problem, &settings, v, lambda, &info), COND_OK);
        assert_int_equal(verifier_solve(&joined, &settings, w, mu, &info), COND_OK);
        assert_true(dense_distance(n, v, w) < 1e-7 * dense_norm(n, w));
        free(all);
        free(row);
        free(coupling);
        free(v);
        free(w);
        free(lambda);
        free(mu);
        random_problem_free(&made);
    }
}

// Three islands whose dynamics each miss by 0.95 tolerances, one of them without contact force, one
// at rest and one that only its contact moves: the scale of the whole is the root of 2/3 of theirs
// together. They are solved on; the fourth, which misses by half a tolerance, keeps its bits.
static void a_whole_that_misses_leaves_the_good(void** state)
{
    (void)state;
    const double unit[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, tolerance = 1e-3;
    const double near = 1.0 - 0.95 * tolerance, half = 0.1 * (1.0 - 0.5 * tolerance);
    const int coordinate[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    CondBlock block[4];
    for (int i = 0; i < 4; i++)
        block[i] = (CondBlock){COND_BLOCK_DENSE, 3 * i, 3, unit, NULL, NULL, NULL};
    CondContact contact[2];
    for (int i = 0; i < 2; i++)
        contact[i] = (CondContact){.side = {{3, coordinate + 3 + 3 * i, NULL}, {0, NULL, NULL}},
                                   .frame = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0},
                                   .phi = {i ? -1.0 : 0.0, 0.0, 0.0},
                                   .kv = INFINITY};
    const double b[12] = {[0] = 1.0, [5] = -1.0, [9] = 0.1};
    CondProblem problem = {12, 4, 0, 2, block, NULL, contact, b};
    double v[12] = {[0] = near, [8] = 1.0, [9] = half}, lambda[6] = {[0] = near, [3] = near};
    CondSolverSettings settings = cond_solver_settings_default();
    settings.tolerance = tolerance;
    CondSolveInfo info;
    assert_int_equal(verifier_solve(&problem, &settings, v, lambda, &info), COND_OK);
    assert_true(v[9] == half && v[10] == 0.0 && v[11] == 0.0);
    assert_true(fabs(v[0] - 1.0) < tolerance / sqrt(3.0));
    assert_true(fabs(lambda[0] - 1.0) < tolerance / sqrt(3.0));
    assert_true(fabs(lambda[3] - 1.0) < tolerance / sqrt(3.0));
}

// An allocator that fails the test when two threads are in it at once, or is asked by one that did
// not call the library.
typedef struct Watch {
    _Atomic int inside;
    _Atomic int clashes;
} Watch;

static void* watched_allocate(size_t bytes, void* user)
{
    Watch* watch = user;
    watch->clashes += watch->inside++ > 0;
    void* memory = malloc(bytes);
    watch->inside--;
    return memory;
}

static void watched_release(void* memory, void* user)
{
    Watch* watch = user;
    watch->clashes += watch->inside++ > 0;
    free(memory);
    watch->inside--;
}

static void threads_change_nothing(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        RandomOptions options = loose(seed);
        options.n_rigid = 40;
        options.n_contact = 30;
        RandomProblem made;
        random_problem_make(&options, &made);
        int n = made.problem.n_dof, m = 3 * made.problem.n_contact;
        double* first = dense_zeros((size_t)(n + m));
        for (int threads = 1; threads <= 4; threads *= 2) {
            Watch watch = {0, 0};
            CondContext context = {watched_allocate, watched_release, &watch, NULL};
            CondSolverSettings settings = cond_solver_settings_default();
            settings.threads = threads;
            CondSolver* solver = NULL;
            double* v = dense_zeros((size_t)(n + m));
            assert_int_equal(cond_solver_create(&context, "strategy", &settings, &solver, NULL),
                             COND_OK);
            assert_int_equal(cond_solver_solve(solver, &made.problem, v, v + n, NULL), COND_OK);
            cond_solver_destroy(solver);
            assert_int_equal(watch.clashes, 0);
            if (threads == 1)
                memcpy(first, v, (size_t)(n + m) * sizeof *v);
            assert_memory_equal(first, v, (size_t)(n + m) * sizeof *v);
            free(v);
        }
        free(first);
        random_problem_free(&made);
    }
}

// Sets are what pairs join, directly or through others; their order is that of the items and not
// that of the pairs.
static void components_are_what_pairs_join(void** state)
{
    enum { ITEMS = 40, PAIRS = 25 };
    (void)state;
    CondArena arena;
    cond_arena_begin(NULL, &arena);
    CondComponents forward = {0}, backward = {0};
    int large = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        int pair[PAIRS][2], reached[ITEMS];
        Random random = random_start(seed);
        for (int k = 0; k < PAIRS; k++)
            for (int s = 0; s < 2; s++)
                pair[k][s] = random_int(&random, ITEMS + 1) - 1; // -1: no item
        assert_int_equal(cond_components_reserve(&arena, ITEMS, &forward), COND_OK);
        assert_int_equal(cond_components_reserve(&arena, ITEMS, &backward), COND_OK);
        cond_components_begin(ITEMS, &forward);
        cond_components_begin(ITEMS, &backward);
        for (int k = 0; k < PAIRS; k++) {
            cond_components_join(&forward, pair[k][0], pair[k][1]);
            cond_components_join(&backward, pair[PAIRS - 1 - k][1], pair[PAIRS - 1 - k][0]);
        }
        cond_components_end(&forward);
        cond_components_end(&backward);
        assert_int_equal(forward.n, backward.n);
        assert_memory_equal(forward.of, backward.of, sizeof reached);
        assert_memory_equal(forward.member, backward.member, sizeof reached);
        assert_int_equal(forward.begin[forward.n], ITEMS);
        for (int set = 0; set < forward.n; set++) {
            const int* member = forward.member + forward.begin[set];
            int n = cond_components_size(&forward, set);
            memset(reached, 0, sizeof reached);
            reached[member[0]] = 1;
            for (int again = 0; again < PAIRS; again++)
                for (int k = 0; k < PAIRS; k++)
                    for (int s = 0; s < 2; s++)
                        if (pair[k][0] >= 0 && pair[k][1] >= 0 && reached[pair[k][s]])
                            reached[pair[k][1 - s]] = 1;
            for (int i = 0, k = 0; i < ITEMS; i++) {
                assert_int_equal(reached[i], forward.of[i] == set);
                if (reached[i])
                    assert_int_equal(member[k++], i);
                assert_true(!reached[i] || cond_components_lowest(&forward, i) == member[0]);
            }
            assert_true(set == 0 || member[0] > forward.member[forward.begin[set - 1]]);
            large += n > 2;
        }
    }
    assert_true(large > 50);
    cond_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_what_nothing_joins),
        cmocka_unit_test(answers_together_are_that_of_the_whole),
        cmocka_unit_test(a_whole_that_misses_leaves_the_good),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(components_are_what_pairs_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
