// The number arrays of a .vtu file: text, base64 or raw bytes, uncompressed or compressed by zlib.
#ifndef COND_MESH_FILE_MESH_ARRAY_H
#define COND_MESH_FILE_MESH_ARRAY_H

#include "mesh_file/mesh_file.h"

typedef enum CondArrayForm { COND_ARRAY_TEXT, COND_ARRAY_BASE64, COND_ARRAY_RAW } CondArrayForm;

// Position and encoding of one array.
typedef struct CondMeshArray {
    CondArrayForm form;
    const char* data; // the text or the bytes, not ended by 0 unless it is text
    size_t size;      //
    int compressed;   // 1: zlib
    int wide_header;  // 1: the numbers before the data have 8 bytes, else 4
    int swap;         // 1: the other byte order
    const char* type; // "Float64", "Int32", ...
    const char* name; // for messages
    size_t at;        // position in the file, for messages
} CondMeshArray;

// Reads exactly n numbers; one of the two targets is NULL. Sizes claimed by the file are checked
// against the available bytes before memory is allocated.
CondStatus cond_mesh_array_read(CondMeshFile* file, const CondMeshArray* array, int64_t n,
                                double** real, int64_t** integer);

#endif
