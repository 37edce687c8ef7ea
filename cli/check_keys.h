// cond check --keys.
#ifndef COND_CLI_CHECK_KEYS_H
#define COND_CLI_CHECK_KEYS_H

// Prints the table of keys as Markdown, or writes all that it says as JSON: a file, or - for
// standard output. Returns an exit code.
int check_keys(const char* json);

#endif
