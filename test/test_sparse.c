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
#include "fclib/csr.h"
#include "linear/conjugate_gradients.h"

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

static void multiply_csr(const CondCsr* A, const double* x, double* y)
{
    for (int i = 0; i < A->n_row; i++) {
        y[i] = 0.0;
        for (int k = A->row_begin[i]; k < A->row_begin[i + 1]; k++)
            y[i] += A->value[k] * x[A->column[k]];
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
        multiply_csr(&A, x, y);
        for (int i = 0; i < ROWS; i++)
            assert_true(y[i] == dense[i * COLUMNS + j]);
        x[j] = 0.0;
    }
    for (int i = 0; i < ROWS; i++) {
        x[i] = 1.0;
        multiply_csr(&T, x, y);
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
    multiply_csr(&A, NULL, y);
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

static void divide_grid(const void* data, const double* r, double* z)
{
    const Grid* grid = data;
    for (int k = 0; k < grid->side * grid->side; k++)
        z[k] = r[k] / (4.01 * grid->scale[k] * grid->scale[k]);
}

// Not symmetric: a wind blows over the grid.
static void multiply_windy(const void* data, const double* x, double* y)
{
    const Grid* grid = data;
    multiply_grid(data, x, y);
    for (int k = 1; k < grid->side * grid->side; k++)
        y[k] += 0.3 * grid->scale[k] * (grid->scale[k] * x[k] - grid->scale[k - 1] * x[k - 1]);
}

enum { SIDE = 60, N = SIDE * SIDE };

typedef struct CgBench {
    Grid grid;
    double *scale, *solution, *b, *x, *again, *r, *z, *p, *q, *work;
} CgBench;

static CgBench cg_bench_create(void)
{
    CgBench bench;
    double* memory = calloc(14 * N, sizeof *memory);
    double** vectors[] = {&bench.scale, &bench.solution, &bench.b, &bench.x, &bench.again,
                          &bench.r,     &bench.z,        &bench.p, &bench.q, &bench.work};
    uint64_t seed = 3;
    assert_non_null(memory);
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        *vectors[k] = memory + k * N;
    for (int k = 0; k < N; k++) {
        bench.scale[k] = pow(10.0, 2.0 * next_random(&seed));
        bench.solution[k] = next_random(&seed) / bench.scale[k];
    }
    bench.grid = (Grid){SIDE, bench.scale};
    return bench;
}

// From x = 0.
static CondCgSystem cg_system(const CgBench* bench, double* x, int threads)
{
    memset(x, 0, N * sizeof *x);
    memcpy(bench->r, bench->b, N * sizeof *x);
    return (CondCgSystem){.A = {N, multiply_grid, &bench->grid},
                          .M = {divide_grid, &bench->grid},
                          .threads = threads,
                          .x = x,
                          .r = bench->r,
                          .z = bench->z,
                          .p = bench->p,
                          .q = bench->q};
}

static void check_solution(const CgBench* bench, double error)
{
    for (int k = 0; k < N; k++)
        assert_true(fabs(bench->x[k] - bench->solution[k]) * bench->scale[k] < error);
}

static void test_cg_solves(void** state)
{
    (void)state;
    CgBench bench = cg_bench_create();
    multiply_grid(&bench.grid, bench.solution, bench.b);
    CondCg cg = {.goal = -1.0, .reduction = 1e-12, .max_products = 1000};
    CondCgSystem system = cg_system(&bench, bench.x, 1);
    cond_cg_solve(&system, &cg);
    int products = cg.products;
    assert_int_equal(cg.failed, 0);
    assert_in_range(products, 10, 400);
    check_solution(&bench, 1e-8);
    // r is what is left.
    multiply_grid(&bench.grid, bench.x, bench.q);
    for (int k = 0; k < N; k++)
        assert_true(fabs(bench.b[k] - bench.q[k] - bench.r[k]) < 1e-11 * bench.scale[k]);

    // Any number of threads gives the same bits; a solved system needs no product.
    system = cg_system(&bench, bench.again, 3);
    cg.goal = -1.0;
    cond_cg_solve(&system, &cg);
    assert_int_equal(cg.products, products);
    assert_memory_equal(bench.x, bench.again, N * sizeof *bench.x);
    cg.goal *= 2.0;
    cond_cg_solve(&system, &cg);
    assert_int_equal(cg.products, 0);

    // No more products than allowed.
    system = cg_system(&bench, bench.x, 1);
    cg.goal = -1.0;
    cg.max_products = 5;
    cond_cg_solve(&system, &cg);
    assert_int_equal(cg.products, 5);
    free(bench.scale);
}

static void test_bicgstab_solves(void** state)
{
    (void)state;
    CgBench bench = cg_bench_create();
    CondContext context = cond_context_or_default(NULL);
    multiply_windy(&bench.grid, bench.solution, bench.b);
    CondCgSystem system = cg_system(&bench, bench.x, 1);
    system.A.apply = multiply_windy;
    int products = cond_bicgstab_solve(&system, &context, 1e-10, 1000, bench.work);
    assert_in_range(products, 10, 400);
    check_solution(&bench, 1e-7);
    system = cg_system(&bench, bench.again, 3);
    system.A.apply = multiply_windy;
    assert_int_equal(cond_bicgstab_solve(&system, &context, 1e-10, 1000, bench.work), products);
    assert_memory_equal(bench.x, bench.again, N * sizeof *bench.x);
    free(bench.scale);
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

static void copy_two(const void* data, const double* r, double* z)
{
    (void)data;
    memcpy(z, r, 2 * sizeof *z);
}

static void test_cg_breakdown(void** state)
{
    (void)state;
    void (*const product[])(const void*, const double*, double*) = {multiply_indefinite,
                                                                    multiply_nan};
    for (int k = 0; k < 2; k++) {
        double r[2] = {1.0, -1.0}, x[2] = {0.0, 0.0}, z[2], p[2], q[2];
        CondCgSystem system = {.A = {2, product[k], NULL},
                               .M = {copy_two, NULL},
                               .threads = 1,
                               .x = x,
                               .r = r,
                               .z = z,
                               .p = p,
                               .q = q};
        CondCg cg = {.goal = 1e-12, .max_products = 10};
        cond_cg_solve(&system, &cg);
        assert_int_equal(cg.failed, 1);
        assert_true(x[0] == 0.0 && x[1] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr_equals_dense),    cmocka_unit_test(test_csr_empty),
        cmocka_unit_test(test_csr_refuses_indices), cmocka_unit_test(test_csr_out_of_memory),
        cmocka_unit_test(test_cg_solves),           cmocka_unit_test(test_cg_breakdown),
        cmocka_unit_test(test_bicgstab_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
