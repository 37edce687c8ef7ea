// Messages of failures, the names of statuses, and the version.
#include "base/error.h"

#include "base/enum_name.h"
#include "base/tuning.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

CondStatus cond_error_set(CondError* error, CondStatus status, const char* format, ...)
{
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (error) {
        error->status = status;
        memcpy(error->message, message, strlen(message) + 1);
    }
    return cond_last_error_set(status, message);
}

CondStatus cond_error_pass(CondStatus status, const char* function)
{
    if (status >= 0 || cond_last_error()->status == status)
        return status;
    return cond_error_set(NULL, status, "%s: %s", function, cond_status_name(status));
}

static const CondEnumName status_names[] = {
    {COND_OK, "ok"},
    {COND_NOT_CONVERGED, "not converged"},
    {COND_TOO_DEEP, "too deep"},
    {COND_OUT_OF_MEMORY, "out of memory"},
    {COND_BAD_ARGUMENT, "bad argument"},
    {COND_BAD_INPUT, "bad input"},
    {COND_NO_FILE, "no file"},
    {COND_DIVERGED, "diverged"},
    {COND_NOT_SUPPORTED, "not supported"},
    {COND_CANCELLED, "cancelled"},
};
enum { N_STATUS = sizeof status_names / sizeof status_names[0] };

const char* cond_status_name(CondStatus status)
{
    const char* name = cond_enum_name(status_names, N_STATUS, (int)status);
    return name ? name : "unknown";
}

CondStatus cond_status_from_name(const char* name, CondStatus* value)
{
    int found = 0;
    CondStatus status = cond_enum_from_name(status_names, N_STATUS, "CondStatus", name, &found);
    if (!status)
        *value = (CondStatus)found;
    return status;
}

// A macro's value as text.
#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

const char* cond_version(void)
{
    return TEXT(COND_VERSION_MAJOR) "." TEXT(COND_VERSION_MINOR) "." TEXT(COND_VERSION_PATCH);
}

const char* cond_path_tail(const char* path)
{
    size_t length = strlen(path);
    return length > COND_TEXT_SHOWN ? path + length - COND_TEXT_SHOWN : path;
}
