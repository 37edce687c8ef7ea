// Files that are replaced atomically: a file gets its name only when it is complete. COND writes
// states, meshes, contact problems, frames of ParaView and reports with these functions.
#ifndef COND_FILE_H
#define COND_FILE_H

#include "cond/context.h"
#include "cond/status.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CondFile CondFile;

// Begins a file. Data written to its stream go to a temporary file beside it; an older file of that
// name is unchanged until cond_file_end. Links are followed and stay links; a device or a pipe is
// written to directly. COND_NO_FILE: it cannot be written, the message says why.
COND_API CondStatus cond_file_begin(const CondContext* context, const char* path, CondFile** file,
                                    CondError* error);
// The stream to write to, opened in binary mode; it belongs to the file.
COND_API FILE* cond_file_stream(CondFile* file);

// Ends a file and releases it; NULL is fine. keep = 1: the data is flushed to the disk, and then
// the file replaces the older one. keep = 0, or when a write failed: the older one stays.
COND_API CondStatus cond_file_end(CondFile* file, int keep, CondError* error);

#ifdef __cplusplus
}
#endif
#endif
