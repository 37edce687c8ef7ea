// Status codes and error messages. 0 is fine, > 0 usable but imperfect, < 0 failed.
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
    COND_BAD_ARGUMENT = -2,  // a value handed to a function makes no sense
    COND_BAD_INPUT = -3,     // a file says something wrong; the message names file, line and field
    COND_NO_FILE = -4,       // a file cannot be opened or written
    COND_DIVERGED = -5,      // the numbers ran away; the last finite state is kept
    COND_NOT_SUPPORTED = -6, // a valid request that this version cannot serve
    COND_CANCELLED = -7,     // the context's callback said that the work is not wanted any more
} CondStatus;

// What went wrong, for people; a file with several faults has a line for each. Every function that
// takes a CondError* accepts NULL.
typedef struct CondError {
    CondStatus status;
    char message[2048];
} CondError;

// The name of a status, such as "not converged".
COND_API const char* cond_status_name(CondStatus status);

#ifdef __cplusplus
}
#endif
#endif
