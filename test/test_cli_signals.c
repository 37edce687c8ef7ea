// A run that is asked to end by a signal ends after its step with everything whole: summary, JSON,
// tables, recording and a state to resume from; a step that takes too long is cancelled.
#define _POSIX_C_SOURCE 200809L
#include "cli_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXAMPLE COND_TEST_DATA "/fclib/LMGC_GFC3D-i00501-4-00000.hdf5"

static const char* const FILES[] = {"a.csv", "a.json", "a.state", "a.h5", "b.json"};

static void remove_files(void)
{
    for (size_t k = 0; k < sizeof FILES / sizeof *FILES; k++)
        remove(FILES[k]);
}

// Starts the tool with its messages in no file at all.
static pid_t start(const char* const* words)
{
    char* argv[24] = {COND_CLI};
    for (int i = 0; words[i]; i++)
        argv[i + 1] = (char*)words[i];
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int none = open("/dev/null", O_RDWR);
        alarm(300);
        if (dup2(none, STDOUT_FILENO) >= 0 && dup2(none, STDERR_FILENO) >= 0)
            execv(COND_CLI, argv);
        _exit(127);
    }
    return child;
}

static long size_of(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (!file)
        return -1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

static void rest(void)
{
    const struct timespec moment = {0, 20000000L};
    nanosleep(&moment, NULL);
}

static int end_of(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static json_t* read_json(const char* path)
{
    json_t* value = json_load_file(path, 0, NULL);
    if (!value)
        fail_msg("%s: no JSON", path);
    return value;
}

// Every row of the table has as many fields as its header; how many rows there are.
static int check_rows(const char* path)
{
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    int n_line = 0, fields = 1, expected = 0, last = '\n';
    for (int c; (c = fgetc(file)) != EOF; last = c) {
        fields += c == ',';
        if (c != '\n')
            continue;
        expected = n_line++ == 0 ? fields : expected;
        assert_int_equal(fields, expected);
        fields = 1;
    }
    assert_int_equal(last, '\n');
    fclose(file);
    return n_line - 1;
}

static const char* text_of(const json_t* object, const char* key)
{
    const char* text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

// The run goes on from the state it left as if it had not been interrupted.
static void check_resumes(json_int_t made)
{
    char more[32], all[32];
    snprintf(more, sizeof more, "%d", 3);
    snprintf(all, sizeof all, "%d", (int)made + 3);
    cli_expect(0, "", "run", "drop", "--resume", "a.state", "--steps", more, "--json", "b.json");
    json_t* resumed = read_json("b.json");
    cli_expect(0, "", "run", "drop", "--steps", all, "--json", "b.json");
    json_t* whole = read_json("b.json");
    assert_string_equal(text_of(resumed, "hash"), text_of(whole, "hash"));
    json_decref(resumed);
    json_decref(whole);
}

static void end_run_by(int which)
{
    static const char* const words[] = {"run",      "drop",   "--steps", "1000000000", "--csv",
                                        "a.csv",    "--json", "a.json",  "--save",     "a.state",
                                        "--record", "a.h5",   "--every", "1000",       NULL};
    remove_files();
    pid_t child = start(words);
    while (size_of("a.csv") < 1) // rows are written in blocks
        rest();
    assert_int_equal(kill(child, which), 0);
    assert_int_equal(end_of(child), 128 + which);
    json_t* summary = read_json("a.json");
    json_int_t steps = json_integer_value(json_object_get(summary, "steps"));
    assert_string_equal(text_of(summary, "end"), "signal");
    assert_int_equal(check_rows("a.csv"), steps);
    assert_true(size_of("a.h5") > 0);
    if (which == SIGTERM)
        check_resumes(steps);
    json_decref(summary);
    remove_files();
}

static void test_signals(void** state)
{
    (void)state;
    end_run_by(SIGINT);
    end_run_by(SIGTERM);
}

// Wherever in its work a command is, the exit code is the same.
static void test_others(void** state)
{
    (void)state;
    static const char* const env[] = {"env",     "pusher",  "--envs",    "2",
                                      "--steps", "1000000", "--threads", "1",
                                      "--json",  "a.json",  NULL};
    static const char* const paper[] = {"paper", "chebyshev", "--json", "a.json", NULL};
    static const char* const solve[] = {"solve",
                                        EXAMPLE,
                                        "--preset",
                                        "paper",
                                        "--accelerator",
                                        "none",
                                        "--tol",
                                        "1e-300",
                                        "--max-iterations",
                                        "2000000000",
                                        NULL};
    const char* const* all[] = {env, paper, solve};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        remove_files();
        pid_t child = start(all[k]);
        for (int i = 0; i < 15; i++)
            rest();
        assert_int_equal(kill(child, SIGINT), 0);
        assert_int_equal(end_of(child), 130);
    }
    remove_files();
}

static void test_step_limit(void** state)
{
    (void)state;
    remove_files();
    cli_expect(5, "--step-limit", "run", "mat", "--step-limit", "1e-6", "--json", "a.json",
               "--save", "a.state", "--quiet");
    json_t* summary = read_json("a.json");
    assert_string_equal(text_of(summary, "end"), "step limit");
    assert_string_equal(text_of(summary, "status"), "cancelled");
    assert_int_equal(json_integer_value(json_object_get(summary, "steps")), 0);
    json_decref(summary);
    cli_expect(0, "2 steps", "run", "mat", "--resume", "a.state", "--steps", "2", "--step-limit",
               "300");
    cli_expect(1, "a positive number", "run", "mat", "--step-limit", "0");
    remove_files();
}

// Standard streams that are closed are no places for files, and what cannot be printed is a fault.
static int run_shell(const char* format)
{
    char line[1024];
    snprintf(line, sizeof line, format, COND_CLI);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_streams(void** state)
{
    (void)state;
    remove_files();
    assert_int_equal(run_shell("%s run box --steps 2 --csv a.csv --json a.json >&- 2>&-"), 0);
    assert_int_equal(check_rows("a.csv"), 2);
    json_decref(read_json("a.json"));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(run_shell("%s check box >/dev/full 2>/dev/null"), 2);
        assert_int_equal(run_shell("%s --version >/dev/full 2>/dev/null"), 2);
        assert_int_equal(run_shell("%s run box --steps 1 --quiet --json - >/dev/full 2>/dev/null"),
                         2);
    }
    remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_step_limit),
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
