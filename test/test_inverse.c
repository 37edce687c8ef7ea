// The inverse of dense positive matrices, and what it leaves out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "linear/inverse.h"

static double draw(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

// G G' + s I, rows `stride` apart.
static double* make_matrix(int n, int stride, double s, uint64_t* seed)
{
    double* A = dense_zeros((size_t)n * (size_t)stride);
    double* G = dense_zeros((size_t)n * (size_t)n);
    for (int i = 0; i < n * n; i++)
        G[i] = draw(seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * stride + j] = i == j ? s : 0.0;
            for (int k = 0; k < n; k++)
                A[i * stride + j] += G[i * n + k] * G[j * n + k];
        }
    free(G);
    return A;
}

static void product_with_it_is_one(void** state)
{
    (void)state;
    uint64_t seed = 7;
    for (int n = 1; n < 60; n += n < 14 ? 1 : 9) {
        int stride = n + n % 5;
        double* A = make_matrix(n, stride, 0.1, &seed);
        double* B = dense_zeros((size_t)n * (size_t)stride);
        double *work = dense_zeros((size_t)n * (size_t)stride), *last = NULL;
        memcpy(B, A, (size_t)n * (size_t)stride * sizeof *B);
        for (int i = 0; i < n; i++) // only the upper triangle is read
            for (int j = 0; j < i; j++)
                B[i * stride + j] = NAN;
        for (int threads = 2; threads <= 4; threads++) { // the same bits
            double* C = dense_zeros((size_t)n * (size_t)stride);
            memcpy(C, B, (size_t)n * (size_t)stride * sizeof *C);
            cond_inverse(n, stride, 1e-12, C, work, threads);
            if (threads > 2)
                assert_memory_equal(C, last, (size_t)n * (size_t)stride * sizeof *C);
            free(last);
            last = C;
        }
        cond_inverse(n, stride, 1e-12, B, work, 1);
        assert_memory_equal(B, last, (size_t)n * (size_t)stride * sizeof *B);
        free(last);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++)
                    sum += A[i * stride + k] * B[k * stride + j];
                assert_true(fabs(sum - (i == j)) < 1e-10);
                assert_true(B[i * stride + j] == B[j * stride + i]);
            }
        free(A);
        free(B);
        free(work);
    }
}

// Coordinate 3 repeats coordinate 1: the others' inverse is as if it were not there.
static void a_coordinate_that_others_determine_is_left_out(void** state)
{
    (void)state;
    enum { N = 6, LEFT = 3 };
    uint64_t seed = 3;
    double *A = make_matrix(N, N, 0.1, &seed), work[N * N], less[(N - 1) * (N - 1)];
    for (int i = 0; i < N; i++)
        A[LEFT * N + i] = A[1 * N + i];
    for (int i = 0; i < N; i++)
        A[i * N + LEFT] = A[i * N + 1];
    for (int i = 0, k = 0; i < N * N; i++)
        if (i / N != LEFT && i % N != LEFT)
            less[k++] = A[i];
    cond_inverse(N, N, 1e-10, A, work, 1);
    cond_inverse(N - 1, N - 1, 1e-10, less, work, 1);
    for (int i = 0, k = 0; i < N * N; i++) {
        int out = i / N == LEFT || i % N == LEFT;
        assert_true(fabs(A[i] - (out ? 0.0 : less[k])) < 1e-10);
        k += !out;
    }
    double zero[4] = {0.0, 0.0, 0.0, 2.0};
    cond_inverse(2, 2, 1e-10, zero, work, 1);
    assert_true(zero[0] == 0.0 && zero[1] == 0.0 && zero[2] == 0.0 && fabs(zero[3] - 0.5) < 1e-15);
    free(A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_with_it_is_one),
        cmocka_unit_test(a_coordinate_that_others_determine_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
