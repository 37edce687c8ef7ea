// The last failure of each thread. It is a message and no part of any result. Its functions are
// exported, so that all libraries of COND in a process keep the messages of a thread in one place.
#include "cond/status.h"

#include <stdio.h>

static _Thread_local CondError last;

const CondError* cond_last_error(void)
{
    return &last;
}

CondStatus cond_last_error_set(CondStatus status, const char* message)
{
    last.status = status;
    snprintf(last.message, sizeof last.message, "%s", message ? message : "");
    return status;
}
