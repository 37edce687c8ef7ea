// The number arrays of a .vtu file: text, base64 or raw bytes, as they are or compressed by zlib.
#ifndef COND_MESH_FILE_MESH_ARRAY_H
#define COND_MESH_FILE_MESH_ARRAY_H

#include "mesh_file/mesh_file.h"

typedef enum CondArrayForm { COND_ARRAY_TEXT, COND_ARRAY_BASE64, COND_ARRAY_RAW } CondArrayForm;

// Where the numbers of one array stand, and how.
typedef struct CondMeshArray {
    CondArrayForm form;
    const char* data; // the text or the bytes, not ended by 0 unless it is text
    size_t size;      //
    int compressed;   // 1: zlib
    int wide_header;  // 1: the numbers before the data have 8 bytes, else 4
    int swap;         // 1: the other byte order
    const char* type; // "Float64", "Int32", ...
    const char* name; // for messages
    size_t at;        // place in the file, for messages
} CondMeshArray;

// Reads exactly n numbers; one of the two targets is NULL. What a damaged file claims is checked
// against the bytes at hand before memory is taken.
CondStatus cond_mesh_array_read(CondMeshFile* file, const CondMeshArray* array, int64_t n,
                                double** real, int64_t** integer);

#endif
