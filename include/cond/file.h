// Files that appear under their name only once they are whole. All that COND writes in one piece
// goes this way: states, meshes, contact problems, frames of ParaView, reports.
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
// To write to, in binary; it belongs to the file.
COND_API FILE* cond_file_stream(CondFile* file);

// Ends a file and releases it; NULL is fine. keep = 1: all is brought to the disk, and then the
// file takes the place of the older one. keep = 0, or when a write failed: the older one stays.
COND_API CondStatus cond_file_end(CondFile* file, int keep, CondError* error);

#ifdef __cplusplus
}
#endif
#endif
