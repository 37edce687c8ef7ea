// The table of devices: every function against plain loops, the same bits for any number of
// threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device.h"
#include "device/sum.h"
#include "device/sum_item.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100003, N_TEAM = 5 };
static const int team[N_TEAM] = {1, 2, 3, 7, 16};

typedef struct ScaleArgs {
    double s;
    const double* x;
    double* y;
} ScaleArgs;

COND_DEVICE void scale_item(const ScaleArgs* a, int i)
{
    a->y[i] = a->s * a->x[i];
}

COND_DEVICE void reverse_item(const ScaleArgs* a, int i)
{
    a->y[i] = a->x[N - 1 - i];
}

COND_DEVICE double square_term(const CondSumArgs* a, int i)
{
    return a->x[i] * a->x[i];
}

COND_KERNEL(scale, ScaleArgs, scale_item)
COND_KERNEL(reverse, ScaleArgs, reverse_item)
COND_SUM_KERNEL(squares, CondSumArgs, square_term)
COND_MOST_KERNEL(largest_square, CondSumArgs, square_term)

static double x[N], y[N], z[N];

static void fill(void)
{
    srand(1);
    for (int i = 0; i < N; i++)
        x[i] = rand() / (double)RAND_MAX - 0.5;
}

static void loops_reach_every_item(void** state)
{
    (void)state;
    fill();
    for (int t = 0; t < N_TEAM; t++) {
        CondDevice device = cond_device_threads(NULL, team[t]);
        memset(y, 0, sizeof y);
        assert_int_equal(device.ops->loop(&device, &scale, N, 1, &(ScaleArgs){2.0, x, y}), COND_OK);
        for (int i = 0; i < N; i++)
            assert_true(y[i] == 2.0 * x[i]);
    }
}

static void phases_wait_for_each_other(void** state)
{
    (void)state;
    fill();
    for (int t = 0; t < N_TEAM; t++) {
        CondDevice device = cond_device_threads(NULL, team[t]);
        ScaleArgs first = {3.0, x, y}, second = {0.0, y, z};
        CondDevicePhase phase[] = {{&scale, &first, N, 64, 0}, {&reverse, &second, N, 64, 1}};
        assert_int_equal(device.ops->phases(&device, 2, phase), COND_OK);
        for (int i = 0; i < N; i++)
            assert_true(z[i] == 3.0 * x[N - 1 - i]);
    }
}

static void sums_have_the_same_bits(void** state)
{
    (void)state;
    fill();
    double first = 0.0, plain = 0.0;
    for (int i = 0; i < N; i++)
        plain += x[i] * x[i];
    for (int t = 0; t < N_TEAM; t++) {
        CondDevice device = cond_device_threads(NULL, team[t]);
        double sum = 0.0;
        CondSumArgs args = {NULL, x, x};
        assert_int_equal(device.ops->sum(&device, &squares, N, 1, &args, &sum), COND_OK);
        assert_int_equal(device.ops->wait(&device), COND_OK);
        first = t == 0 ? sum : first;
        assert_true(sum == first);
        assert_true(sum == cond_dot(N, x, x, team[t]));
    }
    assert_true(first > (1.0 - 1e-12) * plain && first < (1.0 + 1e-12) * plain);
}

static void maxima_are_those_of_a_plain_loop(void** state)
{
    (void)state;
    fill();
    double plain = 0.0;
    for (int i = 0; i < N; i++)
        plain = fmax(plain, x[i] * x[i]);
    for (int t = 0; t < N_TEAM; t++) {
        CondDevice device = cond_device_threads(NULL, team[t]);
        double most = 0.0;
        CondSumArgs args = {NULL, x, x};
        x[N / 2] = 0.0;
        assert_int_equal(device.ops->most(&device, &largest_square, N, 1, &args, &most), COND_OK);
        assert_true(most == plain);
        assert_int_equal(device.ops->most(&device, &largest_square, 0, 1, &args, &most), COND_OK);
        assert_true(most == -INFINITY);
        x[N / 2] = NAN;
        assert_int_equal(device.ops->most(&device, &largest_square, N, 1, &args, &most), COND_OK);
        assert_true(isnan(most));
    }
}

static void segments_are_summed_apart(void** state)
{
    (void)state;
    static const int begin[] = {0, 0, 1, 700, 701, 3000, N / 2, N / 2, N};
    enum { N_SEGMENT = sizeof begin / sizeof *begin - 1 };
    double sum[N_TEAM][N_SEGMENT], most[N_SEGMENT];
    fill();
    for (int t = 0; t < N_TEAM; t++) {
        CondDevice device = cond_device_threads(NULL, team[t]);
        CondSumArgs args = {NULL, x, x};
        assert_int_equal(device.ops->sums(&device, &squares, N_SEGMENT, begin, N, 1, &args, sum[t]),
                         COND_OK);
        assert_int_equal(
            device.ops->mosts(&device, &largest_square, N_SEGMENT, begin, N, 1, &args, most),
            COND_OK);
        assert_memory_equal(sum[t], sum[0], sizeof *sum);
        for (int s = 0; s < N_SEGMENT; s++) {
            double plain = 0.0, largest = -INFINITY;
            for (int i = begin[s]; i < begin[s + 1]; i++) {
                plain += x[i] * x[i];
                largest = fmax(largest, x[i] * x[i]);
            }
            assert_true(fabs(sum[t][s] - plain) <= 1e-12 * plain);
            assert_true(most[s] == largest);
        }
    }
}

static void counts_become_offsets(void** state)
{
    (void)state;
    static int count[N + 1], offset[N + 1];
    static const int sizes[] = {0, 1, 511, 512, 513, N};
    for (int t = 0; t < N_TEAM; t++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            CondDevice device = cond_device_threads(NULL, team[t]);
            int n = sizes[k], sum = 0;
            for (int i = 0; i < n; i++)
                offset[i] = count[i] = (7 * i + 3) % 5;
            assert_int_equal(device.ops->scan(&device, n, offset), COND_OK);
            for (int i = 0; i <= n; i++) {
                assert_int_equal(offset[i], sum);
                sum += i < n ? count[i] : 0;
            }
        }
}

static void sorting_keeps_the_order_of_equals(void** state)
{
    (void)state;
    static uint64_t key[N], spare_key[N];
    static int item[N], spare_item[N];
    static const uint64_t most[] = {1, 255, 100000, UINT64_MAX};
    for (int t = 0; t < N_TEAM; t++)
        for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
            CondDevice device = cond_device_threads(NULL, team[t]);
            uint64_t seed = 1;
            for (int i = 0; i < N; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                key[i] = (seed >> 11) * (seed >> 40) % most[m];
                item[i] = i;
            }
            assert_int_equal(device.ops->sort(&device, N, key, item, spare_key, spare_item),
                             COND_OK);
            for (int i = 1; i < N; i++)
                assert_true(key[i - 1] < key[i] || (key[i - 1] == key[i] && item[i - 1] < item[i]));
        }
}

static void memory_comes_back(void** state)
{
    (void)state;
    fill();
    CondDevice device = cond_device_threads(NULL, 0);
    double* memory = device.ops->take(&device, sizeof x);
    assert_non_null(memory);
    assert_int_equal(device.ops->write(&device, memory, x, sizeof x), COND_OK);
    assert_int_equal(device.ops->read(&device, y, memory, sizeof x), COND_OK);
    assert_memory_equal(x, y, sizeof x);
    device.ops->give(&device, memory, sizeof x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_reach_every_item),
        cmocka_unit_test(phases_wait_for_each_other),
        cmocka_unit_test(sums_have_the_same_bits),
        cmocka_unit_test(maxima_are_those_of_a_plain_loop),
        cmocka_unit_test(segments_are_summed_apart),
        cmocka_unit_test(counts_become_offsets),
        cmocka_unit_test(sorting_keeps_the_order_of_equals),
        cmocka_unit_test(memory_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
