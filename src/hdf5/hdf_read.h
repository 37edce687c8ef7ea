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

// Where rows of numbers are, and what one of them is.
typedef struct CondHdfRows {
    const char* location;
    int columns;
    int integer; // 1: int, else double
    int rows;    // of each entry, where it is a matrix; else 0
} CondHdfRows;

// How many rows there are, each of the shape that is said.
CondStatus cond_hdf_rows_count(const CondDataFile* file, const CondHdfRows* rows, int64_t* n);
// Rows first .. first + n into out.
CondStatus cond_hdf_rows_read(const CondDataFile* file, const CondHdfRows* rows, int64_t first,
                              int64_t n, void* out);
// The first n rows into memory that is taken here, once it is known that they are there; *out is
// NULL after a failure.
CondStatus cond_hdf_rows_take(const CondDataFile* file, const CondHdfRows* rows, int64_t n,
                              void** out);

// n names of `size` bytes each, allocated here; NULL after a failure.
CondStatus cond_hdf_names_take(const CondDataFile* file, const char* location, size_t size, int* n,
                               char** names);

// An attribute of exactly one value.
CondStatus cond_hdf_attribute_int(const CondDataFile* file, const char* location, const char* name,
                                  int* value);
// A text of fixed length, taken here; "" where there is none.
CondStatus cond_hdf_attribute_text(const CondDataFile* file, const char* location, const char* name,
                                   char** text);

#endif
