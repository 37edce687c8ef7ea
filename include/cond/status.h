// Status codes and error messages. 0: success; > 0: a warning, the result is usable; < 0: failure.
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
    COND_NOT_CONVERGED = 1,  // the certificate of the answer, the best one found, misses the
                             // tolerance
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

// Declares two functions that convert an enumeration to and from names. prefix_name(value) returns
// NULL for a value that the enumeration does not have. prefix_from_name(name, &value) returns
// COND_BAD_ARGUMENT for an unknown name, with a message that lists the names. Scene files, results
// and recordings use these names.
#define COND_ENUM_NAMES(api, Type, prefix)                                                         \
    api const char* prefix##_name(Type value);                                                     \
    api CondStatus prefix##_from_name(const char* name, Type* value);

// Names such as "not converged"; "unknown" for a value that is not a status.
COND_ENUM_NAMES(COND_API, CondStatus, cond_status)

// The last failure of a call in this thread, until its next failure; status COND_OK and "" if none
// has failed yet. Successful calls leave it unchanged, so read it only after a call that failed.
COND_API const CondError* cond_last_error(void);
// Sets the last failure of the calling thread; returns the status. Solvers and hooks of a program
// may use it for the calls that run them.
COND_API CondStatus cond_last_error_set(CondStatus status, const char* message);

#ifdef __cplusplus
}
#endif
#endif
