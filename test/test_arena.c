// Arrays of an arena: zeroed, aligned, grown by half with their contents, released one by one or
// all at once, moved with their object; requests that overflow and allocations that fail change
// nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>

#include "base/arena.h"
#include "failing_allocator.h"

static void assert_aligned(const void* array)
{
    assert_int_equal((uintptr_t)array % COND_ARENA_ALIGNMENT, 0);
}

static void test_grows(void** unused)
{
    (void)unused;
    FailingAllocator allocator = {0};
    CondContext context = failing_allocator_context(&allocator);
    CondArena arena;
    int* x = NULL;
    double* y = NULL;
    cond_arena_begin(&context, &arena);
    for (int n = 1; n <= 1000; n++) {
        assert_int_equal(COND_RESERVE(&arena, x, n), COND_OK);
        assert_int_equal(COND_RESERVE(&arena, y, 3 * n), COND_OK);
        assert_aligned(x);
        assert_aligned(y);
        assert_int_equal(x[n - 1], 0);
        x[n - 1] = n;
        for (int k = 0; k < 3; k++) {
            assert_true(y[3 * n - 3 + k] == 0.0);
            y[3 * n - 3 + k] = n;
        }
    }
    for (int n = 1; n <= 1000; n++) {
        assert_int_equal(x[n - 1], n);
        assert_true(y[3 * n - 1] == n);
    }
    // By half: 1000 appends take log(1000) / log(1.5) allocations, not 1000.
    assert_true(allocator.calls < 60);
    assert_int_equal(allocator.live, 2);
    // What there is costs nothing again.
    long calls = allocator.calls;
    assert_int_equal(COND_RESERVE(&arena, x, cond_arena_capacity(x)), COND_OK);
    assert_int_equal(COND_RESERVE(&arena, x, 0), COND_OK);
    assert_int_equal(allocator.calls, calls);
    cond_arena_release(&arena);
    assert_int_equal(allocator.live, 0);
}

static void test_empty(void** unused)
{
    (void)unused;
    CondArena arena;
    int* x = NULL;
    cond_arena_begin(NULL, &arena);
    assert_int_equal(cond_arena_capacity(NULL), 0);
    assert_int_equal(COND_RESERVE(&arena, x, 0), COND_OK);
    assert_non_null(x);
    assert_int_equal(cond_arena_capacity(x), 0);
    cond_arena_drop(&arena, NULL);
    cond_arena_release(&arena);
    cond_arena_release(&arena);
}

static void test_drop_and_move(void** unused)
{
    (void)unused;
    FailingAllocator allocator = {0};
    CondContext context = failing_allocator_context(&allocator);
    for (int dropped = 0; dropped < 3; dropped++) {
        CondArena first, arena;
        void* block[3];
        cond_arena_begin(&context, &first);
        for (int k = 0; k < 3; k++)
            assert_non_null(block[k] = cond_arena_allocate(&first, 5, 1));
        arena = first; // as when the object it is in moves
        cond_arena_drop(&arena, block[dropped]);
        assert_int_equal(allocator.live, 2);
        assert_non_null(cond_arena_allocate(&arena, 1, 1));
        cond_arena_release(&arena);
        assert_int_equal(allocator.live, 0);
    }
}

static void test_shrink(void** unused)
{
    (void)unused;
    FailingAllocator allocator = {0};
    CondContext context = failing_allocator_context(&allocator);
    CondArena arena;
    int* x = NULL;
    cond_arena_begin(&context, &arena);
    assert_int_equal(cond_arena_shrink(&arena, &x, 0, sizeof *x), COND_OK);
    assert_null(x);
    assert_int_equal(COND_RESERVE(&arena, x, 160), COND_OK);
    for (int k = 0; k < 160; k++)
        x[k] = k;
    assert_int_equal(cond_arena_shrink(&arena, &x, 155, sizeof *x), COND_OK);
    assert_int_equal(cond_arena_capacity(x), 160); // little to be won
    assert_int_equal(cond_arena_shrink(&arena, &x, 20, sizeof *x), COND_OK);
    assert_int_equal(cond_arena_capacity(x), 20);
    for (int k = 0; k < 20; k++)
        assert_int_equal(x[k], k);
    assert_int_equal(allocator.live, 1);
    cond_arena_release(&arena);
}

static void test_failures(void** unused)
{
    (void)unused;
    FailingAllocator allocator = {0};
    CondContext context = failing_allocator_context(&allocator);
    CondArena arena;
    int* x = NULL;
    cond_arena_begin(&context, &arena);
    assert_int_equal(COND_RESERVE(&arena, x, 4), COND_OK);
    x[3] = 7;
    int* kept = x;
    allocator.fail_at = allocator.calls + 1;
    assert_int_equal(COND_RESERVE(&arena, x, 5), COND_OUT_OF_MEMORY);
    assert_ptr_equal(x, kept);
    assert_int_equal(x[3], 7);
    // Sizes beyond any memory do not reach the allocator.
    long calls = allocator.calls;
    assert_null(cond_arena_allocate(&arena, SIZE_MAX, 1));
    assert_null(cond_arena_allocate(&arena, SIZE_MAX / 8 + 1, 8));
    assert_null(cond_arena_allocate(&arena, SIZE_MAX - 64, 1));
    assert_int_equal(cond_arena_reserve(&arena, &x, INT_MAX, SIZE_MAX / 2), COND_OUT_OF_MEMORY);
    assert_int_equal(allocator.calls, calls);
    cond_arena_release(&arena);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows),    cmocka_unit_test(test_empty),
        cmocka_unit_test(test_shrink),   cmocka_unit_test(test_drop_and_move),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
