// The broad phase against all pairs, with boxes widened by different reaches, some without end; and
// a step of many bodies looks at a number of nodes that grows as they do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include "collide/broad.h"
#include "collide/candidate.h"
#include "geometry/box.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };

static void random_boxes(Dice* dice, int n, double* box, double* far)
{
    for (int k = 0; k < n; k++) {
        far[k] = k % 3 ? dice_uniform(dice, 0.0, 0.05) : 0.0;
        for (int i = 0; i < 3; i++) {
            double x = dice_uniform(dice, 0.0, 1.0), half = dice_uniform(dice, 0.0, 0.05);
            box[6 * k + i] = k % 50 == 49 ? -INFINITY : x - half;
            box[6 * k + 3 + i] = k % 50 == 49 ? INFINITY : x + half;
        }
    }
}

static void test_near_solids_are_those_of_all_pairs(void** state)
{
    (void)state;
    Dice dice = {11};
    static double box[6 * MOST], far[MOST];
    static char seen[MOST][MOST];
    CondBroad broad = {0};
    assert_int_equal(cond_broad_create(NULL, MOST, &broad), COND_OK);
    for (int n = 0; n <= MOST; n = 2 * n + 3) {
        random_boxes(&dice, n, box, far);
        memset(seen, 0, sizeof seen);
        assert_int_equal(cond_broad_build(&broad, n, box, far), COND_OK);
        assert_int_equal(cond_broad_pairs(&broad), COND_OK);
        for (int k = 0; k < broad.pairs.n; k++)
            assert_int_equal(seen[broad.pairs.pair[k][0]][broad.pairs.pair[k][1]]++, 0);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                assert_int_equal(seen[i][j], i < j && !cond_boxes_apart(box + 6 * i, box + 6 * j,
                                                                        far[i] + far[j]));
            assert_int_equal(cond_broad_query(&broad, box + 6 * i, 0.1), COND_OK);
            int near = 0;
            for (int j = 0; j < n; j++)
                near += !cond_boxes_apart(box + 6 * i, box + 6 * j, 0.1 + far[j]);
            assert_int_equal(broad.hits.n, near);
        }
    }
    cond_broad_destroy(&broad);
}

// Nodes looked at for n boxes on a floor, apart from each other.
static long visits(int side)
{
    int n = side * side;
    double* box = test_calloc((size_t)n, 6 * sizeof *box);
    CondBroad broad = {0};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) {
            double x = i == 0 ? k % side : i == 1 ? k / side : 0;
            box[6 * k + i] = x - 0.4;
            box[6 * k + 3 + i] = x + 0.4;
        }
    assert_int_equal(cond_broad_create(NULL, n, &broad), COND_OK);
    assert_int_equal(cond_broad_build(&broad, n, box, NULL), COND_OK);
    assert_int_equal(cond_broad_pairs(&broad), COND_OK);
    assert_int_equal(broad.pairs.n, 0);
    long visited = broad.pairs.visited;
    cond_broad_destroy(&broad);
    test_free(box);
    return visited;
}

static void test_work_grows_with_the_number_of_bodies(void** state)
{
    (void)state;
    double growth = log((double)visits(100) / (double)visits(10)) / log(100.0);
    assert_true(growth < 1.15);
}

// Boxes that drift: the tree is refitted far more often than built, and finds what all pairs give;
// once they have been mixed it is built anew.
static void test_tree_is_kept_while_boxes_drift(void** state)
{
    (void)state;
    enum { N = 300, STEPS = 60 };
    static double box[6 * N], far[N];
    Dice dice = {5};
    CondBroad broad = {0};
    assert_int_equal(cond_broad_create(NULL, N, &broad), COND_OK);
    for (int step = 0; step < STEPS; step++) {
        if (step == 0 || step == STEPS - 10)
            random_boxes(&dice, N, box, far);
        for (int k = 0; k < N; k++)
            for (int i = 0; i < 3; i++) {
                double way = dice_uniform(&dice, -0.003, 0.003);
                box[6 * k + i] += way;
                box[6 * k + 3 + i] += way;
            }
        assert_int_equal(cond_broad_build(&broad, N, box, far), COND_OK);
        assert_int_equal(cond_broad_pairs(&broad), COND_OK);
        int near = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++)
                near += !cond_boxes_apart(box + 6 * i, box + 6 * j, far[i] + far[j]);
        assert_int_equal(broad.pairs.n, near);
    }
    assert_in_range(broad.builds, 2, STEPS / 4);
    cond_broad_destroy(&broad);
}

static void test_candidates_are_sorted(void** state)
{
    (void)state;
    Dice dice = {3};
    CondCandidateList list = {.n = 0};
    cond_candidates_begin(NULL, &list);
    for (int n = 0; n < 200; n = 2 * n + 1) {
        double sum = 0.0, after = 0.0;
        list.n = 0;
        for (int k = 0; k < n; k++) {
            CondCandidate one = {.gap = dice_uniform(&dice, 0.0, 1.0)};
            one.key.pair = (uint64_t)dice_uniform(&dice, 0.0, 20.0);
            one.key.role = (uint64_t)(1e6 * one.gap);
            one.bias = (double)one.key.pair;
            sum += one.gap;
            assert_int_equal(cond_candidate_add(&list, &one), COND_OK);
        }
        assert_int_equal(cond_candidates_sort(&list), COND_OK);
        for (int k = 0; k < n; k++) {
            const CondCandidate* one = &list.candidate[k];
            assert_true(k == 0 || !cond_key_less(one->key, one[-1].key));
            assert_true(one->bias == (double)one->key.pair);
            assert_true(one->key.role == (uint64_t)(1e6 * one->gap));
            after += one->gap;
        }
        assert_near(after, sum, 1e-9);
    }
    cond_candidates_end(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_is_kept_while_boxes_drift),
        cmocka_unit_test(test_candidates_are_sorted),
        cmocka_unit_test(test_near_solids_are_those_of_all_pairs),
        cmocka_unit_test(test_work_grows_with_the_number_of_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
