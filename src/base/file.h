// A whole file from pieces in memory.
#ifndef COND_BASE_FILE_H
#define COND_BASE_FILE_H

#include "cond/file.h"

#include <stddef.h>

typedef struct CondFilePart {
    const void* data;
    size_t size;
} CondFilePart;

// Writes the parts one after the other as the file of that name, which changes only when all of
// them are written.
CondStatus cond_file_replace(const CondContext* context, const char* path, int n,
                             const CondFilePart* part, CondError* error);

// 1 when there is something under that name that is no regular file: a device, a folder.
int cond_file_is_special(const char* path);

#endif
