// A whole file from pieces in memory.
#define _XOPEN_SOURCE 700
#include "base/file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUFFIX = sizeof ".part" + 3 * sizeof(int) }; // room for ".part" and the digits of an int

struct CondFile {
    CondContext context;
    const char* shown; // the path as it was given, in the memory behind this struct
    char* path;        // where the file is to be: the end of all links
    char* temporary;   // where it is until then; NULL: written in place
    FILE* stream;
};

static CondStatus fail(const char* path, int reason, CondError* error)
{
    return cond_error_set(error, COND_NO_FILE, "%.1000s: cannot be written: %s", path,
                          strerror(reason));
}

static CondStatus no_memory(const char* path, CondError* error)
{
    return cond_error_set(error, COND_OUT_OF_MEMORY, "no memory to write %.1000s", path);
}

int cond_file_is_special(const char* path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

// Of these folders the entries are not files of their own: /dev/stdout is what the shell made it.
static int is_of_system(const char* path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

// What a link at `path` names, relative to where it stands, as a new path; NULL when memory is
// short or it is no link.
static char* follow(const CondContext* context, const char* path)
{
    char target[4096];
    ssize_t n = readlink(path, target, sizeof target);
    const char* slash = strrchr(path, '/');
    size_t folder = slash && n > 0 && target[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    if (n <= 0 || n == (ssize_t)sizeof target)
        return NULL;
    char* out = cond_allocate(context, folder + (size_t)n + 1, 1);
    if (out) {
        memcpy(out, path, folder);
        memcpy(out + folder, target, (size_t)n);
    }
    return out;
}

// path becomes the end of the links that begin there, which need not exist. The system says where
// they lead in a circle.
static CondStatus resolve(CondFile* file, CondError* error)
{
    struct stat about;
    if (stat(file->path, &about) != 0 && errno == ELOOP)
        return fail(file->shown, ELOOP, error);
    while (lstat(file->path, &about) == 0 && S_ISLNK(about.st_mode)) {
        char* next = follow(&file->context, file->path);
        if (!next)
            return no_memory(file->shown, error);
        cond_release(&file->context, file->path);
        file->path = next;
    }
    return COND_OK;
}

// A new file beside the path, under a name that is not taken, with the rights of the older one.
static CondStatus open_beside(CondFile* file, CondError* error)
{
    struct stat about;
    size_t size = strlen(file->path) + SUFFIX;
    int descriptor = -1, older = stat(file->path, &about) == 0;
    if (older && access(file->path, W_OK) != 0)
        return fail(file->shown, errno, error);
    file->temporary = cond_allocate(&file->context, size, 1);
    if (!file->temporary)
        return no_memory(file->shown, error);
    for (int k = 0; k < COND_FILE_ATTEMPTS && descriptor < 0; k++) {
        snprintf(file->temporary, size, "%s.part%d", file->path, k);
        descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    int reason = errno;
    if (descriptor >= 0 && older && fchmod(descriptor, about.st_mode & 0777) != 0)
        errno = 0; // not a reason to write nothing
    file->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file->stream)
        return COND_OK;
    if (descriptor >= 0) {
        close(descriptor);
        remove(file->temporary);
    }
    cond_release(&file->context, file->temporary);
    file->temporary = NULL;
    return fail(file->shown, reason, error);
}

static CondStatus open_file(CondFile* file, CondError* error)
{
    struct stat about;
    if (stat(file->path, &about) == 0 && (!S_ISREG(about.st_mode) || is_of_system(file->path))) {
        file->stream = S_ISDIR(about.st_mode) ? NULL : fopen(file->path, "wb");
        return file->stream ? COND_OK
                            : fail(file->shown, S_ISDIR(about.st_mode) ? EISDIR : errno, error);
    }
    CondStatus status = resolve(file, error);
    return status ? status : open_beside(file, error);
}

CondStatus cond_file_begin(const CondContext* context, const char* path, CondFile** file,
                           CondError* error)
{
    CondContext m = cond_context_or_default(context);
    size_t length = strlen(path) + 1;
    CondFile* made = cond_allocate(&m, sizeof *made + length, 1);
    *file = NULL;
    if (!made)
        return no_memory(path, error);
    made->context = m;
    made->shown = memcpy(made + 1, path, length);
    made->path = cond_allocate(&m, length, 1);
    CondStatus status = COND_OK;
    if (!made->path) {
        status = no_memory(path, error);
    } else {
        memcpy(made->path, path, length);
        status = open_file(made, error);
    }
    if (status)
        cond_file_end(made, 0, NULL);
    else
        *file = made;
    return status;
}

FILE* cond_file_stream(CondFile* file)
{
    return file->stream;
}

// Closes the stream; 0, or why what was written is not whole.
static int close_stream(CondFile* file, int keep)
{
    int reason = 0;
    if (!file->stream)
        return 0;
    errno = 0;
    if (ferror(file->stream) || fflush(file->stream) != 0 ||
        (keep && file->temporary && fsync(fileno(file->stream)) != 0))
        reason = errno ? errno : EIO;
    if (fclose(file->stream) != 0 && !reason)
        reason = errno;
    file->stream = NULL;
    return reason;
}

CondStatus cond_file_end(CondFile* file, int keep, CondError* error)
{
    CondStatus status = COND_OK;
    if (!file)
        return COND_OK;
    int reason = close_stream(file, keep);
    if (keep && !reason && file->temporary && rename(file->temporary, file->path) != 0)
        reason = errno;
    if (file->temporary && (!keep || reason))
        remove(file->temporary);
    if (keep && reason)
        status = cond_error_set(error, COND_NO_FILE, "%.1000s: could not be written to its end: %s",
                                file->shown, strerror(reason));
    CondContext m = file->context;
    cond_release(&m, file->path);
    cond_release(&m, file->temporary);
    cond_release(&m, file);
    return status;
}

CondStatus cond_file_replace(const CondContext* context, const char* path, int n,
                             const CondFilePart* part, CondError* error)
{
    CondFile* file;
    int whole = 1;
    CondStatus status = cond_file_begin(context, path, &file, error);
    if (status)
        return status;
    for (int k = 0; k < n && whole; k++)
        whole = part[k].size == 0 ||
                fwrite(part[k].data, 1, part[k].size, file->stream) == part[k].size;
    int reason = errno;
    status = cond_file_end(file, whole, error);
    if (!status && !whole)
        status = cond_error_set(error, COND_NO_FILE, "%.1000s: could not be written to its end: %s",
                                path, strerror(reason));
    return status;
}
