// Resolves package:// and relative paths to files (urdf_package.h). Looks into folders; reads no
// file.
#include "robot_file/urdf_package.h"
#include "base/tuning.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

// Where a name may be looked for, and room for the guesses.
typedef struct Search {
    const char* file;    // the robot's
    size_t folder;       // length of its folder, with the slash
    const char* folders; // of packages, with colons between them; NULL: none
    char* guess;
} Search;

static int readable(const char* path)
{
    FILE* stream = fopen(path, "rb");
    int good = stream && fgetc(stream) != EOF; // a folder can be opened but not read
    if (stream)
        fclose(stream);
    return good;
}

// into = the first `length` characters of folder, a slash where one is needed, `levels` times ../,
// middle, rest.
static void join(char* into, const char* folder, size_t length, int levels, const char* middle,
                 const char* rest)
{
    memcpy(into, folder, length);
    if (length > 0 && folder[length - 1] != '/')
        into[length++] = '/';
    for (int k = 0; k < levels; k++, length += 3)
        memcpy(into + length, "../", 3);
    strcpy(into + length, middle);
    strcat(into + length, rest);
}

// In the folders of packages; those of an installed workspace are in its share/.
static int find_in_folders(const Search* search, const char* rest)
{
    for (const char* at = search->folders; at && *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        for (int share = 0; share < 2; share++) {
            join(search->guess, at, length, 0, share ? "share/" : "", rest);
            if (readable(search->guess))
                return 1;
        }
        at += length;
    }
    return 0;
}

// The folder of the robot's file is somewhere in a package: the packages lie side by side above it.
static int find_above(const Search* search, const char* rest)
{
    for (int k = 0; k <= COND_FILE_LEVELS; k++) {
        join(search->guess, search->file, search->folder, k, "", rest);
        if (readable(search->guess))
            return 1;
    }
    return 0;
}

// Behind package://, model://, $(find NAME)/ and file://$(find NAME)/ stand a package and a file in
// it: "NAME/REST" in room, or nothing.
static int is_package(const char* name, char* room)
{
    static const char* const schemes[] = {"package://", "model://"};
    static const char found[] = "$(find ", local[] = "file://";
    for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; k++)
        if (strncmp(name, schemes[k], strlen(schemes[k])) == 0) {
            strcpy(room, name + strlen(schemes[k]));
            return 1;
        }
    const char* at = strncmp(name, local, sizeof local - 1) == 0 ? name + sizeof local - 1 : name;
    const char* close = strchr(at, ')');
    if (strncmp(at, found, sizeof found - 1) != 0 || !close)
        return 0;
    at += sizeof found - 1;
    memcpy(room, at, (size_t)(close - at));
    strcpy(room + (close - at), close + 1);
    return 1;
}

// The file of a package, or of the robot's own folder, by the rest of its name.
static int find_package(const Search* search, const char* name)
{
    const char* inside = strchr(name, '/');
    return find_in_folders(search, name) || find_above(search, name) ||
           // The package may lie in a folder of another name.
           (inside && find_above(search, inside + 1));
}

CondStatus cond_urdf_find_file(const CondUrdfFile* file, const xmlNode* node, const char* name,
                               char** path, int* found)
{
    static const char local[] = "file://";
    const char* slash = strrchr(file->path, '/');
    Search search = {.file = file->path,
                     .folder = slash ? (size_t)(slash - file->path) + 1 : 0,
                     .folders = file->package_path};
    size_t most = strlen(file->path) + strlen(name) + 16 + 3 * COND_FILE_LEVELS;
    if (file->package_path)
        most += strlen(file->package_path);
    char* guess = cond_allocate(&file->context, 3 * most, 1);
    *path = guess;
    *found = 0;
    if (!guess)
        return cond_urdf_refuse(file, node, COND_OUT_OF_MEMORY, "no memory for a file name");
    search.guess = guess;
    char *given = guess + most, *package = given + most;
    strcpy(given, name);
    for (char* at = given; *at; at++) // as written elsewhere
        if (*at == '\\')
            *at = '/';
    if (is_package(given, package))
        *found = find_package(&search, package);
    else if (strncmp(given, local, sizeof local - 1) == 0)
        *found = readable(strcpy(guess, given + sizeof local - 1));
    else if (given[0] == '/')
        *found = readable(strcpy(guess, given));
    else
        *found = find_above(&search, given);
    if (*found)
        return COND_OK;
    strcpy(guess, given);
    return cond_urdf_warn(file, node, "mesh '%.1000s' is not there", name);
}
