// Making and breaking FCLib files with plain HDF5 calls, independent of the library's own writer.
#ifndef COND_TEST_FCLIB_EDIT_H
#define COND_TEST_FCLIB_EDIT_H

// A new HDF5 file with nothing in it.
void fclib_edit_create(const char* path);
// A byte for byte copy of the first `bytes` bytes of a file; negative: all of it.
void fclib_edit_copy(const char* from, const char* to, long bytes);

// Each opens the file, does one thing and closes it. put replaces what was there and makes the
// groups on the way.
void fclib_edit_delete(const char* path, const char* location);
void fclib_edit_group(const char* path, const char* location);
void fclib_edit_put_ints(const char* path, const char* location, int n, const int* values);
void fclib_edit_put_int(const char* path, const char* location, int value);
void fclib_edit_put_doubles(const char* path, const char* location, int n, const double* values);
void fclib_edit_put_text(const char* path, const char* location, const char* text);

// Changes one number of an array of doubles.
void fclib_edit_set_double(const char* path, const char* location, int index, double value);

// Reads an array of doubles of exactly n entries.
void fclib_edit_get_doubles(const char* path, const char* location, int n, double* values);
int fclib_edit_exists(const char* path, const char* location);

// A dense n x n matrix, row-major, as a group of triplets; entries that are zero are left out, and
// with upper != 0 those below the diagonal too.
void fclib_edit_put_matrix(const char* path, const char* location, int n, const double* dense,
                           int upper);
// A local problem of n / 3 contacts.
void fclib_edit_put_local(const char* path, int n, const double* W, const double* q, double mu);

#endif
