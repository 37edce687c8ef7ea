// The function table of a kind of record: one per kind of file.
#ifndef COND_RECORD_RECORD_SINK_H
#define COND_RECORD_RECORD_SINK_H

#include "cond/record.h"
#include "record/snapshot.h"

typedef struct CondRecordSink {
    // The extension of the path begins at path[length]. Creates *sink; it is NULL after a failure.
    CondStatus (*open)(const CondContext* context, const char* path, size_t length,
                       const CondSnapshot* snapshot, const CondRecordSettings* settings,
                       void** sink, CondError* error);
    // Writes the state of the snapshot as frame i_frame. After a failure the next call has the same
    // i_frame.
    CondStatus (*frame)(void* sink, int i_frame, const CondState* state, CondError* error);
    // Writes the buffered frames to the files. NULL if this kind does not buffer.
    CondStatus (*flush)(void* sink, CondError* error);
    void (*close)(void* sink);
} CondRecordSink;

extern const CondRecordSink cond_record_vtu;
extern const CondRecordSink cond_record_hdf;

#endif
