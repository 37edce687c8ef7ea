// The threads that wait for loops: who makes what of a loop, how many there are, and that a process
// that is forked off starts its own.
#define _POSIX_C_SOURCE 200809L // fork, alarm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cores.h"
#include "base/parallel.h"
#include "cond/context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

// ---- loops

// Three phases that read what others wrote in the one before, as a chain of loops does.
typedef struct Chain {
    int a[N], b[N], c[N];
} Chain;

static void write_a(const void* loop, int first, int last)
{
    Chain* chain = *(Chain* const*)loop;
    for (int k = first; k < last; k++)
        chain->a[k] += k;
}

static void write_b(const void* loop, int first, int last)
{
    Chain* chain = *(Chain* const*)loop;
    for (int k = first; k < last; k++)
        chain->b[k] = chain->a[N - 1 - k];
}

static void write_c(const void* loop, int first, int last)
{
    Chain* chain = *(Chain* const*)loop;
    for (int k = first; k < last; k++)
        chain->c[k] = chain->b[N - 1 - k];
}

static void run_chains(int turns)
{
    static _Thread_local Chain chain;
    Chain* loop = &chain;
    memset(&chain, 0, sizeof chain);
    for (int turn = 1; turn <= turns; turn++) {
        CondPhase phase[] = {
            {write_a, &loop, N, 0}, {write_b, &loop, N, 1}, {write_c, &loop, N, 1}};
        cond_parallel_phases(3, phase, 1 + turn % 4, __func__);
        for (int k = 0; k < N; k++)
            assert_true(chain.c[k] == turn * k);
    }
}

// More threads than processors, so that some are late at every phase.
static void phases_follow_each_other(void** state)
{
    (void)state;
    alarm(60); // where one waits for ever
    run_chains(3000);
    alarm(0);
}

static void* run_beside(void* failed)
{
    static _Thread_local int value[N];
    int* loop = value;
    for (int turn = 1; turn <= 1000; turn++) {
        cond_parallel(N, 3, add_one, &loop);
        *(int*)failed |= !all_are(value, turn);
    }
    return NULL;
}

// Two callers at once: one has the threads, the other one works alone.
static void two_callers(void** state)
{
    (void)state;
    pthread_t other;
    int failed = 0;
    alarm(60);
    assert_int_equal(pthread_create(&other, NULL, run_beside, &failed), 0);
    run_chains(1000);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(failed, 0);
    alarm(0);
}

typedef struct Meeting {
    _Atomic int here;
    int size, worst;
} Meeting;

static void meet(void* data, CondTeam* team, int rank, int size)
{
    Meeting* meeting = data;
    for (int turn = 1; turn <= 50; turn++) {
        atomic_fetch_add(&meeting->here, 1);
        cond_team_wait(team, size);
        if (rank == 0 && atomic_load(&meeting->here) != turn * size)
            meeting->worst = turn;
        cond_team_wait(team, size);
    }
    if (rank == 0)
        meeting->size = size;
    if (cond_parallel_rank() != rank)
        meeting->worst = -1;
}

// ---- items one by one

typedef struct Items {
    int value[N];
    _Atomic int worst; // 1: of a rank that there is not
} Items;

static void do_item(void* data, int item, int rank)
{
    Items* items = data;
    items->value[item]++;
    if (rank < 0 || rank >= 4)
        items->worst = 1;
}

static void every_item_is_done_once(void** state)
{
    (void)state;
    alarm(60);
    for (int n_thread = 1; n_thread <= 4; n_thread++) {
        Items items = {{0}, 0};
        cond_parallel_items(N, n_thread, do_item, &items, __func__);
        assert_true(all_are(items.value, 1));
        assert_int_equal(items.worst, 0);
    }
    cond_parallel_items(0, 3, do_item, NULL, __func__);
    alarm(0);
}

// More phases than there is room for at a time, and more parts than bits in a word.
static void many_phases(void** state)
{
    (void)state;
    enum { PHASES = 70 };
    int value[N] = {0}, *loop = value;
    CondPhase phase[PHASES];
    for (int p = 0; p < PHASES; p++)
        phase[p] = (CondPhase){add_one, &loop, N, 1};
    alarm(60);
    cond_parallel_phases(PHASES, phase, 3, __func__);
    assert_true(all_are(value, PHASES));
    cond_parallel_phases(1, phase, 100, __func__);
    assert_true(all_are(value, PHASES + 1));
    alarm(0);
}

static void teams_meet(void** state)
{
    (void)state;
    alarm(60);
    for (int k = 0; k < 100; k++) {
        Meeting meeting = {0};
        cond_team(1 + k % 4, meet, &meeting, __func__);
        assert_in_range(meeting.size, 1, 1 + k % 4);
        assert_int_equal(meeting.worst, 0);
    }
    alarm(0);
}

// ---- how many

static void small_loops_have_one_thread(void** state)
{
    (void)state;
    assert_int_equal(cond_threads(0, 8), 1);
    assert_int_equal(cond_threads(COND_PARALLEL_FROM - 1, 8), 1);
    assert_int_equal(cond_threads(COND_PARALLEL_FROM, 8), 4);
    assert_int_equal(cond_threads(4 * (size_t)COND_PARALLEL_FROM, 16), 8); // the root of the work
    assert_int_equal(cond_threads(16 * (size_t)COND_PARALLEL_FROM, 16), 16);
    assert_int_equal(cond_threads(COND_PARALLEL_FROM, 1), 1);
    assert_int_equal(cond_threads(SIZE_MAX, 5000), COND_MAX_THREADS);
    assert_int_equal(cond_threads(SIZE_MAX, 0), cond_cores());
    assert_int_equal(cond_threads_chained(COND_PARALLEL_FROM, 8), 1);
    assert_in_range(cond_cores(), 1, COND_MAX_THREADS);
}

static void write_file(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// The group of the process and those around it: the least of their limits, rounded up.
static void groups_limit_the_threads(void** state)
{
    (void)state;
    static const char* const folders[] = {"groups", "groups/outer", "groups/outer/inner",
                                          "groups/cpu"};
    for (int k = 0; k < 4; k++)
        mkdir(folders[k], 0777);
    write_file("own", "12:cpu:/elsewhere\n0::/outer/inner\n");
    assert_int_equal(cond_cores_of_group("groups", "own"), 0);
    write_file("groups/outer/inner/cpu.max", "max 100000\n");
    assert_int_equal(cond_cores_of_group("groups", "own"), 0);
    write_file("groups/outer/cpu.max", "350000 100000\n");
    assert_int_equal(cond_cores_of_group("groups", "own"), 4);
    write_file("groups/outer/inner/cpu.max", "150000 100000\n");
    assert_int_equal(cond_cores_of_group("groups", "own"), 2);
    assert_int_equal(cond_cores_of_group("groups", "no such file"), 0);
    write_file("groups/cpu.max", "20000 100000\n");
    assert_int_equal(cond_cores_of_group("groups", "no such file"), 1);
    assert_int_equal(cond_cores_of_group("nowhere", "own"), 0);
    remove("groups/cpu.max");
    write_file("groups/cpu/cpu.cfs_quota_us", "-1\n");
    write_file("groups/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cond_cores_of_group("groups", "no such file"), 0);
    write_file("groups/cpu/cpu.cfs_quota_us", "600000\n");
    assert_int_equal(cond_cores_of_group("groups", "no such file"), 6);
    remove("groups/cpu/cpu.cfs_quota_us");
    remove("groups/outer/cpu.max");
    remove("groups/outer/inner/cpu.max");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_start_again),
        cmocka_unit_test(a_forked_process_starts_its_own),
        cmocka_unit_test(within_a_loop_they_go_on),
        cmocka_unit_test(phases_follow_each_other),
        cmocka_unit_test(two_callers),
        cmocka_unit_test(teams_meet),
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(many_phases),
        cmocka_unit_test(small_loops_have_one_thread),
        cmocka_unit_test(groups_limit_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
