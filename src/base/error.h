// Filling a CondError.
#ifndef COND_BASE_ERROR_H
#define COND_BASE_ERROR_H

#include "cond/status.h"

// Writes status and message (printf format) where error is not NULL; returns status.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CondStatus
cond_error_set(CondError* error, CondStatus status, const char* format, ...);

#endif
