#include "io/urdf_package.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { LEVELS = 8 }; // folders above the robot's file that are looked into

static int readable(const char* path)
{
    FILE* stream = fopen(path, "rb");
    if (stream)
        fclose(stream);
    return stream != NULL;
}

// into = the first `length` characters of folder, a slash where one is needed, `levels` times ../,
// rest.
static void join(char* into, const char* folder, size_t length, int levels, const char* rest)
{
    memcpy(into, folder, length);
    if (length > 0 && folder[length - 1] != '/')
        into[length++] = '/';
    for (int k = 0; k < levels; k++, length += 3)
        memcpy(into + length, "../", 3);
    strcpy(into + length, rest);
}

// The folders of packages, with colons between them.
static int find_in_folders(const char* folders, const char* rest, char* guess)
{
    for (const char* at = folders; at && *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        join(guess, at, length, 0, rest);
        if (readable(guess))
            return 1;
        at += length;
    }
    return 0;
}

// The folder of the robot's file is somewhere in a package: the packages lie side by side above it.
static int find_above(const CondUrdfFile* file, size_t folder, const char* rest, char* guess)
{
    for (int k = 0; k <= LEVELS; k++) {
        join(guess, file->path, folder, k, rest);
        if (readable(guess))
            return 1;
    }
    return 0;
}

CondStatus cond_urdf_find_file(const CondUrdfFile* file, const xmlNode* node, const char* name,
                               char** path)
{
    static const char package[] = "package://", local[] = "file://";
    const char* slash = strrchr(file->path, '/');
    size_t folder = slash ? (size_t)(slash - file->path) + 1 : 0;
    size_t most = strlen(file->path) + strlen(name) + 2 + 3 * LEVELS;
    if (file->package_path)
        most += strlen(file->package_path);
    char* guess = cond_allocate(&file->context, most, 1);
    *path = guess;
    if (!guess)
        return cond_urdf_refuse(file, node, COND_OUT_OF_MEMORY, "no memory for a file name");
    if (strncmp(name, package, sizeof package - 1) == 0) {
        const char* rest = name + sizeof package - 1;
        if (find_in_folders(file->package_path, rest, guess) ||
            find_above(file, folder, rest, guess))
            return COND_OK;
        const char* inside = strchr(rest, '/');
        join(guess, file->path, folder, 0, inside ? inside + 1 : rest);
    } else if (strncmp(name, local, sizeof local - 1) == 0) {
        strcpy(guess, name + sizeof local - 1);
    } else {
        join(guess, file->path, name[0] == '/' ? 0 : folder, 0, name);
    }
    if (!readable(guess))
        return cond_urdf_warn(file, node, "mesh '%.100s' is not there", name);
    return COND_OK;
}
