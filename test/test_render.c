// cond render and its browser's sandbox, with a browser that says how it was called and does not
// start.
#define _DEFAULT_SOURCE // setgroups
#include "cli_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cond-test-render-XXXXXX";

static void write_text(const char* path, const char* text, mode_t mode)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static int enter_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) && chmod(folder, 0777) == 0 && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void** state)
{
    (void)state;
    static const char* const files[] = {"r.h5", "browser", "words", "said"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        remove(files[k]);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static char* read_text(const char* path)
{
    static char text[1 << 14];
    FILE* file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (file)
        fclose(file);
    return text;
}

// Renders as another user, where that is not 0; the exit code.
static int render_as(uid_t user)
{
    remove("words");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int said = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        alarm(100);
        if (user != 0 && (setgroups(0, NULL) || setgid(user) || setuid(user)))
            _exit(126);
        dup2(said, STDERR_FILENO);
        execl(COND_CLI, COND_CLI, "render", "r.h5", "--png", "r.png", "--browser", "./browser",
              (char*)NULL);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int count(const char* text, const char* word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text++)
        n++;
    return n;
}

// With the sandbox first, and without it only after that did not start.
static void expect_two_tries(void)
{
    char* words = read_text("words");
    assert_int_equal(count(words, "--headless"), 2);
    assert_int_equal(count(words, "--no-sandbox"), 1);
    char* first_end = strchr(words, '\n');
    assert_non_null(first_end);
    *first_end = '\0';
    assert_null(strstr(words, "--no-sandbox"));
    assert_non_null(strstr(read_text("said"), "does not start with its sandbox"));
}

static void test_sandbox(void** state)
{
    (void)state;
    CliOutput made = cli_run("run", "drop", "--steps", "2", "--record", "r.h5", "--quiet");
    assert_int_equal(made.code, 0);
    cli_output_free(&made);
    assert_int_equal(chmod("r.h5", 0666), 0);
    write_text("browser", "#!/bin/sh\necho \"$*\" >>words\nexit 1\n", 0755);
    if (render_as(0) == 2 && strstr(read_text("said"), "viewer was not built"))
        skip();
    assert_non_null(strstr(read_text("said"), "the browser ended before"));
    if (geteuid() != 0) {
        expect_two_tries();
        return;
    }
    assert_int_equal(count(read_text("words"), "--headless"), 1);
    assert_int_equal(count(read_text("words"), "--no-sandbox"), 1);
    assert_non_null(strstr(read_text("said"), "as root"));
    if (render_as(65534) == 2) // else this user cannot reach the tool
        expect_two_tries();
}

// Without a browser: one picture of each frame, as large as asked for.
static void test_fast(void** state)
{
    (void)state;
    CliOutput made = cli_run("run", "drop", "--steps", "2", "--record", "r.h5", "--quiet");
    assert_int_equal(made.code, 0);
    cli_output_free(&made);
    made = cli_run("render", "r.h5", "--fast", "--png", "f.png", "--every", "1", "--size", "64x32");
    assert_int_equal(made.code, 0);
    cli_output_free(&made);
    for (int k = 0; k < 3; k++) {
        char name[32], head[24] = "";
        snprintf(name, sizeof name, "f_%06d.png", k);
        FILE* file = fopen(name, "rb");
        assert_non_null(file);
        assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
        fclose(file);
        assert_memory_equal(head + 12, "IHDR\0\0\0\x40\0\0\0\x20", 12);
        assert_int_equal(remove(name), 0);
    }
    made = cli_run("render", "r.h5", "--fast", "--png", "f.png", "--colour", "stress");
    assert_int_equal(made.code, 1);
    cli_output_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sandbox), cmocka_unit_test(test_fast)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
