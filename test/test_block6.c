// Products with blocks of six columns against plain loops that add in the same order, bit by bit.
#include "dense.h"
#include "random_problem.h"
#include "sparse/block6.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 90, GROUPS = 40, MOST = 8 };

static double* numbers(Random* random, int n)
{
    double* x = dense_zeros(n);
    for (int i = 0; i < n; i++)
        x[i] = random_uniform(random, -1.0, 1.0);
    return x;
}

// Rows of 0 to MOST entries among n_column; returns their number.
static int make_rows(Random* random, int n_row, int n_column, int* begin, int* column)
{
    begin[0] = 0;
    for (int i = 0; i < n_row; i++) {
        begin[i + 1] = begin[i] + random_int(random, MOST + 1);
        for (int k = begin[i]; k < begin[i + 1]; k++)
            column[k] = random_int(random, n_column);
    }
    return begin[n_row];
}

static double add_lanes(const double s[6])
{
    return ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
}

static void test_residual(void** state)
{
    (void)state;
    Random random = random_start(4);
    int begin[NODES + 1], column[NODES * MOST];
    int n = make_rows(&random, NODES, NODES, begin, column);
    double *value = numbers(&random, 36 * n), *x = numbers(&random, 6 * NODES);
    double *r = numbers(&random, 6 * NODES), *y = dense_zeros(6 * NODES);
    double* plain = dense_zeros(6 * NODES);
    for (int i = 0; i < 6 * NODES; i++) {
        double s[6] = {0.0};
        for (int k = begin[i / 6]; k < begin[i / 6 + 1]; k++)
            for (int b = 0; b < 6; b++)
                s[b] += value[36 * k + 6 * (i % 6) + b] * x[6 * column[k] + b];
        plain[i] = r[i] - add_lanes(s);
    }
    CondBlock6Rows A = {NODES, begin, column, value};
    for (int threads = 1; threads <= 3; threads++) {
        memset(y, 0, 6 * NODES * sizeof *y);
        cond_block6_residual(&A, x, r, y, threads);
        assert_memory_equal(y, plain, 6 * NODES * sizeof *y);
    }
    double* all[] = {value, x, r, y, plain};
    for (int k = 0; k < 5; k++)
        free(all[k]);
}

static void test_map(void** state)
{
    (void)state;
    Random random = random_start(8);
    for (int w = 3; w <= 6; w += 3) {
        int begin[NODES + 1], group[NODES * MOST], group_begin[GROUPS + 1] = {0};
        int node[NODES * MOST], block[NODES * MOST], at = 0;
        int n = make_rows(&random, NODES, GROUPS, begin, group);
        for (int g = 0; g < GROUPS; g++) { // by groups
            for (int i = 0; i < NODES; i++)
                for (int k = begin[i]; k < begin[i + 1]; k++)
                    if (group[k] == g) {
                        node[at] = i;
                        block[at++] = k;
                    }
            group_begin[g + 1] = at;
        }
        double *value = numbers(&random, 6 * w * n), *r = numbers(&random, w * NODES);
        double *e = numbers(&random, 6 * GROUPS), *x = numbers(&random, w * NODES);
        double *down = dense_zeros(6 * GROUPS), *up = dense_zeros(w * NODES);
        double *e_out = dense_zeros(6 * GROUPS), *x_out = dense_zeros(w * NODES);
        float* single = malloc((size_t)(6 * w * n) * sizeof *single);
        assert_non_null(single);
        for (int k = 0; k < 6 * w * n; k++)
            value[k] = single[k] = (float)value[k];
        for (int g = 0; g < GROUPS; g++)
            for (int k = group_begin[g]; k < group_begin[g + 1]; k++)
                for (int a = 0; a < w; a++)
                    for (int b = 0; b < 6; b++)
                        down[6 * g + b] += value[6 * (w * block[k] + a) + b] * r[w * node[k] + a];
        for (int i = 0; i < w * NODES; i++) {
            double s[6] = {0.0};
            for (int k = begin[i / w]; k < begin[i / w + 1]; k++)
                for (int b = 0; b < 6; b++)
                    s[b] += value[6 * (w * k + i % w) + b] * e[6 * group[k] + b];
            up[i] = x[i] + add_lanes(s);
        }
        CondBlock6Map P = {w, NODES, begin, group, GROUPS, group_begin, node, block, single};
        for (int threads = 1; threads <= 3; threads++) {
            cond_block6_restrict(&P, r, e_out, threads);
            assert_memory_equal(e_out, down, 6 * GROUPS * sizeof *down);
            memcpy(x_out, x, (size_t)(w * NODES) * sizeof *x);
            cond_block6_prolong(&P, e, x_out, threads);
            assert_memory_equal(x_out, up, (size_t)(w * NODES) * sizeof *up);
        }
        free(single);
        double* all[] = {value, r, e, x, down, up, e_out, x_out};
        for (int k = 0; k < 8; k++)
            free(all[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residual),
        cmocka_unit_test(test_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
