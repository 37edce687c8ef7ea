// Exit codes and messages that all commands share (cli.h).
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_exit(CondStatus status)
{
    switch (status) {
    case COND_OK:
        return CLI_FINE;
    case COND_NOT_CONVERGED:
    case COND_TOO_DEEP:
        return CLI_TOLERANCE;
    case COND_DIVERGED:
        return CLI_DIVERGED;
    case COND_CANCELLED:
        return CLI_CANCELLED;
    default:
        return CLI_INPUT;
    }
}

void cli_complain(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("cond: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

const char* cli_law_name(int index)
{
    return cond_law_name((CondLaw)index);
}

const char* cli_surrogate_name(int index)
{
    return cond_surrogate_name((CondSurrogateKind)index);
}

const char* cli_multilevel_name(int index)
{
    return cond_multilevel_name((CondMultilevelUse)index);
}

const char* cli_device_name(int index)
{
    return cond_device_name((CondDeviceKind)index);
}

const char* cli_storage_name(int index)
{
    return cond_storage_name((CondStorage)index);
}

const char* cli_accelerator_name(int index)
{
    return cond_accelerator_name((CondAcceleratorKind)index);
}

const char* cli_stop_name(int index)
{
    return cond_stop_name((CondStop)index);
}

int cli_enum(const char* option, const char* text, const char* (*name)(int))
{
    char known[256] = "";
    for (int i = 0; name(i); i++) {
        if (strcmp(cond_solver_present_name(text), name(i)) == 0)
            return i;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", name(i));
    }
    cli_complain("%s %s: not one of %s", option, text, known);
    return -1;
}

// The path of this program less so many parts at its end.
static void program_path(int up, char* out, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    for (; up > 0; up--) { // .../bin/cond -> .../bin -> ...
        char* slash = strrchr(out, '/');
        if (slash)
            *slash = '\0';
    }
}

void cli_sibling_path(const char* name, char* out, size_t size)
{
    char folder[4096];
    program_path(1, folder, sizeof folder);
    snprintf(out, size, "%s/%s", folder, name);
}

void cli_share_path(const char* name, char* out, size_t size)
{
    char folder[4096];
    program_path(2, folder, sizeof folder);
    snprintf(out, size, "%s/share/cond/%s", folder, name);
}

void cli_scene_path(const char* text, char* out, size_t size)
{
    char name[512];
    snprintf(name, sizeof name, "scenes/%.400s.yaml", text);
    cli_share_path(name, out, size);
    int known = access(out, F_OK) == 0 || !strpbrk(text, "/.");
    if (access(text, F_OK) == 0 || !known)
        snprintf(out, size, "%s", text);
}
