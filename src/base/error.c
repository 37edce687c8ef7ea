#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

CondStatus cond_error_set(CondError* error, CondStatus status, const char* format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char* cond_status_name(CondStatus status)
{
    switch (status) {
    case COND_OK:
        return "ok";
    case COND_NOT_CONVERGED:
        return "not converged";
    case COND_TOO_DEEP:
        return "too deep";
    case COND_OUT_OF_MEMORY:
        return "out of memory";
    case COND_BAD_ARGUMENT:
        return "bad argument";
    case COND_BAD_INPUT:
        return "bad input";
    case COND_NO_FILE:
        return "no file";
    case COND_DIVERGED:
        return "diverged";
    case COND_NOT_SUPPORTED:
        return "not supported";
    case COND_CANCELLED:
        return "cancelled";
    }
    return "unknown";
}

// A macro's value as text.
#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

const char* cond_version(void)
{
    return TEXT(COND_VERSION_MAJOR) "." TEXT(COND_VERSION_MINOR) "." TEXT(COND_VERSION_PATCH);
}
