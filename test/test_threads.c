// The threads that wait for loops: a process that is forked after they were ended starts its own.
#define _POSIX_C_SOURCE 200809L // fork, alarm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "cond/context.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000 };

static void add_one(const void* loop, int first, int last)
{
    int* value = *(int* const*)loop;
    for (int k = first; k < last; k++)
        value[k]++;
}

static int all_are(const int* value, int expected)
{
    for (int k = 0; k < N; k++)
        if (value[k] != expected)
            return 0;
    return 1;
}

static void threads_start_again(void** state)
{
    (void)state;
    int value[N] = {0}, *loop = value;
    for (int turn = 1; turn <= 3; turn++) {
        cond_parallel(N, 3, add_one, &loop);
        assert_int_equal(cond_threads_end(), 0);
        assert_true(all_are(value, turn));
    }
}

static void a_forked_process_starts_its_own(void** state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); // the thread sanitizer ends a forked process that starts threads
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    skip();
#endif
#endif
    int value[N] = {0}, *loop = value, status;
    cond_parallel(N, 3, add_one, &loop);
    assert_int_equal(cond_threads_end(), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(20); // where it waits for ever
        cond_parallel(N, 3, add_one, &loop);
        _exit(all_are(value, 2) ? 7 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    cond_parallel(N, 3, add_one, &loop);
    assert_true(all_are(value, 2));
}

static void end_within_loop(const void* loop, int first, int last)
{
    int* refused = *(int* const*)loop;
    for (int k = first; k < last; k++)
        refused[k] = cond_threads_end() != 0;
}

static void within_a_loop_they_go_on(void** state)
{
    (void)state;
    int refused[2] = {0}, *loop = refused;
    cond_parallel(2, 2, end_within_loop, &loop);
    assert_int_equal(refused[0],
                     refused[1]); // 0 where the machine is so busy that there is no team
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_start_again),
        cmocka_unit_test(a_forked_process_starts_its_own),
        cmocka_unit_test(within_a_loop_they_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
