// Sparse block LU against dense LU on random patterns, the product of panels against its sums one
// by one, factorisations by two threads, fill on graphs where it is known, and memory that runs
// out.
#include "base/memory.h"
#include "base/random.h"
#include "dense.h"
#include "failing_allocator.h"
#include "linear/block_lu.h"
#include "linear/block_lu_kernel.h"
#include "linear/lu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double uniform(CondRandom* random)
{
    return 2.0 * cond_random_uniform(random) - 1.0;
}

// Fills the block of (i, j) here and in the dense matrix.
static void put(CondBlockLu* lu, CondRandom* random, int i, int j, double* A, int n)
{
    CondBlockLuEntry entry = cond_block_lu_block(lu, i, j);
    for (int r = 0; r < lu->size[i]; r++)
        for (int c = 0; c < lu->size[j]; c++) {
            double value = uniform(random) + (i == j && r == c ? 3.0 : 0.0);
            entry.value[r * entry.row + c * entry.column] += value;
            A[(size_t)(lu->first[i] + r) * (size_t)n + (size_t)(lu->first[j] + c)] += value;
        }
}

// A random pattern of `edges` pairs over nodes of random sizes, or all of six coordinates, which
// have loops of their own; the answer against dense LU.
static void compare(CondBlockLu* lu, uint64_t seed, int n_node, int edges, int six)
{
    CondRandom random = {seed};
    int *size = malloc((size_t)n_node * sizeof *size), fits;
    int* pair = malloc(2 * (size_t)edges * sizeof *pair + 1);
    for (int i = 0; i < n_node; i++)
        size[i] = six ? 6 : 1 + (int)(cond_random_bits(&random) % 7);
    assert_int_equal(cond_block_lu_begin(lu, n_node, size), COND_OK);
    for (int e = 0; e < 2 * edges; e++)
        pair[e] = (int)(cond_random_bits(&random) % (uint64_t)n_node);
    for (int e = 0; e < edges; e++)
        assert_int_equal(cond_block_lu_join(lu, pair[2 * e], pair[2 * e + 1]), COND_OK);
    assert_int_equal(cond_block_lu_plan(lu, 1e9, &fits), COND_OK);
    assert_true(fits);
    int n = lu->first[n_node];
    double *A = dense_zeros((size_t)n * (size_t)n), *x = dense_zeros((size_t)n);
    double* y = dense_zeros((size_t)n);
    int* pivot = malloc((size_t)n * sizeof *pivot);
    for (int round = 0; round < 2; round++) { // the pattern serves twice
        cond_block_lu_clear(lu);
        memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
        for (int i = 0; i < n_node; i++)
            put(lu, &random, i, i, A, n);
        for (int e = 0; e < edges; e++) {
            put(lu, &random, pair[2 * e], pair[2 * e + 1], A, n);
            if (pair[2 * e] != pair[2 * e + 1])
                put(lu, &random, pair[2 * e + 1], pair[2 * e], A, n);
        }
        for (int i = 0; i < n; i++)
            x[i] = y[i] = uniform(&random);
        assert_int_equal(cond_block_lu_factor(lu), 0);
        cond_block_lu_solve(lu, x, 1);
        assert_int_equal(cond_lu_factor(n, A, pivot), 0);
        cond_lu_solve(n, A, pivot, y);
        double most = 0.0;
        for (int i = 0; i < n; i++)
            most = fmax(most, fabs(y[i]));
        for (int i = 0; i < n; i++)
            assert_true(fabs(x[i] - y[i]) <= 1e-8 * (1.0 + most));
    }
    free(size), free(pair), free(A), free(x), free(y), free(pivot);
}

static void random_patterns(void** state)
{
    (void)state;
    CondBlockLu lu = {.order.arena.context = cond_context_or_default(NULL)};
    for (int k = 0; k < 60; k++)
        compare(&lu, 1 + (uint64_t)k, 1 + k % 31, (k * 7) % 60, k % 2);
    cond_block_lu_destroy(&lu);
}

// What a refactorisation fills in: multiples of one matrix for each node and each edge.
typedef struct Filling {
    const CondBlockLu* lu;
    int n_edge;
    const int* pair;
    const double* scale; // of a node and of an edge                          (n_node + n_edge)
} Filling;

static void add_to(const CondBlockLu* lu, int i, int j, double scale)
{
    CondBlockLuEntry entry = cond_block_lu_block(lu, i, j);
    for (int r = 0; r < lu->size[i]; r++)
        for (int c = 0; c < lu->size[j]; c++)
            entry.value[r * entry.row + c * entry.column] +=
                scale * (i == j && r == c ? 9.0 : sin(i + 2.0 * j + 3.0 * r + 5.0 * c));
}

static void fill_in(const void* data, int super)
{
    const Filling* f = data;
    for (int i = 0; i < f->lu->n_node; i++)
        if (cond_block_lu_holder(f->lu, i, i) == super)
            add_to(f->lu, i, i, f->scale[i]);
    for (int e = 0; e < f->n_edge; e++) {
        int i = f->pair[2 * e], j = f->pair[2 * e + 1];
        if (i == j || cond_block_lu_holder(f->lu, i, j) != super)
            continue;
        add_to(f->lu, i, j, f->scale[f->lu->n_node + e]);
        add_to(f->lu, j, i, -f->scale[f->lu->n_node + e]);
    }
}

static void prepare_nothing(void* data, int share)
{
    (void)data;
    assert_in_range(share, 0, COND_TOP);
}

static void start(CondBlockLu* lu)
{
    cond_block_lu_clear(lu);
    for (int i = 0; i < lu->n_node; i++)
        add_to(lu, i, i, 1.0);
}

// A matrix of which a part stays: some threads and a factorisation of the whole have the same bits.
static void refactor(CondBlockLu* lu, uint64_t seed)
{
    enum { N = 300, EDGES = 500, ROUNDS = 3 };
    CondRandom random = {seed};
    static int size[N], pair[2 * EDGES];
    static double scale[N + EDGES], b[7 * N], x[5][7 * N];
    static const int threads[] = {1, 2, 3, 8, 1};
    int fits;
    for (int i = 0; i < N; i++)
        size[i] = seed % 2 ? 6 : 1 + (int)(cond_random_bits(&random) % 7);
    for (int e = 0; e < 2 * EDGES; e++) // mostly near, so that there are subtrees
        pair[e] = e % 2 ? (pair[e - 1] + (int)(cond_random_bits(&random) % 9)) % N
                        : (int)(cond_random_bits(&random) % N);
    assert_int_equal(cond_block_lu_begin(lu, N, size), COND_OK);
    for (int e = 0; e < EDGES; e++)
        assert_int_equal(cond_block_lu_join(lu, pair[2 * e], pair[2 * e + 1]), COND_OK);
    assert_int_equal(cond_block_lu_plan(lu, 1e9, &fits), COND_OK);
    Filling filling = {lu, EDGES, pair, scale};
    CondBlockLuSource source = {prepare_nothing, fill_in, &filling};
    size_t bytes = (size_t)lu->first[N] * sizeof *b;
    start(lu);
    assert_int_equal(cond_block_lu_keep(lu), COND_OK);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < N + EDGES; k++)
            scale[k] = 0.5 + cond_random_uniform(&random);
        for (int i = 0; i < lu->first[N]; i++)
            b[i] = uniform(&random);
        for (int k = 0; k < 5; k++) {
            memcpy(x[k], b, bytes);
            if (k < 4) {
                assert_int_equal(cond_block_lu_refactor(lu, &source, threads[k]), 0);
            } else {
                start(lu);
                for (int s = 0; s < lu->super.n; s++)
                    fill_in(&filling, s);
                assert_int_equal(cond_block_lu_factor(lu), 0);
            }
            cond_block_lu_solve(lu, x[k], threads[k]);
            assert_memory_equal(x[0], x[k], bytes);
        }
    }
    assert_true(seed % 2 == 0 ||
                lu->super.schedule.gain * lu->work > 1e5); // two threads had their share
}

static void threads_have_the_same_bits(void** state)
{
    (void)state;
    CondBlockLu lu = {.order.arena.context = cond_context_or_default(NULL)};
    for (uint64_t seed = 1; seed <= 6; seed++)
        refactor(&lu, seed);
    cond_block_lu_destroy(&lu);
}

// Entries above the diagonal of the factor.
static int fill_of(CondBlockLu* lu, int n_node, int edges, const int* pair)
{
    int fits, *size = malloc((size_t)n_node * sizeof *size);
    for (int i = 0; i < n_node; i++)
        size[i] = 6;
    assert_int_equal(cond_block_lu_begin(lu, n_node, size), COND_OK);
    for (int e = 0; e < edges; e++)
        assert_int_equal(cond_block_lu_join(lu, pair[2 * e], pair[2 * e + 1]), COND_OK);
    assert_int_equal(cond_block_lu_plan(lu, INFINITY, &fits), COND_OK);
    free(size);
    return lu->order.begin[n_node];
}

// Pairs of neighbours of i that are not next to each other, on a dense pattern.
static int missing_pairs(int n, const unsigned char* next, int i, int* degree)
{
    int missing = 0;
    *degree = 0;
    for (int a = 0; a < n; a++) {
        *degree += next[i * n + a];
        for (int b = 0; b < a; b++)
            missing += next[i * n + a] && next[i * n + b] && !next[a * n + b];
    }
    return missing;
}

// What the order counts is what is there, from the first node to the last.
static void fill_is_counted(void** state)
{
    (void)state;
    enum { N = 90 };
    CondArena arena = {.context = cond_context_or_default(NULL)};
    CondBlockFill fill_of_all = {0};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        CondRandom random = {seed};
        int edge[6 * N], neighbour[N], n_edge = 0, degree;
        unsigned char next[N * N] = {0};
        for (int e = 0; e < (int)seed * N / 2; e++) {
            int i = (int)(cond_random_bits(&random) % N), j = (int)(cond_random_bits(&random) % N);
            if (i == j)
                continue;
            next[i * N + j] = next[j * N + i] = 1;
            edge[2 * n_edge] = i, edge[2 * n_edge++ + 1] = j;
        }
        assert_int_equal(cond_block_fill_begin(&fill_of_all, &arena, N, n_edge, edge), COND_OK);
        for (int k = 0; k < N; k++) {
            int p = cond_block_fill_next(&fill_of_all);
            for (int i = 0; i < N; i++)
                if (fill_of_all.degree[i] >= 0) {
                    assert_int_equal(fill_of_all.missing[i],
                                     2 * missing_pairs(N, next, i, &degree));
                    assert_int_equal(fill_of_all.degree[i], degree);
                    assert_true(fill_of_all.score[p] <= fill_of_all.score[i]);
                }
            int n = cond_block_fill_eliminate(&fill_of_all, p, neighbour);
            for (int a = 0; a < n; a++) {
                next[p * N + neighbour[a]] = next[neighbour[a] * N + p] = 0;
                for (int b = 0; b < a; b++)
                    next[neighbour[a] * N + neighbour[b]] = next[neighbour[b] * N + neighbour[a]] =
                        1;
            }
        }
    }
    cond_arena_release(&arena);
}

// Trees have no fill, rings one entry a node, grids about what nested dissection would leave.
static void fill(void** state)
{
    (void)state;
    CondBlockLu lu = {.order.arena.context = cond_context_or_default(NULL)};
    enum { N = 400, SIDE = 20 };
    int pair[4 * N], n = 0;
    for (int i = 1; i < N; i++)
        pair[n++] = i - 1, pair[n++] = i; // a chain
    assert_int_equal(fill_of(&lu, N, n / 2, pair), N - 1);
    pair[n++] = N - 1, pair[n++] = 0; // a ring
    assert_int_equal(fill_of(&lu, N, n / 2, pair), 2 * N - 3);
    n = 0;
    for (int i = 1; i < N; i++)
        pair[n++] = (i - 1) / 3, pair[n++] = i; // a tree
    assert_int_equal(fill_of(&lu, N, n / 2, pair), N - 1);
    n = 0;
    for (int i = 1; i < N; i++)
        pair[n++] = 0, pair[n++] = i; // a star: the centre comes last
    assert_int_equal(fill_of(&lu, N, n / 2, pair), N - 1);
    n = 0;
    for (int i = 0; i < N; i++) {
        if (i % SIDE + 1 < SIDE)
            pair[n++] = i, pair[n++] = i + 1;
        if (i + SIDE < N)
            pair[n++] = i, pair[n++] = i + SIDE;
    }
    int grid = fill_of(&lu, N, n / 2, pair); // row by row it would be about SIDE N = 8000
    assert_true(grid < 4000);
    cond_block_lu_destroy(&lu);
}

static void too_much(void** state)
{
    (void)state;
    CondBlockLu lu = {.order.arena.context = cond_context_or_default(NULL)};
    int size[3] = {6, 6, 6}, fits;
    assert_int_equal(cond_block_lu_begin(&lu, 3, size), COND_OK);
    assert_int_equal(cond_block_lu_plan(&lu, 10.0, &fits), COND_OK);
    assert_false(fits);
    assert_int_equal(cond_block_lu_plan(&lu, 1e4, &fits), COND_OK);
    assert_true(fits);
    cond_block_lu_clear(&lu); // all zero
    assert_int_equal(cond_block_lu_factor(&lu), 1);
    cond_block_lu_destroy(&lu);
}

// The n-th allocation fails, for every n: an error, and nothing is lost.
static void memory(void** state)
{
    (void)state;
    for (long fail = 1, done = 0; !done; fail++) {
        FailingAllocator allocator = {.fail_at = fail};
        CondBlockLu lu = {.order.arena.context = failing_allocator_context(&allocator)};
        int size[4] = {6, 3, 1, 6}, fits = 0;
        CondStatus status = cond_block_lu_begin(&lu, 4, size);
        for (int i = 1; i < 4 && !status; i++)
            status = cond_block_lu_join(&lu, i - 1, i);
        if (!status)
            status = cond_block_lu_plan(&lu, 1e9, &fits);
        if (!status) {
            cond_block_lu_clear(&lu);
            add_to(&lu, 0, 0, 1.0);
            status = cond_block_lu_keep(&lu);
        }
        done = allocator.calls < fail;
        assert_int_equal(status, done ? COND_OK : COND_OUT_OF_MEMORY);
        cond_block_lu_destroy(&lu);
        assert_int_equal(allocator.live, 0);
    }
}

// C -= A B by the processor's registers has the bits of sums one by one, for all sizes, and touches
// nothing beside C.
static void panels_have_the_bits_of_sums(void** state)
{
    (void)state;
    enum { MOST = 40, SIZE = MOST * MOST };
    static double A[SIZE], B[SIZE], C[SIZE], expected[SIZE];
    CondRandom random = {7};
    for (int trial = 0; trial < 4000; trial++) {
        int rows = 1 + (int)(cond_random_uniform(&random) * 20.0);
        int columns = 1 + (int)(cond_random_uniform(&random) * (MOST - 1));
        int depth = (int)(cond_random_uniform(&random) * MOST), turned = trial % 2;
        for (int i = 0; i < SIZE; i++) {
            A[i] = uniform(&random);
            B[i] = uniform(&random);
            C[i] = expected[i] = uniform(&random);
        }
        CondPanel panel = {A, turned ? 1 : MOST, turned ? MOST : 1};
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                double sum = 0.0;
                for (int k = 0; k < depth; k++)
                    sum += A[i * panel.row + k * panel.column] * B[k * MOST + j];
                expected[i * MOST + j] -= sum;
            }
        cond_panel_subtract(rows, columns, depth, panel, B, MOST, C, MOST);
        assert_memory_equal(C, expected, sizeof C);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_patterns),
                                       cmocka_unit_test(panels_have_the_bits_of_sums),
                                       cmocka_unit_test(threads_have_the_same_bits),
                                       cmocka_unit_test(fill_is_counted),
                                       cmocka_unit_test(fill),
                                       cmocka_unit_test(too_much),
                                       cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
