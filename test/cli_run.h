// Runs the command line tool and keeps what it says, for tests.
#ifndef COND_TEST_CLI_RUN_H
#define COND_TEST_CLI_RUN_H

#include <jansson.h>

typedef struct CliOutput {
    int code;  // exit code; -1 when the tool was ended by a signal
    char* out; // standard output, ends with 0
    char* err; // standard error, ends with 0
} CliOutput;

// Runs the tool with up to 31 words, the last one NULL. It is given two minutes, then a signal ends
// it. The test fails when it cannot be started.
CliOutput cli_run_words(const char* const* words);
#define cli_run(...) cli_run_words((const char* const[]){__VA_ARGS__, NULL})
void cli_output_free(CliOutput* output);

// Runs and fails the test unless the exit code is `code` and standard error holds `message`.
void cli_expect_words(int code, const char* message, const char* const* words);
#define cli_expect(code, message, ...)                                                             \
    cli_expect_words(code, message, (const char* const[]){__VA_ARGS__, NULL})

// Standard output as JSON and nothing else; the test fails when it is not. Release with
// json_decref.
json_t* cli_output_json(const CliOutput* output);

#endif
