// Runs the command line tool and keeps what it says, for tests.
#define _POSIX_C_SOURCE 200809L
#include "cli_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORD = 32, MAX_SECONDS = 400 };

// All of a file from its start, with a 0 behind it; closes the file.
static char* take_text(FILE* file)
{
    size_t size = 0, space = 4096;
    char* text = malloc(space);
    assert_non_null(text);
    rewind(file);
    for (size_t n; (n = fread(text + size, 1, space - size - 1, file)) > 0;) {
        size += n;
        if (size + 1 == space) {
            space *= 2;
            text = realloc(text, space);
            assert_non_null(text);
        }
    }
    text[size] = '\0';
    fclose(file);
    return text;
}

CliOutput cli_run_words(const char* const* words)
{
    char* argv[MAX_WORD + 1] = {COND_CLI};
    for (int i = 0; words[i]; i++) {
        assert_true(i + 1 < MAX_WORD);
        argv[i + 1] = (char*)words[i]; // execv promises not to change them
    }
    // Files instead of pipes: nobody has to read while the tool runs.
    FILE* out = tmpfile();
    FILE* err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(MAX_SECONDS); // stays in force after execv
        if (dup2(fileno(out), STDOUT_FILENO) >= 0 && dup2(fileno(err), STDERR_FILENO) >= 0)
            execv(COND_CLI, argv);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    CliOutput output = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, take_text(out),
                        take_text(err)};
    return output;
}

void cli_output_free(CliOutput* output)
{
    free(output->out);
    free(output->err);
    output->out = output->err = NULL;
}

void cli_expect_words(int code, const char* message, const char* const* words)
{
    CliOutput output = cli_run_words(words);
    if (output.code != code || !strstr(output.err, message))
        fail_msg("cond %s %s: exit code %d, expected %d; expected '%s' in: %s", words[0],
                 words[1] ? words[1] : "", output.code, code, message, output.err);
    cli_output_free(&output);
}

json_t* cli_output_json(const CliOutput* output)
{
    json_error_t error;
    json_t* value = json_loads(output->out, 0, &error);
    if (!value)
        fail_msg("line %d: %s: %s", error.line, error.text, output->out);
    return value;
}
