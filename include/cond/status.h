// Status codes and error messages. 0 is fine, > 0 usable but imperfect, < 0 failed.
//
// Every function that fails leaves a message. Functions with a CondError* argument write it there
// if the pointer is not NULL. All functions, with or without that argument, also store it for the
// calling thread; cond_last_error returns it. Functions that return an index or a value store a
// message when the name or the index that they are given does not exist; names of an index
// (cond_model_X_name) are NULL past the last one, without a message.
#ifndef COND_STATUS_H
#define COND_STATUS_H

#include "cond/api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CondStatus {
    COND_OK = 0,
    COND_NOT_CONVERGED = 1,  // the best answer found; its certificate misses the tolerance
    COND_TOO_DEEP = 2,       // two things overlap by more than contact.penetration_limit
    COND_OUT_OF_MEMORY = -1, // an allocation failed
    COND_BAD_ARGUMENT = -2,  // an invalid argument of a function
    COND_BAD_INPUT = -3,     // an error in a file; the message names file, line and field
    COND_NO_FILE = -4,       // a file cannot be opened or written
    COND_DIVERGED = -5,      // numbers not finite or out of bounds; the state is unchanged
    COND_NOT_SUPPORTED = -6, // a valid request that this version cannot serve
    COND_CANCELLED = -7,     // the context's callback cancelled the call
} CondStatus;

// A failure, with a message; a file with several errors has a line for each. Every function that
// takes a CondError* accepts NULL.
typedef struct CondError {
    CondStatus status;
    char message[2048];
} CondError;

// Declares the two functions by which an enumeration is known by names: prefix_name(value), NULL
// for a value that the enumeration does not have, and prefix_from_name(name, &value), which returns
// COND_BAD_ARGUMENT, with a message that lists the names, where there is no such name. The names
// are those of scene files, results and recordings.
#define COND_ENUM_NAMES(api, Type, prefix)                                                         \
    api const char* prefix##_name(Type value);                                                     \
    api CondStatus prefix##_from_name(const char* name, Type* value);

// Names such as "not converged"; of a value that is no status "unknown".
COND_ENUM_NAMES(COND_API, CondStatus, cond_status)

// The last failure of a call in this thread, until its next one; status COND_OK and "" where none
// has failed yet. Calls that succeed leave it as it is, so look at it after a call that failed.
COND_API const CondError* cond_last_error(void);
// Makes this the last failure of the calling thread, as solvers and hooks of a program may do for
// the calls that run them; returns the status.
COND_API CondStatus cond_last_error_set(CondStatus status, const char* message);

#ifdef __cplusplus
}
#endif
#endif
