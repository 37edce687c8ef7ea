// The function table of a kind of record: one per kind of file.
#ifndef COND_RECORD_RECORD_SINK_H
#define COND_RECORD_RECORD_SINK_H

#include "cond/record.h"
#include "record/snapshot.h"

typedef struct CondRecordSink {
    // path ends at path[length] with the ending. *sink is made here; after a failure it is NULL.
    CondStatus (*open)(const CondContext* context, const char* path, size_t length,
                       const CondSnapshot* snapshot, const CondRecordSettings* settings,
                       void** sink, CondError* error);
    // Adds the snapshot's moment as frame i_frame; a failed frame is tried again under its number.
    CondStatus (*frame)(void* sink, int i_frame, const CondState* state, CondError* error);
    // Brings the frames that wait in memory to the files; NULL: none does.
    CondStatus (*flush)(void* sink, CondError* error);
    void (*close)(void* sink);
} CondRecordSink;

extern const CondRecordSink cond_record_vtu;
extern const CondRecordSink cond_record_hdf;

#endif
