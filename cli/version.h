// The text of `cond --version`.
#ifndef COND_CLI_VERSION_H
#define COND_CLI_VERSION_H

// Prints the version on the first line; then the libraries that are built in, and the licence that
// follows for the tool as a whole.
void version_print(void);

#endif
