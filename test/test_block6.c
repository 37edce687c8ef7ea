// Products with 6x6 blocks in single precision against plain loops that add in the same order, bit
// by bit.
#include "linear/block6.h"
#include "random_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 90, MOST = 8 };

// n numbers and two that are none.
static float* numbers(Random* random, int n)
{
    float* x = malloc((size_t)(n + 2) * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < n + 2; i++)
        x[i] = i < n ? (float)random_uniform(random, -1.0, 1.0) : 1e30F;
    return x;
}

// A vector: six numbers a row, and two zeros.
static float* vector(Random* random)
{
    float* x = numbers(random, 8 * NODES);
    for (int i = 0; i < NODES; i++)
        x[8 * i + 6] = x[8 * i + 7] = 0.0F;
    return x;
}

// Row a of B x is added to the sums of columns 0 and 3, 1 and 4, 2 and 5.
static void add_row(const float* B, int a, const float* x, float sum[3])
{
    for (int c = 0; c < 6; c++)
        sum[c % 3] += B[6 * c + a] * x[c];
}

static void test_products(void** state)
{
    (void)state;
    Random random = random_start(4);
    int begin[NODES + 1] = {0}, column[NODES * MOST];
    for (int i = 0; i < NODES; i++) {
        begin[i + 1] = begin[i] + random_int(&random, MOST + 1);
        for (int k = begin[i]; k < begin[i + 1]; k++)
            column[k] = random_int(&random, NODES);
    }
    float *value = numbers(&random, 36 * begin[NODES]), *D = numbers(&random, 36 * NODES);
    float *x = vector(&random), *r = vector(&random), *y = vector(&random);
    CondBlock6Rows A = {begin, column, value};
    const CondBlock6Kernel* kernel = cond_block6_kernel();
    for (int with = 0; with < 2; with++) {
        kernel->residual(&A, x, with ? r : NULL, y, 0, NODES);
        for (int i = 0; i < 8 * NODES; i++) {
            float sum[3] = {0.0F};
            for (int k = begin[i / 8]; k < begin[i / 8 + 1] && i % 8 < 6; k++)
                add_row(value + 36 * k, i % 8, x + 8 * column[k], sum);
            assert_true(y[i] == (with ? r[i] : 0.0F) - ((sum[0] + sum[1]) + sum[2]));
        }
        kernel->relax(D, with ? x : NULL, r, 0.3F, y, 0, NODES);
        for (int i = 0; i < 8 * NODES; i++) {
            float sum[3] = {0.0F};
            if (i % 8 < 6)
                add_row(D + 36 * (i / 8), i % 8, r + 8 * (i / 8), sum);
            assert_true(y[i] == (with ? x[i] : 0.0F) + 0.3F * ((sum[0] + sum[1]) + sum[2]));
        }
    }
    memcpy(y, r, 8 * NODES * sizeof *y); // in place, some rows
    kernel->relax(D, x, y, 0.3F, y, 10, 20);
    for (int i = 0; i < 8 * NODES; i++) {
        float sum[3] = {0.0F};
        if (i < 80 || i >= 160 || i % 8 >= 6)
            continue;
        add_row(D + 36 * (i / 8), i % 8, r + 8 * (i / 8), sum);
        assert_true(y[i] == x[i] + 0.3F * ((sum[0] + sum[1]) + sum[2]));
    }
    assert_memory_equal(y + 160, r + 160, (8 * NODES - 160) * sizeof *y);
    float* all[] = {value, D, x, r, y};
    for (int k = 0; k < 5; k++)
        free(all[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
