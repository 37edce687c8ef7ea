// Filling a CondError and the last failure of the thread.
#ifndef COND_BASE_ERROR_H
#define COND_BASE_ERROR_H

#include "cond/status.h"

// Largest number of characters of a stored warning, which may contain a whole path.
#define COND_WARNING_SIZE 1536

// Writes status and message (printf format) where error is not NULL, and to the last failure of the
// thread; returns status.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CondStatus
cond_error_set(CondError* error, CondStatus status, const char* format, ...);

// At the end of a public function: returns the status. For a failure without a message, such as
// that of an allocation, it stores one with the name of the function.
CondStatus cond_error_pass(CondStatus status, const char* function);

// The end of a long path, as quoted in messages, since it is more specific than the beginning.
const char* cond_path_tail(const char* path);

#endif
