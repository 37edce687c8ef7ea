// The memory of the tool: a context for all that the library takes, with a limit where one is asked
// for.
#ifndef COND_CLI_MEMORY_H
#define COND_CLI_MEMORY_H

#include <cond/context.h>

// Sets the limit from a text such as "500M" or "2G" (bytes, or k, M, G, T of 1024); 0, or 1 after a
// message. It is set before anything is taken.
int memory_limit(const char* text);

// The limit in bytes; 0: there is none.
size_t memory_limit_now(void);

// What every object of the library is created with; work that is not wanted any more ends
// (interrupt.h).
const CondContext* memory_context(void);

// Says so where the limit was reached.
void memory_report(void);

#endif
