// Extreme eigenvalues by Lanczos: of the second difference, where they are known, of a diagonal
// whose largest values lie close together, and bounds where the steps are too few.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "linear/lanczos.h"

enum { N = 60 };

// y = A x with 2 on the diagonal and -1 beside it: eigenvalues 2 - 2 cos(i pi / (n + 1)).
static void multiply_difference(const void* data, const double* x, double* y)
{
    int n = *(const int*)data;
    for (int i = 0; i < n; i++)
        y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i + 1 < n ? x[i + 1] : 0.0);
}

static void multiply_diagonal(const void* data, const double* x, double* y)
{
    const double* d = data;
    for (int i = 0; i < N; i++)
        y[i] = d[i] * x[i];
}

static void test_difference(void** unused)
{
    (void)unused;
    static double work[COND_LANCZOS_WORK(N, N)];
    for (int n = 1; n <= N; n += n < 4 ? 1 : 14) {
        CondOperator A = {n, multiply_difference, &n};
        double low, high, angle = acos(-1.0) / (n + 1);
        assert_int_equal(cond_lanczos_extremes(&A, n, work, &low, &high), COND_OK);
        assert_true(fabs(low - (2.0 - 2.0 * cos(angle))) < 1e-12);
        assert_true(fabs(high - (2.0 - 2.0 * cos(n * angle))) < 1e-9);
    }
}

static void test_bounds(void** unused)
{
    (void)unused;
    static double work[COND_LANCZOS_WORK(N, N)];
    double d[N];
    for (int i = 0; i < N; i++)
        d[i] = i < N / 2 ? 1e-3 * (i + 1) : 5.0 + 1e-7 * i;
    CondOperator A = {N, multiply_diagonal, d};
    double before = INFINITY;
    for (int steps = 1; steps <= 20; steps++) {
        double low, high;
        assert_int_equal(cond_lanczos_extremes(&A, steps, work, &low, &high), COND_OK);
        // The Ritz value is within its residual of an eigenvalue of the upper group.
        assert_true(high > 5.0 - 1e-12 || steps < 3);
        assert_true(low >= d[0] * (1.0 - 1e-12) && low <= before * (1.0 + 1e-12));
        before = low;
    }
}

static void test_diverged(void** unused)
{
    (void)unused;
    static double work[COND_LANCZOS_WORK(N, N)];
    double d[N], low, high;
    for (int i = 0; i < N; i++)
        d[i] = i == 7 ? INFINITY : 1.0;
    CondOperator A = {N, multiply_diagonal, d};
    assert_int_equal(cond_lanczos_extremes(&A, N, work, &low, &high), COND_DIVERGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_diverged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
