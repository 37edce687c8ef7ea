// Datasets of HDF5 files, read and written whole.
//
// Every failure is reported as "file: /group/dataset: what is wrong". Callers switch HDF5's own
// error printing off (H5E_BEGIN_TRY) around everything here.
#ifndef COND_HDF5_DATA_FILE_H
#define COND_HDF5_DATA_FILE_H

#include <hdf5.h>

#include "cond/context.h"
#include "cond/status.h"

// Longest location inside a file, such as "/fclib_global/vectors/mu".
#define COND_DATA_LOCATION 64

// An open file and the error for its messages.
typedef struct CondDataFile {
    const CondContext* context;
    const char* path; // as the user wrote it
    hid_t id;
    CondError* error; // may be NULL
} CondDataFile;

// "path: location: message"; with location "" without "location: ". Returns status.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
CondStatus
cond_data_fail(const CondDataFile* file, CondStatus status, const char* location,
               const char* format, ...);
CondStatus cond_data_out_of_memory(const CondDataFile* file);

// Opens file->path for reading and sets file->id. COND_NO_FILE when it is not a readable file,
// COND_BAD_INPUT when it is one but not HDF5.
CondStatus cond_data_open(CondDataFile* file);

// location = group "/" name, in a buffer of COND_DATA_LOCATION characters.
void cond_data_join(const char* group, const char* name, char* location);

int cond_data_exists(const CondDataFile* file, const char* location);

// One integer.
CondStatus cond_data_read_int(const CondDataFile* file, const char* location, int* value);

// An array of at_least to at_most numbers; *values is allocated here and *count (may be NULL) says
// how many there are. After a failure *values is NULL.
CondStatus cond_data_read_ints(const CondDataFile* file, const char* location, int at_least,
                               int at_most, int** values, int* count);
CondStatus cond_data_read_doubles(const CondDataFile* file, const char* location, int at_least,
                                  int at_most, double** values, int* count);

// A text, or "" where there is none; *text is allocated here.
CondStatus cond_data_read_text(const CondDataFile* file, const char* location, char** text);

CondStatus cond_data_write_group(const CondDataFile* file, const char* location);
CondStatus cond_data_write_ints(const CondDataFile* file, const char* location, int count,
                                const int* values);
CondStatus cond_data_write_doubles(const CondDataFile* file, const char* location, int count,
                                   const double* values);
CondStatus cond_data_write_text(const CondDataFile* file, const char* location, const char* text);

#endif
