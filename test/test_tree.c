// The box tree against brute force on random boxes, after building and after refitting, and the
// growth of the number of nodes a query looks at.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include "geometry/sort.h"
#include "geometry/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// n boxes with centres in the unit cube; some are points, some coincide.
static double* random_boxes(Dice* dice, int n, double size)
{
    double* box = test_calloc((size_t)n + 1, 6 * sizeof *box);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            double x = dice_uniform(dice, 0.0, 1.0);
            double half = k % 5 == 0 ? 0.0 : dice_uniform(dice, 0.0, size);
            box[6 * k + i] = x - half;
            box[6 * k + 3 + i] = x + half;
        }
        if (k % 7 == 6)
            memcpy(box + 6 * k, box + 6 * k - 6, 6 * sizeof *box);
    }
    return box;
}

static int overlap(const double* a, const double* b)
{
    int all = 1;
    for (int i = 0; i < 3; i++)
        all = all && a[i] <= b[3 + i] && b[i] <= a[3 + i];
    return all;
}

static void assert_query(const CondTree* tree, int n, const double* box, const double query[6],
                         CondTreeHits* hits)
{
    char* seen = test_calloc((size_t)n + 1, 1);
    assert_int_equal(cond_tree_query(tree, query, hits), COND_OK);
    for (int k = 0; k < hits->n; k++) {
        assert_int_equal(seen[hits->primitive[k]], 0);
        seen[hits->primitive[k]] = 1;
    }
    for (int k = 0; k < n; k++)
        assert_int_equal(seen[k], overlap(box + 6 * k, query));
    test_free(seen);
}

// seen[i m + j] counts the pair (i, j).
static void assert_pairs(const CondTreePairs* pairs, int n, const double* a, int m, const double* b,
                         int self)
{
    char* seen = test_calloc((size_t)n * (size_t)m + 1, 1);
    for (int k = 0; k < pairs->n; k++)
        seen[pairs->pair[k][0] * m + pairs->pair[k][1]]++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            assert_int_equal(seen[i * m + j], (!self || i < j) && overlap(a + 6 * i, b + 6 * j));
    test_free(seen);
}

// The same pairs from all the starts together, for the same work.
static void assert_parts(const CondTree* tree, int n, const double* box, CondTreePairs* pairs)
{
    int start[COND_TREE_STARTS][2];
    long before = pairs->visited, visited = 0;
    cond_tree_self_pairs(tree, pairs);
    long whole = pairs->visited - before;
    int n_start = cond_tree_self_starts(tree, start, &visited);
    assert_in_range(n_start, 0, COND_TREE_STARTS);
    pairs->n = 0;
    before = pairs->visited;
    for (int k = 0; k < n_start; k++)
        assert_int_equal(cond_tree_self_pairs_from(tree, start[k], pairs), COND_OK);
    assert_pairs(pairs, n, box, n, box, 1);
    assert_int_equal(pairs->visited - before + visited, whole);
}

static void test_queries(void** state)
{
    (void)state;
    Dice dice = {1};
    CondTree tree, other;
    CondTreeHits hits;
    CondTreePairs pairs;
    cond_tree_begin(NULL, &tree);
    cond_tree_begin(NULL, &other);
    cond_tree_hits_begin(NULL, &hits);
    cond_tree_pairs_begin(NULL, &pairs);
    const int sizes[] = {0, 1, 2, 3, 7, 64, 200, 33};
    for (int s = 0; s < 8; s++) {
        int n = sizes[s], m = sizes[7 - s];
        double *box = random_boxes(&dice, n, 0.1), *box_other = random_boxes(&dice, m, 0.2);
        assert_int_equal(cond_tree_build(&tree, n, box), COND_OK);
        assert_int_equal(cond_tree_build(&other, m, box_other), COND_OK);
        for (int moved = 0; moved < 3; moved++) {
            for (int q = 0; q < 20; q++) {
                double* query = random_boxes(&dice, 1, 0.0);
                for (int i = 0; i < 3; i++) {
                    query[i] -= 0.01 * q;
                    query[3 + i] += 0.02 * q;
                }
                assert_query(&tree, n, box, query, &hits);
                test_free(query);
            }
            assert_int_equal(cond_tree_self_pairs(&tree, &pairs), COND_OK);
            assert_pairs(&pairs, n, box, n, box, 1);
            assert_parts(&tree, n, box, &pairs);
            assert_int_equal(cond_tree_pairs(&tree, &other, &pairs), COND_OK);
            assert_pairs(&pairs, n, box, m, box_other, 0);
            // The boxes move, at last to quite other places; the tree keeps its shape.
            double* next = random_boxes(&dice, n, moved == 0 ? 0.05 : 0.3);
            for (int i = 0; i < 6 * n; i++)
                box[i] = moved == 0 ? box[i] + 0.1 * sin((double)(i % 3)) : next[i];
            cond_tree_refit(&tree, box);
            test_free(next);
        }
        test_free(box);
        test_free(box_other);
    }
    cond_tree_end(&tree);
    cond_tree_end(&other);
    cond_tree_hits_end(&hits);
    cond_tree_pairs_end(&pairs);
}

static int depth_of(const CondTree* tree, int i)
{
    if (tree->node[i].primitive >= 0)
        return 0;
    int left = depth_of(tree, i + 1), right = depth_of(tree, tree->node[i + 1].next);
    return 1 + (left > right ? left : right);
}

// Even when all boxes coincide or have no end, the tree is as flat as can be, and always the same.
static void test_depth(void** state)
{
    (void)state;
    CondTree tree, again;
    cond_tree_begin(NULL, &tree);
    cond_tree_begin(NULL, &again);
    for (int n = 1; n < 70; n++) {
        double* box = test_calloc((size_t)n, 6 * sizeof *box);
        for (int k = 0; k < n; k += 3) {
            box[6 * k] = -INFINITY;
            box[6 * k + 3] = INFINITY;
        }
        assert_int_equal(cond_tree_build(&tree, n, box), COND_OK);
        assert_int_equal(cond_tree_build(&again, n, box), COND_OK);
        assert_true(depth_of(&tree, 0) <= (int)ceil(log2((double)n)));
        assert_int_equal(tree.node[0].next, 2 * n - 1);
        for (int i = 0; i < 2 * n - 1; i++) {
            assert_int_equal(tree.node[i].primitive, again.node[i].primitive);
            assert_int_equal(tree.node[i].next, again.node[i].next);
        }
        test_free(box);
    }
    cond_tree_end(&tree);
    cond_tree_end(&again);
}

typedef struct Points {
    const double* box;
    const double* p;
    int calls;
} Points;

// Distance to the low corner of a box; every eleventh primitive is left out.
static double corner_distance(void* user, int primitive)
{
    Points* points = user;
    double sum = 0.0;
    points->calls++;
    for (int i = 0; i < 3; i++)
        sum += pow(points->box[6 * primitive + i] - points->p[i], 2.0);
    return primitive % 11 == 3 ? INFINITY : sqrt(sum);
}

static void test_nearest(void** state)
{
    (void)state;
    enum { N = 600 };
    Dice dice = {9};
    CondTree tree;
    cond_tree_begin(NULL, &tree);
    double* box = random_boxes(&dice, N, 0.02);
    assert_int_equal(cond_tree_build(&tree, N, box), COND_OK);
    long calls = 0;
    for (int trial = 0; trial < 300; trial++) {
        double* p = random_boxes(&dice, 1, 0.0);
        Points points = {box, p, 0};
        double smallest = INFINITY, found = INFINITY;
        int expected = -1;
        for (int k = 0; k < N; k++) {
            double d = corner_distance(&points, k);
            if (d < smallest) {
                smallest = d;
                expected = k;
            }
        }
        points.calls = 0;
        assert_int_equal(cond_tree_nearest(&tree, p, corner_distance, &points, &found), expected);
        assert_true(found == smallest);
        calls += points.calls;
        // A limit below the nearest finds nothing and says so.
        found = 0.5 * smallest;
        int none = cond_tree_nearest(&tree, p, corner_distance, &points, &found);
        assert_int_equal(none, smallest > 0.0 ? -1 : expected);
        assert_true(found == 0.5 * smallest);
        test_free(p);
    }
    assert_true(calls < 300 * N / 8);
    cond_tree_build(&tree, 0, NULL);
    double limit = INFINITY;
    assert_int_equal(cond_tree_nearest(&tree, box, corner_distance, NULL, &limit), -1);
    test_free(box);
    cond_tree_end(&tree);
}

// Nodes looked at by one small query and by all pairs of a tree, when boxes shrink as they get more
// so that each meets equally many others: about log n, and about n log n at most.
static void test_scaling(void** state)
{
    (void)state;
    double per_query[2], per_pairs[2];
    for (int large = 0; large < 2; large++) {
        int n = large ? 16000 : 1000;
        Dice dice = {13};
        CondTree tree;
        CondTreeHits hits;
        CondTreePairs pairs;
        double size = 0.4 * pow((double)n, -1.0 / 3.0), *box = random_boxes(&dice, n, size);
        cond_tree_begin(NULL, &tree);
        cond_tree_hits_begin(NULL, &hits);
        cond_tree_pairs_begin(NULL, &pairs);
        assert_int_equal(cond_tree_build(&tree, n, box), COND_OK);
        for (int k = 0; k < n; k++)
            assert_int_equal(cond_tree_query(&tree, box + 6 * k, &hits), COND_OK);
        assert_int_equal(cond_tree_self_pairs(&tree, &pairs), COND_OK);
        per_query[large] = (double)hits.visited / n / log2((double)n);
        per_pairs[large] = (double)pairs.visited / n / log2((double)n);
        cond_tree_end(&tree);
        cond_tree_hits_end(&hits);
        cond_tree_pairs_end(&pairs);
        test_free(box);
    }
    assert_true(per_query[1] < 1.3 * per_query[0]);
    assert_true(per_pairs[1] < 1.3 * per_pairs[0]);
    assert_true(per_query[1] < 10.0);
}

static CondStatus use_everything(const CondContext* context, int n, const double* box, long* warm,
                                 const FailingAllocator* allocator)
{
    CondTree tree;
    CondTreeHits hits;
    CondTreePairs pairs;
    cond_tree_begin(context, &tree);
    cond_tree_hits_begin(context, &hits);
    cond_tree_pairs_begin(context, &pairs);
    CondStatus status = COND_OK;
    for (int pass = 0; pass < 2 && !status; pass++) {
        *warm = allocator->calls;
        status = cond_tree_build(&tree, n, box);
        if (!status)
            status = cond_tree_query(&tree, tree.node[0].box, &hits);
        if (!status)
            status = cond_tree_self_pairs(&tree, &pairs);
    }
    cond_tree_end(&tree);
    cond_tree_hits_end(&hits);
    cond_tree_pairs_end(&pairs);
    return status;
}

static void test_allocations(void** state)
{
    (void)state;
    Dice dice = {17};
    double* box = random_boxes(&dice, 40, 0.2);
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        long warm;
        CondStatus status = use_everything(&context, 40, box, &warm, &allocator);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK) {
            assert_int_equal(allocator.calls, warm); // the second pass asked for nothing
            assert_true(fail_at > 5);
            break;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
    }
    test_free(box);
}

static void test_sort(void** state)
{
    (void)state;
    Dice dice = {19};
    for (int n = 0; n < 60; n++) {
        CondIndexKey key[60];
        int sum = 0;
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < 3; i++)
                key[k].part[i] = (int)dice_uniform(&dice, 0.0, 3.0);
            key[k].value = k;
        }
        cond_keys_sort(key, n);
        for (int k = 0; k < n; k++) {
            sum += key[k].value;
            if (k == 0)
                continue;
            const int *a = key[k - 1].part, *b = key[k].part;
            int x = 9 * a[0] + 3 * a[1] + a[2], y = 9 * b[0] + 3 * b[1] + b[2];
            assert_true(x < y || (x == y && key[k - 1].value < key[k].value));
            assert_int_equal(cond_keys_differ(&key[k - 1], &key[k]), x != y);
        }
        assert_int_equal(sum, n * (n - 1) / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_nearest), cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_sort),    cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
