// Sparse matrices and conjugate gradients against dense algebra.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "failing_allocator.h"
#include "linear/cg.h"
#include "linear/csr.h"

// Numbers in [-1, 1] that are the same on every machine.
static double next_random(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

enum { ROWS = 7, COLUMNS = 5, ENTRIES = 40 };

// Random triplets with many duplicates, and the dense matrix that they add up to.
static void fill_triplets(int* row, int* column, double* value, double* dense)
{
    uint64_t seed = 1;
    memset(dense, 0, ROWS * COLUMNS * sizeof *dense);
    for (int k = 0; k < ENTRIES; k++) {
        row[k] = (int)(fabs(next_random(&seed)) * (ROWS - 1)); // the last row stays empty
        column[k] = (int)(fabs(next_random(&seed)) * COLUMNS);
        value[k] = next_random(&seed);
        dense[row[k] * COLUMNS + column[k]] += value[k];
    }
}

static void check_sorted(const CondCsr* A)
{
    assert_int_equal(A->row_begin[0], 0);
    for (int i = 0; i < A->n_row; i++)
        for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++) {
            assert_in_range(A->column[k], 0, A->n_col - 1);
            if (k > A->row_begin[i])
                assert_true(A->column[k] > A->column[k - 1]);
        }
}

static void test_csr_equals_dense(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    int row[ENTRIES], column[ENTRIES];
    double value[ENTRIES], dense[ROWS * COLUMNS];
    fill_triplets(row, column, value, dense);
    CondCsr A, T;
    assert_int_equal(cond_csr_create(&context, ROWS, COLUMNS, ENTRIES, row, column, value, &A),
                     COND_OK);
    assert_int_equal(cond_csr_transpose(&context, &A, &T), COND_OK);
    check_sorted(&A);
    check_sorted(&T);
    assert_true(A.row_begin[ROWS] < ENTRIES);
    assert_int_equal(T.n_row, COLUMNS);
    assert_int_equal(T.n_col, ROWS);

    // The columns of the identity bring out every entry; duplicates are added in the order given,
    // so the sums agree to the last bit.
    double x[ROWS] = {0}, y[ROWS];
    for (int j = 0; j < COLUMNS; j++) {
        x[j] = 1.0;
        cond_csr_multiply(&A, x, y, 1);
        for (int i = 0; i < ROWS; i++)
            assert_true(y[i] == dense[i * COLUMNS + j]);
        x[j] = 0.0;
    }
    for (int i = 0; i < ROWS; i++) {
        x[i] = 1.0;
        cond_csr_multiply(&T, x, y, 1);
        for (int j = 0; j < COLUMNS; j++)
            assert_true(y[j] == dense[i * COLUMNS + j]);
        x[i] = 0.0;
    }
    cond_csr_destroy(&context, &A);
    cond_csr_destroy(&context, &T);
    cond_csr_destroy(&context, &T); // an empty matrix is fine
}

static void test_csr_empty(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    CondCsr A, T;
    assert_int_equal(cond_csr_create(&context, 3, 0, 0, NULL, NULL, NULL, &A), COND_OK);
    assert_int_equal(cond_csr_transpose(&context, &A, &T), COND_OK);
    double y[3] = {1.0, 2.0, 3.0};
    cond_csr_multiply(&A, NULL, y, 0);
    for (int i = 0; i < 3; i++)
        assert_true(y[i] == 0.0);
    assert_int_equal(T.n_col, 3);
    cond_csr_destroy(&context, &A);
    cond_csr_destroy(&context, &T);
}

static void test_csr_refuses_indices(void** state)
{
    (void)state;
    CondContext context = cond_context_or_default(NULL);
    const int bad[4][2] = {{-1, 0}, {2, 0}, {0, -1}, {0, 3}};
    double value = 1.0;
    for (int k = 0; k < 4; k++) {
        CondCsr A;
        assert_int_equal(cond_csr_create(&context, 2, 3, 1, &bad[k][0], &bad[k][1], &value, &A),
                         COND_BAD_ARGUMENT);
        assert_null(A.row_begin);
    }
}

static void test_csr_out_of_memory(void** state)
{
    (void)state;
    int row[ENTRIES], column[ENTRIES];
    double value[ENTRIES], dense[ROWS * COLUMNS];
    fill_triplets(row, column, value, dense);
    for (long fail_at = 1;; fail_at++) {
        FailingAllocator allocator = {0, fail_at, 0};
        CondContext context = failing_allocator_context(&allocator);
        CondCsr A, T = {0};
        CondStatus status =
            cond_csr_create(&context, ROWS, COLUMNS, ENTRIES, row, column, value, &A);
        if (status == COND_OK)
            status = cond_csr_transpose(&context, &A, &T);
        cond_csr_destroy(&context, &A);
        cond_csr_destroy(&context, &T);
        assert_int_equal(allocator.live, 0);
        if (status == COND_OK) {
            assert_true(fail_at > 6);
            break;
        }
        assert_int_equal(status, COND_OUT_OF_MEMORY);
    }
}

// The five-point operator of a square grid with a diagonal scaled over several decades.
typedef struct Grid {
    int side;
    double* scale; //                                          (side x side)
} Grid;

static void multiply_grid(const void* data, const double* x, double* y)
{
    const Grid* grid = data;
    int s = grid->side;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            int k = i * s + j;
            double sum = 4.01 * grid->scale[k] * x[k];
            sum -= i > 0 ? grid->scale[k - s] * x[k - s] : 0.0;
            sum -= i < s - 1 ? grid->scale[k + s] * x[k + s] : 0.0;
            sum -= j > 0 ? grid->scale[k - 1] * x[k - 1] : 0.0;
            sum -= j < s - 1 ? grid->scale[k + 1] * x[k + 1] : 0.0;
            y[k] = grid->scale[k] * sum;
        }
}

static void test_cg_solves(void** state)
{
    (void)state;
    enum { SIDE = 60, N = SIDE * SIDE };
    double* memory = calloc(6 * N + COND_CG_WORK(N), sizeof *memory);
    double *scale = memory, *diagonal = scale + N, *solution = diagonal + N, *b = solution + N;
    double *x = b + N, *again = x + N, *work = again + N;
    uint64_t seed = 3;
    for (int k = 0; k < N; k++) {
        scale[k] = pow(10.0, 2.0 * next_random(&seed));
        diagonal[k] = 4.01 * scale[k] * scale[k];
        solution[k] = next_random(&seed) / scale[k];
    }
    Grid grid = {SIDE, scale};
    CondCgOperator A = {N, multiply_grid, &grid, diagonal};
    multiply_grid(&grid, solution, b);

    double residual;
    int iterations = cond_cg_solve(&A, b, x, 1e-12, 1000, work, &residual, 1);
    assert_in_range(iterations, 10, 400);
    assert_true(residual <= 1e-12);
    for (int k = 0; k < N; k++)
        assert_true(fabs(x[k] - solution[k]) * scale[k] < 1e-8);

    // Any number of threads gives the same bits; a solved system needs no iteration.
    assert_int_equal(cond_cg_solve(&A, b, again, 1e-12, 1000, work, NULL, 3), iterations);
    assert_memory_equal(x, again, N * sizeof *x);
    assert_int_equal(cond_cg_solve(&A, b, x, 1e-8, 1000, work, NULL, 1), 0);

    // Running out of iterations shows in the residual.
    memset(x, 0, N * sizeof *x);
    assert_int_equal(cond_cg_solve(&A, b, x, 1e-12, 5, work, &residual, 1), 5);
    assert_true(residual > 1e-12);

    // b = 0 gives x = 0 whatever the start.
    memset(b, 0, N * sizeof *b);
    assert_int_equal(cond_cg_solve(&A, b, x, 1e-12, 5, work, &residual, 1), 0);
    for (int k = 0; k < N; k++)
        assert_true(x[k] == 0.0);
    free(memory);
}

// A = [1 2; 2 1], with the eigenvalues 3 and -1.
static void multiply_indefinite(const void* data, const double* x, double* y)
{
    (void)data;
    y[0] = x[0] + 2.0 * x[1];
    y[1] = 2.0 * x[0] + x[1];
}

static void multiply_nan(const void* data, const double* x, double* y)
{
    (void)data;
    y[0] = x[0] == 0.0 ? 0.0 : NAN;
    y[1] = x[1];
}

static void test_cg_breakdown(void** state)
{
    (void)state;
    double diagonal[2] = {1.0, 1.0}, b[2] = {1.0, -1.0}, x[2] = {0.0, 0.0};
    double work[COND_CG_WORK(2)], residual;
    CondCgOperator A = {2, multiply_indefinite, NULL, diagonal};
    assert_int_equal(cond_cg_solve(&A, b, x, 1e-12, 10, work, &residual, 1), COND_DIVERGED);
    assert_true(x[0] == 0.0 && x[1] == 0.0);

    A.multiply = multiply_nan;
    assert_int_equal(cond_cg_solve(&A, b, x, 1e-12, 10, work, &residual, 1), COND_DIVERGED);
    assert_true(x[0] == 0.0 && x[1] == 0.0);

    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        diagonal[1] = bad[k];
        assert_int_equal(cond_cg_solve(&A, b, x, 1e-12, 10, work, &residual, 1), COND_BAD_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr_equals_dense),    cmocka_unit_test(test_csr_empty),
        cmocka_unit_test(test_csr_refuses_indices), cmocka_unit_test(test_csr_out_of_memory),
        cmocka_unit_test(test_cg_solves),           cmocka_unit_test(test_cg_breakdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
