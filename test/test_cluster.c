// Clusters of primitives against brute force over all of them: queries alone and in groups, boxes
// that touch exactly, lie far from the origin or have no end, and subtrees that are passed over.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_make.h"

#include "geometry/cluster.h"

#include <math.h>
#include <string.h>

enum { N = 150, QUERIES = 8 };

// Primitives of two corners, the ends of a diagonal: their boxes are the given ones.
static void make_corners(int* corner, int n)
{
    for (int k = 0; k < 2 * n; k++)
        corner[k] = k;
}

static void random_boxes(Dice* dice, int n, double size, double* box)
{
    for (int k = 0; k < 3 * n; k++) {
        double x = dice_uniform(dice, 0.0, 1.0), half = dice_uniform(dice, 0.0, size);
        box[6 * (k / 3) + k % 3] = x - half;
        box[6 * (k / 3) + 3 + k % 3] = x + half;
    }
}

// What the query found is what overlaps, in the order of the items.
static void assert_found(const CondClusters* clusters, const double* box, const double* query,
                         const CondTreeHits* hits)
{
    int h = 0;
    for (int m = 0; m < clusters->n; m++) {
        int p = clusters->item[m];
        if (!cond_tree_overlap(box + 6 * p, query))
            continue;
        assert_true(h < hits->n);
        assert_int_equal(hits->primitive[h++], p);
    }
    assert_int_equal(h, hits->n);
}

static void test_queries(void** state)
{
    (void)state;
    Dice dice = {5};
    CondTreeHits hits;
    CondNear near;
    cond_tree_hits_begin(NULL, &hits);
    cond_near_begin(NULL, &near);
    const double shift[] = {0.0, 1e6, -3e-30, 1e300};
    int corner[2 * N];
    make_corners(corner, N);
    for (int trial = 0; trial < 40; trial++) {
        double box[6 * N], query[6 * QUERIES], whole[6];
        CondClusters clusters;
        random_boxes(&dice, N, 0.1, box);
        assert_int_equal(cond_clusters_create(NULL, box, N, 2, corner, &clusters), COND_OK);
        if (trial % 2)
            random_boxes(&dice, N, 0.1, box); // moved to quite other places
        random_boxes(&dice, QUERIES, 0.05, query);
        memcpy(query, box, 6 * sizeof *box); // one of the boxes themselves,
        for (int i = 0; i < 3; i++) {        // and one that only touches it
            query[6 + i] = box[3 + i];
            query[9 + i] = box[3 + i] + 0.01;
        }
        for (int i = 0; i < 6 * N; i++)
            box[i] += shift[trial % 4];
        if (trial > 30)
            box[6 * trial + (trial % 2 ? 3 : 0)] = trial % 2 ? INFINITY : -INFINITY;
        for (int i = 0; i < 6; i++)
            whole[i] = i < 3 ? INFINITY : -INFINITY;
        for (int i = 0; i < 6 * QUERIES; i++) {
            query[i] += shift[trial % 4];
            whole[i % 6] = i % 6 < 3 ? fmin(whole[i % 6], query[i]) : fmax(whole[i % 6], query[i]);
        }
        cond_clusters_refit(&clusters, box, 1 + trial % 3);
        assert_int_equal(cond_near_find(&clusters, box, whole, &near), COND_OK);
        for (int q = 0; q < QUERIES; q++) {
            const double* at = query + 6 * q;
            assert_int_equal(cond_clusters_query(&clusters, box, at, &hits), COND_OK);
            assert_found(&clusters, box, at, &hits);
            assert_true(q > 1 || hits.n > 0);
            assert_int_equal(cond_near_query(&near, at, &hits), COND_OK);
            assert_found(&clusters, box, at, &hits);
        }
        cond_clusters_destroy(&clusters);
    }
    cond_tree_hits_end(&hits);
    cond_near_end(&near);
}

// Clusters have from half as many to as many primitives as they may, each primitive once, and each
// of their corners once.
static void test_shape(void** state)
{
    (void)state;
    Dice dice = {6};
    double box[6 * N];
    int corner[2 * N];
    make_corners(corner, N);
    random_boxes(&dice, N, 0.1, box);
    for (int n = 1; n <= N; n++) {
        CondClusters clusters;
        int seen[N] = {0};
        assert_int_equal(cond_clusters_create(NULL, box, n, 2, corner, &clusters), COND_OK);
        assert_int_equal(clusters.begin[0], 0);
        assert_int_equal(clusters.begin[clusters.n_cluster], n);
        assert_int_equal(clusters.vertex_begin[clusters.n_cluster], 2 * n);
        assert_int_equal(clusters.node[0].next, 2 * clusters.n_cluster - 1);
        for (int c = 0; c < clusters.n_cluster; c++) {
            int size = clusters.begin[c + 1] - clusters.begin[c];
            assert_true(size <= COND_CLUSTER_BLOCK &&
                        (size >= COND_CLUSTER_BLOCK / 2 || n < COND_CLUSTER_BLOCK));
        }
        for (int m = 0; m < n; m++)
            seen[clusters.item[m]]++;
        for (int k = 0; k < n; k++)
            assert_int_equal(seen[k], 1);
        cond_clusters_destroy(&clusters);
    }
}

// Passing subtrees over never hides what is in none of them, and hides what is in one.
static void test_skips(void** state)
{
    (void)state;
    Dice dice = {7};
    double box[6 * N], query[6];
    int corner[2 * N], met[2] = {0, 0};
    CondClusters clusters;
    make_corners(corner, N);
    random_boxes(&dice, N, 0.05, box);
    assert_int_equal(cond_clusters_create(NULL, box, N, 2, corner, &clusters), COND_OK);
    for (int trial = 0; trial < 400; trial++) {
        int skip[8], n_skip = 0;
        char hidden[N] = {0};
        for (int i = 0; i < clusters.node[0].next && n_skip < 8; i++) {
            if (dice_uniform(&dice, 0.0, 1.0) > 0.2)
                continue;
            for (int k = i; k < clusters.node[i].next; k++)
                for (int c = clusters.node[k].cluster, m = c < 0 ? 0 : clusters.begin[c];
                     m < (c < 0 ? 0 : clusters.begin[c + 1]); m++)
                    hidden[clusters.item[m]] = 1;
            skip[n_skip++] = i;
            i = clusters.node[i].next - 1;
        }
        random_boxes(&dice, 1, 0.02, query);
        CondFloatBox wide = cond_float_box(query);
        int expected = 0, all = 1;
        long visited = 0;
        for (int k = 0; k < N; k++) {
            expected |= !hidden[k] && cond_tree_overlap(box + 6 * k, query);
            all &= hidden[k];
        }
        int found = cond_clusters_may_meet(&clusters, &wide, n_skip, skip, &visited);
        assert_true(found >= expected);
        assert_true(!all || !found);
        assert_true(visited > 0);
        met[found]++;
    }
    assert_true(met[0] > 50 && met[1] > 50);
    cond_clusters_destroy(&clusters);
}

typedef struct Centres {
    const double* box;
    const double* from;
} Centres;

// From the centre of a box; every seventh is left out.
static double centre_distance(void* user, int k)
{
    const Centres* centres = user;
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = 0.5 * (centres->box[6 * k + i] + centres->box[6 * k + 3 + i]) - centres->from[i];
        sum += d * d;
    }
    return k % 7 == 3 ? INFINITY : sqrt(sum);
}

static void test_nearest(void** state)
{
    (void)state;
    Dice dice = {10};
    double box[6 * N];
    int corner[2 * N];
    CondFloatBox at[2 * N];
    CondClusters clusters;
    make_corners(corner, N);
    random_boxes(&dice, N, 0.05, box);
    memcpy(box + 6 * 5, box + 6 * 40, 6 * sizeof *box); // of equals the first
    assert_int_equal(cond_clusters_create(NULL, box, N, 2, corner, &clusters), COND_OK);
    for (int i = 0; i < 2 * clusters.n_cluster - 1; i++)
        at[i] = clusters.node[i].box;
    for (int trial = 0; trial < 200; trial++) {
        double p[3], least = INFINITY, found = INFINITY, near = 1e-9;
        for (int i = 0; i < 3; i++)
            p[i] = trial == 0 ? 0.5 * (box[6 * 40 + i] + box[6 * 40 + 3 + i])
                              : dice_uniform(&dice, -0.2, 1.2);
        Centres centres = {box, p};
        int expected = -1;
        for (int k = 0; k < N; k++)
            if (centre_distance(&centres, k) < least) {
                least = centre_distance(&centres, k);
                expected = k;
            }
        assert_int_equal(cond_clusters_nearest(&clusters, at, p, centre_distance, &centres, &found),
                         expected);
        assert_true(found == least);
        int none = cond_clusters_nearest(&clusters, at, p, centre_distance, &centres, &near);
        assert_int_equal(none, least <= 1e-9 ? expected : -1);
    }
    cond_clusters_destroy(&clusters);
}

static void test_allocations(void** state)
{
    (void)state;
    Dice dice = {8};
    double box[6 * N];
    int corner[2 * N];
    make_corners(corner, N);
    random_boxes(&dice, N, 0.1, box);
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {.fail_at = fail_at};
        CondContext context = failing_allocator_context(&allocator);
        CondClusters clusters;
        CondTreeHits hits;
        CondNear near;
        cond_tree_hits_begin(&context, &hits);
        cond_near_begin(&context, &near);
        CondStatus status = cond_clusters_create(&context, box, N, 2, corner, &clusters);
        long warm = 0;
        for (int pass = 0; pass < 2 && !status; pass++) {
            const double whole[6] = {0.0, 0.0, 0.0, 1.0, 1.0, 1.0};
            warm = allocator.calls;
            status = cond_near_find(&clusters, box, whole, &near);
            if (!status)
                status = cond_near_query(&near, whole, &hits);
            if (!status)
                status = cond_clusters_query(&clusters, box, whole, &hits);
        }
        cond_clusters_destroy(&clusters);
        cond_tree_hits_end(&hits);
        cond_near_end(&near);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK) {
            assert_int_equal(allocator.calls, warm); // the second pass asked for nothing
            assert_true(fail_at > 10);
            break;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),     cmocka_unit_test(test_shape),
        cmocka_unit_test(test_skips),       cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
