// Writes a whole file from buffers in memory.
#ifndef COND_BASE_FILE_H
#define COND_BASE_FILE_H

#include "cond/file.h"

#include <stddef.h>

typedef struct CondFilePart {
    const void* data;
    size_t size;
} CondFilePart;

// Writes the consecutive parts as the file of that name, which is replaced only when all of them
// are written.
CondStatus cond_file_replace(const CondContext* context, const char* path, int n,
                             const CondFilePart* part, CondError* error);

// 1 if the name is that of something other than a regular file, such as a device or a folder.
int cond_file_is_special(const char* path);

#endif
