// The loop that the correction, the impacts and settling share: the first row of the table that
// applies changes the next attempt, rows have limits, and failures end it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/sim.h"
#include "sim/stage_retry.h"

enum { N_LOG = 16 };

// What the attempts of a test do; the loop hands the sim on without looking at it.
static struct {
    int attempts, fails_at, log[N_LOG], n;
} made;

static CondStatus attempt(CondSim* sim)
{
    (void)sim;
    made.attempts++;
    return made.attempts == made.fails_at ? COND_OUT_OF_MEMORY : COND_NOT_CONVERGED;
}

static int always(CondSim* sim)
{
    (void)sim;
    return 1;
}

static int until_six(CondSim* sim)
{
    (void)sim;
    return made.attempts < 6;
}

static CondStatus first(CondSim* sim)
{
    (void)sim;
    made.log[made.n++] = 1;
    return COND_OK;
}

static CondStatus second(CondSim* sim)
{
    (void)sim;
    made.log[made.n++] = 2;
    return COND_OK;
}

static CondStatus refuses(CondSim* sim)
{
    (void)sim;
    return COND_CANCELLED;
}

static void run(const CondStageRetry* table, int n, int fails_at, CondStatus expected)
{
    made.attempts = made.n = 0;
    made.fails_at = fails_at;
    assert_int_equal(cond_stage_retry(NULL, attempt, table, n), expected);
}

static void rows_apply_in_order_and_up_to_their_limits(void** state)
{
    static const CondStageRetry table[] = {
        {"first", always, first, 2},
        {"second", until_six, second, COND_STAGE_BOUNDED},
    };
    static const int order[] = {1, 1, 2, 2, 2};
    (void)state;
    run(table, 2, 0, COND_NOT_CONVERGED);
    assert_int_equal(made.attempts, 6);
    assert_int_equal(made.n, 5);
    assert_memory_equal(made.log, order, sizeof order);
    run(table, 0, 0, COND_NOT_CONVERGED);
    assert_int_equal(made.attempts, 1);
}

static void failures_end_it(void** state)
{
    static const CondStageRetry table[] = {{"first", always, first, 5}},
                                refusing[] = {{"refuses", always, refuses, 5}};
    (void)state;
    run(table, 1, 3, COND_OUT_OF_MEMORY);
    assert_int_equal(made.attempts, 3);
    run(refusing, 1, 0, COND_CANCELLED);
    assert_int_equal(made.attempts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_apply_in_order_and_up_to_their_limits),
        cmocka_unit_test(failures_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
