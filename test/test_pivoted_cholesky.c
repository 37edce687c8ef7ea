// The pivoted Cholesky factor against the textbook's, one column after the other without blocks:
// matrices of all ranks and of sizes around the width of a panel, singular, indefinite and not
// finite ones, and the same bits by one thread and by several.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "dense.h"

#include "base/random.h"
#include "linear/pivoted_cholesky.h"

// A = B B' with B (n x rank) of numbers in -1 .. 1; its rows differ in length.
static double* make_square(int n, int rank, uint64_t seed)
{
    CondRandom random = {seed};
    double* B = dense_zeros((size_t)n * (size_t)rank + 1);
    double* A = dense_zeros((size_t)n * (size_t)n);
    for (int k = 0; k < n * rank; k++)
        B[k] = (1.0 + k / rank % 7) * (2.0 * cond_random_uniform(&random) - 1.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < rank; k++)
                A[i * n + j] += B[i * rank + k] * B[j * rank + k];
    free(B);
    return A;
}

// The factor by its definition, in long double. Returns the rank.
static int reference_factor(int n, const double* A, int* order, double* L)
{
    long double* S = calloc((size_t)n * (size_t)n, sizeof *S);
    int* taken = calloc((size_t)n, sizeof *taken);
    assert_true(S && taken);
    for (int k = 0; k < n * n; k++)
        S[k] = A[k];
    long double stop = 0.0L;
    int rank = 0;
    for (; rank < n; rank++) {
        int p = -1;
        for (int i = 0; i < n; i++)
            if (!taken[i] && (p < 0 || S[i * n + i] > S[p * n + p]))
                p = i;
        if (rank == 0)
            stop = n * (long double)(0.5 * DBL_EPSILON) * S[p * n + p];
        if (!(S[p * n + p] > stop))
            break;
        long double pivot = sqrtl(S[p * n + p]);
        taken[p] = 1;
        order[rank] = p;
        for (int i = 0; i < n; i++) // row i of A, not of the permuted matrix
            L[i * n + rank] = taken[i] && i != p ? 0.0 : (double)(S[i * n + p] / pivot);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (!taken[i] && !taken[j])
                    S[i * n + j] -= S[i * n + p] * S[j * n + p] / (pivot * pivot);
    }
    free(S);
    free(taken);
    return rank;
}

// max |A[order, order] - L L'| / max |A|, once by plain sums and once by cond_subtract_square.
static double factor_error(int n, const double* A, const double* F, const int* order, int rank)
{
    double* L = dense_zeros((size_t)n * (size_t)n);
    double* rest = dense_zeros((size_t)n * (size_t)n);
    double* work = dense_zeros(cond_pivoted_work((size_t)n));
    double worst = 0.0, scale = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i && k < rank; k++)
            L[i * n + k] = F[i * n + k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            rest[i * n + j] = A[order[i] * n + order[j]];
    cond_subtract_square(n, rank, L, rest, work);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = A[order[i] * n + order[j]];
            scale = fmax(scale, fabs(sum));
            for (int k = 0; k < rank; k++)
                sum -= L[i * n + k] * L[j * n + k];
            assert_true(fabs(sum - rest[i * n + j]) <= 1e-13 * n * fabs(A[0]) + 1e-12);
            worst = fmax(worst, fabs(sum));
        }
    free(L);
    free(rest);
    free(work);
    return worst / scale;
}

static int factor(int n, const double* A, double* F, int* order)
{
    double* work = dense_zeros(cond_pivoted_work((size_t)n));
    memcpy(F, A, (size_t)n * (size_t)n * sizeof *F);
    for (int i = 0; i < n; i++) // above the diagonal nothing is read
        for (int j = i + 1; j < n; j++)
            F[i * n + j] = NAN;
    int rank = cond_pivoted_cholesky(n, F, order, work);
    free(work);
    return rank;
}

// Full rank: the order and the factor are the textbook's.
static void test_reference(void** unused)
{
    (void)unused;
    static const int sizes[] = {1, 2, 3, 5, 8, 63, 64, 65, 66, 129, 150};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s], *order = calloc((size_t)n, sizeof *order);
        int* expected_order = calloc((size_t)n, sizeof *expected_order);
        double *A = make_square(n, n + 3, 7 + s), *F = dense_zeros((size_t)n * (size_t)n);
        double* L = dense_zeros((size_t)n * (size_t)n);
        assert_true(order && expected_order);
        assert_int_equal(factor(n, A, F, order), n);
        assert_int_equal(reference_factor(n, A, expected_order, L), n);
        assert_memory_equal(order, expected_order, (size_t)n * sizeof *order);
        for (int i = 0; i < n; i++)
            for (int k = 0; k <= i; k++)
                assert_true(fabs(F[i * n + k] - L[order[i] * n + k]) <= 1e-9 * (1.0 + F[0]));
        assert_true(factor_error(n, A, F, order, n) < 1e-14 * n);
        free(A), free(F), free(L), free(order), free(expected_order);
    }
}

// Every rank is found, and the columns up to it give the matrix back.
static void test_ranks(void** unused)
{
    (void)unused;
    static const int sizes[][2] = {{4, 1},    {7, 3},    {66, 1},   {66, 64},
                                   {130, 63}, {130, 65}, {140, 128}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s][0], rank = sizes[s][1], *order = calloc((size_t)n, sizeof *order);
        double *A = make_square(n, rank, 100 + s), *F = dense_zeros((size_t)n * (size_t)n);
        assert_non_null(order);
        int found = factor(n, A, F, order);
        assert_in_range(found, rank, rank + 2);
        assert_true(factor_error(n, A, F, order, found) < 1e-14 * n);
        free(A), free(F), free(order);
    }
}

static void test_borders(void** unused)
{
    (void)unused;
    int order[4];
    double F[16];
    const double nothing[4] = {0.0};
    assert_int_equal(factor(2, nothing, F, order), 0);
    assert_true(order[0] + order[1] == 1);
    const double negative[4] = {-1.0, 0.0, 0.0, -2.0};
    assert_int_equal(factor(2, negative, F, order), 0);
    // Indefinite: the factor is not the matrix, by the size of the negative eigenvalue.
    const double indefinite[4] = {1.0, 2.0, 2.0, 1.0};
    assert_int_equal(factor(2, indefinite, F, order), 1);
    assert_true(factor_error(2, indefinite, F, order, 1) > 1.0);
    for (int k = 0; k < 2; k++) { // not finite: the end, wherever it is
        double strange[4] = {1.0, 0.0, 0.0, 1.0};
        strange[3 * k] = NAN;
        assert_int_equal(factor(2, strange, F, order), 0);
        strange[3 * k] = INFINITY;
        assert_int_equal(factor(2, strange, F, order), 0);
    }
}

static void test_threads(void** unused)
{
    (void)unused;
    enum { N = 301 };
    int before = omp_get_max_threads(), order[2][N];
    double *A = make_square(N, N - 20, 3), *F[2];
    for (int k = 0; k < 2; k++) {
        F[k] = dense_zeros((size_t)N * N);
        omp_set_num_threads(k == 0 ? 1 : 3);
        int rank = factor(N, A, F[k], order[k]);
        assert_in_range(rank, N - 20, N - 18);
    }
    omp_set_num_threads(before);
    assert_memory_equal(order[0], order[1], sizeof order[0]);
    for (int i = 0; i < N; i++)
        assert_memory_equal(F[0] + i * N, F[1] + i * N, (size_t)(i + 1) * sizeof(double));
    free(A), free(F[0]), free(F[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
