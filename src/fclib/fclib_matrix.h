// Matrix groups of FCLib files: nzmax, m, n, nz, p, i, x in one of three layouts.
#ifndef COND_FCLIB_FCLIB_MATRIX_H
#define COND_FCLIB_FCLIB_MATRIX_H

#include "cond/fclib.h"
#include "fclib/csr.h"
#include "hdf5/data_file.h"

// A matrix as triplets, regardless of its layout in the file.
typedef struct CondFclibMatrix {
    int m;         // rows
    int n;         // columns
    int n_entry;   //
    int* row;      //                                          (n_entry)
    int* column;   //                                          (n_entry)
    double* value; //                                          (n_entry)
} CondFclibMatrix;

// Reads the group at location. Sizes, layout, index ranges and finite values are checked; m and n
// are not bounded by anything in the group, so compare them with a vector before using them to
// allocate. After a failure the matrix is empty.
CondStatus cond_fclib_matrix_read(const CondDataFile* file, const char* location,
                                  CondFclibMatrix* matrix);
void cond_fclib_matrix_destroy(const CondContext* context, CondFclibMatrix* matrix);

// Reads only m and n of the group; both are 0 if there is no such group.
CondStatus cond_fclib_matrix_size(const CondDataFile* file, const char* location, int* m, int* n);

// S = the square matrix made exactly symmetric: a single filled triangle is mirrored, two
// triangles that agree to rounding are averaged, anything else is refused. The diagonal must be
// positive, or not negative where zero is allowed.
CondStatus cond_fclib_matrix_symmetric(const CondDataFile* file, const char* location,
                                       const CondFclibMatrix* matrix, int allow_zero, CondCsr* S);

// Writes A as a group.
CondStatus cond_fclib_matrix_write(const CondDataFile* file, const char* location, const CondCsr* A,
                                   CondFclibLayout layout);

#endif
