// Runs an experiment of the paper through the tool and reads its result, for tests.
#ifndef COND_TEST_CLI_PAPER_H
#define COND_TEST_CLI_PAPER_H

#include "cli_run.h"

// The number of a key; the test fails when there is none.
double number_of(const json_t* object, const char* key);

// The row of that label in `rows` or `paper`; the test fails when there is none.
const json_t* row_of(const json_t* result, const char* part, const char* label);

// Runs `cond paper NAME --steps STEPS --trials TRIALS` on one thread; the result is released with
// json_decref. Fails the test unless it ends well.
json_t* run_paper(const char* name, const char* steps, const char* trials);
// The same with --rows.
json_t* run_paper_rows(const char* name, const char* steps, const char* trials, const char* rows);

#endif
