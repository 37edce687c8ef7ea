// Matrices of 3x3 blocks: pattern, product and diagonal against dense algebra.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bsr3_matrix.h"
#include "failing_allocator.h"
#include "fem_grid.h"
#include "linear/bsr3_product.h"

static int share_tet(const FemGrid* grid, int i, int j)
{
    for (int t = 0; t < grid->n_tet; t++) {
        int has_i = 0, has_j = 0;
        for (int a = 0; a < 4; a++) {
            has_i |= grid->tet[4 * t + a] == i;
            has_j |= grid->tet[4 * t + a] == j;
        }
        if (has_i && has_j)
            return 1;
    }
    return 0;
}

static void test_pattern(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    FemGrid grid = fem_grid_create(3, 2, 2, 1.0, 1.0, 1.0);
    int n = grid.n_node + 2; // two nodes more than the mesh uses: rows with their diagonal alone
    CondBsr3Pattern pattern;
    assert_int_equal(cond_bsr3_pattern_create(&context, n, grid.n_tet, 4, grid.tet, &pattern),
                     COND_OK);
    assert_int_equal(pattern.n_row, n);
    assert_int_equal(pattern.row_begin[0], 0);
    for (int i = 0; i < n; i++) {
        assert_int_equal(pattern.column[pattern.diagonal[i]], i);
        for (int k = pattern.row_begin[i] + 1; k < pattern.row_begin[i + 1]; k++)
            assert_true(pattern.column[k] > pattern.column[k - 1]);
        for (int j = 0; j < n; j++) {
            int place = cond_bsr3_pattern_find(&pattern, i, j);
            assert_int_equal(place >= 0, i == j || share_tet(&grid, i, j));
            if (place >= 0) {
                assert_in_range(place, pattern.row_begin[i], pattern.row_begin[i + 1] - 1);
                assert_int_equal(pattern.column[place], j);
            }
        }
    }
    cond_bsr3_pattern_destroy(&context, &pattern);
    cond_bsr3_pattern_destroy(&context, &pattern);
    fem_grid_destroy(&grid);
}

static void test_multiply(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    FemGrid grid = fem_grid_create(12, 9, 7, 1.0, 1.0, 1.0); // enough rows to run in parallel
    CondBsr3Pattern pattern;
    CondBsr3 A;
    assert_int_equal(
        cond_bsr3_pattern_create(&context, grid.n_node, grid.n_tet, 4, grid.tet, &pattern),
        COND_OK);
    assert_int_equal(bsr3_matrix_create(&context, &pattern, &A), COND_OK);
    int n = 3 * grid.n_node, n_block = pattern.row_begin[grid.n_node];
    double* x = malloc(4 * (size_t)n * sizeof *x);
    assert_non_null(x);
    double *y = x + n, *other = y + n, *dense = other + n;
    uint64_t seed = 1;
    for (int i = 0; i < 9 * n_block; i++)
        A.value[i] = fem_random(&seed);
    for (int i = 0; i < n; i++)
        x[i] = fem_random(&seed);

    for (int i = 0; i < n; i++) { // entry by entry
        dense[i] = 0.0;
        for (int j = 0; j < n; j++) {
            int place = cond_bsr3_pattern_find(&pattern, i / 3, j / 3);
            if (place >= 0)
                dense[i] += A.value[9 * place + 3 * (i % 3) + j % 3] * x[j];
        }
    }
    bsr3_matrix_multiply(&A, x, y, 1);
    for (int i = 0; i < n; i++)
        assert_true(fabs(y[i] - dense[i]) < 1e-13);
    for (int threads = 0; threads <= 4; threads++) {
        bsr3_matrix_multiply(&A, x, other, threads);
        assert_memory_equal(y, other, (size_t)n * sizeof *y);
    }
    // The variant for this processor and the plain one: the same bits, with and without a shift.
    CondBsr3Rows rows = {pattern.row_begin, pattern.column, A.value};
    cond_bsr3_rows_generic(&rows, 0, pattern.n_row, x, NULL, other);
    assert_memory_equal(y, other, (size_t)n * sizeof *y);
    cond_bsr3_rows_generic(&rows, 0, pattern.n_row, x, dense, other);
    cond_bsr3_rows(&rows, 0, pattern.n_row, x, dense, y);
    assert_memory_equal(y, other, (size_t)n * sizeof *y);
    for (int i = 0; i < n; i++)
        assert_true(fabs(y[i]) < 1e-13); // dense holds A x
    bsr3_matrix_diagonal(&A, y);
    for (int i = 0; i < n; i++)
        assert_true(y[i] == A.value[9 * pattern.diagonal[i / 3] + 4 * (i % 3)]);
    bsr3_matrix_set_zero(&A);
    bsr3_matrix_multiply(&A, x, y, 1);
    for (int i = 0; i < n; i++)
        assert_true(y[i] == 0.0);
    free(x);
    bsr3_matrix_destroy(&context, &A);
    cond_bsr3_pattern_destroy(&context, &pattern);
    fem_grid_destroy(&grid);
}

// Rows of every length from none to two dozen blocks, in arrays without room to spare, by parts,
// and with a block that is not finite: it spoils its own rows alone.
static void test_row_lengths(void** state)
{
    (void)state;
    enum { N = 24, BLOCKS = N * (N - 1) / 2 };
    int row_begin[N + 1] = {0}, column[BLOCKS];
    uint64_t seed = 3;
    double *value = malloc(9 * BLOCKS * sizeof *value), *x = malloc(3 * N * sizeof *x);
    double plain[3 * N], fast[3 * N];
    assert_true(value && x);
    for (int i = 0; i < N; i++) {
        row_begin[i + 1] = row_begin[i] + i;
        for (int k = 0; k < i; k++)
            column[row_begin[i] + k] = N - i + k;
    }
    for (int i = 0; i < 9 * BLOCKS; i++)
        value[i] = fem_random(&seed);
    for (int i = 0; i < 3 * N; i++)
        x[i] = fem_random(&seed);
    CondBsr3Rows rows = {row_begin, column, value};
    for (int trial = 0; trial < 2; trial++) {
        if (trial == 1) // the first number of row 12
            value[9 * row_begin[12]] = INFINITY;
        cond_bsr3_rows_generic(&rows, 0, N, x, NULL, plain);
        cond_bsr3_rows(&rows, 0, 7, x, NULL, fast);
        cond_bsr3_rows(&rows, 7, N, x, NULL, fast);
        assert_memory_equal(plain, fast, sizeof plain);
        for (int i = 0; i < 3 * N; i++)
            assert_true(isfinite(fast[i]) == !(trial == 1 && i == 36));
    }
    free(value);
    free(x);
}

static void test_refusals(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    CondBsr3Pattern pattern;
    static const int high[4] = {0, 1, 2, 4}, low[4] = {0, 1, -1, 3};
    assert_int_equal(cond_bsr3_pattern_create(&context, 4, 1, 4, high, &pattern),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_bsr3_pattern_create(&context, 4, 1, 4, low, &pattern), COND_BAD_ARGUMENT);
    assert_int_equal(cond_bsr3_pattern_create(&context, -1, 0, 4, NULL, &pattern),
                     COND_BAD_ARGUMENT);
    assert_int_equal(cond_bsr3_pattern_create(&context, 4, 1 << 28, 4, high, &pattern),
                     COND_BAD_ARGUMENT);
    assert_null(pattern.row_begin);
    assert_int_equal(cond_bsr3_pattern_create(&context, 0, 0, 4, NULL, &pattern), COND_OK);
    cond_bsr3_pattern_destroy(&context, &pattern);
}

static void test_out_of_memory(void** state)
{
    (void)state;
    FemGrid grid = fem_grid_create(2, 1, 1, 1.0, 1.0, 1.0);
    FailingAllocator allocator = {0, 0, 0};
    CondContext context = failing_allocator_context(&allocator);
    CondStatus status = COND_OUT_OF_MEMORY;
    for (long fail_at = 1; status != COND_OK; fail_at++) {
        CondBsr3Pattern pattern;
        CondBsr3 A;
        allocator.calls = 0;
        allocator.fail_at = fail_at;
        assert_true(fail_at < 100);
        status = cond_bsr3_pattern_create(&context, grid.n_node, grid.n_tet, 4, grid.tet, &pattern);
        if (status == COND_OK) {
            status = bsr3_matrix_create(&context, &pattern, &A);
            bsr3_matrix_destroy(&context, &A);
        }
        cond_bsr3_pattern_destroy(&context, &pattern);
        assert_true(status == COND_OK || status == COND_OUT_OF_MEMORY);
        assert_int_equal(allocator.live, 0);
    }
    fem_grid_destroy(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern),       cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_row_lengths),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
