// Contact problems in the FCLib HDF5 layout: M v = H r + f, u = H' v + w (global) and
// u = W r + q (local). A = M, b = f, Jc = H', phi = w, lambda = r; kv = INFINITY.
#ifndef COND_FCLIB_H
#define COND_FCLIB_H

#include "cond/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// A problem together with the arrays it points to.
typedef struct CondProblemFile CondProblemFile;

typedef enum CondFclibLayout {
    COND_FCLIB_TRIPLET = 0, // nz >= 0
    COND_FCLIB_COLUMNS = 1, // nz = -1
    COND_FCLIB_ROWS = 2,    // nz = -2
} CondFclibLayout;

// Reads a global or a local problem. All three sparse layouts; a matrix M that holds one triangle
// only is mirrored. A local problem becomes A = I, Jc = L, phi = q with the pivoted Cholesky factor
// W = L L', which also serves a singular W.
COND_IO_API CondStatus cond_fclib_read(const CondContext* context, const char* path,
                                       CondProblemFile** file, CondError* error);

COND_IO_API const CondProblem* cond_problem_file_problem(const CondProblemFile* file);

// 1 when the file held a local problem (W, q).
COND_IO_API int cond_problem_file_local(const CondProblemFile* file);

// The title, description and mathematical remarks of the file; "" where it has none.
COND_IO_API const char* cond_problem_file_title(const CondProblemFile* file);
COND_IO_API const char* cond_problem_file_description(const CondProblemFile* file);

COND_IO_API void cond_problem_file_destroy(CondProblemFile* file);

// Writes any CondProblem as an FCLib global problem; with v, u or lambda not NULL also the
// solution group. Couplings are added into M; kv and frames into H.
COND_IO_API CondStatus cond_fclib_write(const CondContext* context, const char* path,
                                        const CondProblem* problem, CondFclibLayout layout,
                                        const char* title, const double* v, const double* lambda,
                                        CondError* error);

#ifdef __cplusplus
}
#endif
#endif
