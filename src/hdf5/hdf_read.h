// Reading HDF5 files without trusting them: extents are compared with the size of the file
// before memory is allocated for them.
//
// Every failure is reported as "file: /group/dataset: what is wrong", see data_file.h.
#ifndef COND_HDF5_HDF_READ_H
#define COND_HDF5_HDF_READ_H

#include "hdf5/data_file.h"

#include <stdint.h>

enum { COND_HDF_MAX_RANK = 3 };

// A dataset that is open for reading.
typedef struct CondHdfData {
    hid_t id, type; // -1: not open
    int rank;       // 0: a single value
    int64_t n;      // entries
    hsize_t size[COND_HDF_MAX_RANK];
} CondHdfData;

// Opens a dataset of at most three dimensions whose bytes are in this file. Nothing is open after a
// failure.
CondStatus cond_hdf_data_open(const CondDataFile* file, const char* location, CondHdfData* data);
void cond_hdf_data_close(CondHdfData* data);
int cond_hdf_data_is_number(const CondHdfData* data);

// A dataset of rows of numbers, and the layout of a row.
typedef struct CondHdfRows {
    const char* location;
    int columns;
    int integer; // 1: int, else double
    int rows;    // rows of each entry if it is a matrix; else 0
} CondHdfRows;

// Checks the layout and returns the number of rows.
CondStatus cond_hdf_rows_count(const CondDataFile* file, const CondHdfRows* rows, int64_t* n);
// Reads rows first .. first + n - 1 into out.
CondStatus cond_hdf_rows_read(const CondDataFile* file, const CondHdfRows* rows, int64_t first,
                              int64_t n, void* out);
// Reads the first n rows into memory allocated here, after checking that they exist; *out is NULL
// after a failure.
CondStatus cond_hdf_rows_take(const CondDataFile* file, const CondHdfRows* rows, int64_t n,
                              void** out);

// n names of `size` bytes each, allocated here; NULL after a failure.
CondStatus cond_hdf_names_take(const CondDataFile* file, const char* location, size_t size, int* n,
                               char** names);

// An attribute of exactly one value.
CondStatus cond_hdf_attribute_int(const CondDataFile* file, const char* location, const char* name,
                                  int* value);
// A text of fixed length, allocated here; "" if there is none.
CondStatus cond_hdf_attribute_text(const CondDataFile* file, const char* location, const char* name,
                                   char** text);

#endif
