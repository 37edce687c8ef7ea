// Filling a CondError and the last failure of the thread.
#ifndef COND_BASE_ERROR_H
#define COND_BASE_ERROR_H

#include "cond/status.h"

// Characters of a warning that an object keeps: a whole path and more.
#define COND_WARNING_SIZE 1536

// Writes status and message (printf format) where error is not NULL, and to the last failure of the
// thread; returns status.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CondStatus
cond_error_set(CondError* error, CondStatus status, const char* format, ...);

// At the end of a public function: returns the status, after giving a failure that left no message
// of its own, as allocations do, one with the name of the function.
CondStatus cond_error_pass(CondStatus status, const char* function);

// The end of a path, as much of it as a message quotes: it says more than the beginning.
const char* cond_path_tail(const char* path);

#endif
